// scripts/install_dependencies.sh beside another package manager: apt-get is a double here, and so
// is what tells which packages are there.
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "data/files.hpp"
#include "support/catch.hpp"
#include "support/shell.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

using test::quoted_path;

/// Nothing is installed, nobody sleeps, and apt-get does as that shell text says, with its calls
/// noted in `calls`.
test::ShellOutcome install_with(const TemporaryFolder& folder, const std::string& apt_get) {
  folder.write("bin/apt-get", "#!/bin/sh\ncd " + quoted_path(folder.path()) +
                                  "\necho \"$1\" >>calls\n" + apt_get + "\n");
  folder.write("bin/dpkg-query", "#!/bin/sh\nexit 1\n");
  folder.write("bin/sleep", "#!/bin/sh\n");
  folder.write("bin/sudo", "#!/bin/sh\nexec \"$@\"\n");
  for (const auto& file : fs::directory_iterator(folder.path() / "bin")) {
    fs::permissions(file, fs::perms::owner_all);
  }
  return test::shell(
      fmt::format("PATH={}:\"$PATH\" {}", quoted_path(folder.path() / "bin"),
                  quoted_path(fs::path(TRAINYARD_SOURCE_DIR) / "scripts/install_dependencies.sh")));
}

const std::string held_until_third_call =
    "[ $(grep -c -x \"$1\" calls) -ge 3 ] && { echo \"$1 done\"; exit 0; }\n"
    "echo \"E: Could not get lock /var/lib/apt/lists/lock. It is held by process 812 "
    "(unattended-upgr)\" >&2\n"
    "echo \"E: Unable to lock directory /var/lib/apt/lists/\" >&2\nexit 100";

}  // namespace

TEST_CASE("installing waits for another package manager, and says so", "[install]") {
  const TemporaryFolder folder;
  const test::ShellOutcome outcome = install_with(folder, held_until_third_call);
  INFO(outcome.output);
  CHECK(outcome.status == 0);
  CHECK(read_file(folder.path() / "calls") ==
        "update\nupdate\nupdate\ninstall\ninstall\ninstall\n");
  CHECK_THAT(outcome.output,
             ContainsSubstring("another package manager is at work: waiting for it") &&
                 ContainsSubstring("held by process 812 (unattended-upgr)") &&
                 ContainsSubstring("update done") && ContainsSubstring("install done") &&
                 !ContainsSubstring("Unable to lock"));
}

TEST_CASE("installing does not wait for another fault", "[install]") {
  const TemporaryFolder folder;
  const test::ShellOutcome outcome =
      install_with(folder, "echo 'E: Unable to locate package catch2' >&2\nexit 100");
  CHECK(outcome.status == 100);
  CHECK(read_file(folder.path() / "calls") == "update\n");
  CHECK_THAT(outcome.output, ContainsSubstring("E: Unable to locate package catch2") &&
                                 !ContainsSubstring("waiting"));
}

TEST_CASE("installing does not wait for ever", "[install][slow]") {
  const TemporaryFolder folder;
  const test::ShellOutcome outcome = install_with(
      folder,
      "echo 'E: Could not get lock /var/lib/dpkg/lock. It is held by process 7' >&2\nexit 100");
  CHECK(outcome.status == 100);
  CHECK_THAT(outcome.output, ContainsSubstring("E: Could not get lock"));
}

}  // namespace trainyard
