// Places that no solver has at the moment, with their kernels, memory and streams, for the next one that asks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <list>
#include <memory>
#include <mutex>

namespace tessera {

// Place: held_bytes(), and most_bytes() that may lie about unused. Any thread may call.
template <class Place>
class kept_places {
 public:
  // The one given last of those for which fits(place); null: there is none.
  template <class Fits>
  std::unique_ptr<Place> take(const Fits &fits) {
    const std::lock_guard<std::mutex> lock(guard_);
    for (auto p = places_.begin(); p != places_.end(); ++p)
      if (fits(**p)) {
        std::unique_ptr<Place> found = std::move(*p);
        places_.erase(p);
        return found;
      }
    return nullptr;
  }

  // What lies there longest goes.
  void give(std::unique_ptr<Place> place) {
    list gone;  // outlives the lock
    const std::lock_guard<std::mutex> lock(guard_);
    places_.push_front(std::move(place));
    std::size_t places = 0, bytes = 0;
    for (auto p = places_.begin(); p != places_.end();) {
      const auto here = p++;
      const std::size_t held = (*here)->held_bytes();
      if (places < most_places && bytes + held <= (*here)->most_bytes()) {
        ++places;
        bytes += held;
      } else {
        gone.splice(gone.begin(), places_, here);
      }
    }
  }

  template <class Which>
  void drop(const Which &which) {
    list gone;
    const std::lock_guard<std::mutex> lock(guard_);
    for (auto p = places_.begin(); p != places_.end();) {
      const auto here = p++;
      if (which(**here)) gone.splice(gone.begin(), places_, here);
    }
  }

 private:
  using list = std::list<std::unique_ptr<Place>>;
  static constexpr std::size_t most_places = 8;
  std::mutex guard_;
  list places_;
};

}  // namespace tessera
