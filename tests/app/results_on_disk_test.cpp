// What lies in --out is whole and of one run, whatever happens meanwhile.
#include <string>

#include "app/program.hpp"
#include "app/results.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

const std::string ring_run =
    "\"$P\" run --time virtual --compute-time 1ms --steps 20 --quiet --out z ";

/// A run that does not end by itself, and $first, its process, when its first line is on disk.
const std::string begin_endless_run =
    "\"$P\" run --time virtual --compute-time 1ms --epochs 1000000 --json --quiet --out z "
    ">summary 2>errors & first=$!\n"
    "until [ -s z/ring.partial/metrics.jsonl ]; do sleep 0.01; done\n";

void check_of_one_run(const fs::path& folder) {
  check_results_folder(folder);
  const Json summary = Json::parse(read_file(folder / "summary.json"));
  CHECK_THAT(read_file(folder / "config.toml"),
             ContainsSubstring("\nseed = " + std::to_string(summary["seed"].get<int>()) + "\n"));
}

}  // namespace

TEST_CASE("two runs into one folder at once leave what one of them wrote", "[app]") {
  for (const std::string force : {"", "--force"}) {
    for (int pair = 0; pair < 3; ++pair) {
      const TemporaryFolder folder;
      const Outcome outcome =
          run_script(ring_run + force + " --seed 1 >1 2>errors1 & first=$!\n" + ring_run + force +
                         " --seed 2 >2 2>errors2; echo $?; wait $first; echo $?",
                     folder.path());
      INFO(outcome.output << read_file(folder.path() / "errors1")
                          << read_file(folder.path() / "errors2"));
      // At least one came through.
      CHECK(
          (outcome.output == "0\n0\n" || outcome.output == "0\n2\n" || outcome.output == "2\n0\n"));
      check_of_one_run(folder.path() / "z/ring");
      CHECK(std::distance(fs::directory_iterator(folder.path() / "z"), fs::directory_iterator()) ==
            1);
    }
  }
}

TEST_CASE("who finds another run at work is told which process it is", "[app]") {
  const TemporaryFolder folder;
  const Outcome outcome = run_script(begin_endless_run + ring_run + "--seed 2; echo $?\n" +
                                         ring_run + "--seed 2 --force; echo $?\n" +
                                         "echo $first; kill -TERM $first; wait $first; echo $?",
                                     folder.path());
  const auto lines = lines_of(outcome.output);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == "2");
  CHECK(lines[1] == "2");
  CHECK(lines[3] == "130");
  const auto messages = lines_of(outcome.errors);
  REQUIRE(messages.size() == 2);
  for (const std::string& message : messages) {
    CHECK_THAT(message, ContainsSubstring("--out: z/ring.partial is being written by process " +
                                          lines[2] + ";"));
  }
  check_of_one_run(folder.path() / "z/ring");
}

TEST_CASE("what a killed run has left is overwritten with --force alone", "[app]") {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_script(begin_endless_run + "kill -KILL $first; wait $first\n" + ring_run + "; echo $?\n" +
                     ring_run + "--force >output; echo $?",
                 folder.path());
  CHECK(outcome.output == "2\n0\n");
  CHECK_THAT(outcome.errors,
             ContainsSubstring("z/ring.partial exists, left by a run that was killed") &&
                 ContainsSubstring("--force overwrites it"));
  check_of_one_run(folder.path() / "z/ring");
}

TEST_CASE("a disk that is full costs only what has no room on it", "[app]") {
  const TemporaryFolder folder;
  // A limit of 2048 bytes for a file, of which the metrics and the model need more.
  const Outcome outcome =
      run_script("ulimit -f 4; " + ring_run + "--evaluate-every 0.01 --json", folder.path());
  INFO(outcome.errors);
  CHECK(outcome.status == 1);
  const fs::path partial = folder.path() / "z/ring.partial";
  CHECK(!fs::exists(folder.path() / "z/ring"));
  CHECK(summary_of(outcome.output) == Json::parse(read_file(partial / "summary.json")));
  CHECK(!lines_of(read_file(partial / "metrics.jsonl")).empty());
  for (const std::string& line : lines_of(read_file(partial / "metrics.jsonl"))) {
    CHECK(Json::accept(line));
  }
  CHECK(!fs::exists(partial / "model.npy"));
  CHECK(fs::exists(partial / "ranks.csv"));
  CHECK_THAT(
      outcome.errors,
      ContainsSubstring("warning: cannot write z/ring.partial/metrics.jsonl: File too large"));
  CHECK_THAT(outcome.errors, ContainsSubstring("z/ring.partial is not whole, it lacks model.npy, "
                                               "metrics.jsonl\n"));
}

