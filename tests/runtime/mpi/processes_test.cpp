// trainyard-mpi: the schemes, with a process for each rank.
#include "support/processes.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/scheme/scheme.hpp"

#include "data/files.hpp"
#include "runtime/mpi/small_runs.hpp"
#include "support/catch.hpp"
#include "support/left_out.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::is_in_lockstep;
using test::model_flag;
using test::ranks_of;
using test::run_processes;
using test::ShellOutcome;
using test::small_run;
using test::summary_of_processes;
using test::summary_of_simulation;

namespace fs = std::filesystem;

namespace {

void check_bits(const std::string& scheme, int workers) {
  const int ranks = ranks_of(scheme, workers);
  if (ranks == 0) return;  // as tensor-split with more workers than a layer has units
  CAPTURE(scheme, workers, ranks);
  const std::string run = small_run(scheme, workers);
  const auto processes = summary_of_processes(ranks, run);
  const auto simulated = summary_of_simulation(run);
  for (const char* key : {"model_hash", "train_loss", "steps", "samples", "messages", "bytes_sent",
                          "consensus_distance", "diverged"}) {
    CAPTURE(key);
    CHECK(processes[key] == simulated[key]);
  }
}

}  // namespace

TEST_CASE("processes give the bits of simulated time in lockstep", "[runtime]") {
  if (!test::has_processes()) return;
  for (const char* scheme : {"ring", "gossip", "ps-sync"}) check_bits(scheme, 3);
}

TEST_CASE("processes give the bits of simulated time for every scheme in lockstep",
          "[runtime][slow]") {
  if (!test::has_processes()) return;
  // 3 of them, on an emulated network: emulated_network_test.cpp. To start 8 takes 1.5 s, so each
  // scheme has one of these; all have all in the case below.
  const std::array numbers{5, 2, 8, 1};
  std::size_t next = 0;
  for (const std::string& scheme : test::schemes_where(is_in_lockstep)) {
    check_bits(scheme, numbers[next++ % numbers.size()]);
  }
}

// By its name only, before a change of the runtime: 4 minutes on two cores.
TEST_CASE("processes give the bits of simulated time, by 1, 2, 5 and 8 workers", "[.][runtime]") {
  if (!test::has_processes()) return;
  for (const std::string& scheme : test::schemes_where(is_in_lockstep)) {
    for (const int workers : {1, 2, 5, 8}) check_bits(scheme, workers);
  }
}

// As where a file is on the first host alone.
TEST_CASE("processes that cannot all read their command lines say which one cannot", "[runtime]") {
  if (!test::has_processes()) return;
  const std::string good = "run --workers 2 --steps 2", bad = "run no-such.toml --workers 2";
  const auto second = test::run_unlike_processes({good, bad});
  CHECK(second.status == 2);
  CHECK_THAT(second.output,
             ContainsSubstring("rank 1 on ") && ContainsSubstring(": no-such.toml: no such file"));
  const auto first = test::run_unlike_processes({bad, good});
  CHECK(first.status == 2);
  CHECK_THAT(first.output, ContainsSubstring("trainyard: no-such.toml: no such file"));
}

// Of these limits on a machine like that of the tests some are met while the run is set up, some in
// it, where both have lent a vector to each other, and some when it reports.
TEST_CASE("processes that send nothing need no switch", "[runtime]") {
  if (!test::has_processes()) return;
  const auto run = run_processes(2, "run --scheme hogwild --workers 2 --steps 9 --latency 1ms");
  CHECK(run.status == 0);
  CHECK_THAT(run.output, ContainsSubstring("--latency has no effect: hogwild sends nothing"));
}

TEST_CASE("a model beyond a message of MPI is refused before it is made", "[runtime][slow]") {
  if (!test::has_processes()) return;
  const auto run = run_processes(1, "run --scheme ring --workers 1 --steps 1 --model mlp:60000");
  CHECK(run.status == 2);
  CHECK_THAT(run.output, ContainsSubstring("--model mlp:60000: 2.401 GB of parameters are more"));
}

