// A run that is killed and goes on from a checkpoint is the run that was not killed.
#include "trainyard/run/checkpoint.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/runtime/pacing.hpp"
#include "trainyard/runtime/run_state.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "data/files.hpp"
#include "run/small_runs.hpp"
#include "support/catch.hpp"
#include "support/left_out.hpp"

namespace trainyard {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// Sixty steps, and a checkpoint after each seven, or when a round is over.
Configuration in_legs(const std::string& scheme) {
  Configuration c = small_configuration(scheme);
  c.epochs = 4.0;
  c.checkpoint_every = 7.0 / 15.0;
  c.line_time = Duration{0};
  return c;
}

/// With all that is drawn at random, on a network that takes time.
Configuration at_random(const std::string& scheme) {
  Configuration c = in_legs(scheme);
  c.network.latency = 100us;
  c.network.bytes_per_second = 1e7;
  c.network.jitter = {.kind = Jitter::Kind::exponential, .scale = 50us};
  c.compute_noise.exponential = 0.2;
  c.optimizer.momentum = 0.0;
  for (const std::string& kind : find_scheme(scheme).takes) {
    if (kind == "codec") c.ingredients["codec"] = "qsgd";
  }
  return c;
}

struct Killed {};

/// What goes on from the checkpoint that a run had made when it was killed after so many legs.
RunResult killed_and_resumed(Configuration c, const fs::path& folder, int legs) {
  c.checkpoint = folder;
  RunHooks hooks;
  hooks.leg_ended = [&](const RunState&) {
    if (--legs == 0) throw Killed();
  };
  CHECK_THROWS_AS(run_small(c, hooks), Killed);
  FoundCheckpoint found = latest_checkpoint(folder);
  Configuration asked;
  asked.resume = asked.checkpoint = folder;
  RunHooks resuming;
  resuming.resumed = &found.archive;
  return run_small(resumed_configuration(found, asked), resuming);
}

void check_same(const RunResult& a, const RunResult& b) {
  CHECK(a.summary.model_hash == b.summary.model_hash);
  CHECK(a.summary.seconds == b.summary.seconds);
  CHECK(a.summary.messages == b.summary.messages);
  CHECK(a.summary.bytes_sent == b.summary.bytes_sent);
  CHECK(a.summary.samples_computed == b.summary.samples_computed);
  CHECK(a.staleness.packed() == b.staleness.packed());
  REQUIRE(a.accounts.size() == b.accounts.size());
  for (std::size_t rank = 0; rank < a.accounts.size(); ++rank) {
    CHECK(a.accounts[rank].compute == b.accounts[rank].compute);
    CHECK(a.accounts[rank].transfer == b.accounts[rank].transfer);
    CHECK(a.accounts[rank].wait == b.accounts[rank].wait);
  }
  REQUIRE(a.metrics.size() == b.metrics.size());
  for (std::size_t i = 0; i < a.metrics.size(); ++i) {
    CHECK(a.metrics[i].seconds == b.metrics[i].seconds);
    CHECK(a.metrics[i].train_loss == b.metrics[i].train_loss);
    CHECK(a.metrics[i].test_accuracy == b.metrics[i].test_accuracy);
    CHECK(a.metrics[i].consensus_distance == b.metrics[i].consensus_distance);
    CHECK(a.metrics[i].bytes_sent == b.metrics[i].bytes_sent);
  }
}

bool can_rest(const Scheme& scheme) {
  return scheme.order.no_checkpoint.empty();
}

/// What a rank keeps, by name.
using Kept = std::map<std::string, std::vector<std::byte>>;

Kept kept_by(const RunState& state, int rank) {
  Kept own;
  for (const auto& [name, values] : state.kept_by(rank)) {
    own[std::string(name)].assign(values.bytes().begin(), values.bytes().end());
  }
  return own;
}

/// Looks at what a worker keeps when it begins its first step of a leg.
class FirstStepWatch final : public Pacing {
 public:
  FirstStepWatch(Pacing& inside, std::function<void(int)> begins)
      : inside_(inside), begins_(std::move(begins)) {}

