// trainyard-mpi: runs that end with their processes, and go on from their checkpoints by one
// command.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/scheme/scheme.hpp"

#include "data/files.hpp"
#include "runtime/mpi/small_runs.hpp"
#include "support/catch.hpp"
#include "support/left_out.hpp"
#include "support/processes.hpp"

using namespace trainyard;
using test::quoted_path;
using test::ranks_of;
using test::run_processes;
using test::summary_of_processes;
using test::summary_of_simulation;

namespace fs = std::filesystem;

namespace {

const std::string emulated = " --latency 200us --bandwidth 1Gbps";

fs::path last_in(const fs::path& folder) {
  fs::path last;
  for (const auto& entry : fs::directory_iterator(folder)) last = std::max(last, entry.path());
  REQUIRE_FALSE(last.empty());
  return last;
}

/// Its checkpoint-000012.npz is that of the end of leg 12.
int leg_of(const fs::path& checkpoint) {
  return std::stoi(checkpoint.stem().string().substr(std::string("checkpoint-").size()));
}

void check_same(const nlohmann::json& found, const nlohmann::json& expected,
                const std::vector<const char*>& keys) {
  for (const char* key : keys) {
    CAPTURE(key);
    CHECK(found[key] == expected[key]);
  }
}

void check_learnt_same(const nlohmann::json& found, const nlohmann::json& whole) {
  check_same(found, whole,
             {"model_hash", "train_loss", "steps", "samples", "consensus_distance", "diverged"});
  CHECK(found["evaluations"]["train_loss"] == whole["evaluations"]["train_loss"]);
}

/// Servers send all of the model at the beginning of a leg, and later what has changed.
void check_sent_same(const nlohmann::json& found, const nlohmann::json& in_legs) {
  check_same(found, in_legs, {"model_hash", "messages", "bytes_sent"});
}

/// Twelve steps with a checkpoint after each three, or by the clock after each; then those from the
/// last checkpoint but one on again, which another run of processes takes.
void check_goes_on(const std::string& scheme, int workers, const std::string& interval,
                   const std::string& flags = " --momentum 0.9", bool is_emulated = false) {
  const int ranks = ranks_of(scheme, workers);
  if (ranks == 0) return;
  const int processes = ranks + (is_emulated && ranks > 1 ? 1 : 0);
  CAPTURE(scheme, processes, interval);
  const std::string run = test::small_run(scheme, workers) + flags;
  const auto whole = summary_of_simulation(run);
  // A leg ends what streaming-diloco has under way: it learns something else then, in any clock.
  const auto simulated_legs = summary_of_simulation(run + " --checkpoint-every 0.02");
  const bool same_in_legs = simulated_legs["model_hash"] == whole["model_hash"];
  const bool by_clock = interval == "1ns";  // then the clock says where legs end
  if (by_clock && !same_in_legs) return;
  const TemporaryFolder folder;
  const fs::path saved = folder.path() / "saved";
  const std::string every = " --checkpoint-every " + interval;
  const auto in_legs = summary_of_processes(processes, run + (is_emulated ? emulated : "") + every +
                                                           " --checkpoint " + quoted_path(saved));
  check_learnt_same(in_legs, simulated_legs);
  if (by_clock && fs::is_empty(saved)) return;  // a round of the scheme is as long as the run
  const fs::path last = last_in(saved);
  // Where rounds are long, by the clock, it is the only one.
  if (leg_of(last) > 1) fs::remove(last);
  const auto resumed =
      summary_of_processes(processes, fmt::format("--resume {}", quoted_path(saved)));
  check_learnt_same(resumed, simulated_legs);
  if (!by_clock) {
    check_sent_same(in_legs, simulated_legs);
    check_sent_same(resumed, simulated_legs);
  }
  CHECK(fs::exists(last));  // made anew
}

bool can_be_checkpointed(const Scheme& scheme) {
  return test::is_in_lockstep(scheme) && scheme.order.no_checkpoint.empty();
}

}  // namespace

TEST_CASE("processes go on from leg to leg, and from a checkpoint, to the bits of a whole run",
          "[runtime]") {
  if (!test::has_processes()) return;
  check_goes_on("ring", 3, "0.02");
  check_goes_on("ps-sync", 3, "1ns");
  check_goes_on("gossip", 3, "0.02", "", true);
}

// What ranks keep besides the model: residuals, anchors, streams of random numbers.
TEST_CASE("processes put down whatever a scheme keeps", "[runtime][slow]") {
  if (!test::has_processes()) return;
  for (const char* scheme : {"local-sgd", "diloco", "ec-sgd", "choco", "ps-hierarchical"}) {
    check_goes_on(scheme, 4, "0.02", "");
    check_goes_on(scheme, 4, "1ns", "");
  }
  check_goes_on("ring", 2, "0.02", " --optimizer adam");
  check_goes_on("gossip", 5, "1ns");
  check_goes_on("ps-sync", 3, "1ns", " --momentum 0.9", true);
  // A state that goes in several pieces, 2.6 MB a rank.
  check_goes_on("ring", 2, "0.02", " --momentum 0.9 --model mlp:100");
}