TEST_CASE("a disk without any room is found out before the run, and nothing is left", "[app]") {
  const TemporaryFolder folder;
  const Outcome outcome = run_script("ulimit -f 0; " + ring_run, folder.path());
  CHECK(outcome.status == 1);
  CHECK(outcome.output.empty());
  CHECK_THAT(outcome.errors, ContainsSubstring("z/ring.partial/config.toml: File too large"));
  CHECK(fs::is_empty(folder.path()));  // no z either, which was made for it
  // Likewise a figure, whose text is printed nevertheless.
  const Outcome figure =
      run_script("ulimit -f 0; \"$P\" timeline example-1.1 --svg f.svg", folder.path());
  CHECK(figure.status == 1);
  CHECK_THAT(figure.output, ContainsSubstring("makespan 14 s"));
  CHECK_THAT(figure.errors, ContainsSubstring("--svg: f.svg cannot be written: File too large"));
}

TEST_CASE("a folder that is removed during the run is made again, and that is said", "[app]") {
  const TemporaryFolder folder;
  const Outcome outcome = run_script(
      begin_endless_run + "rm -r z; kill -TERM $first; wait $first; s=$?; cat errors >&2; exit $s",
      folder.path());
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.errors, ContainsSubstring("z/ring.partial was removed while the run went on; "
                                               "its results are in z/ring all the same"));
  check_of_one_run(folder.path() / "z/ring");
}

TEST_CASE("a place that becomes a file during the run costs the files alone", "[app]") {
  const TemporaryFolder folder;
  const Outcome outcome = run_script(
      begin_endless_run + "rm -r z; echo mine >z; kill -TERM $first; wait $first; s=$?\n" +
          "cat errors >&2; cat summary; exit $s",
      folder.path());
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.errors,
             ContainsSubstring("z/ring.partial was removed while the run went on") &&
                 ContainsSubstring("Not a directory"));
  CHECK(Json::parse(outcome.output)["interrupted"] == true);
  CHECK(read_file(folder.path() / "z") == "mine\n");
}

TEST_CASE("a run that is refused after it has begun leaves nothing", "[app]") {
  // In hogwild no time passes: its workers send nothing, and compute in none.
  const std::string clock =
      " --dataset blobs --time virtual --latency 1ms --seconds 0.01s --quiet --out z "
      "--compute-time ";
  const TemporaryFolder folder;
  for (const std::string command :
       {"compare --schemes ring,hogwild", "compare --schemes hogwild", "run --scheme hogwild"}) {
    INFO(command);
    const Outcome refused = run_script("\"$P\" " + command + clock + "0s", folder.path());
    CHECK(refused.status == 2);
    CHECK_THAT(refused.errors, ContainsSubstring("the clock stands still") &&
                                   !ContainsSubstring("the evaluations so far"));
    CHECK(!fs::exists(folder.path() / "z/hogwild.partial"));
    CHECK(!fs::exists(folder.path() / "z/hogwild"));
  }
  check_results_folder(folder.path() / "z/ring");  // the one that had ended
  CHECK(run_script("\"$P\" run --scheme hogwild" + clock + "1ms", folder.path()).status == 0);
  check_results_folder(folder.path() / "z/hogwild");
}

TEST_CASE("a figure goes into what standard output is", "[app]") {
  const TemporaryFolder folder;
  const Outcome outcome = run_script(
      "\"$P\" timeline example-1.1 --svg /dev/stdout >both; \"$P\" timeline example-1.1 --svg "
      "f.svg "
      ">text; cat f.svg text | cmp both -",
      folder.path());
  CHECK(outcome.status == 0);
  CHECK(outcome.errors.empty());
}

TEST_CASE("with --force a device stays a device", "[app]") {
  const TemporaryFolder folder;
  const Outcome made = run_script("mknod null c 1 3 && : >null", folder.path());
  if (made.status != 0) {
    WARN("left out: no device can be made here: " << made.errors);
    return;
  }
  for (const std::string force : {"", " --force"}) {
    CHECK(run_script("\"$P\" timeline example-1.1 --svg null" + force, folder.path()).status == 0);
    CHECK(fs::is_character_file(folder.path() / "null"));
  }
}

}  // namespace trainyard
