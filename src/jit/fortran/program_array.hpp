// Allocatable arrays of a program: from the compiler's record in its memory to a record and the elements in the parameter block.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

constexpr int most_array_rank = 15;

// What stands in the block, at a multiple of 16: 24 bytes, and 24 more for each dimension. Of the size of flang's record, and its
// dimensions are flang's.
struct array_record {
  long long elements = 0;  // their place in the block, from its beginning; 0: the array is not allocated
  long long length = 0;    // of an element, in bytes
  long long type = 0;      // in GNU's numbers: 1 integer, 2 logical, 3 real, 4 complex, ...; 0: not known
  struct dimension {
    long long lower, extent, stride;  // stride: in bytes
  } of[most_array_rank] = {};
};
constexpr std::size_t array_record_bytes(int rank) { return 24 + 24 * static_cast<std::size_t>(rank); }

// The rank by the size of the variable in the program's memory; -1: the size is none of a record. gnu: made by GNU's compiler, version 8 or
// later; else by LLVM's.
int rank_by_size(std::size_t bytes, bool gnu);

// Appends the elements to the block and fills the record at `offset`. Throws std::runtime_error with a sentence about `name`: the record in
// the program's memory makes no sense, or there are too many elements.
void put_array(const void *variable, bool gnu, int rank, const std::string &name, std::size_t offset,
               std::vector<unsigned char> &block);

// arrays: for each a line "offset length rank needed name"; needed 1: it must be allocated. Throws compile_error (upload) where the block has no
// such array or another.
void require_arrays(const std::string &arrays, const std::vector<unsigned char> &block);

}  // namespace tessera