// By its name only, before a change of the runtime: 10 minutes on two cores.
TEST_CASE("processes go on from checkpoints of every scheme in lockstep", "[.][runtime]") {
  if (!test::has_processes()) return;
  for (const std::string& scheme : test::schemes_where(can_be_checkpointed)) {
    check_goes_on(scheme, 3, "0.02", "");
    check_goes_on(scheme, 3, "1ns", "", true);
  }
}

TEST_CASE("processes of every other scheme go on from leg to leg", "[runtime][slow]") {
  if (!test::has_processes()) return;
  for (const char* scheme : {"ps-async", "ssp", "easgd-async", "ad-psgd", "ps-backup"}) {
    for (const char* interval : {"0.05", "1ns"}) {
      CAPTURE(scheme, interval);
      const TemporaryFolder folder;
      const fs::path saved = folder.path() / "saved";
      const std::string run = fmt::format(
          "--scheme {} --workers 3 --dataset sparse-logistic:2000 --epochs 1 --lr 0.5 "
          "--evaluate-every 0.5 --checkpoint {} --checkpoint-every {}",
          scheme, quoted_path(saved), interval);
      const auto whole = summary_of_processes(ranks_of(scheme, 3), run);
      fs::remove(last_in(saved));
      const auto resumed =
          summary_of_processes(ranks_of(scheme, 3), fmt::format("--resume {}", quoted_path(saved)));
      for (const auto& summary : {whole, resumed}) {
        CHECK(summary["epochs"].get<double>() == Approx(1.0).epsilon(0.05));
        CHECK(summary["diverged"] == false);
        CHECK(summary["train_loss"].get<double>() < 0.69);  // log 2 at the start
      }
    }
  }
}

// More of them than cores, on a small machine.
TEST_CASE("processes that are all killed go on to the bits of a run that was not",
          "[runtime][slow]") {
  if (!test::has_processes()) return;
  struct Row {
    const char* scheme;
    int workers;
    std::string network;
  };
  for (const auto& [scheme, workers, network] :
       {Row{"ring", 2, ""}, Row{"ring", 5, ""}, Row{"ps-sync", 3, ""}, Row{"local-sgd", 4, ""},
        Row{"gossip", 4, ""}, Row{"gossip", 3, emulated}}) {
    CAPTURE(scheme, workers, network);
    const int processes = ranks_of(scheme, workers) + (network.empty() ? 0 : 1);
    const TemporaryFolder folder;
    const fs::path saved = folder.path() / "saved", out = folder.path() / "out";
    const std::string run = fmt::format(
        "--scheme {} --workers {} --dataset sparse-logistic:400 --batch 4 --lr 0.1 "
        "--momentum 0.5 --seed 5 --evaluate-every 1",
        scheme, workers);
    const auto killed = test::run_processes_killed(
        processes, out / (std::string(scheme) + ".partial") / "metrics.jsonl", 4,
        fmt::format("run {}{} --epochs 20000 --checkpoint {} --checkpoint-every 1 --out {}", run,
                    network, quoted_path(saved), quoted_path(out)));
    CHECK(killed.status != 0);
    CHECK(killed.status != 124);  // of `timeout`: they never ended
    // A leg of rounds of ten steps has 30 where a pass has 25: on a quick machine many are done.
    const int epochs = 2 * leg_of(last_in(saved)) + 3;
    const auto resumed = summary_of_processes(
        processes,
        fmt::format("--resume {} --force-resume epochs --epochs {}", quoted_path(saved), epochs));
    const std::string simulated = fmt::format("{} --epochs {}", run, epochs);
    check_learnt_same(resumed, summary_of_simulation(simulated));
    check_sent_same(resumed, summary_of_simulation(simulated + " --checkpoint-every 1"));
  }
}

// With a leg a step, most of the time is that in which rank 0 waits for what the others keep.
TEST_CASE("when a process is killed the run goes on from its checkpoint", "[runtime][slow]") {
  if (!test::has_processes()) return;
  struct Row {
    const char* scheme;
    const char* legs;
  };
  for (const auto& [scheme, legs] :
       {Row{"ring", "1"}, Row{"gossip", "1"}, Row{"ps-async", "1"},
        Row{"ring", "1ns --batch 25 --dataset sparse-logistic:400 --model mlp:200"}}) {
    CAPTURE(scheme, legs);
    const int ranks = ranks_of(scheme, 4);
    const TemporaryFolder folder;
    const fs::path saved = folder.path() / "saved", out = folder.path() / "out";
    const auto lost = test::run_processes_losing(
        ranks, ranks - 1, out / (std::string(scheme) + ".partial") / "metrics.jsonl", 4,
        fmt::format("run --scheme {} --workers 4 --epochs 20000 --evaluate-every 1 --checkpoint {} "
                    "--out {} --checkpoint-every {}",
                    scheme, quoted_path(saved), quoted_path(out), legs));
    INFO(lost.output);
    CHECK(lost.status != 0);
    CHECK(lost.status != 124);  // of `timeout`
    CHECK_THAT(lost.output, ContainsSubstring(fmt::format("rank {} on ", ranks - 1)) &&
                                ContainsSubstring("does not answer any more"));
    const int epochs = leg_of(last_in(saved)) + 2;
    const auto resumed = summary_of_processes(
        ranks,
        fmt::format("--resume {} --force-resume epochs --epochs {}", quoted_path(saved), epochs));
    CHECK(resumed["epochs"].get<double>() == Approx(epochs).epsilon(0.02));
  }
}