  bool next_step(Rank& rank, std::uint64_t done) override {
    if (seen_.insert(rank.rank()).second) begins_(rank.rank());
    return inside_.next_step(rank, done);
  }
  void follow(int worker, std::uint64_t done, bool goes_on) override {
    inside_.follow(worker, done, goes_on);
  }
  int team() const override { return inside_.team(); }
  void sit_out(int worker) override { inside_.sit_out(worker); }
  void close_step(Rank& rank, std::uint64_t minibatches) override {
    inside_.close_step(rank, minibatches);
  }
  std::uint64_t last_step() const override { return inside_.last_step(); }
  std::uint64_t minibatch_number(int worker) const override {
    return inside_.minibatch_number(worker);
  }
  std::uint64_t worker_steps_done() const override { return inside_.worker_steps_done(); }
  Snapshot final_snapshot(const RuntimeReport& report) override {
    return inside_.final_snapshot(report);
  }

 private:
  Pacing& inside_;
  std::function<void(int)> begins_;
  std::set<int> seen_;
};

}  // namespace

TEST_CASE("killed and resumed, every scheme has the bits of a run that was not", "[run][legs]") {
  for (const std::string& scheme : test::schemes_where(can_rest)) {
    for (const int legs : {1, 2}) {
      INFO(scheme << " killed after leg " << legs);
      const TemporaryFolder folder;
      const Configuration c = at_random(scheme);
      check_same(killed_and_resumed(c, folder.path(), legs), run_small(c));
    }
  }
}

TEST_CASE("killed and resumed between checkpoints by the clock as well", "[run][legs]") {
  for (const std::string& scheme : test::schemes_where(can_rest)) {
    if (scheme == "des-loc") continue;  // a round of all its periods is longer than the run
    INFO(scheme);
    Configuration c = at_random(scheme);
    c.checkpoint_every = Duration(9ms);
    check_same(killed_and_resumed(c, TemporaryFolder().path(), 1), run_small(c));
  }
}

TEST_CASE("killed and resumed, schemes go on whatever is chosen of their rules", "[run][legs]") {
  int choices = 0;
  for (const std::string& scheme : test::schemes_where(can_rest)) {
    for (const HyperparameterInfo& info : find_scheme(scheme).hyperparameters) {
      for (std::size_t choice = 1; choice < info.choices.size(); ++choice) {
        INFO(scheme << " --" << info.name << ' ' << info.choices[choice]);
        ++choices;
        const TemporaryFolder folder;
        Configuration c = at_random(scheme);
        c.hyperparameters[info.name] = static_cast<double>(choice);
        if (info.name == "wire") c.ingredients["codec"] = "identity";  // halves are not encoded
        check_same(killed_and_resumed(c, folder.path(), 2), run_small(c));
      }
    }
  }
  CHECK(choices > 20);
}

TEST_CASE("a leg begins with what the one before has left", "[run][legs]") {
  for (const std::string& scheme : test::schemes_where(can_rest)) {
    const RunState* state = nullptr;
    std::vector<Kept> left;
    int looked_at = 0;
    RunHooks hooks;
    hooks.leg_ended = [&](const RunState& ended) {
      state = &ended;
      left.clear();
      for (int w = 0; w < ended.layout().workers; ++w) left.push_back(kept_by(ended, w));
    };
    hooks.wrap_pacing = [&](Pacing& inside) {
      return std::make_unique<FirstStepWatch>(inside, [&](int worker) {
        if (state == nullptr) return;
        ++looked_at;
        const Kept now = kept_by(*state, worker);  // its own alone: others compute
        for (const auto& [name, values] : left[static_cast<std::size_t>(worker)]) {
          INFO(scheme << ": worker " << worker << " keeps " << name);
          CHECK(now.at(name) == values);
        }
      });
    };
    (void)run_small(at_random(scheme), hooks);
    INFO(scheme);
    CHECK(looked_at > 0);
  }
}

