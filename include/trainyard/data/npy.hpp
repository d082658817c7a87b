// What is read and written in NumPy's .npy format beside data sets.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/base/vector.hpp"

namespace trainyard {

/// The numbers of a file of one dimension. Throws DataError where it cannot be read, or holds
/// anything else.
std::vector<double> read_npy_vector(const std::filesystem::path& file);

/// What a file of version 1.0 begins with: an array of that shape follows, its last index fastest.
std::string npy_head(Scalar scalar, std::span<const std::size_t> shape);
/// `type`: as NumPy has it without the order of bytes, "f4" or "u8".
std::string npy_head(std::string_view type, std::span<const std::size_t> shape);

}  // namespace trainyard
