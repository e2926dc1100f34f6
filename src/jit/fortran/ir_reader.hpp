// A place in the tokens of a module, and what is read there: types, values, attributes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ir.hpp"

namespace tessera {

class ir_reader {
 public:
  ir_reader(const ir_module &m, std::size_t at) : m_(m), at_(at) {}

  std::size_t place() const { return at_; }
  const ir_token &peek(std::size_t ahead = 0) const;
  const ir_token &at(std::size_t place) const { return m_.tokens().at(place); }
  ir_token take();
  bool is(std::string_view text, std::size_t ahead = 0) const { return peek(ahead).text == text; }
  bool take_if(std::string_view text);
  void expect(std::string_view text);
  [[noreturn]] void fail(const std::string &what) const;

  ir_type_ref type(int depth = 0);
  // A value of this type.
  ir_value value(const ir_type_ref &type, int depth = 0);
  // type [attributes] value
  ir_value typed_value(int depth = 0);
  // Attributes of parameters, results and functions, with what stands in parentheses behind them.
  void skip_attributes();
  void skip_parentheses();
  unsigned number();

 private:
  ir_value expression(const ir_type_ref &type, int depth);
  const ir_module &m_;
  std::size_t at_;
};

// The type of an element; throws ir_error.
ir_type_ref ir_element(const ir_type &t, const ir_value &index);

}  // namespace tessera