// Another program, as the error says; what it wrote is read as one's own.
TEST_CASE("processes go on from a checkpoint of threads, and threads from theirs", "[runtime]") {
  if (!test::has_processes()) return;
  const std::string run = test::small_run("ring", 3) + " --momentum 0.9";
  const auto simulated = summary_of_simulation(run);
  const TemporaryFolder folder;
  const fs::path of_threads = folder.path() / "threads", of_processes = folder.path() / "processes";
  const auto saving = [](const fs::path& saved) {
    return fmt::format(" --checkpoint {} --checkpoint-every 0.02", quoted_path(saved));
  };
  const auto threads = [](const std::string& arguments) {
    return test::shell(fmt::format("'{}' run {} 2>/dev/null", TRAINYARD_PROGRAM, arguments));
  };
  REQUIRE(threads(run + " --time wall --latency 0us --bandwidth infinite" + saving(of_threads))
              .status == 0);
  fs::remove(last_in(of_threads));
  (void)summary_of_processes(3, run + saving(of_processes));
  fs::remove(last_in(of_processes));

  const auto refused = run_processes(3, "run --resume " + quoted_path(of_threads));
  CHECK(refused.status == 2);
  CHECK_THAT(refused.output, ContainsSubstring("--force-resume program goes on all the same"));
  check_learnt_same(summary_of_processes(3, fmt::format("--resume {} --force-resume program",
                                                        quoted_path(of_threads))),
                    simulated);
  const auto resumed =
      threads(fmt::format("--resume {} --force-resume program --json", quoted_path(of_processes)));
  REQUIRE(resumed.status == 0);
  check_learnt_same(nlohmann::json::parse(resumed.output), simulated);
}

TEST_CASE("processes say what cannot be put down, and from what they do not go on", "[runtime]") {
  if (!test::has_processes()) return;
  const TemporaryFolder folder;
  const fs::path saved = folder.path() / "saved", none = folder.path() / "none";
  const auto refused = [](int processes, const std::string& arguments, const std::string& why) {
    CAPTURE(arguments);
    const auto run = run_processes(processes, "run " + arguments);
    CHECK(run.status == 2);
    CHECK_THAT(run.output, ContainsSubstring(why));
    const std::size_t said = run.output.find(why);
    CHECK(run.output.find(why, said + 1) == std::string::npos);  // once
  };
  for (const char* scheme : {"hogwild", "buckwild"}) {
    refused(2, fmt::format("--scheme {} --workers 2 --checkpoint-every 1", scheme),
            fmt::format("processes of {} write to one model in memory", scheme));
  }
  refused(2, "--workers 2 --resume " + quoted_path(none), "there is no such folder");
  CHECK_FALSE(fs::exists(none));
  (void)summary_of_processes(3, test::small_run("ring", 3) +
                                    " --checkpoint-every 0.02 --checkpoint " + quoted_path(saved));
  const std::string resume = "--resume " + quoted_path(saved);
  refused(4, resume, "ring with 3 workers and 0 servers needs 3 processes, and 4 were started");
  refused(2, resume, "ring with 3 workers and 0 servers needs 3 processes, and 2 were started");
  refused(4, resume + " --workers 4",
          "the run that was checkpointed had --workers 3, and this one 4");
  refused(3, resume + " --lr 0.25", "--force-resume lr goes on all the same");
  refused(2, "--scheme ring --workers 2 --checkpoint " + quoted_path(saved),
          "holds the checkpoints of another run");
  folder.write("file", "");
  refused(2, "--scheme ring --workers 2 --checkpoint " + quoted_path(folder.path() / "file"),
          "Not a directory");
  // As where one was started with another line, by hand.
  const std::string begin = "run " + test::small_run("ring", 2);
  for (const std::string& more : {" --checkpoint " + quoted_path(none), " " + resume}) {
    for (const auto& lines : {std::vector{begin + more, begin}, std::vector{begin, begin + more}}) {
      const auto unlike = test::run_unlike_processes(lines);
      CHECK(unlike.status == 2);
      const std::size_t said = unlike.output.find("trainyard: ");
      REQUIRE(said != std::string::npos);
      CHECK(unlike.output.find("trainyard: ", said + 1) == std::string::npos);  // once
    }
  }
}
