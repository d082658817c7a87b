// scripts/one_file.sh: what it makes runs without any of this system's libraries.
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
using test::shell;
using test::ShellOutcome;

/// The file, which the script leaves in a folder of its own.
class OneFile {
 public:
  OneFile() : file_(folder_.path() / "trainyard") {
    const fs::path source = TRAINYARD_SOURCE_DIR;
    const ShellOutcome made =
        shell(fmt::format("{} {} {}", quoted_path(source / "scripts/one_file.sh"),
                          quoted_path(TRAINYARD_BUILD_DIR), quoted_path(file_)));
    INFO(made.output);
    REQUIRE(made.status == 0);
  }
  fs::path folder() const { return folder_.path(); }
  ShellOutcome run(const std::string& arguments, const fs::path& cache) const {
    return shell(fmt::format("env -i PATH=/usr/bin:/bin XDG_CACHE_HOME={} {} {}",
                             quoted_path(cache), quoted_path(file_), arguments));
  }

 private:
  TemporaryFolder folder_;
  fs::path file_;
};

}  // namespace

TEST_CASE("one file has all that the program needs", "[install][slow]") {
  if (std::string(TRAINYARD_SANITIZE) != "") return;  // whose library comes first, or not at all
  const OneFile one;
  const fs::path cache = one.folder() / "with a gap" / "cache";
  const std::string question = "compare --schemes ring,gossip --steps 20 --time virtual --quiet";
  const ShellOutcome first = one.run(question, cache), second = one.run(question, cache);
  const ShellOutcome ours = shell(quoted_path(TRAINYARD_PROGRAM) + " " + question);
  REQUIRE(ours.status == 0);
  CHECK(first.status == 0);
  CHECK(first.output == ours.output);
  CHECK(second.output == ours.output);
  // Unpacked once, without anything beside it.
  const auto count = std::distance(fs::directory_iterator(cache / "trainyard"), {});
  CHECK(count == 1);
  const fs::path unpacked = fs::directory_iterator(cache / "trainyard")->path();
  // No library is the system's.
  const ShellOutcome traced =
      shell(fmt::format("env -i LD_TRACE_LOADED_OBJECTS=1 {0}/lib/ld-linux* --library-path {0}/lib "
                        "{0}/bin/trainyard",
                        quoted_path(unpacked)));
  INFO(traced.output);
  CHECK_THAT(traced.output, ContainsSubstring("libc.so.6 => " + unpacked.string()));
  CHECK_THAT(traced.output, !ContainsSubstring("=> /lib") && !ContainsSubstring("=> /usr") &&
                                !ContainsSubstring("not found"));
  // It is the same program by whatever linker it was begun, so that a checkpoint is its own.
  const std::string saved = quoted_path(one.folder() / "saved");
  const std::string run =
      "run --scheme ring --epochs 2 --time virtual --checkpoint-every 1 --quiet";
  CHECK(one.run(fmt::format("{} --checkpoint {}", run, saved), cache).status == 0);
  const ShellOutcome resumed =
      shell(fmt::format("{}/bin/trainyard run --resume {} --quiet", quoted_path(unpacked), saved));
  INFO(resumed.output);
  CHECK(resumed.status == 0);
  CHECK_THAT(one.run("run --dataset covtype --data-dir /nowhere", cache).output,
             ContainsSubstring((unpacked / "share/trainyard/scripts/fetch_datasets.sh").string()));
}

TEST_CASE("what cannot be unpacked says where else", "[install][slow]") {
  if (std::string(TRAINYARD_SANITIZE) != "") return;  // whose library comes first, or not at all
  const OneFile one;
  const TemporaryFolder folder;
  const fs::path taken = folder.write("taken", "no folder");
  const ShellOutcome refused = one.run("--version", taken);
  CHECK(refused.status == 1);
  CHECK_THAT(refused.output, ContainsSubstring("cannot unpack itself into " + taken.string()) &&
                                 ContainsSubstring("XDG_CACHE_HOME says where else"));
  const ShellOutcome nowhere = one.run("--version", "");
  CHECK(nowhere.status != 0);
  CHECK_THAT(nowhere.output, ContainsSubstring("XDG_CACHE_HOME says where"));
}

}  // namespace trainyard
