// The header of NumPy's .npy files, versions 1 to 3 (numpy.lib.format): "\x93NUMPY", the version,
// the length of what follows, and a Python dictionary with the type of the values, their order and
// the shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/readers.hpp"

namespace trainyard {

struct NpyHeader {
  char kind = 'f';              // b bool, i and u whole numbers, f floating point
  std::size_t value_bytes = 8;  // 1, 2, 4 or 8
  bool swapped = false;         // not in this machine's order of bytes
  bool fortran_order = false;   // the first index runs fastest
  std::vector<std::uint64_t> shape;

  std::uint64_t rows() const { return shape.empty() ? 1 : shape.front(); }
  std::uint64_t row_values = 1;  // the product of all other dimensions, at most 2^31 - 1
};

/// Reads up to the first value. Throws DataError where this is no such file, or one of values that
/// are no plain numbers.
NpyHeader read_npy_header(NamedSource& file);

/// The dictionary alone, which `name` has. (As read_npy_header.)
NpyHeader parse_npy_dictionary(std::string_view text, const std::string& name);

}  // namespace trainyard
