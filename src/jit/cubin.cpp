// SPDX-License-Identifier: BSD-3-Clause
#include "cubin.hpp"

#include <cstdint>
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

bool find_section(const std::string &image, const std::string &name, Elf64_Shdr &section) {
  Elf64_Ehdr head;
  Elf64_Shdr names;
  if (!get(image, 0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
      !get(image, head.e_shoff + head.e_shstrndx * sizeof names, names))
    return false;
  const std::string wanted = name + '\0';
  for (std::size_t i = 0; i < head.e_shnum && get(image, head.e_shoff + i * sizeof section, section); ++i) {
    const std::size_t at = names.sh_offset + section.sh_name;
    if (at < image.size() && image.compare(at, wanted.size(), wanted) == 0) return true;
  }
  return false;
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
  Elf64_Shdr section;
  if (!find_section(image, ".text." + kernel, section) || section.sh_offset > image.size()) return {};
  return image.substr(section.sh_offset, section.sh_size);
}

// A section for all kernels has what is known of each, by the number of its symbol, which the section of its code has.
cubin_use cubin_use_of(const std::string &image, const std::string &kernel) {
  Elf64_Shdr code, info;
  if (!find_section(image, ".text." + kernel, code) || !find_section(image, ".nv.info", info)) return {};
  cubin_use use;
  const std::uint32_t symbol = code.sh_info & 0xffffffu;
  struct {
    unsigned char form, attribute;
    std::uint16_t bytes;  // that follow, where the form is `sized`
  } head;
  constexpr unsigned char sized = 4, least_stack = 0x12, registers = 0x2f;
  for (std::size_t at = info.sh_offset, end = at + info.sh_size; at < end && get(image, at, head);) {
    std::uint32_t pair[2];
    at += sizeof head;
    if (head.form != sized) continue;
    if (head.bytes == sizeof pair && get(image, at, pair) && pair[0] == symbol) {
      if (head.attribute == least_stack) use.stack = static_cast<int>(pair[1]);
      if (head.attribute == registers) use.registers = static_cast<int>(pair[1]);
    }
    at += head.bytes;
  }
  return use;
}

}  // namespace tessera
