// The files that this process runs.
//
// Threads: any, but note_loaded_code() by one, before anything else is done.
#pragma once

#include <filesystem>
#include <vector>

namespace trainyard {

/// Empty where the system does not say.
std::filesystem::path program_file();

/// Of libraries that this program was told to load (app/plug_in.hpp), in their order.
const std::vector<std::filesystem::path>& loaded_code();
void note_loaded_code(const std::filesystem::path& library);

}  // namespace trainyard
