#include "support/control_group.hpp"

#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "support/catch.hpp"

namespace trainyard::test {

namespace fs = std::filesystem;

ControlGroup::ControlGroup(const std::string& controller,
                           const std::vector<std::pair<std::string, std::string>>& settings)
    : folder_(fs::path("/sys/fs/cgroup") / controller /
              fmt::format("trainyard-test-{}", getpid())) {
  std::error_code error;
  is_there_ = fs::create_directory(folder_, error) && fs::exists(folder_ / "cgroup.procs", error);
  for (const auto& [file, text] : settings) {
    std::ofstream stream(folder_ / file);
    is_there_ = is_there_ && (stream << text).flush().good();
  }
  if (!is_there_) WARN("skipped: no right to make a control group of " << controller);
}

ControlGroup::~ControlGroup() {
  std::error_code ignored;
  fs::remove(folder_, ignored);
}

}  // namespace trainyard::test
