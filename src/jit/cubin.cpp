// SPDX-License-Identifier: BSD-3-Clause
#include "cubin.hpp"

#include <cstring>

#include <elf.h>

namespace tessera {
namespace {

constexpr unsigned char kernel_bit = 0x10;  // STO_CUDA_ENTRY in st_other

template <class T>
bool get(const std::string &image, std::size_t at, T &value) {
  if (at > image.size() || image.size() - at < sizeof value) return false;
  std::memcpy(&value, image.data() + at, sizeof value);
  return true;
}

}  // namespace

std::vector<cubin_function> cubin_functions(const std::string &image) {
  std::vector<cubin_function> out;
  Elf64_Ehdr head;
  if (!get(image, 0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64)
    return out;
  for (std::size_t i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr section, names;
    if (!get(image, head.e_shoff + i * sizeof section, section) || section.sh_type != SHT_SYMTAB) continue;
    if (!get(image, head.e_shoff + section.sh_link * sizeof names, names)) continue;
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      if (!get(image, section.sh_offset + at, symbol)) return out;
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
      const std::size_t name = names.sh_offset + symbol.st_name;
      if (name >= image.size()) continue;
      out.push_back({image.substr(name, image.find('\0', name) - name), (symbol.st_other & kernel_bit) != 0});
    }
  }
  return out;
}

std::string cubin_code(const std::string &image, const std::string &kernel) {
  Elf64_Ehdr head;
  Elf64_Shdr names, section;
  if (!get(image, 0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
      !get(image, head.e_shoff + head.e_shstrndx * sizeof names, names))
    return {};
  const std::string wanted = ".text." + kernel + '\0';
  for (std::size_t i = 0; i < head.e_shnum; ++i) {
    if (!get(image, head.e_shoff + i * sizeof section, section)) break;
    const std::size_t name = names.sh_offset + section.sh_name;
    if (name >= image.size() || image.compare(name, wanted.size(), wanted) != 0) continue;
    if (section.sh_offset > image.size()) break;
    return image.substr(section.sh_offset, section.sh_size);
  }
  return {};
}

}  // namespace tessera
