// The oracles of tests/oracles/: what the rules come to, worked out elsewhere. They are part of the
// repository, so a missing one is an error, never a skipped test.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"

namespace trainyard::test {

/// tests/oracles/NAME.json. Fails the test where the file is missing.
inline nlohmann::json read_oracle(const std::string& name) {
  const auto file =
      std::filesystem::path(TRAINYARD_SOURCE_DIR) / "tests" / "oracles" / (name + ".json");
  std::ifstream stream(file);
  if (!stream) FAIL("the oracle " << file.string() << " is missing");
  return nlohmann::json::parse(stream);
}

}  // namespace trainyard::test
