// Data files among others.
//
// Threads: any; a function of its argument.
#pragma once

#include <filesystem>

namespace trainyard {

/// Whether a file holds rows of data, or something that --dataset knows by name and refuses, and no
/// configuration: by its name, ".csv" or ".toml", and then by what it begins with. Of what is
/// not there, and of pipes, the name alone says it.
bool is_data_file(const std::filesystem::path& file);

}  // namespace trainyard
