// trainyard-mpi on a network that is emulated: one process more than ranks, its switch.
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/scheme/scheme.hpp"

#include "data/files.hpp"
#include "runtime/mpi/small_runs.hpp"
#include "support/catch.hpp"
#include "support/left_out.hpp"
#include "support/processes.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::ranks_of;
using test::run_processes;
using test::small_run;
using test::summary_of_processes;
using test::summary_of_simulation;

namespace fs = std::filesystem;

namespace {

const std::string slow_network = "--latency 1ms --bandwidth 100Mbps";

/// What is said of one run, in both; that of processes takes at least as long, because nothing
/// arrives sooner than the rule says and computing takes longer than no time.
void check_like_simulated(int processes, const std::string& run) {
  CAPTURE(run, processes);
  const auto found = summary_of_processes(processes, run);
  const auto simulated = summary_of_simulation(run, "--compute-time 0us");
  for (const char* key : {"model_hash", "train_loss", "steps", "samples", "messages", "bytes_sent",
                          "consensus_distance", "diverged"}) {
    CAPTURE(key);
    CHECK(found[key] == simulated[key]);
  }
  CHECK(found["seconds"].get<double>() >= simulated["seconds"].get<double>());
  // Who is busy computing, or kept from it, may find that all has arrived, and waits for nothing.
  if (simulated["messages"] == 0) CHECK(found["time_split"]["transfer"] == 0.0);
}

}  // namespace

TEST_CASE("processes on an emulated network do what simulated ones do, no sooner", "[runtime]") {
  if (!test::has_processes()) return;
  check_like_simulated(4, small_run("ring", 3) + " " + slow_network);
  check_like_simulated(5, small_run("ps-sync", 3) + " --ports cutthrough " + slow_network);
}

TEST_CASE("processes emulate racks, jitter, shared machines and charged control",
          "[runtime][slow]") {
  if (!test::has_processes()) return;
  check_like_simulated(7, small_run("ps-hierarchical", 4) +
                              " --racks 2 --between-latency 3ms --between-bandwidth 50Mbps " +
                              slow_network);
  check_like_simulated(5, small_run("gossip", 4) + " --charge-control " + slow_network);
  for (const char* scheme : {"gossip", "sgp --push-sum running-sums"}) {
    check_like_simulated(
        5, small_run(scheme, 4) + " --fault loss:0.3 --retransmit never " + slow_network);
  }
  check_like_simulated(
      7, small_run("ps-sync", 3) + " --servers 3 --server-placement colocated " + slow_network);
  const auto jittery =
      summary_of_processes(4, small_run("ring", 3) + " --jitter uniform:2ms " + slow_network);
  CHECK(jittery["model_hash"] == summary_of_simulation(small_run("ring", 3))["model_hash"]);
}

TEST_CASE("processes on an emulated network give the bits of every scheme in lockstep",
          "[runtime][slow]") {
  if (!test::has_processes()) return;
  for (const std::string& scheme : test::schemes_where(test::is_in_lockstep)) {
    if (const int ranks = ranks_of(scheme, 3); ranks > 0) {
      const int the_switch = ranks > 1 ? 1 : 0;
      check_like_simulated(ranks + the_switch,
                           small_run(scheme, 3) + " --latency 200us --bandwidth 1Gbps");
    }
  }
}

TEST_CASE("processes on an emulated network run every other scheme", "[runtime][slow]") {
  if (!test::has_processes()) return;
  for (const Scheme& scheme : schemes()) {
    if (test::is_in_lockstep(scheme) || test::shares_memory(scheme)) continue;
    CAPTURE(scheme.name);
    // On a busy machine one worker may take all 36 minibatches. A leaf of the tree sends after 8,
    // its root after 80 of its own.
    const std::string often = scheme.name == "tree-easgd" ? " --period-up 1 --period-down 1" : "";
    const std::string run =
        small_run(scheme.name, 3) + often + " --latency 200us --bandwidth 1Gbps";
    const auto found = summary_of_processes(ranks_of(scheme.name, 3) + 1, run);
    CHECK(found["diverged"] == false);
    // An inner node of its tree, if it is the one that takes them all, waits for its children's.
    if (scheme.name != "mpca-sgd") CHECK(found["messages"].get<std::uint64_t>() > 0);
    // Who has spares, or counts what arrives, counts other steps than were asked for.
    CHECK(found["steps"].get<double>() > 0.0);
  }
}

// All messages to the server are behind each other at its port.
TEST_CASE("processes wait for the ports of others", "[runtime]") {
  if (!test::has_processes()) return;
  check_like_simulated(7, small_run("ps-sync", 5) + " --latency 10ms --bandwidth infinite");
}

