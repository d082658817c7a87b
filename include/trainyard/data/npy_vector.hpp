// A vector in NumPy's .npy format.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <filesystem>
#include <vector>

namespace trainyard {

/// The numbers of a file of one dimension. Throws DataError where it cannot be read, or holds
/// anything else.
std::vector<double> read_npy_vector(const std::filesystem::path& file);

}  // namespace trainyard
