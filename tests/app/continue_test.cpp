// A comparison that is killed, and another process that goes on with it.
#include <set>
#include <string>

#include <fmt/format.h>

#include "app/program.hpp"
#include "app/results.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

// Tuned, as no step size is given: that is most of the work, and not to be done twice.
const std::string comparison =
    "compare --schemes ring,ps-async,gossip --seeds 2 --dataset blobs --workers 4 --epochs 10 "
    "--time virtual --latency 100us --jitter exponential:50us --jobs 1 --quiet --json --out saved ";
const std::string simulated = comparison + "--compute-time 1ms ";
const std::string short_comparison =
    "compare --schemes ring,gossip --dataset blobs --epochs 1 --time virtual --compute-time 1ms "
    "--lr 1 --quiet --json --out saved ";

Outcome call(const std::string& words, const fs::path& folder) {
  return run_script("\"$P\" " + words, folder);
}

std::size_t ended_in(const fs::path& folder) {
  std::size_t ended = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const bool is_whole = !entry.path().parent_path().string().ends_with(".partial");
    ended += entry.path().filename() == "result.npz" && is_whole ? 1 : 0;
  }
  return ended;
}

/// Sends `signal` to the comparison when so many runs have left their folders.
void stop_after(int runs, const std::string& signal, const std::string& words,
                const fs::path& folder) {
  (void)run_script(
      fmt::format("\"$P\" {} >stopped.json 2>errors & program=$!\n"
                  "until [ $(ls -d saved/seed-*/* 2>/dev/null | grep -vc partial) -ge {} ] || "
                  "! kill -0 $program 2>/dev/null; do sleep 0.005; done\n"
                  "kill -{} $program; wait $program; true",
                  words, runs, signal),
      folder);
}

void check_ended_runs_are_whole(const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().filename() != "result.npz") continue;
    if (entry.path().parent_path().string().ends_with(".partial")) continue;
    check_results_folder(entry.path().parent_path());
  }
}

}  // namespace

TEST_CASE("killed at any moment a comparison goes on to the same table", "[app]") {
  const TemporaryFolder undisturbed;
  const Outcome whole = call(simulated, undisturbed.path());
  REQUIRE(whole.status == 0);
  int in_the_midst = 0;
  for (const std::string signal : {"KILL", "INT"}) {
    for (const int runs : {1, 3, 5}) {
      INFO("SIG" << signal << " when " << runs << " had ended");
      const TemporaryFolder folder;
      stop_after(runs, signal, simulated, folder.path());
      const std::size_t ended = ended_in(folder.path() / "saved");
      check_ended_runs_are_whole(folder.path() / "saved");
      if (ended < 6) ++in_the_midst;
      const Outcome continued = call(simulated + "--continue", folder.path());
      CHECK(continued.status == 0);
      CHECK(continued.errors == whole.errors);
      CHECK(continued.output == whole.output);
      CHECK(ended_in(folder.path() / "saved") == 6);
      // Once more nothing is made, and the table and its lines for other programs are the same.
      CHECK(call(simulated + "--continue", folder.path()).output == whole.output);
    }
  }
  // When that is, the machine decides.
  CHECK(in_the_midst > 0);
  for (const std::string format : {"table", "csv", "markdown"}) {
    const TemporaryFolder anew;
    std::string words = simulated;
    words.replace(words.find("--json"), 6, "--format " + format);
    CHECK(call(words + "--continue", undisturbed.path()).output == call(words, anew.path()).output);
  }
}

TEST_CASE("a comparison goes on with what was measured when it began", "[app]") {
  const TemporaryFolder folder;
  stop_after(1, "KILL", comparison, folder.path());
  REQUIRE(ended_in(folder.path() / "saved") > 0);
  std::string told = comparison;
  told.replace(told.find("--quiet"), 7, "");
  const Outcome continued = call(told + "--continue", folder.path());
  REQUIRE(continued.status == 0);
  CHECK_THAT(continued.errors,
             ContainsSubstring("continued: ") && ContainsSubstring(" of 6 runs had ended before"));
  CHECK(continued.errors.find("measured here") == std::string::npos);
  std::set<std::string> times;
  const Json document = Json::parse(continued.output);
  for (const Json& run : document["runs"]) {
    const std::string text = run["configuration"];
    const std::size_t begin = text.find("\ncompute-time = ");
    REQUIRE(begin != std::string::npos);
    times.insert(text.substr(begin, text.find('\n', begin + 1) - begin));
  }
  CHECK(times.size() == 1);
}

