// The documentation: the README, CONTRIBUTING and every page below docs/.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace trainyard {

/// All of them, sorted.
std::vector<std::filesystem::path> pages();
std::string text_of_page(const std::filesystem::path& page);
/// Its lines outside of fenced code.
std::vector<std::string> prose_of_page(const std::filesystem::path& page);

}  // namespace trainyard
