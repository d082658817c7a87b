// What `cmake --install` leaves is whole: the program runs without the source tree, the package is
// found, and the example of a scheme of one's own builds against it and runs beside `ring`.
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "data/files.hpp"
#include "support/catch.hpp"
#include "support/shell.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

using test::quoted_path;

std::string output_of(const std::string& command) {
  const test::ShellOutcome outcome = test::shell(command);
  INFO(command);
  INFO(outcome.output);
  REQUIRE(outcome.status == 0);
  return outcome.output;
}

// Warnings are on standard error, results alone on standard output.
nlohmann::json results_of(const std::string& command, const fs::path& warnings) {
  return nlohmann::json::parse(
      output_of(fmt::format("{} 2> {}", command, quoted_path(warnings))))["runs"];
}

void install_into(const fs::path& prefix) {
  output_of(fmt::format("cmake --install {} --prefix {}", quoted_path(TRAINYARD_BUILD_DIR),
                        quoted_path(prefix)));
}

}  // namespace

TEST_CASE("the installed program needs nothing of the source tree", "[install][slow]") {
  const TemporaryFolder folder;
  install_into(folder.path());
  const fs::path program = folder.path() / "bin/trainyard";
  CHECK(output_of(quoted_path(program) + " --version") ==
        fmt::format("trainyard {}\n", TRAINYARD_VERSION));
  CHECK_THAT(output_of(quoted_path(program) + " list datasets"), ContainsSubstring("covtype"));
  // Neither a file of the tree nor the tree itself is named in it.
  CHECK(read_file(program).find(TRAINYARD_SOURCE_DIR "/datasets") == std::string::npos);
  const fs::path script = folder.path() / "share/trainyard/scripts/fetch_datasets.sh";
  CHECK_THAT(output_of(quoted_path(script) + " --list"), ContainsSubstring("covtype"));
}

TEST_CASE("a scheme of one's own builds against the installed package", "[install][slow]") {
  const TemporaryFolder folder;
  install_into(folder.path() / "prefix");
  const fs::path build = folder.path() / "build";
  std::string flags;
  if (std::string(TRAINYARD_SANITIZE) != "") flags = "-fsanitize=" TRAINYARD_SANITIZE;
  output_of(fmt::format(
      "cmake -G Ninja -S {} -B {} -DCMAKE_PREFIX_PATH={} -DCMAKE_CXX_COMPILER={} "
      "-DCMAKE_CXX_FLAGS='{}'",
      quoted_path(fs::path(TRAINYARD_SOURCE_DIR) / "examples/own_scheme"), quoted_path(build),
      quoted_path(folder.path() / "prefix"), quoted_path(TRAINYARD_COMPILER), flags));
  output_of(fmt::format("cmake --build {}", quoted_path(build)));
  const std::string program = quoted_path(build / "own_trainyard");
  const fs::path warnings = folder.path() / "warnings.txt";
  const auto runs = results_of(
      program + " compare --schemes ring,own --workers 8 --steps 20 --json --quiet", warnings);
  REQUIRE(runs.size() == 2);
  CHECK(runs[0]["scheme"] == "ring");
  CHECK(runs[1]["scheme"] == "own");
  // The same sums, but for the rounding of their order.
  CHECK(runs[1]["train_loss"].get<double>() ==
        Approx(runs[0]["train_loss"].get<double>()).epsilon(1e-6));
  CHECK(runs[0]["messages"] == 20 * 2 * 8 * 7);
  CHECK(runs[1]["messages"] == 20 * 2 * 7);
  CHECK_THAT(output_of(program + " list schemes"), ContainsSubstring("\nown "));

  const auto slow = results_of(quoted_path(build / "slow_momentum") +
                                   " compare --schemes slowmo,own-slowmo --period 3 "
                                   "--slow-momentum 0.6 --workers 8 --steps 30 "
                                   "--json --quiet",
                               warnings);
  REQUIRE(slow.size() == 2);
  CHECK(slow[1]["scheme"] == "own-slowmo");
  CHECK(slow[1]["train_loss"].get<double>() ==
        Approx(slow[0]["train_loss"].get<double>()).epsilon(1e-6));
  CHECK(slow[1]["bytes_sent"] == slow[0]["bytes_sent"]);
}

}  // namespace trainyard
