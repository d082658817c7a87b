// The reference files that lie beside a checkout in development and in CI, and nowhere else.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"

namespace trainyard::test {

inline std::filesystem::path shared_file(const std::string& name) {
  return std::filesystem::path(TRAINYARD_SHARED_DIR) / name;
}

/// True when the file is there; says that the test is skipped when it is not.
inline bool have_shared(const std::string& name) {
  if (std::filesystem::exists(shared_file(name))) return true;
  WARN("SKIPPED: " << shared_file(name) << " is not there");
  return false;
}

inline nlohmann::json read_json(const std::string& name) {
  std::ifstream stream(shared_file(name));
  return nlohmann::json::parse(stream);
}

}  // namespace trainyard::test
