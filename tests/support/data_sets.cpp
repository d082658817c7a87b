#include "support/data_sets.hpp"

#include "support/catch.hpp"

namespace trainyard::test {

std::filesystem::path small_sets() {
  return std::filesystem::path(TRAINYARD_SOURCE_DIR) / "tests" / "data_sets";
}

std::filesystem::path large_sets_with(const std::string& set) {
  const std::filesystem::path folder = TRAINYARD_LARGE_DATA_SETS;
  if (std::filesystem::exists(folder / set)) return folder;
  WARN("skipped: the large data set " << set << " is not in " << folder.string());
  return {};
}

std::filesystem::path small_inputs() {
  const std::filesystem::path folder =
      std::filesystem::path(TRAINYARD_LARGE_DATA_SETS).parent_path() / "inputs";
  if (std::filesystem::exists(folder)) return folder;
  WARN("skipped: there is no folder " << folder.string());
  return {};
}

}  // namespace trainyard::test