TEST_CASE("processes say what an emulated network needs, and how it was kept up with",
          "[runtime]") {
  if (!test::has_processes()) return;
  const auto few = run_processes(2, "run --workers 2 --latency 1ms --steps 2");
  CHECK(few.status == 2);
  CHECK_THAT(few.output, ContainsSubstring("and the switch of its emulated network, needs 3 "
                                           "processes, and 2 were started (mpirun -np 3)"));
  const auto library = run_processes(
      3, "run --scheme all-reduce --collective mpi --workers 2 --latency 1ms --steps 2");
  CHECK(library.status == 2);
  CHECK_THAT(library.output, ContainsSubstring("does not go over the emulated network"));
  // What the switch alone finds out.
  const auto never = run_processes(
      4,
      "run --scheme ps-async --workers 2 --latency 1500h --bandwidth 0.06bps --steps 2 "
      "--sparse-wire off");
  CHECK(never.status == 1);
  CHECK_THAT(never.output,
             ContainsSubstring("rank 3 on ") && ContainsSubstring("would pass 106 days"));
  const auto said = run_processes(3, "run --workers 2 --latency 1ms --steps 2");
  CHECK(said.status == 0);
  CHECK_THAT(said.output, ContainsSubstring("network: 8 messages, emulated by a process on ") &&
                              ContainsSubstring("that were waited for came ") &&
                              ContainsSubstring("; one clock, to within "));
}

// A rank whose steady clock is 1000 s ahead, and one whose clock is behind, as on other hosts.
TEST_CASE("processes of an emulated network need no common clock", "[runtime]") {
  if (!test::has_processes()) return;
  const std::string run = small_run("ring", 3) + " " + slow_network;
  const auto apart = test::run_processes_with_clocks({0, 1000, -10, 77}, "run " + run);
  if (!apart) {
    WARN("skipped: time namespaces are not permitted here");
    return;
  }
  CHECK(apart->status == 0);
  const auto simulated = summary_of_simulation(small_run("ring", 3));
  CHECK_THAT(
      apart->output,
      ContainsSubstring(simulated["model_hash"].get<std::string>()) &&
          ContainsSubstring("clocks differ from the switch's by up to 923 s, measured to within "));
}

TEST_CASE("an interrupt on an emulated network does not wait for messages", "[runtime][slow]") {
  if (!test::has_processes()) return;
  for (const char* scheme : {"ring", "ps-async"}) {
    CAPTURE(scheme);
    const TemporaryFolder folder;
    const fs::path out = folder.path() / "out";
    const auto outcome = test::run_processes_interrupted(
        ranks_of(scheme, 3) + 1, out / (scheme + std::string(".partial")) / "metrics.jsonl",
        fmt::format("run --scheme {} --workers 3 --seconds 1e6 --latency 1000s --out {}", scheme,
                    test::quoted_path(out)));
    INFO(outcome.output);
    CHECK(outcome.status != 124);
    CHECK(fs::exists(out / scheme / "summary.json"));
  }
}

// A worker, the server, and the switch, which are ranks 1, 3 and 4.
TEST_CASE("an interrupt of one process is one of the run", "[runtime][slow]") {
  if (!test::has_processes()) return;
  struct Interrupt {
    int rank;
    std::string latency;
    fs::path out;
  };
  std::deque<TemporaryFolder> folders;
  std::vector<Interrupt> interrupts;
  std::vector<std::function<test::ShellOutcome()>> runs;
  for (const auto& [rank, latency] :
       {std::pair(1, ""), std::pair(3, ""), std::pair(1, " --latency 1000s"),
        std::pair(3, " --latency 1000s"), std::pair(4, " --latency 1000s")}) {
    const Interrupt one{rank, latency, folders.emplace_back().path() / "out"};
    interrupts.push_back(one);
    runs.emplace_back([one] {
      return test::run_processes_interrupted_at(
          one.rank, one.latency.empty() ? 4 : 5, one.out / "ps-async.partial" / "metrics.jsonl",
          fmt::format("run --scheme ps-async --workers 3 --seconds 1e6{} --out {}", one.latency,
                      test::quoted_path(one.out)));
    });
  }
  const auto outcomes = test::at_once(runs);
  for (std::size_t i = 0; i < interrupts.size(); ++i) {
    CAPTURE(interrupts[i].rank, interrupts[i].latency);
    INFO(outcomes[i].output);
    CHECK(outcomes[i].status == 130);
    CHECK_THAT(outcomes[i].output, ContainsSubstring("interrupted; these are the results so far"));
    const fs::path summary = interrupts[i].out / "ps-async" / "summary.json";
    REQUIRE(fs::exists(summary));
    CHECK(nlohmann::json::parse(read_file(summary))["interrupted"] == true);
  }
}

TEST_CASE("when the emulated switch is killed the others name it, keep results and end",
          "[runtime][slow]") {
  if (!test::has_processes()) return;
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "out";
  const auto outcome = test::run_processes_losing(
      4, 3, out / "ring.partial" / "metrics.jsonl", 3,
      fmt::format("run --scheme ring --workers 3 --seconds 60 --evaluate-every 0.01 --latency 1ms "
                  "--out {}",
                  test::quoted_path(out)));
  INFO(outcome.output);
  CHECK(outcome.status != 124);
  CHECK_THAT(outcome.output, ContainsSubstring("rank 3 on ") &&
                                 ContainsSubstring(", the emulated switch, does not answer"));
  CHECK(nlohmann::json::parse(read_file(out / "ring" / "summary.json"))["interrupted"] == true);
}
