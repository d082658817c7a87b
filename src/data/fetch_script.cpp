#include "trainyard/data/fetch_script.hpp"

#include <filesystem>
#include <system_error>

#include "trainyard/hardware/program_file.hpp"

namespace trainyard {

std::string fetch_script() {
  namespace fs = std::filesystem;
  std::error_code error;
  // PREFIX/bin/trainyard has PREFIX/share/trainyard/scripts.
  const fs::path program = program_file();
  const fs::path installed =
      program.parent_path().parent_path() / "share" / "trainyard" / "scripts" / "fetch_datasets.sh";
  return !program.empty() && fs::exists(installed, error) ? installed.string()
                                                          : "scripts/fetch_datasets.sh";
}

}  // namespace trainyard
