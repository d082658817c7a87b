// The parts of every page, made at build time from src/web/page/ and d3 (cmake/web_parts.cmake).
//
// Threads: any; the texts are put together at the first call and never change.
#pragma once

#include <string>

namespace trainyard {

const std::string& page_style();
/// d3, with its licence's notice.
const std::string& page_d3();
/// Our modules, as one.
const std::string& page_program();

}  // namespace trainyard
