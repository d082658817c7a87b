// Whenever the program is interrupted, it leaves nothing half done: the moment is tried often
// enough to hit every step. Without care for it a probe is left in every second try.
#include <chrono>
#include <string>

#include "trainyard/report/output_file.hpp"
#include "trainyard/report/run_folder.hpp"

#include "data/files.hpp"
#include "report/results.hpp"
#include "support/catch.hpp"
#include "support/interrupted.hpp"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

/// What is in the folder afterwards, but for the whole `kept`.
template <typename Work>
std::string left_after(const Work& work, const std::string& kept = "") {
  std::string left;
  const TemporaryFolder folder;
  for (int attempt = 0; attempt < 15; ++attempt) {
    const int status = test::status_when_interrupted(
        [&] {
          for (;;) work(folder.path());
        },
        std::chrono::microseconds(500 + 137 * attempt));
    CHECK(status == 130);
    for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
      const std::string name = entry.path().filename();
      if (name != kept) left += name + "\n";
    }
  }
  return left;
}

}  // namespace

TEST_CASE("no probe of a folder is left", "[report]") {
  CHECK(left_after([](const fs::path& folder) { refuse_unwritable(folder / "z"); }) == "");
}

TEST_CASE("no probe of a file is left", "[report]") {
  CHECK(left_after([](const fs::path& folder) {
          const OutputFile file("--svg", folder / "f.svg", true);
        }) == "");
}

TEST_CASE("a file is there whole or not at all", "[report]") {
  CHECK(left_after(
            [](const fs::path& folder) {
              OutputFile("--svg", folder / "f.svg", true).finish(std::string(100'000, 'x'));
            },
            "f.svg") == "");
}

TEST_CASE("no folder of a run without results is left, nor one made for it", "[report]") {
  const Configuration configuration;
  CHECK(left_after([&](const fs::path& folder) {
          const RunFolder run(folder / "z", "ring", configuration, false);
        }) == "");
}

}  // namespace trainyard