TEST_CASE("help of processes names what they take", "[runtime]") {
  if (!test::has_processes()) return;
  const auto help = run_processes(1, "run --help");
  CHECK_THAT(help.output, ContainsSubstring("\n  --collective "));
  CHECK_THAT(help.output, ContainsSubstring(" overwrite what --out names\n"));
  for (const char* refused :
       {"--time", "--trace", "--trace-steps", "--html", "--counters", "--data-source"}) {
    CHECK_THAT(help.output, !ContainsSubstring(fmt::format("\n  {} ", refused)));
  }
  const auto unknown = run_processes(1, "run --no-such-flag");
  CHECK_THAT(unknown.output, ContainsSubstring("'trainyard-mpi run --help' lists them"));
}

TEST_CASE("processes of which one has no memory end", "[runtime][slow]") {
  if (!test::has_processes()) return;
  const std::string run =
      "run --workers 2 --steps 2 --model mlp:2000 --dataset sparse-logistic:100 --batch 1 "
      "--force-memory";
  std::vector<std::function<ShellOutcome()>> runs;
  for (const int megabytes : {400, 460, 500}) {
    for (const int short_of_memory : {0, 1}) {
      runs.emplace_back(
          [=] { return test::run_pair_without_memory(short_of_memory, megabytes, run); });
    }
  }
  for (const auto& outcome : test::at_once(runs)) {
    INFO(outcome.output);
    CHECK(outcome.status != 124);  // the time that it has
  }
}

TEST_CASE("processes run every other scheme as far as simulated time does", "[runtime][slow]") {
  if (!test::has_processes()) return;
  for (const Scheme& scheme : schemes()) {
    if (is_in_lockstep(scheme)) continue;
    CAPTURE(scheme.name);
    // How far passes get depends on who comes first: after two, mpca-sgd was at 0.55 to 0.63, and
    // on a busy machine at 0.67.
    const std::string run =
        fmt::format("--scheme {} --workers 4 --dataset sparse-logistic:5000 --epochs 4 --lr 0.5 {}",
                    scheme.name, model_flag(scheme.name));
    const auto summary = summary_of_processes(ranks_of(scheme.name, 4), run);
    CHECK(summary["diverged"] == false);
    // Who has spares counts fewer passes, and a quasi-Newton method has only begun.
    const auto simulated = summary_of_simulation(run);
    CHECK(summary["epochs"].get<double>() ==
          Approx(simulated["epochs"].get<double>()).epsilon(0.01));
    CHECK(summary["train_loss"].get<double>() <
          std::max(0.68, simulated["train_loss"].get<double>() + 1e-6));  // log 2 at the start
  }
}

// One group without delay leaves nothing to chance; with more of them models depend on who comes
// first, and what is sent does not.
TEST_CASE("processes of groups behind proxies send what simulated ones do", "[runtime][slow]") {
  if (!test::has_processes()) return;
  const auto check_same = [](int processes, const std::string& run,
                             std::initializer_list<const char*> keys) {
    const auto found = summary_of_processes(processes, run);
    const auto simulated = summary_of_simulation(run);
    for (const char* key : keys) {
      CAPTURE(run, key);
      CHECK(found[key] == simulated[key]);
    }
    CHECK(found["train_loss"].get<double>() ==
          Approx(simulated["train_loss"].get<double>()).epsilon(1e-2));
  };
  check_same(5, small_run("key-value", 3) + " --staleness 0 --proxies 1",
             {"model_hash", "steps", "samples", "messages", "bytes_sent"});
  check_same(9, small_run("key-value", 5) + " --staleness 1 --proxies 2 --servers 2 --wire fp16",
             {"servers", "steps", "samples", "messages", "bytes_sent", "diverged"});
  const auto lasting = summary_of_processes(
      7, "--scheme key-value --workers 4 --proxies 2 --seconds 0.3 --significance 0.01");
  CHECK(lasting["steps"].get<double>() > 0.0);
}