TEST_CASE("who waits for all learns the same in legs as in one piece", "[run][legs]") {
  const auto applies = [](const Scheme& scheme) {
    return can_rest(scheme) && !by_arrival(scheme) && scheme.order.pace == Pace::lockstep;
  };
  for (const std::string& scheme : test::schemes_where(applies)) {
    INFO(scheme);
    Configuration c = in_legs(scheme);
    for (const std::string& kind : find_scheme(scheme).takes) {
      if (kind == "codec") c.ingredients["codec"] = "qsgd";
    }
    const RunResult in_pieces = run_small(c);
    c.checkpoint_every.reset();
    const RunResult whole = run_small(c);
    CHECK(in_pieces.summary.model_hash == whole.summary.model_hash);
    CHECK(in_pieces.summary.bytes_sent == whole.summary.bytes_sent);
    CHECK(in_pieces.summary.samples_computed == whole.summary.samples_computed);
    CHECK(in_pieces.metrics.size() == whole.metrics.size());
    CHECK(in_pieces.metrics.back().train_loss == whole.metrics.back().train_loss);
  }
}

TEST_CASE("optimizers, liars, early stopping and fewer passes go on as well", "[run][legs]") {
  const auto check = [](Configuration c, const char* what) {
    INFO(what);
    const TemporaryFolder folder;
    check_same(killed_and_resumed(c, folder.path(), 2), run_small(c));
  };
  Configuration adam = at_random("ring");
  adam.optimizer.kind = OptimizerKind::adam;
  adam.optimizer.lr = 0.01;
  check(adam, "adam");
  Configuration servers = at_random("ps-async");
  servers.optimizer.kind = OptimizerKind::adam;
  servers.optimizer.lr = 0.01;
  servers.servers = 3;
  check(servers, "adam at servers");
  Configuration liars = at_random("ps-sync");
  liars.ingredients["byzantine"] = "1:gaussian";
  liars.ingredients["aggregate"] = "bucketing:2+median";
  check(liars, "liars");
  Configuration replaced = at_random("local-sgd");
  replaced.replacement = true;
  replaced.optimizer.momentum = 0.9;
  check(replaced, "rows drawn with replacement, momentum");
  Configuration dealt = at_random("ring");
  dealt.deal = Deal::pass;
  check(dealt, "rows dealt anew");
  dealt.deal = Deal::speed;
  check(dealt, "rows by speed");
  Configuration by_clock = at_random("ps-async");
  by_clock.epochs.reset();
  by_clock.seconds = 27ms;
  check(by_clock, "a run that its clock ends");
  Configuration faulty = at_random("ring");
  parse_faults("loss:0.05+slow-link:1:3@5ms-20ms+stall:2@14ms-19ms", "--fault",
               faulty.network.faults);
  faulty.network.faults.retransmission = {.timeout = 3ms};
  check(faulty, "faults");
}

TEST_CASE("on threads a run goes on from a checkpoint, and learns the same", "[run][legs]") {
  for (const char* scheme : {"ring", "ps-sync", "gossip", "local-sgd"}) {
    INFO(scheme);
    Configuration c = in_legs(scheme);
    const Summary simulated = run_small(c).summary;
    c.time = TimeMode::wall;
    const TemporaryFolder folder;
    const RunResult resumed = killed_and_resumed(c, folder.path(), 2);
    CHECK(resumed.summary.model_hash == simulated.model_hash);
    CHECK(resumed.summary.messages == simulated.messages);
    CHECK(resumed.summary.bytes_sent == simulated.bytes_sent);
    double before = -1.0;
    for (const Metrics& at : resumed.metrics) {
      CHECK(at.seconds > before);
      before = at.seconds;
    }
    for (const RankAccount& account : resumed.accounts) {
      CHECK(account.compute + account.transfer + account.wait ==
            resumed.accounts.front().compute + resumed.accounts.front().transfer +
                resumed.accounts.front().wait);
    }
  }
}

TEST_CASE("the last two checkpoints stay, and a damaged one is passed over", "[run][legs]") {
  const TemporaryFolder temporary;
  const fs::path folder = temporary.path() / "made" / "by it";
  Configuration c = in_legs("ring");
  c.checkpoint = folder;
  const RunResult whole = run_small(c);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  REQUIRE(names == std::vector<std::string>{"checkpoint-000007.npz", "checkpoint-000008.npz"});
  fs::resize_file(folder / names[1], fs::file_size(folder / names[1]) / 2);
  FoundCheckpoint found = latest_checkpoint(folder);
  CHECK(found.file.filename() == names[0]);
  REQUIRE(found.remarks.size() == 1);
  CHECK_THAT(found.remarks.front(), ContainsSubstring("truncated"));
  Configuration asked;
  asked.resume = folder;
  RunHooks hooks;
  hooks.resumed = &found.archive;
  // It makes the damaged one anew.
  check_same(run_small(resumed_configuration(found, asked), hooks), whole);
  CHECK(latest_checkpoint(folder).file.filename() == names[1]);
  CHECK(latest_checkpoint(folder).remarks.empty());
  for (const std::string& name : names) fs::resize_file(folder / name, 100);
  CHECK_THROWS_WITH(latest_checkpoint(folder),
                    ContainsSubstring("--resume") && ContainsSubstring("truncated"));
}

