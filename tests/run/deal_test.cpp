// Rows that are dealt anew in each pass (--deal pass): who gets which, that every scheme takes
// them, and where they are refused. How they are dealt is in tests/data/dealt_pass_test.cpp.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/processes.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/own_row.hpp"
#include "support/catch.hpp"
#include "support/training.hpp"

namespace trainyard {

namespace {

using test::quick;
using test::train;

/// The row of data with one feature, that row's number.
struct Taken {
  int worker;
  std::uint64_t step;
  float row;
};
/// What programs, which are plain functions, have taken.
std::vector<Taken> all_taken;

void take(Worker& worker) {
  while (worker.next_step()) {
    for (const RowRange& range : worker.minibatches().next()) {
      for (std::size_t i = range.first; i < range.first + range.count; ++i) {
        all_taken.push_back({worker.comm().rank(), worker.step(), range.data->dense_row(i)[0]});
      }
    }
  }
}

LoadedData numbered_rows(std::size_t rows) {
  LoadedData data{"numbered", generate_dense_logistic(rows, 1, 3), {}};
  for (std::size_t row = 0; row < rows; ++row) data.train.dense[row] = static_cast<float>(row);
  return data;
}

std::vector<Taken> taken_of(Deal deal, std::uint64_t steps) {
  const LoadedData data = numbered_rows(120);
  Configuration c = quick("ring", 3, steps);
  c.batch = 5;
  c.deal = deal;
  all_taken.clear();
  run_experiment(plan_run(test::mine(take), resolve(c, {c.scheme}, data, {}), data), {});
  return all_taken;
}

/// Of a pass of 8 steps the rows of a worker.
std::set<float> rows_in(const std::vector<Taken>& taken, int worker, std::uint64_t pass) {
  std::set<float> rows;
  for (const Taken& one : taken) {
    if (one.worker == worker && one.step / 8 == pass) rows.insert(one.row);
  }
  return rows;
}

bool takes_dealt_rows(const Scheme& scheme) {
  const Cast cast = cast_of(scheme, 4, 2, {}, with_fallbacks(scheme, {}, 4));
  const bool remembers_minibatches = scheme.name == "gt-saga" || scheme.name == "lt-admm-vr";
  return !cast.uses_of_slices && !remembers_minibatches;
}

std::string refusal_of(const Configuration& c) {
  const LoadedData data = test::sparse_problem();
  try {
    (void)resolve(c, {c.scheme}, data, {});
  } catch (const OptionError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("once a worker keeps its rows, and dealt anew it has others in each pass", "[run]") {
  const auto once = taken_of(Deal::once, 24), dealt = taken_of(Deal::pass, 24);
  for (const std::uint64_t pass : {0U, 1U, 2U}) {
    std::set<float> all;
    for (int worker = 0; worker < 3; ++worker) {
      CAPTURE(pass, worker);
      CHECK(rows_in(once, worker, pass) == rows_in(once, worker, 0));
      const std::set<float> rows = rows_in(dealt, worker, pass);
      CHECK(rows.size() == 40);
      all.insert(rows.begin(), rows.end());
      if (pass > 0) CHECK(rows != rows_in(dealt, worker, pass - 1));
    }
    CHECK(all.size() == 120);
  }
}

/// Minibatches of a pass, as a worker's program hears it.
std::uint64_t heard_of_epoch = 0;

void hear_of_epoch(Worker& worker) {
  if (worker.comm().rank() == 0) heard_of_epoch = worker.minibatches().of_epoch();
  while (worker.next_step()) worker.descend();
}

// It was read from a share that who is dealt rows has not.
TEST_CASE("a worker's pass is as long where its rows are dealt anew", "[run]") {
  for (const Deal deal : {Deal::once, Deal::pass}) {
    const LoadedData data = numbered_rows(124);
    Configuration c = quick("ring", 3, 2);
    c.batch = 5;
    c.deal = deal;
    run_experiment(plan_run(test::mine(hear_of_epoch), resolve(c, {c.scheme}, data, {}), data), {});
    CHECK(heard_of_epoch == 9);  // of 42 rows, or 41
  }
}

TEST_CASE("every scheme takes rows that are dealt anew, but slices and tables of gradients",
          "[run]") {
  const LoadedData data = test::dense_problem();
  int taken = 0;
  for (const Scheme& scheme : schemes()) {
    CAPTURE(scheme.name);
    Configuration c = quick(scheme.name, 4, 60);  // of 25 a pass
    c.servers = 2;
    c.deal = Deal::pass;
    if (!takes_dealt_rows(scheme)) {
      CHECK_THROWS_WITH(train(c, data), ContainsSubstring("which worker has them"));
      continue;
    }
    ++taken;
    if (scheme.name == "sandblaster")
      continue;  // whoever is idle takes the next portion of all rows
    const RunResult dealt = train(c, data);
    const std::string hash = dealt.summary.model_hash;
    CHECK(train(c, data).summary.model_hash == hash);
    // A global model behind models of regions may not have moved by then.
    if (dealt.summary.train_loss == dealt.metrics.front().train_loss) continue;
    c.deal = Deal::once;
    CHECK(train(c, data).summary.model_hash != hash);
  }
  CHECK(taken > 60);
}

TEST_CASE("threads are dealt the rows that fibers are", "[run]") {
  const LoadedData data = test::sparse_problem();
  for (const char* scheme :
       {"ring", "local-sgd", "gossip", "ps-sync", "gradient-coding", "fedavg"}) {
    CAPTURE(scheme);
    Configuration c = quick(scheme, 4, 60);
    c.deal = Deal::pass;
    const std::string fibers = train(c, data).summary.model_hash;
    c.time = TimeMode::wall;
    CHECK(train(c, data).summary.model_hash == fibers);
  }
}

TEST_CASE("only passes over iid shares can be dealt anew", "[run]") {
  Configuration c = quick("ring", 4, 10);
  c.deal = Deal::pass;
  CHECK(refusal_of(c).empty());
  const auto refusal_with = [&](const char* option, const char* value) {
    Configuration other = c;
    option_named(option).set(other, value, option);
    return refusal_of(other);
  };
  for (const char* partition :
       {"contiguous", "shards", "dirichlet:0.5", "size:1", "by:user", "split"}) {
    CHECK_THAT(refusal_with("partition", partition),
               ContainsSubstring("for the whole run; iid is accepted"));
  }
  CHECK_THAT(refusal_with("replacement", "true"), ContainsSubstring("there are no passes"));
  CHECK_THAT(refusal_with("order", "once"), ContainsSubstring("reshuffle is accepted"));
  CHECK_THAT(refusal_with("data-source", "server"), ContainsSubstring("partitioned is accepted"));
}

TEST_CASE("processes keep their rows", "[run]") {
  const LoadedData data = test::dense_problem();
  Configuration c = quick("ring", 4, 10);
  c.time = TimeMode::wall;
  CHECK_NOTHROW(check_processes(plan_run(resolve(c, {c.scheme}, data, {}), data), 4));
  c.deal = Deal::pass;
  CHECK_THROWS_WITH(check_processes(plan_run(resolve(c, {c.scheme}, data, {}), data), 4),
                    ContainsSubstring("once is accepted"));
}

}  // namespace trainyard