TEST_CASE("a page of a continued comparison is the page of one that was not stopped", "[app]") {
  const TemporaryFolder folder;
  REQUIRE(call(short_comparison + "--html whole.html", folder.path()).status == 0);
  fs::remove_all(folder.path() / "saved/gossip");
  REQUIRE(call(short_comparison + "--html again.html --continue", folder.path()).status == 0);
  CHECK(read_file(folder.path() / "whole.html") == read_file(folder.path() / "again.html"));
}

TEST_CASE("an empty or a missing folder begins a comparison", "[app]") {
  const TemporaryFolder folder;
  const Outcome missing = call(short_comparison + "--continue", folder.path());
  CHECK(missing.status == 0);
  fs::remove_all(folder.path() / "saved");
  fs::create_directory(folder.path() / "saved");
  folder.write("saved/.comparison.1.partial", "");  // of one that was killed while it began
  const Outcome empty = call(short_comparison + "--continue", folder.path());
  CHECK(empty.status == 0);
  CHECK(empty.output == missing.output);
  // One that keeps nothing leaves nothing.
  const TemporaryFolder other;
  const Outcome refused = call(
      "compare --schemes hogwild --dataset blobs --time virtual --latency 1ms --seconds 0.01s "
      "--compute-time 0s --quiet --out saved",
      other.path());
  CHECK(refused.status == 2);
  CHECK(!fs::exists(other.path() / "saved"));
}

TEST_CASE("a comparison that is another one, or none, is refused by name", "[app]") {
  const TemporaryFolder folder;
  REQUIRE(call(short_comparison, folder.path()).status == 0);
  const auto error = [&](const std::string& words) {
    const Outcome refused = call(words, folder.path());
    CHECK(refused.status == 2);
    CHECK(refused.output.empty());
    return refused.errors;
  };
  CHECK_THAT(error(short_comparison + "--continue --batch 7"),
             ContainsSubstring("--continue: ring: the comparison that was begun had --batch 32, "
                               "and this one --batch 7;"));
  CHECK_THAT(error(short_comparison + "--continue --vary workers=2,4"),
             ContainsSubstring("has no run 'workers-2/ring'"));
  CHECK_THAT(error(short_comparison + "--continue --trace t.json"),
             ContainsSubstring("--continue: runs that have ended cannot be traced"));
  CHECK_THAT(error("compare --continue"), ContainsSubstring("--out names it"));
  CHECK_THAT(error("compare --map workers=2:4,batch=8:16 --continue --target-loss 0.3"),
             ContainsSubstring("--map: its runs are not kept"));
  CHECK_THAT(error("compare --continue --out ."),
             ContainsSubstring("--continue: . holds no comparison"));
  folder.write("saved/comparison.npz", "damaged");
  CHECK_THAT(error(short_comparison + "--continue"), ContainsSubstring("saved/comparison.npz"));
}

TEST_CASE("a run in a comparison's folder that it has not made is refused or made anew", "[app]") {
  const TemporaryFolder folder;
  const Outcome whole = call(short_comparison, folder.path());
  const fs::path kept = folder.path() / "saved/gossip/result.npz";
  const std::string bytes = read_file(kept);
  // Damaged, it is made again, with a word.
  std::string damaged = bytes;
  damaged[bytes.rfind("gossip")] = 'G';
  for (const std::string& left : {damaged, bytes.substr(0, bytes.size() / 2), std::string()}) {
    folder.write("saved/gossip/result.npz", left);
    const Outcome again = call(short_comparison + "--continue", folder.path());
    CHECK(again.output == whole.output);
    CHECK_THAT(again.errors, ContainsSubstring("warning: ") &&
                                 ContainsSubstring("saved/gossip/result.npz") &&
                                 ContainsSubstring("the run is made again"));
    CHECK((read_file(kept) == bytes));
  }
  fs::remove(kept);
  const Outcome refused = call(short_comparison + "--continue", folder.path());
  CHECK(refused.status == 2);
  CHECK_THAT(refused.errors, ContainsSubstring("saved/gossip is not of this comparison"));
  const Outcome forced = call(short_comparison + "--continue --force", folder.path());
  CHECK(forced.output == whole.output);
  CHECK((read_file(kept) == bytes));
}

}  // namespace trainyard
