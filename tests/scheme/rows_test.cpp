#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"

using namespace trainyard;

namespace {

std::string text_of(const std::string& file) {
  std::ifstream stream(std::filesystem::path(TRAINYARD_SOURCE_DIR) / file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("the README shows the real text of a real scheme", "[scheme]") {
  const std::string ring = text_of("src/scheme/ring.cpp");
  REQUIRE(ring.size() > 100);
  CHECK(text_of("README.md").find(ring) != std::string::npos);
}

TEST_CASE("every scheme has a rule, a source and a program", "[scheme]") {
  for (const Scheme& scheme : schemes()) {
    CAPTURE(scheme.name);
    CHECK_FALSE(scheme.summary.empty());
    CHECK_FALSE(scheme.step.empty());
    CHECK_FALSE(scheme.source.empty());
    CHECK(scheme.worker != nullptr);
    CHECK(&find_scheme(scheme.name) == &scheme);
  }
  CHECK_THROWS_WITH(find_scheme("rign"), ContainsSubstring("did you mean 'ring'"));
}
