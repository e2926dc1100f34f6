// SPDX-License-Identifier: BSD-3-Clause
#include "symbols.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tessera {
namespace {

struct place {
  std::uintptr_t address;
  bool found = false;
  std::string path;
  std::uintptr_t base = 0;
};

extern "C" int look_into_object(dl_phdr_info *info, std::size_t, void *data) {
  place &p = *static_cast<place *>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || p.address < begin || p.address - begin >= segment.p_memsz) continue;
    p.found = true;
    p.base = info->dlpi_addr;
    p.path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";  // no name: the program itself
    return 1;
  }
  return 0;
}

// A file's bytes, for reading.
class mapped_file {
 public:
  explicit mapped_file(const std::string &path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat s;
    if (fd < 0 || ::fstat(fd, &s) != 0 || s.st_size <= 0) {
      const std::string why = fd < 0 ? std::strerror(errno) : "it is empty";
      if (fd >= 0) ::close(fd);
      throw symbol_error("the file '" + path + "' cannot be read: " + why);
    }
    size_ = static_cast<std::size_t>(s.st_size);
    void *at = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
    ::close(fd);
    if (at == MAP_FAILED) throw symbol_error("the file '" + path + "' cannot be read: " + std::strerror(errno));
    bytes_ = static_cast<unsigned char *>(at);
  }
  ~mapped_file() { ::munmap(bytes_, size_); }
  mapped_file(const mapped_file &) = delete;
  mapped_file &operator=(const mapped_file &) = delete;

  const unsigned char *bytes() const { return bytes_; }
  std::size_t size() const { return size_; }

 private:
  unsigned char *bytes_ = nullptr;
  std::size_t size_ = 0;
};

// Whether `count` things of `each` bytes at `offset` are within `size` bytes.
bool inside(std::uint64_t offset, std::uint64_t count, std::uint64_t each, std::uint64_t size) {
  return offset <= size && (each == 0 || count <= (size - offset) / each);
}

template <class T>
T read_at(const unsigned char *at) {  // alignment in a file is anybody's guess
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace

object_symbols object_symbols::of(const void *address) {
  place p = {reinterpret_cast<std::uintptr_t>(address), false, {}, 0};
  ::dl_iterate_phdr(look_into_object, &p);
  if (!p.found)
    throw symbol_error(
        "the function lies in no file: it was made at run time, as for an internal procedure that uses variables "
        "of the procedure around it");
  return {p.path, p.base};
}

object_symbols::object_symbols(const std::string &path, std::uintptr_t base) : path_(path), base_(base) {
  const mapped_file file(path);
  read(file.bytes(), file.size());
}

void object_symbols::read(const unsigned char *bytes, std::size_t size) {
  const auto refuse = [this](const char *why) { throw symbol_error("the file '" + path_ + "' " + why); };
  if (size < sizeof(ElfW(Ehdr)) || std::memcmp(bytes, ELFMAG, SELFMAG) != 0) refuse("is not an ELF file");
  constexpr unsigned char word = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
  const auto header = read_at<ElfW(Ehdr)>(bytes);
  if (header.e_ident[EI_CLASS] != word) refuse("is an ELF file for another machine");
  if (header.e_shoff == 0) return;  // without sections there are no names
  if (header.e_shentsize != sizeof(ElfW(Shdr)) || !inside(header.e_shoff, header.e_shnum, sizeof(ElfW(Shdr)), size))
    refuse("has a damaged table of sections");
  const unsigned char *sections = bytes + header.e_shoff;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const unsigned char *section = sections + i * sizeof(ElfW(Shdr));
    const auto type = read_at<ElfW(Shdr)>(section).sh_type;
    if (type == SHT_SYMTAB) complete_ = true;
    if (type == SHT_SYMTAB || type == SHT_DYNSYM)
      read_table(bytes, size, section, header.e_shoff, header.e_shnum, type == SHT_DYNSYM);
  }
}

