// SPDX-License-Identifier: BSD-3-Clause
#include "nvvm_text.hpp"

#include <cctype>
#include <cstdlib>
#include <utility>

#include "../text.hpp"
#include "nvvm_writer.hpp"
#include "reach.hpp"

namespace tessera {
namespace {

constexpr unsigned long long constant_memory = 32 << 10, most_in_constant_memory = 4 << 10;  // bytes, of 64 KB
constexpr unsigned long long most_private = 32 << 10;                                        // of an evaluation
// The kernels call the integrand in several places: what is larger is compiled once, and a call is nothing beside it.
constexpr std::size_t most_inlined = 3000;  // instructions

constexpr const char *head =
    "target datalayout = "
    "\"e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-"
    "v32:32:32-v64:64:64-v128:128:128-n16:32:64\"\ntarget triple = \"nvptx64-nvidia-cuda\"\n\n";
constexpr const char *tail =
    "\nattributes #0 = { nounwind readnone }\nattributes #1 = { nounwind readonly }\nattributes #2 = { nounwind }\n"
    "attributes #3 = { nounwind alwaysinline }\nattributes #4 = { nounwind noinline }\n\n!nvvmir.version = !{!0}\n!0 = "
    "!{i32 2, i32 0, i32 3, i32 2}\n";

std::string plain(const std::string &name) {
  std::string out;
  for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
  return out.substr(0, 80);
}

bool all_zero(const ir_value &v) { return v.text == "zeroinitializer" || v.text == "undef"; }

}  // namespace

nvvm_code nvvm_writer::run() {
  const ir_reached reached = ir_reach(m_, nvvm_entry);
  ir_bodies bodies;
  for (const std::string &f : reached.functions) {
    functions_[f] = m_.signature(m_.functions().at(f));
    bodies[f] = m_.body(functions_[f]);
    symbols_[f] = f == nvvm_entry ? f : "tessera_s" + std::to_string(symbols_.size()) + "_" + plain(f);
  }
  std::set<std::string> arrays;
  for (const host_value &v : values_)
    if (v.rank >= 0) arrays.insert(v.symbol);
  const data_use use = find_use(m_, bodies, reached.globals, arrays);
  nvvm_code out;
  for (const std::string &name : reached.globals) {
    const ir_global &g = m_.globals().at(name);
    place p;
    p.global = &g;
    p.symbol = "tessera_d" + std::to_string(places_.size()) + "_" + plain(name);
    if (g.thread_local_)
      throw ir_error("'" + fortran_name(name) +
                     "' is private to each thread of the program, which is not possible on a device");
    if (g.initialiser > 0) {
      p.value = m_.initialiser(g);
      p.type = p.value.type;
    } else {
      p.type = g.type;
      if (!p.type) throw ir_error("'" + fortran_name(name) + "' has a type that is not possible on a device");
    }
    for (const host_value &v : values_)
      if (v.symbol == name) p.host = &v;
    const bool written = use.written.count(name) > 0;
    // What is written through a pointer that has its target from the start is not seen.
    if (!g.constant && use.pointed.count(name))
      throw ir_error("a pointer leads to '" + fortran_name(name) +
                     "' from the start, which is not possible on a device");
    const bool array = p.host && p.host->rank >= 0;
    if (!g.constant && (written || p.host)) {
      p.where = written || array ? home::own : home::host;
      const auto users = use.users.find(name);
      if (users != use.users.end())
        for (const std::string &f : users->second)
          if (f != nvvm_entry)
            throw ir_error("'" + fortran_name(f) + "', which calls itself, uses '" + fortran_name(name) +
                           "', which the integrand changes or the program sets; this is not possible on a device");
    }
    if (!g.constant && use.used.count(name)) {
      out.data.push_back({name, fortran_name(name), ir_module::size_of(*p.type), written});
      if (array)
        out.arrays += array_line(name, p, use);
      else
        refuse_data(name, p);
    }
    places_.emplace(name, std::move(p));
  }
  unsigned long long bytes = 0;
  for (const auto &[name, p] : places_)
    if (p.where == home::own) bytes += ir_module::size_of(*p.type);
  if (bytes > most_private)
    throw ir_error("the integrand changes data of " + std::to_string(bytes) +
                   " bytes in COMMON, modules or SAVE, of which every thread of a device needs its own copy; " +
                   std::to_string(most_private) + " bytes are possible");
  std::size_t instructions = 0;
  for (const auto &[name, body] : bodies)
    for (const ir_block &b : body) instructions += b.code.size();
  large_ = instructions > most_inlined;
  std::string functions;
  for (const auto &[name, body] : bodies) functions += function_text(functions_.at(name), body);
  std::string globals;
  for (const auto &[name, p] : places_) globals += global_text(p);
  std::string declarations;
  for (const auto &[name, d] : declared_) declarations += d + "\n";
  out.text = head + globals + "\n" + functions + declarations + tail;
  return out;
}

void nvvm_writer::refuse_data(const std::string &name, const place &p) const {
  const ir_global &g = *p.global;
  if (g.initialiser == 0 && !p.host)
    throw ir_error("'" + fortran_name(name) + "' is not defined in this text; list the file that has it");
  if (p.host && has_address(*p.type))
    throw ir_error(
        "'" + fortran_name(name) +
        "' is a pointer, an allocatable scalar or has such a component; its values are in the program, where a "
        "device cannot see them; use an array, allocatable or of constant size");
  // A COMMON block may be longer elsewhere, and have no padding; a variable of a module is what it is.
  const unsigned long long size = ir_module::size_of(*p.type);
  const bool common = name.compare(0, 2, "_Q") != 0;
  if (p.host && (common ? p.host->bytes + 8 <= size : p.host->bytes != size))
    throw ir_error("'" + fortran_name(name) + "' has " + std::to_string(p.host->bytes) + " bytes in the program and " +
                   std::to_string(ir_module::size_of(*p.type)) + " in this text");
  if (is_descriptor(*p.type) && p.where != home::own)
    throw ir_error("nothing that the integrand reaches allocates the array '" + fortran_name(name) +
                   "'; its values are in the program, where a device cannot see them; use an array of constant size");
}

// What require_arrays has to know.
std::string nvvm_writer::array_line(const std::string &name, const place &p, const data_use &use) const {
  const auto refuse = [&](const std::string &why) {
    throw ir_error("the allocatable array '" + fortran_name(name) + "' " + why);
  };
  const int rank = p.host->rank;
  const bool of_numbers = is_descriptor(*p.type) && p.value.parts.size() == (rank > 0 ? 8U : 7U) &&
                          p.type->of.size() == p.value.parts.size();
  if (!of_numbers)
    refuse("has elements of a derived type, or another rank than in the program; this is not possible on a device");
  if (rank > 0 && static_cast<int>(p.type->of[7]->count) != rank)
    refuse("has rank " + std::to_string(p.type->of[7]->count) + " in this text and " + std::to_string(rank) +
           " in the program");
  const std::string &length = p.value.parts[1].text;
  if (length.empty() || length == "0" || length.find_first_not_of("0123456789") != std::string::npos)
    refuse("has elements whose length is not constant, which is not possible on a device");
  if (use.written.count(name))
    refuse("is allocated, deallocated or handed on by the integrand; on a device it can only be read");
  if (use.contents_written.count(name))
    refuse(
        "is changed by the integrand, or handed on in a way that may change it; every thread of a device would need "
        "its own copy, "
        "whose size is not known; use an array of constant size");
  const bool needed = use.contents_used.count(name) && !use.asked_for.count(name);
  return std::to_string(p.host->offset) + " " + length + " " + std::to_string(rank) + (needed ? " 1 " : " 0 ") +
         fortran_name(name) + "\n";
}

std::string nvvm_writer::global_text(const place &p) {
  if (p.global->initialiser == 0 || p.where == home::host || (p.where == home::own && (p.host || all_zero(p.value))))
    return {};
  const unsigned long long bytes = ir_module::size_of(*p.type);
  const unsigned long long align = std::max<unsigned long long>(p.global->align, ir_module::align_of(*p.type));
  return "@" + p.symbol + " = internal addrspace(1) constant " + type(*p.type) + " " + constant(p.value) + ", align " +
         std::to_string(bytes >= 8 ? std::max<unsigned long long>(align, 8) : align) + "\n";
}

// A record of its own, whose elements are those in the parameter block.
std::string nvvm_writer::own_array(const place &p) {
  const std::string block = local(function_->names.at(2)), t = type(*p.type), slot = temporary();
  std::string out;
  const auto at = [&](const std::string &base, unsigned long long offset) {
    const std::string result = temporary();
    out += "  " + result + " = getelementptr i8, i8* " + base + ", i64 " + std::to_string(offset) + "\n";
    return result;
  };
  const auto put = [&](unsigned long long offset, const std::string &kind, const std::string &value) {
    const std::string there = at(p.base, offset), cast = temporary();
    out += "  " + cast + " = bitcast i8* " + there + " to " + kind + "*\n  store " + kind + " " + value + ", " + kind +
           "* " + cast + ", align 8\n";
  };
  slots_ += "  " + slot + " = alloca " + t + ", align 8\n  " + p.base + " = bitcast " + t + "* " + slot + " to i8*\n";
  const std::string record = at(block, p.host->offset), cast = temporary(), where = temporary(), none = temporary(),
                    address = temporary(), base = temporary();
  out += "  " + cast + " = bitcast i8* " + record + " to i64*\n";
  out += "  " + where + " = load i64, i64* " + cast + ", align 8\n";
  out += "  " + none + " = icmp eq i64 " + where + ", 0\n";
  out += "  " + address + " = getelementptr i8, i8* " + block + ", i64 " + where + "\n";
  out += "  " + base + " = select i1 " + none + ", i8* null, i8* " + address + "\n";
  put(0, "i8*", base);
  put(8, "i64", p.value.parts[1].text);
  // Version, rank, type, attribute, and one more.
  unsigned long long marks = 0;
  for (const auto &[part, shift] : {std::pair<std::size_t, int>{2, 0}, {3, 32}, {4, 40}, {5, 48}, {6, 56}})
    marks |= std::strtoull(p.value.parts[part].text.c_str(), nullptr, 10) << shift;
  put(16, "i64", std::to_string(static_cast<long long>(marks)));
  const std::string bytes = std::to_string(24 * p.host->rank);
  if (p.host->rank > 0) {
    declared_["llvm.memcpy.p0i8.p0i8.i64"] = "declare void @llvm.memcpy.p0i8.p0i8.i64(i8*, i8*, i64, i1)";
    const std::string to = at(p.base, 24), from = at(record, 24);
    out += "  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 8 " + to + ", i8* align 8 " + from + ", i64 " + bytes +
           ", i1 false)\n";
  }
  return out;
}

// The private copies at the beginning of a call.
std::string nvvm_writer::own_data() {
  std::string out;
  for (auto &[name, p] : places_) {
    if (p.where == home::shared) continue;
    const std::string where =
        p.host ? "getelementptr i8, i8* " + local(function_->names.at(2)) + ", i64 " + std::to_string(p.host->offset)
               : "";
    if (p.where == home::host) {
      p.base = temporary();
      out += "  " + p.base + " = " + where + "\n";
      continue;
    }
    if (p.host && p.host->rank >= 0) {
      p.base = temporary();
      out += own_array(p);
      continue;
    }
    unsigned long long bytes = ir_module::size_of(*p.type);
    if (p.host) bytes = std::min(bytes, p.host->bytes);
    const std::string t = type(*p.type), slot = temporary();
    p.base = temporary();
    slots_ += "  " + slot + " = alloca " + t + ", align " +
              std::to_string(std::max<unsigned long long>(p.global->align, 8)) + "\n";
    slots_ += "  " + p.base + " = bitcast " + t + "* " + slot + " to i8*\n";
    if (bytes == 0) continue;
    const bool number = p.type->what == ir_type::kind::integer || p.type->what == ir_type::kind::real;
    if (!p.host && number && p.value.what == ir_value::kind::plain) {
      out +=
          "  store " + t + " " +
          (all_zero(p.value) && p.value.text != "undef" ? (p.type->what == ir_type::kind::real ? "0.000000e+00" : "0")
                                                        : p.value.text) +
          ", " + t + "* " + slot + "\n";
    } else if (!p.host && all_zero(p.value)) {
      declared_["llvm.memset.p0i8.i64"] = "declare void @llvm.memset.p0i8.i64(i8*, i8, i64, i1)";
      out += "  call void @llvm.memset.p0i8.i64(i8* align 8 " + p.base + ", i8 0, i64 " + std::to_string(bytes) +
             ", i1 false)\n";
    } else {
      std::string from = "addrspacecast (i8 addrspace(1)* bitcast (" + t + " addrspace(1)* @" + p.symbol +
                         " to i8 addrspace(1)*) to i8*)";
      if (p.host) {
        from = temporary();
        out += "  " + from + " = " + where + "\n";
      }
      declared_["llvm.memcpy.p0i8.p0i8.i64"] = "declare void @llvm.memcpy.p0i8.p0i8.i64(i8*, i8*, i64, i1)";
      out += "  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 8 " + p.base + ", i8* align 8 " + from + ", i64 " +
             std::to_string(bytes) + ", i1 false)\n";
    }
  }
  return out;
}

std::string nvvm_writer::function_text(const ir_function &f, const std::vector<ir_block> &blocks) {
  function_ = &f;
  blocks_ = &blocks;
  locals_.clear();
  moved_.clear();
  slots_.clear();
  first_.clear();
  released_.clear();
  temporaries_ = 0;
  find_released(blocks);
  const bool entry = f.name == nvvm_entry;
  if (entry && (f.parameters.size() != 3 || f.result->what != ir_type::kind::nothing))
    throw ir_error("the entry has an unexpected form");
  std::string parameters;
  std::size_t unnamed = 0;
  for (std::size_t k = 0; k < f.parameters.size(); ++k) {
    parameters += (k ? ", " : "") + type(*f.parameters[k]) + " " + local(f.names[k]);
    if (!f.names[k].empty() && f.names[k].find_first_not_of("0123456789") == std::string::npos) ++unnamed;
  }
  std::string code, own;
  if (entry) own = own_data();
  std::string first_body;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    // The first block need not have a name; then it has the number after those of the parameters.
    block_label_ = blocks[b].label.empty() ? std::to_string(unnamed) : blocks[b].label;
    body_.clear();
    for (const ir_instruction &i : blocks[b].code) try {
        instruction(i);
      } catch (const ir_error &e) {
        if (e.line() || i.line == 0) throw;
        throw ir_error(e.what(), i.line);
      }
    const std::string name = local(block_label_).substr(1) + ":\n";
    if (b == 0)
      first_body = body_;
    else
      code += name + body_;
    if (b == 0) code = name + "\n<first>\n";
  }
  const std::size_t mark = code.find("\n<first>\n");
  code.replace(mark, 9, slots_ + own + first_ + first_body);
  return std::string("define ") + (entry ? "" : "internal ") + type(*f.result) + " @" + symbols_.at(f.name) + "(" +
         parameters + ") " +
         (!entry   ? "#2"
          : large_ ? "#4"
                   : "#3") +
         " {\n" + code + "}\n\n";
}

nvvm_code write_nvvm(const ir_module &m, const std::vector<host_value> &values) { return nvvm_writer(m, values).run(); }

}  // namespace tessera