TEST_CASE("processes that are not a run's ranks are told how many it has", "[runtime]") {
  if (!test::has_processes()) return;
  const auto refused = run_processes(3, "run --scheme ps-sync --workers 3 --steps 2");
  CHECK(refused.status == 2);
  CHECK(refused.output.find("needs 4 processes, and 3 were started (mpirun -np 4)") !=
        std::string::npos);
  const auto served = run_processes(2, "run --workers 2 --data-source server --steps 2");
  CHECK(served.status == 2);
  CHECK(served.output.find("processes read their rows themselves") != std::string::npos);
}

// Of two workers' sums there is one order, and so one result; of more, the library chooses.
TEST_CASE("the library's own all-reduce gives what ours gives", "[runtime][slow]") {
  if (!test::has_processes()) return;
  const TemporaryFolder folder;
  const auto rows = folder.write("rows.csv",
                                 "0,1,2,0.3,-0.7\n0,1.5,0.5,-0.1,0.4\n0,0.7,1.1,0.9,0.2\n"
                                 "0,1.2,0.6,0.5,-0.6\n0,0.9,1.9,-0.3,0.8\n");
  const std::string floats = "--model logistic";
  const std::string doubles =
      fmt::format("--model quadratic --dataset {}", test::quoted_path(rows));
  for (const int workers : {2, 3, 5}) {
    for (const std::string& model : {floats, doubles}) {
      CAPTURE(workers, model);
      const std::string run = fmt::format(
          "--scheme all-reduce --workers {} --steps 40 --lr 0.1 --seed 3 --batch 1 {} "
          "--collective ",
          workers, model);
      const auto library = summary_of_processes(workers, run + "mpi");
      const auto ours = summary_of_simulation(run + "ring");
      if (workers == 2) CHECK(library["model_hash"] == ours["model_hash"]);
      CHECK(library["train_loss"].get<double>() ==
            Approx(ours["train_loss"].get<double>()).epsilon(1e-6));
      // Each worker hands its vector over once a step.
      const std::uint64_t handed_over = 40 * static_cast<std::uint64_t>(workers);
      const std::uint64_t parameters = library["model"]["parameters"].get<std::uint64_t>();
      CHECK(library["messages"] == handed_over);
      CHECK(library["bytes_sent"] == handed_over * parameters * (model == doubles ? 8 : 4));
    }
  }
}

TEST_CASE("the library's own all-reduce is one of all processes", "[runtime][slow]") {
  if (!test::has_processes()) return;
  for (const int size : {1, 2}) {
    const auto groups = run_processes(
        4, fmt::format("run --scheme tensor-split --tensor-size {} --workers 4 --model mlp:8 "
                       "--steps 2 --collective mpi",
                       size));
    CHECK(groups.status == 2);
    CHECK_THAT(groups.output, ContainsSubstring("--collective mpi: sums over all workers"));
  }
  const auto threads = test::shell(
      fmt::format("'{}' run --scheme all-reduce --collective mpi 2>&1", TRAINYARD_PROGRAM));
  CHECK(threads.status == 2);
  CHECK_THAT(threads.output, ContainsSubstring("no collective named 'mpi'"));
}

TEST_CASE("a run with the library's all-reduce is reported by the program that knows it",
          "[runtime][slow]") {
  if (!test::has_processes()) return;
  const TemporaryFolder folder;
  const std::string out = test::quoted_path(folder.path() / "out");
  const auto run = run_processes(
      2, "run --scheme all-reduce --collective mpi --workers 2 --steps 2 --out " + out);
  REQUIRE(run.status == 0);
  const fs::path page = folder.path() / "page.html";
  const auto report =
      run_processes(2, fmt::format("report {} --html {}", out, test::quoted_path(page)));
  CHECK(report.status == 0);
  const auto said = report.output.find(": a report of 1 run\n");
  REQUIRE(said != std::string::npos);
  CHECK(report.output.find(": a report of", said + 1) == std::string::npos);  // once
  CHECK(fs::exists(page));
}

