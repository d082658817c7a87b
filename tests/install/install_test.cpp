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
  return nlohmann::json::parse(output_of(fmt::format("{} 2> {}", command, quoted_path(warnings))));
}

void install_into(const fs::path& prefix) {
  output_of(fmt::format("cmake --install {} --prefix {}", quoted_path(TRAINYARD_BUILD_DIR),
                        quoted_path(prefix)));
}

/// A model, a topology and a codec of one's own do what they say.
void check_parts(const std::string& program, const TemporaryFolder& folder) {
  const fs::path warnings = folder.path() / "warnings.txt";
  // Of one feature, 1 in each row: the losses of 0, 0 and 6 are least where 2 w = 1.
  const std::string rows = quoted_path(folder.write("rows.csv", "0,1\n0,1\n6,1\n"));
  const auto huber =
      results_of(fmt::format("{} run --scheme sequential --workers 1 --model huber --dataset {} "
                             "--batch 3 --steps 200 --lr 0.5 --l2 0 --json --quiet",
                             program, rows),
                 warnings);
  CHECK(huber["train_loss"].get<double>() == Approx((0.125 + 0.125 + 5.0) / 3).epsilon(1e-5));

  const auto graphs = results_of(program +
                                     " compare --schemes gossip:ring,gossip:office --workers 4 "
                                     "--steps 20 --json --quiet",
                                 warnings);
  CHECK(graphs["runs"][1]["train_loss"].get<double>() ==
        Approx(graphs["runs"][0]["train_loss"].get<double>()).epsilon(1e-6));
  CHECK(graphs["runs"][1]["messages"] == graphs["runs"][0]["messages"]);

  const auto coded = results_of(program +
                                    " compare --schemes 'ec-sgd{codec=halves},ec-sgd{codec=fp16}' "
                                    "--workers 4 --steps 20 --json --quiet",
                                warnings);
  CHECK(coded["runs"][0]["bytes_sent"] == coded["runs"][1]["bytes_sent"]);
  CHECK(coded["runs"][0]["train_loss"].get<double>() ==
        Approx(coded["runs"][1]["train_loss"].get<double>()).epsilon(0.01));
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
  const auto runs =
      results_of(program + " compare --schemes ring,own --workers 8 --steps 20 --json --quiet",
                 warnings)["runs"];
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
                               warnings)["runs"];
  REQUIRE(slow.size() == 2);
  CHECK(slow[1]["scheme"] == "own-slowmo");
  CHECK(slow[1]["train_loss"].get<double>() ==
        Approx(slow[0]["train_loss"].get<double>()).epsilon(1e-6));
  CHECK(slow[1]["bytes_sent"] == slow[0]["bytes_sent"]);

  check_parts(quoted_path(build / "own_parts"), folder);

  // And the installed program loads a library that was compiled against the installed headers.
  const auto loaded =
      results_of(fmt::format("{} --load {} compare --schemes 'local-sgd{{period=4}},rarely' "
                             "--workers 4 --steps 20 --json --quiet",
                             quoted_path(folder.path() / "prefix/bin/trainyard"),
                             quoted_path(build / "libplug_in.so")),
                 warnings)["runs"];
  REQUIRE(loaded.size() == 2);
  CHECK(loaded[1]["scheme"] == "rarely");
  CHECK(loaded[1]["model_hash"] == loaded[0]["model_hash"]);
}

}  // namespace trainyard
