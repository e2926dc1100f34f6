// tessera cache: what the library keeps on disk. SPDX-License-Identifier: BSD-3-Clause
#include "../jit/cache.hpp"
#include "command_line.hpp"
#include "program.hpp"
#include "sentences.hpp"

namespace tessera {

int run_cache(const std::vector<std::string> &arguments, const streams &to) {
  const command_line line(command_named("cache"), arguments);
  if (line.others().size() != 1 || (line.others()[0] != "show" && line.others()[0] != "clear"))
    throw wrong_usage("say what is to be done: tessera cache show, or tessera cache clear");
  const code_cache cache;
  if (cache.directory().empty()) {
    std::fprintf(to.out, "there is no cache on disk: neither $XDG_CACHE_HOME nor $HOME is a whole path\n");
    return exit_good;
  }
  if (line.others()[0] == "show") {
    std::fprintf(to.out, "%s\n", cache_sentence(cache).c_str());
    return exit_good;
  }
  const code_cache::disk_contents gone = cache.clear_disk();
  std::fprintf(to.out, "%s: %lld files, %s removed\n", cache.directory().c_str(), static_cast<long long>(gone.files),
               size_text(static_cast<double>(gone.bytes)).c_str());
  const code_cache::disk_contents left = cache.on_disk();
  if (left.files > 0)
    throw command_failure(exit_no_result, std::to_string(left.files) +
                                              " files cannot be removed: the directory belongs to another user, or "
                                              "others may write to it");
  return exit_good;
}

}  // namespace tessera
