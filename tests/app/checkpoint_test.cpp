// A process that is killed, and another one that goes on.
#include <fmt/format.h>

#include "app/program.hpp"
#include "app/results.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

const Words run{"run",
                "--scheme",
                "gossip",
                "--dataset",
                "blobs",
                "--workers",
                "4",
                "--epochs",
                "200",
                "--time",
                "virtual",
                "--latency",
                "100us",
                "--jitter",
                "exponential:50us",
                "--compute-time",
                "1ms",
                "--compute-noise",
                "exponential:0.3",
                "--checkpoint-every",
                "20",
                "--evaluate-every",
                "5"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("killed at any moment a run goes on to the same end", "[app]") {
  const Outcome whole = run_program(with(run, {"--json"}));
  REQUIRE(whole.status == 0);
  const Json expected = Json::parse(whole.output);
  std::string words;
  for (const std::string& word : run) words += word + " ";
  int in_the_midst = 0;
  for (double moment = 0.04; in_the_midst < 4 && moment < 60.0; moment *= 1.4) {
    INFO("killed after " << moment << " s");
    const TemporaryFolder folder;
    const Outcome killed = run_script(
        fmt::format("timeout -s KILL {:.2f} \"$P\" {} --quiet --checkpoint saved >/dev/null\n"
                    "ls saved 2>/dev/null | grep -c npz",
                    moment, words),
        folder.path());
    if (killed.output == "0\n") continue;  // before the first one
    const Outcome resumed =
        run_program({"run", "--resume", "saved", "--json"}, {.folder = folder.path()});
    REQUIRE(resumed.status == 0);
    if (resumed.errors.find("resumed from checkpoint 9;") == std::string::npos) ++in_the_midst;
    const Json result = Json::parse(resumed.output);
    for (const char* key : {"model_hash", "seconds", "train_loss", "messages", "bytes_sent",
                            "samples_computed", "evaluations", "ranks"}) {
      INFO(key);
      REQUIRE(expected.contains(key));
      CHECK(result[key] == expected[key]);
    }
  }
  // When that is, the machine decides.
  CHECK(in_the_midst > 0);
}

TEST_CASE("the results of a resumed run have the whole curve", "[app]") {
  const TemporaryFolder folder;
  const ProgramOptions there{.folder = folder.path()};
  const Outcome whole =
      run_program(with(run, {"--checkpoint", "saved", "--out", "whole", "--quiet"}), there);
  REQUIRE(whole.status == 0);
  const Outcome resumed =
      run_program({"run", "--resume", "saved", "--out", "resumed", "--quiet"}, there);
  REQUIRE(resumed.status == 0);
  const auto curve = [&](const char* of) {
    return lines_of(read_file(folder.path() / of / "gossip" / "metrics.jsonl"));
  };
  CHECK(curve("whole").size() == 41);
  CHECK(curve("resumed") == curve("whole"));
}

TEST_CASE("a resumed run is said to be one, and what cannot be resumed is refused", "[app]") {
  const TemporaryFolder folder;
  const ProgramOptions there{.folder = folder.path()};
  REQUIRE(run_program(with(run, {"--checkpoint", "saved", "--quiet"}), there).status == 0);
  const Outcome resumed = run_program({"run", "--resume", "saved"}, there);
  CHECK(resumed.status == 0);
  CHECK_THAT(resumed.errors,
             ContainsSubstring("resumed from checkpoint 9; the last evaluation was at epoch 175"));
  const auto error = [&](const Words& words) {
    const Outcome refused = run_program(words, there);
    CHECK(refused.status == 2);
    return refused.errors;
  };
  CHECK_THAT(error({"run", "--resume", "saved", "--lr", "0.3"}),
             ContainsSubstring("--force-resume lr goes on all the same"));
  CHECK_THAT(error({"run", "--resume", "nowhere"}), ContainsSubstring("there is no such folder"));
  CHECK_THAT(error(with(run, {"--checkpoint", "saved"})),
             ContainsSubstring("holds the checkpoints of another run"));
  CHECK_THAT(error({"compare", "--schemes", "ring,gossip", "--checkpoint", "saved"}),
             ContainsSubstring("is for one run"));
  CHECK_THAT(error({"run", "--scheme", "pipedream", "--checkpoint-every", "1", "--model", "mlp:8"}),
             ContainsSubstring("pipedream never drains"));
}

}  // namespace trainyard
