// The one place that knows which Catch2 is installed.
#pragma once

#include <string>

#ifdef TRAINYARD_CATCH2_3
#include <catch2/catch_all.hpp>
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
#else
#include <catch2/catch.hpp>
using Catch::Matchers::Contains;
inline auto ContainsSubstring(const std::string& text) {
  return Contains(text);
}
#endif
