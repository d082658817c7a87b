// What is read and written in NumPy's .npy format beside data sets.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "trainyard/base/vector.hpp"

namespace trainyard {

/// The numbers of a file of one dimension. Throws DataError where it cannot be read, or holds
/// anything else.
std::vector<double> read_npy_vector(const std::filesystem::path& file);

/// What a file of version 1.0 begins with: an array of that shape follows, its last index fastest.
std::string npy_head(Scalar scalar, std::span<const std::size_t> shape);

}  // namespace trainyard