void object_symbols::read_table(const unsigned char *bytes, std::size_t size, const unsigned char *section,
                                std::uint64_t sections, std::uint64_t count, bool dynamic) {
  const auto table = read_at<ElfW(Shdr)>(section);
  const std::uint64_t symbols = table.sh_size / sizeof(ElfW(Sym));
  if (table.sh_link >= count || !inside(table.sh_offset, symbols, sizeof(ElfW(Sym)), size))
    throw symbol_error("the file '" + path_ + "' has a damaged table of symbols");
  const auto strings = read_at<ElfW(Shdr)>(bytes + sections + table.sh_link * sizeof(ElfW(Shdr)));
  if (strings.sh_type != SHT_STRTAB || !inside(strings.sh_offset, strings.sh_size, 1, size))
    throw symbol_error("the file '" + path_ + "' has a damaged table of names");
  std::string of_file;  // to which the local names belong that follow
  for (std::uint64_t i = 0; i < symbols; ++i) {
    const auto symbol = read_at<ElfW(Sym)>(bytes + table.sh_offset + i * sizeof(ElfW(Sym)));
    if (symbol.st_name == 0 || symbol.st_name >= strings.sh_size) continue;
    const char *name = reinterpret_cast<const char *>(bytes + strings.sh_offset + symbol.st_name);
    const std::size_t most = strings.sh_size - symbol.st_name, length = ::strnlen(name, most);
    if (length == most) continue;
    const std::string text(name, length);
    const int type = ELF64_ST_TYPE(symbol.st_info);
    if (dynamic) dynamic_.insert(text);
    if (dynamic && symbol.st_shndx == SHN_UNDEF) undefined_.insert(text);
    const bool local = ELF64_ST_BIND(symbol.st_info) == STB_LOCAL;
    if (type == STT_FILE) files_.insert(of_file = text);
    if (type == STT_TLS) thread_local_.insert(text);
    // An undefined function with an address: a program that was linked at a fixed place calls it through this one.
    if (type == STT_FUNC && symbol.st_value != 0) {
      const std::uintptr_t at = base_ + symbol.st_value;
      bool known = false;
      for (auto [f, last] = functions_.equal_range(at); f != last && !known; ++f) known = f->second == text;
      if (!known) functions_.emplace(at, text);
    }
    if (type == STT_OBJECT && symbol.st_shndx != SHN_UNDEF && symbol.st_value != 0) {
      const data_symbol v = {reinterpret_cast<const void *>(base_ + symbol.st_value), symbol.st_size,
                             local ? of_file : ""};
      bool known = false;
      for (auto [f, last] = variables_.equal_range(text); f != last && !known; ++f)
        known = f->second.address == v.address;
      if (!known) variables_.emplace(text, v);
    }
  }
}

std::vector<std::string> object_symbols::functions_at(const void *address) const {
  std::vector<std::string> names;
  const auto range = functions_.equal_range(reinterpret_cast<std::uintptr_t>(address));
  for (auto f = range.first; f != range.second; ++f) names.push_back(f->second);
  return names;
}

std::vector<std::string> object_symbols::variables(const std::string &head) const {
  std::set<std::string> names;
  const auto begins = [&](const std::string &name) { return name.compare(0, head.size(), head) == 0; };
  for (auto v = variables_.lower_bound(head); v != variables_.end() && begins(v->first); ++v) names.insert(v->first);
  for (const std::string &name : thread_local_)
    if (begins(name)) names.insert(name);
  data_symbol there;
  for (auto name = undefined_.lower_bound(head); name != undefined_.end() && begins(*name); ++name)
    if (elsewhere(*name, there)) names.insert(*name);
  return {names.begin(), names.end()};
}

// A variable that the loader has put somewhere.
bool object_symbols::elsewhere(const std::string &name, data_symbol &v) const {
  const void *there = ::dlsym(RTLD_DEFAULT, name.c_str());
  if (!there)  // in a library that came with this one
    if (void *const handle = ::dlopen(path_.c_str(), RTLD_LAZY | RTLD_NOLOAD)) {
      there = ::dlsym(handle, name.c_str());
      ::dlclose(handle);
    }
  if (!there) return false;
  const object_symbols other = of(there);
  for (const data_symbol &known : other.all_of(name))
    if (known.address == there) {
      v = known;
      return true;
    }
  return false;
}

std::vector<data_symbol> object_symbols::all_of(const std::string &name) const {
  std::vector<data_symbol> all;
  const auto range = variables_.equal_range(name);
  for (auto v = range.first; v != range.second; ++v) all.push_back(v->second);
  return all;
}

data_symbol object_symbols::variable(const std::string &name) const {
  if (thread_local_.count(name))
    throw symbol_error("'" + name + "' is a variable of each thread's own, which cannot be the parameter block");
  // What is shared between files is where the loader has put it, which may be in another file.
  data_symbol there;
  if (dynamic_.count(name) && elsewhere(name, there)) return there;
  const auto range = variables_.equal_range(name);
  if (range.first == range.second)
    throw symbol_error("there is no variable '" + name + "' in '" + path_ + "'" +
                       (stripped() ? ", which has been stripped" : ""));
  if (std::next(range.first) != range.second)
    throw symbol_error("there is more than one variable '" + name + "' in '" + path_ + "'");
  return range.first->second;
}

}  // namespace tessera
