# Prints fortran/tessera.f90 with its generated parts as include/tessera.h has them now. Run by scripts/generate-fortran.
# SPDX-License-Identifier: BSD-3-Clause
# Usage: awk -f scripts/fortran_module.awk include/tessera.h fortran/tessera.f90
#
# The generated parts stand between the comments "! >>> constants" and "! >>> interfaces" and the next "! <<<"; all else is copied.
#
# constants: every enumerator and every macro that is a number, with the comments above them.
# interfaces: for every TESSERA_API function tessera_f an interface c_tessera_f. What a parameter becomes:
#   int, int64_t, size_t, double              the same, value
#   void (*x)(void), a callback's type        type(c_funptr), value
#   void *, char *, tessera_... *             type(c_ptr), value: an address, c_null_ptr for NULL
#   tessera_... **                            type(c_ptr), intent(out)
#   const double *, const int64_t *, ...      array, intent(in), optional: left out (or a null pointer) for NULL
#   double *, int64_t *, int *                array, intent(inout), optional; but one number where it is called count or prime,
#                                             or value beside a key
# Anything else is an error: the rule for it has to be added here.

BEGIN {
  number["int"] = "integer(c_int)"
  number["int64_t"] = "integer(c_int64_t)"
  number["size_t"] = "integer(c_size_t)"
  number["double"] = "real(c_double)"
  kinds = split("c_double c_funptr c_int c_int64_t c_ptr c_size_t", kind_names, " ")
}

FNR == 1 { file++ }

# ---- The header ----
# `above` is the comment, as Fortran, that stands directly above what comes next.
file == 1 && !inside_comment && /^ *\/\*/ { inside_comment = 1 }
file == 1 && inside_comment {
  if (/^\/\* -----* /) heading = section($0)
  if (inside_comment == 1) above = above fortran_comment($0)
  if (/\*\//) inside_comment = 0
  next
}
file == 1 && /^#define TESSERA_[A-Z0-9_]+ -?[0-9]+$/ { constant($2, $3) }
file == 1 && /^enum / {
  inside_enum = 1
  next
}
file == 1 && /^}/ { inside_enum = 0 }
file == 1 && inside_enum && /^ *TESSERA_[A-Z0-9_]+ = -?[0-9]+/ {
  value = $3
  sub(/,$/, "", value)
  constant($1, value)
  if (/\/\*/ && !/\*\//) inside_comment = 2  # one behind a value, which goes on: not for us
}
file == 1 && /^typedef .*\(\*tessera_[a-z0-9_]+\)\(/ {
  match($0, /\(\*tessera_[a-z0-9_]+/)
  callback[substr($0, RSTART + 2, RLENGTH - 2)] = 1
}
file == 1 && /^TESSERA_API / { prototype = " " }
file == 1 && prototype != "" {
  line = $0
  sub(/ *\/\*.*/, "", line)
  gsub(/^ +/, "", line)
  prototype = prototype line " "
  if (line ~ /;$/) {
    interface(prototype)
    prototype = ""
  }
}
file == 1 {
  above = ""
  next
}

# ---- The module ----
/^ *! <<</ { replacing = 0 }
!replacing { print }
/^ *! >>> constants/ {
  replacing = 1
  printf "%s", constants
}
/^ *! >>> interfaces/ {
  replacing = 1
  printf "%s", interfaces
}

# "Status" of a comment's line "/* ---- Status ----...".
function section(line) {
  sub(/^\/\* -+ /, "", line)
  sub(/ -+( \*\/)?$/, "", line)
  return line
}

# A line of a C comment as a line of Fortran.
function fortran_comment(line) {
  sub(/^ *\/?\*/, "  !", line)
  sub(/ *\*\/$/, "", line)
  return line "\n"
}

function constant(name, value) {
  if (above != "") constants = constants "\n" above
  above = ""
  constants = constants "  integer(c_int), parameter, public :: " name " = " value "\n"
}

# Adds the interface of a C prototype.
function interface(c,    name, result, count, parameters, list, i, type, x, is_const, has_key, attributes, groups, group, names,
                   kind, body, uses, imports) {
  sub(/^ TESSERA_API /, "", c)
  match(c, /tessera_[a-z0-9_]+\(/)
  name = substr(c, RSTART, RLENGTH - 1)
  result = substr(c, 1, RSTART - 1)
  c = substr(c, RSTART + RLENGTH)
  sub(/\); *$/, "", c)
  gsub(/void \(\*/, "procedure ", c)
  gsub(/\)\(void\)/, "", c)
  has_key = c ~ /int key/
  count = c == "void" ? 0 : split(c, parameters, / *, */)

  # Declarations: one for all parameters with the same attributes, in the order of the first of each.
  groups = 0
  for (i = 1; i <= count; ++i) {
    type = parameters[i]
    is_const = sub(/^const /, "", type)
    match(type, /[a-z0-9_]+ *$/)
    x = substr(type, RSTART)
    gsub(/ /, "", x)
    type = substr(type, 1, RSTART - 1)
    gsub(/ /, "", type)
    list = list (i > 1 ? ", " : "") x

    if (type in number) attributes = number[type] ", value"
    else if (type == "procedure" || type in callback) attributes = "type(c_funptr), value"
    else if (type ~ /^tessera_[a-z_]+\*\*$/) attributes = "type(c_ptr), intent(out)"
    else if (type ~ /^(void|char|tessera_[a-z_]+)\*$/) attributes = "type(c_ptr), value"
    else if (type ~ /^[a-z0-9_]+\*$/ && substr(type, 1, length(type) - 1) in number) {
      attributes = number[substr(type, 1, length(type) - 1)] ", intent(" (is_const ? "in" : "inout") "), optional"
      if (is_const || !(x == "count" || x == "prime" || (x == "value" && has_key))) x = x "(*)"
    } else {
      print "fortran_module.awk: no rule for '" parameters[i] "' of " name | "cat 1>&2"
      exit 1
    }
    for (group = 1; group <= groups && kind[group] != attributes; ++group) {}
    if (group > groups) {
      groups = group
      kind[group] = attributes
      names[group] = x
    } else names[group] = names[group] ", " x
  }

  body = ""
  for (group = 1; group <= groups; ++group) body = body folded("      " kind[group] " :: " names[group])
  if (result ~ /\*$/) body = body "      type(c_ptr) :: c_" name "\n"
  else if (result != "void ") body = body "      integer(c_int) :: c_" name "\n"
  for (i = 1; i <= kinds; ++i)
    if (index(body, "(" kind_names[i] ")")) imports = imports (imports == "" ? "" : ", ") kind_names[i]
  uses = result == "void " ? "subroutine" : "function"

  if (heading != "") interfaces = interfaces "\n    ! ---- " heading " ----\n"
  heading = ""
  interfaces = interfaces "\n" folded("    " uses " c_" name "(" list ") bind(c,~name='" name "')") \
    (imports == "" ? "" : "      import :: " imports "\n") body "    end " uses " c_" name "\n"
}

# A line, continued on the next where it is too long; ~ is a blank at which it is not to be cut.
function folded(text,    at, lines) {
  while (length(text) > 120) {
    at = 117
    while (substr(text, at, 1) != " ") --at
    lines = lines substr(text, 1, at) "&\n"
    text = "        " substr(text, at + 1)
  }
  text = lines text "\n"
  gsub(/~/, " ", text)
  return text
}