// One process of the host reads, and the others wait for it; or for one that never comes to that.
TEST_CASE("what keeps one process from reading is said once", "[runtime][slow]") {
  if (!test::has_processes()) return;
  const TemporaryFolder folder;
  const auto file = folder.write("bad.svm", "1 1:0.5\n0 2:x\n");
  const auto bad = run_processes(
      3, fmt::format("run --workers 3 --dataset {} --steps 2", test::quoted_path(file)));
  CHECK(bad.status == 3);
  const std::size_t first = bad.output.find("bad.svm:2");
  CHECK(first != std::string::npos);
  CHECK(bad.output.find("bad.svm:2", first + 1) == std::string::npos);
  folder.write("file", "");
  const auto no_folder = run_processes(3, fmt::format("run --workers 3 --steps 2 --out {}",
                                                      test::quoted_path(folder.path() / "file")));
  CHECK(no_folder.status != 0);
  CHECK_THAT(no_folder.output, ContainsSubstring("file"));
}

// A worker, and a server where there is one, after the start and two more evaluations.
TEST_CASE("when a process is killed the others name it, keep results and end", "[runtime][slow]") {
  if (!test::has_processes()) return;
  struct Loss {
    std::string scheme;
    int lost;
    fs::path out;
  };
  std::deque<TemporaryFolder> folders;
  std::vector<Loss> losses;
  std::vector<std::function<ShellOutcome()>> runs;
  for (const char* scheme : {"ring", "ps-async", "ps-sync", "gossip", "hogwild"}) {
    const int ranks = ranks_of(scheme, 4);
    for (const int lost : {1, ranks - 1}) {
      const Loss loss{scheme, lost, folders.emplace_back().path() / "out"};
      losses.push_back(loss);
      runs.emplace_back([loss, ranks] {
        return test::run_processes_losing(
            ranks, loss.lost, loss.out / (loss.scheme + ".partial") / "metrics.jsonl", 3,
            fmt::format("run --scheme {} --workers 4 --seconds 60 --evaluate-every 0.1 --out {}",
                        loss.scheme, test::quoted_path(loss.out)));
      });
    }
  }
  const auto outcomes = test::at_once(runs);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const Loss& loss = losses[i];
    CAPTURE(loss.scheme, loss.lost);
    INFO(outcomes[i].output);
    CHECK(outcomes[i].status != 0);
    CHECK(outcomes[i].status != 124);  // of `timeout`: they never ended
    CHECK_THAT(outcomes[i].output, ContainsSubstring(fmt::format("rank {} on ", loss.lost)) &&
                                       ContainsSubstring("does not answer any more"));
    const auto summary = nlohmann::json::parse(read_file(loss.out / loss.scheme / "summary.json"));
    CHECK(summary["interrupted"] == true);
    CHECK(summary["samples"].get<double>() > 0);
  }
}

TEST_CASE("when a process is killed, fewer go on from the model by one command",
          "[runtime][slow]") {
  if (!test::has_processes()) return;
  for (const char* scheme : {"ring", "gossip", "ps-async"}) {
    CAPTURE(scheme);
    const int ranks = ranks_of(scheme, 4);  // more than cores, on a small machine
    const TemporaryFolder folder;
    const fs::path out = folder.path() / "out";
    const auto lost = test::run_processes_losing(
        ranks, 1, out / (std::string(scheme) + ".partial") / "metrics.jsonl", 4,
        fmt::format("run --scheme {} --workers 4 --seconds 60 --evaluate-every 1 --out {}", scheme,
                    test::quoted_path(out)));
    INFO(lost.output);
    CHECK_THAT(lost.output, ContainsSubstring("rank 1 on "));
    const auto before = nlohmann::json::parse(read_file(out / scheme / "summary.json"));
    const auto after = summary_of_processes(
        ranks - 1, fmt::format("--scheme {} --workers 3 --steps 3 --evaluate-every 1 --start {}",
                               scheme, test::quoted_path(out / scheme)));
    // It begins where the other one was evaluated last, not at the model's beginning.
    CHECK(before["epochs"].get<double>() >= 2.0);
    CHECK(after["evaluations"]["train_loss"][0].get<double>() ==
          Approx(before["train_loss"].get<double>()).epsilon(1e-5));
    CHECK(before["train_loss"].get<double>() < 0.69);
    CHECK(after["steps"].get<double>() >= 3.0);
  }
}