TEST_CASE("a checkpoint that cannot be written costs itself alone", "[run][legs]") {
  const TemporaryFolder temporary;
  Configuration c = in_legs("ring");
  const std::string hash = run_small(c).summary.model_hash;
  c.checkpoint = temporary.path() / "saved";
  std::vector<std::string> said;
  RunHooks hooks;
  hooks.remark = [&](const std::string& text) { said.push_back(text); };
  hooks.leg_ended = [&](const RunState&) { fs::remove_all(c.checkpoint); };
  CHECK(run_small(c, hooks).summary.model_hash == hash);
  CHECK(std::ranges::count_if(said, [](const std::string& text) {
          return text.starts_with("warning: cannot write ") &&
                 text.ends_with("; the run goes on without this checkpoint");
        }) == 7);  // of eight
}

TEST_CASE("a run that has changed is refused by what has", "[run][legs]") {
  const TemporaryFolder temporary;
  const fs::path folder = temporary.path();
  Configuration c = in_legs("ring");
  c.checkpoint = folder;
  (void)run_small(c);
  const auto resumed = [&](const std::function<void(Configuration&)>& change) {
    FoundCheckpoint found = latest_checkpoint(folder);
    Configuration asked;
    asked.resume = folder;
    change(asked);
    return resumed_configuration(found, asked);
  };
  const auto other_lr = [](Configuration& asked) {
    asked.optimizer.lr = 0.25;
    asked.given = {"lr"};
  };
  CHECK_THROWS_WITH(resumed(other_lr), ContainsSubstring("had --lr 0.5, and this one 0.25") &&
                                           ContainsSubstring("--force-resume lr"));
  const auto forced = [&](Configuration& asked) {
    other_lr(asked);
    asked.force_resume = "batch,lr";
  };
  CHECK(resumed(forced).optimizer.lr == 0.25);
  CHECK_THROWS_WITH(resumed([](Configuration& asked) { asked.force_resume = "lr,bacth"; }),
                    ContainsSubstring("--force-resume") && ContainsSubstring("bacth"));
  // Another end is another run, which may be wanted.
  const auto longer = [](Configuration& asked) {
    asked.epochs = 5.0;
    asked.given = {"epochs"};
    asked.force_resume = "epochs";
  };
  FoundCheckpoint found = latest_checkpoint(folder);
  RunHooks hooks;
  hooks.resumed = &found.archive;
  const RunResult longer_run = run_small(resumed(longer), hooks);
  CHECK(longer_run.summary.epochs == Approx(5.0));
  Configuration unbroken = in_legs("ring");
  unbroken.epochs = 5.0;
  CHECK(longer_run.summary.model_hash == run_small(unbroken).summary.model_hash);
  CHECK_THROWS_WITH(CheckpointFolder(folder, false),
                    ContainsSubstring("holds the checkpoints of another run"));
  CHECK_THROWS_WITH(latest_checkpoint(folder / "none"), ContainsSubstring("no such folder"));
  CHECK_THROWS_WITH(CheckpointFolder("/proc/none", false), ContainsSubstring("--checkpoint"));
}

TEST_CASE("what cannot go on from a checkpoint says so", "[run][legs]") {
  for (const Scheme& scheme : schemes()) {
    if (can_rest(scheme)) continue;
    INFO(scheme.name);
    CHECK_THROWS_WITH(run_small(in_legs(scheme.name)),
                      ContainsSubstring("--checkpoint-every") && ContainsSubstring(scheme.name));
  }
  Configuration traced = in_legs("ring");
  traced.trace = "somewhere.json";
  CHECK_THROWS_WITH(run_small(traced), ContainsSubstring("--trace"));
}

}  // namespace trainyard
