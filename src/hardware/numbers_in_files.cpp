#include "hardware/numbers_in_files.hpp"

#include <fstream>

namespace trainyard {

namespace fs = std::filesystem;

std::optional<std::size_t> number_in(const fs::path& file) {
  std::ifstream stream(file);
  long long value = 0;
  if (stream >> value && value >= 0) return static_cast<std::size_t>(value);
  return std::nullopt;
}

std::optional<std::size_t> value_of(const fs::path& file, const std::string& key) {
  std::ifstream stream(file);
  for (std::string word; stream >> word;) {
    std::size_t value = 0;
    if (word == key && stream >> value) return value;
  }
  return std::nullopt;
}

}  // namespace trainyard
