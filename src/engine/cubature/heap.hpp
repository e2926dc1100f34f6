// A binary heap whose order of equal elements is part of its meaning: the textbook's steps, written out.
//
// The standard library's functions give the same largest element, but leave open which of several equal ones, and where the
// others lie. Here an element moves only past one that is strictly below it, and of two equal children the first goes up;
// so the array after any sequence of steps follows from the steps alone, and a heap that was written down and read again goes
// on as if nothing had happened. The comparison is below(x, y): x comes after y.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "../machine.hpp"

namespace tessera {

template <class T, class Below>
void heap_push(std::vector<T> &heap, const T &element, Below below) {
  heap.push_back(element);
  std::size_t i = heap.size() - 1;
  while (i > 0) {
    const std::size_t parent = (i - 1) / 2;
    if (!below(heap[parent], element)) break;
    heap[i] = heap[parent];
    i = parent;
  }
  heap[i] = element;
}

// Takes the front out; the last element sinks from there.
template <class T, class Below>
void heap_pop(std::vector<T> &heap, Below below) {
  const T last = heap.back();
  heap.pop_back();
  const std::size_t n = heap.size();
  if (n == 0) return;
  T *const h = heap.data();
  std::size_t i = 0;
  for (std::size_t child = 1; child < n; child = 2 * i + 1) {
    for (std::size_t far = 4 * child + 3, end = far + 8; far < end && far < n; far += 3)
      prefetch(h + far);                                                // two levels on
    if (child + 1 < n) child += below(h[child], h[child + 1]) ? 1 : 0;  // either is as likely: no branch
    if (!below(last, h[child])) break;
    h[i] = h[child];
    i = child;
  }
  h[i] = last;
}

}  // namespace tessera
