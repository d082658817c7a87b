// Steps whose rows are divided by speed (--deal speed): who gets which, what it brings, that
// training does not notice, and where it is refused.
#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/own_row.hpp"
#include "support/catch.hpp"
#include "support/training.hpp"

namespace trainyard {

using namespace std::chrono_literals;

namespace {

using test::quick;
using test::train;

struct TakenRow {
  std::uint64_t step;
  int worker;
  float row;
  bool operator<(const TakenRow& other) const {
    return std::pair(step, row) < std::pair(other.step, other.row);
  }
};
/// What programs, which are plain functions, have taken.
std::vector<TakenRow> taken_rows;

void take_rows(Worker& worker) {
  while (worker.next_step()) {
    const Batch batch = worker.minibatches().next();
    worker.compute(worker.minibatches().count_of(batch), [] {});
    for (const RowRange& range : batch) {
      for (std::size_t i = range.first; i < range.first + range.count; ++i) {
        taken_rows.push_back({worker.step(), worker.comm().rank(), range.data->dense_row(i)[0]});
      }
    }
    worker.comm().barrier();
  }
}

/// In the order of steps and rows.
std::vector<TakenRow> rows_taken(const Configuration& c) {
  LoadedData data{"numbered", generate_dense_logistic(120, 1, 3), {}};
  for (std::size_t row = 0; row < 120; ++row) data.train.dense[row] = static_cast<float>(row);
  taken_rows.clear();
  run_experiment(plan_run(test::mine(take_rows), resolve(c, {c.scheme}, data, {}), data), {});
  std::sort(taken_rows.begin(), taken_rows.end());
  return taken_rows;
}

Configuration by_speed(const std::string& scheme, int workers, std::uint64_t steps) {
  Configuration c = quick(scheme, workers, steps);
  c.deal = Deal::speed;
  return c;
}

/// Whose workers' gradients of a step become one mean, so that it is the same whoever takes which
/// rows. Others round by what they are (codecs, signs), or step before they average.
constexpr std::array averaging{"ps-sync", "ps-hierarchical", "ring", "zero-1", "all-reduce", "ddp"};

std::string refusal_by_speed(const std::string& scheme, const char* option, const char* value) {
  Configuration c = by_speed(scheme, 4, 10);
  if (option != nullptr) option_named(option).set(c, value, option);
  const LoadedData data = test::sparse_problem();
  try {
    (void)train(c, data);
  } catch (const OptionError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the rows of a step are the same, whoever takes which", "[run]") {
  Configuration c = by_speed("ring", 3, 48);
  c.batch = 10;
  const std::vector<TakenRow> even = rows_taken(c);
  c.stragglers = {{.rank = 1, .factor = 3.0}};
  const std::vector<TakenRow> uneven = rows_taken(c);
  REQUIRE(even.size() == 48 * 30);
  REQUIRE(uneven.size() == even.size());
  std::vector<int> of_last(3, 0);
  for (std::size_t i = 0; i < even.size(); ++i) {
    REQUIRE(even[i].step == uneven[i].step);
    REQUIRE(even[i].row == uneven[i].row);
    if (uneven[i].step == 47) ++of_last[static_cast<std::size_t>(uneven[i].worker)];
  }
  CHECK(of_last == std::vector{13, 4, 13});          // 30 · 3/7 twice, and 30/7
  for (std::uint64_t pass = 0; pass < 12; ++pass) {  // of 4 steps, which have every row once
    std::vector<float> rows;
    for (const TakenRow& one : uneven) {
      if (one.step / 4 == pass) rows.push_back(one.row);
    }
    std::ranges::sort(rows);
    CHECK(std::ranges::adjacent_find(rows) == rows.end());
    CHECK(rows.size() == 120);
  }
}

// Three workers and one that takes four times as long: 79, 79, 79 and 19 of 256 rows, so that a
// step takes 79/64 of a minibatch instead of 4. The first 8 steps know nothing of it.
TEST_CASE("workers of unlike speed are through with a step at the same time", "[run]") {
  Configuration c = by_speed("ring", 4, 208);
  c.batch = 64;
  c.stragglers = {{.rank = 2, .factor = 4.0}};
  const RunResult run = train(c, test::dense_problem());
  CHECK(run.summary.seconds == Approx(8 * 4e-3 + 200 * 79e-3 / 64).epsilon(1e-9));
  c.deal = Deal::pass;
  CHECK(train(c, test::dense_problem()).summary.seconds == Approx(208 * 4e-3));
}

// What takes each worker as long however many rows it has leaves equal times as well.
TEST_CASE("what a step takes beside its rows is evened out, too", "[run]") {
  Configuration c = by_speed("ring", 2, 2000);
  c.batch = 64;
  c.stragglers = {{.rank = 1, .factor = 2.0}};
  c.compute_noise.pause_probability = 1.0;
  c.compute_noise.pause = 1ms;
  const RunResult run = train(c, test::dense_problem());
  // x + 1 = 2 (2 − x) + 1: 4/3 of a minibatch.
  CHECK(run.summary.seconds == Approx(2000 * (1 + 4.0 / 3.0) * 1e-3).epsilon(0.02));
}

TEST_CASE("training by speed goes as without stragglers", "[run]") {
  const LoadedData data = test::dense_problem();
  for (const char* scheme : averaging) {
    CAPTURE(scheme);
    Configuration c = by_speed(scheme, 4, 100);
    c.batch = 8;
    const Summary even = train(c, data).summary;
    c.stragglers = {{.rank = 0, .factor = 5.0}, {.rank = 3, .factor = 2.0}};
    const Summary uneven = train(c, data).summary;
    CHECK(uneven.train_loss == Approx(even.train_loss).epsilon(1e-5));
    CHECK(uneven.model_hash != even.model_hash);  // sums of other parts
    CHECK(train(c, data).summary.model_hash == uneven.model_hash);
    c.time = TimeMode::wall;
    c.stragglers = {{.rank = 0, .factor = 3.0}};
    CHECK(train(c, data).summary.train_loss == Approx(even.train_loss).epsilon(1e-5));
  }
}

// A replica's step is as long as ever: by its rows, one of 1/16 of the speed would be one of
// seven times γ for the others.
TEST_CASE("replicas step by speed as they would without stragglers, nearly", "[run]") {
  const LoadedData data = test::dense_problem();
  for (const char* scheme : {"local-sgd", "gossip", "diloco", "d-psgd"}) {
    CAPTURE(scheme);
    Configuration c = by_speed(scheme, 4, 100);
    c.batch = 8;
    const Summary even = train(c, data).summary;
    c.stragglers = {{.rank = 0, .factor = 16.0}, {.rank = 1, .factor = 16.0}};
    CHECK(train(c, data).summary.train_loss == Approx(even.train_loss).epsilon(0.05));
  }
}

TEST_CASE("by speed a server is sent whole vectors, which is said", "[run]") {
  const LoadedData data = test::sparse_problem();
  Configuration c = by_speed("ps-sync", 4, 10);
  c.sparse_wire = SparseWire::automatic;
  c.given = {"sparse-wire"};
  std::string remarks;
  const Configuration made =
      resolve(c, {c.scheme}, data, [&](const std::string& text) { remarks += text; });
  CHECK_THAT(remarks, ContainsSubstring("whole vectors are sent by ps-sync, whose workers"));
  CHECK(plan_run(made, data).key_width == 0);
  c.deal = Deal::pass;
  CHECK(plan_run(resolve(c, {c.scheme}, data, {}), data).key_width > 0);
}

TEST_CASE("schemes whose workers wait for one another take rows by speed, others say why not",
          "[run]") {
  const LoadedData data = test::dense_problem();
  int taken = 0;
  for (const Scheme& scheme : schemes()) {
    CAPTURE(scheme.name);
    Configuration c = by_speed(scheme.name, 4, 40);
    c.servers = 2;
    c.batch = 8;
    c.stragglers = {{.rank = 1, .factor = 3.0}};
    if (scheme.name == "sequential") {  // which takes the rows of all
      const std::string hash = train(c, data).summary.model_hash;
      c.deal = Deal::pass;
      CHECK(train(c, data).summary.model_hash == hash);
      continue;
    }
    if (scheme.order.rows_by_speed == RowsBySpeed::no) {
      CHECK_THROWS_WITH(train(c, data), ContainsSubstring("once is accepted"));
      continue;
    }
    ++taken;
    const RunResult run = train(c, data);
    CHECK(run.summary.train_loss < run.metrics.front().train_loss);
    CHECK(run.summary.epochs == Approx(40 * 32.0 / static_cast<double>(data.train.rows)));
    c.deal = Deal::pass;
    CHECK(run.summary.seconds < train(c, data).summary.seconds);
  }
  CHECK(taken > 20);
}

TEST_CASE("what rows by speed do not go with is refused", "[run]") {
  CHECK(refusal_by_speed("ring", nullptr, nullptr).empty());
  CHECK(refusal_by_speed("ps-sync", "sparse-wire", "off").empty());
  CHECK(refusal_by_speed("ps-sync", "sparse-wire", "auto").empty());
  CHECK(refusal_by_speed("local-sgd", "clip-norm", "1").empty());
  CHECK_THAT(refusal_by_speed("ring", "clip-norm", "1"), ContainsSubstring("--clip-norm"));
  CHECK_THAT(refusal_by_speed("all-reduce", "aggregate", "median"),
             ContainsSubstring("by which robust rules go"));
  CHECK_THAT(refusal_by_speed("sign-sgd", nullptr, nullptr), ContainsSubstring("has no rule"));
  Configuration lied_to = by_speed("all-reduce", 4, 10);
  lied_to.deal = Deal::pass;
  lied_to.ingredients["byzantine"] = "4:alie";
  CHECK_THROWS_WITH(train(lied_to, test::dense_problem()), ContainsSubstring("--byzantine: "));
  CHECK_THAT(refusal_by_speed("hogwild", nullptr, nullptr), ContainsSubstring("wait for nobody"));
  CHECK_THAT(refusal_by_speed("ring", "weights", "rows"), ContainsSubstring("--weights"));
  CHECK_THAT(refusal_by_speed("ring", "charge-control", "true"),
             ContainsSubstring("without --charge-control"));
  CHECK_THAT(refusal_by_speed("ring", "partition", "contiguous"),
             ContainsSubstring("iid is accepted"));
  CHECK_THAT(refusal_by_speed("ring", "data-source", "server"),
             ContainsSubstring("partitioned is accepted"));
}

}  // namespace trainyard
