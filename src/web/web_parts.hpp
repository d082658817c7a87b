// What every page holds: made at build time from src/web/page/ and d3 (cmake/web_parts.cmake).
//
// Threads: any; the texts are put together at the first call and never change.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

const std::string& page_style();
/// d3, with its licence's notice.
const std::string& page_d3();
/// Our modules, as one.
const std::string& page_program();

/// src/web/labs/*.json, in the order of cmake/web_parts.cmake.
const std::vector<std::string>& lab_definition_texts();

}  // namespace trainyard
