// One binary for every x86-64 processor: kernels choose their instruction set when the program
// runs, and nothing else may need more than the first of these processors had.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "support/catch.hpp"
#include "support/shell.hpp"

using namespace trainyard;

namespace {

bool can_be_emulated() {
#if defined(TRAINYARD_SANITIZED) || !defined(__x86_64__)
  return false;  // the sanitizers' memory does not fit into the emulator's
#else
  return std::system("qemu-x86_64 --version > /dev/null 2>&1") == 0;
#endif
}

double loss_on(const std::string& processor, const std::string& dataset, const std::string& model) {
  const std::vector<std::string> arguments = {
      "run",     "--json",    "--quiet", "--time",  "virtual", "--compute-time", "1ms",
      "--steps", "40",        "--batch", "7",       "--l2",    "0.001",          "--evaluate-every",
      "10",      "--dataset", dataset,   "--model", model,     "--workers",      "2"};
  const Outcome outcome = run_program(arguments, {.processor = processor});
  CAPTURE(outcome.errors);
  REQUIRE(outcome.status == 0);
  return nlohmann::json::parse(outcome.output).at("train_loss").get<double>();
}

}  // namespace

TEST_CASE("the program computes the same on older processors", "[app]") {
  if (!can_be_emulated()) {
    WARN("no qemu-x86_64 for this build: nothing is checked");
    return;
  }
  const std::vector<std::vector<std::string>> runs = {{"sparse-logistic", "logistic"},
                                                      {"blobs", "mlp:17,5"}};
  for (const std::vector<std::string>& run : runs) {
    const double here = loss_on("", run[0], run[1]);
    // AVX2 and no AVX-512; SSE2 and nothing more.
    for (const std::string processor : {"Haswell", "qemu64"}) {
      CAPTURE(run[0], run[1], processor);
      CHECK(loss_on(processor, run[0], run[1]) == Approx(here).epsilon(1e-5));
    }
  }
}

TEST_CASE("codecs follow their rules on older processors", "[app][slow]") {
  if (!can_be_emulated()) {
    WARN("no qemu-x86_64 for this build: nothing is checked");
    return;
  }
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  for (const std::string processor : {"Haswell", "qemu64"}) {
    const test::ShellOutcome outcome = test::shell(
        fmt::format("qemu-x86_64 -cpu {} {} 'what a codec makes of a vector*,halves are rounded*,"
                    "the k largest are those of a sort'",
                    processor, test::quoted_path(program)));
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, ContainsSubstring("in 3 test cases"));
  }
}
