// LLVM's textual intermediate representation, as flang writes it, read into a tree. Everything that is not understood is an
// ir_error; no text, damaged or not, does worse.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

class ir_error : public std::runtime_error {
 public:
  explicit ir_error(const std::string &why, int line = 0) : std::runtime_error(why), line_(line) {}
  int line() const { return line_; }  // of the user's text, 0: not known

 private:
  int line_;
};

struct ir_token {
  enum class kind { end, word, label, local, global, number, string, cstring, meta, other };
  kind what;
  std::string_view text;   // as it stands
  std::string_view value;  // names without their sign and quotation marks
  int line;                // of the representation, from 1
};

// Throws ir_error.
std::vector<ir_token> ir_tokens(std::string_view text);

struct ir_type {
  enum class kind { nothing, integer, real, pointer, array, structure, other };
  kind what = kind::other;
  std::string text;                                // without pointers in it: as it stands
  unsigned bits = 0;                               // of numbers
  unsigned space = 0;                              // of pointers
  unsigned long long count = 0;                    // of arrays
  std::vector<std::shared_ptr<const ir_type>> of;  // elements
  bool packed = false;
};
using ir_type_ref = std::shared_ptr<const ir_type>;

struct ir_value {
  // local, global: a name. plain: numbers, null, undef, zeroinitializer, c"...". parts: of an aggregate, or operands of an expression.
  enum class kind { local, global, plain, aggregate, expression };
  kind what = kind::plain;
  ir_type_ref type;
  std::string text;  // name; constant; operation
  std::vector<ir_value> parts;
  ir_type_ref source;  // type that getelementptr walks through; to which a cast leads
  bool inbounds = false;
};

struct ir_instruction {
  std::string result, op;
  std::vector<std::string> flags;  // fast-math flags, nsw, inbounds, the predicate of a comparison last
  ir_type_ref type;                // of what is loaded or allocated, walked through, cast to, returned
  std::vector<ir_value> args;      // phi: values; switch: selector and cases
  std::vector<std::string> labels;
  std::vector<unsigned> indices;
  ir_value callee;
  unsigned align = 0;
  int line = 0;  // of the user's text
};

struct ir_block {
  std::string label;
  std::vector<ir_instruction> code;
};

struct ir_function {
  std::string name;
  bool defined = false;
  std::size_t header = 0, open = 0, close = 0;  // tokens: define, {, }
  std::size_t begin = 0, past_linkage = 0;      // tokens from which the text may be taken over
  std::size_t past_parameters = 0;              // the token after them
  ir_type_ref result;
  std::vector<ir_type_ref> parameters;
  std::vector<std::string> names;  // of the parameters
};

struct ir_global {
  std::string name;
  std::size_t begin = 0, end = 0;  // tokens
  std::size_t initialiser = 0;     // token; 0: none, it is defined elsewhere
  bool constant = false, thread_local_ = false, alias = false;
  ir_type_ref type;
  unsigned align = 0;
};

class ir_module {
 public:
  explicit ir_module(std::string text);
  ir_module(const ir_module &) = delete;
  ir_module &operator=(const ir_module &) = delete;

  const std::string &text() const { return text_; }
  const std::vector<ir_token> &tokens() const { return tokens_; }
  const std::map<std::string, ir_function> &functions() const { return functions_; }
  const std::map<std::string, ir_global> &globals() const { return globals_; }
  std::string slice(std::size_t from, std::size_t past) const;  // the text of tokens
  // Lines that are neither functions nor globals: types, attributes, metadata.
  std::string rest() const;

  ir_function signature(const ir_function &f) const;  // with result, parameters and names
  std::vector<ir_block> body(const ir_function &f) const;
  ir_value initialiser(const ir_global &g) const;

  static unsigned long long size_of(const ir_type &t);
  static unsigned long long align_of(const ir_type &t);

 private:
  friend class ir_reader;
  void index();
  void define_or_declare(std::size_t &at);
  void global(std::size_t at, std::size_t past);
  void location(std::size_t at, std::size_t past);
  ir_type_ref named(const std::string &name, int depth) const;

  std::string text_;
  std::vector<ir_token> tokens_;
  std::map<std::string, ir_function> functions_;
  std::map<std::string, ir_global> globals_;
  std::map<std::string, std::size_t> types_;  // token after "type"
  mutable std::map<std::string, ir_type_ref> known_types_;
  std::map<std::string, int> lines_;  // of !DILocation
  std::vector<std::pair<std::size_t, std::size_t>> rest_;
};

}  // namespace tessera
