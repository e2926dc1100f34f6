// The writer behind write_nvvm.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "data_use.hpp"
#include "nvvm_text.hpp"
#include "runtime.hpp"

namespace tessera {

class nvvm_writer {
 public:
  nvvm_writer(const ir_module &m, const std::vector<host_value> &values) : m_(m), values_(values) {}
  nvvm_code run();

 private:
  enum class home { shared, host, own };  // read only; in the parameter block; private to each call
  struct place {
    home where = home::shared;
    std::string symbol, base;  // base: i8*, of host and own
    ir_type_ref type;
    ir_value value;
    const ir_global *global = nullptr;
    const host_value *host = nullptr;
  };

  // nvvm_text.cpp
  void refuse_data(const std::string &name, const place &p) const;
  std::string array_line(const std::string &name, const place &p, const data_use &use) const;
  std::string global_text(const place &p);
  std::string function_text(const ir_function &f, const std::vector<ir_block> &body);
  std::string own_data();
  std::string own_array(const place &p);
  // nvvm_values.cpp
  std::string type(const ir_type &t, int depth = 0) const;
  std::string local(const std::string &name);
  std::string constant(const ir_value &v, int depth = 0);
  std::string operand(const ir_value &v);  // without its type
  std::string typed(const ir_value &v) { return type(*v.type) + " " + operand(v); }
  bool is_moved(const ir_value &v) const;
  std::string moved(const ir_value &v);
  ir_type_ref walked(const ir_type_ref &from, const std::vector<ir_value> &indices) const;
  std::string temporary() { return "%t." + std::to_string(temporaries_++); }
  // nvvm_instructions.cpp
  void instruction(const ir_instruction &i);
  void address(const ir_instruction &i);
  void allocation(const ir_instruction &i);
  void memory(const ir_instruction &i);
  void slot(const std::string &result, const std::string &type, unsigned long long align);
  void line(const std::string &text) { body_ += "  " + text + "\n"; }
  // nvvm_calls.cpp
  void call(const ir_instruction &i);
  void call_runtime(const ir_instruction &i, const runtime_function &f);
  void order(const ir_instruction &i, const std::string &what);
  void constant_result(const ir_instruction &i);
  void find_released(const std::vector<ir_block> &body);
  bool in_a_cycle(const std::vector<ir_block> &body, const std::string &label) const;

  const ir_module &m_;
  const std::vector<host_value> &values_;
  std::map<std::string, place> places_;
  std::map<std::string, ir_function> functions_;
  std::map<std::string, std::string> symbols_;  // of functions
  std::map<std::string, std::string> declared_;
  bool large_ = false;  // the whole: called, not inlined
  // of the function that is written
  const ir_function *function_ = nullptr;
  const std::vector<ir_block> *blocks_ = nullptr;
  std::string block_label_;
  std::map<std::string, std::string> locals_;
  std::map<std::string, std::string> moved_;
  std::string slots_, first_, body_;  // of the first block: allocations, what follows them; the rest
  std::set<std::string> released_;
  int temporaries_ = 0;
};

constexpr const char *nvvm_entry = "tessera_f";

}  // namespace tessera
