// A scheme of one's own: a rehearsal finds what its program needs and its row lacks, and it runs
// beside the published ones.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/rehearsal.hpp"
#include "trainyard/runtime/shared_steps.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/own_row.hpp"
#include "support/catch.hpp"
#include "support/replicas.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::compute_only;
using test::count_info;
using test::mine;

namespace {

constexpr int workers = 8;

/// Averages with its neighbours in every third step.
void gossip_every_third_step(Worker& worker) {
  VectorBuffer scratch;
  while (worker.next_step()) {
    worker.apply(worker.compute_gradient());
    if (worker.step() % 3 != 2) continue;
    neighbour_average(worker.comm(), worker.next_round(), worker.replica(), scratch);
  }
}

/// Averages over all in the third step alone.
void all_reduce_late(Worker& worker) {
  while (worker.next_step()) {
    worker.apply(worker.compute_gradient());
    if (worker.step() == 2) {
      all_reduce_mean(worker.comm(), worker.replica(), collective_of(worker));
    }
  }
}

Configuration on_quadratics(std::uint64_t steps) {
  Configuration c;
  c.scheme = "mine";
  c.workers = workers;
  c.steps = steps;
  c.ingredients["topology"] = "one-peer-exp";
  return c;
}

/// f_i has no curvature: only what workers tell each other changes their replicas.
Dataset no_gradients() {
  return test::quadratic_data(std::vector<std::vector<double>>(workers, {0.0}),
                              std::vector<std::vector<double>>(workers, {1.0}));
}

}  // namespace

TEST_CASE("a rehearsal finds what a program needs and its row lacks", "[scheme]") {
  Configuration c = test::quick("mine", 4, 1);
  const auto check = [&](const Scheme& scheme, const std::string& message) {
    CAPTURE(message);
    CHECK_THROWS_AS(rehearse(scheme, c), UsageError);
    CHECK_THROWS_WITH(rehearse(scheme, c), ContainsSubstring("scheme 'mine': " + message));
  };
  CHECK_NOTHROW(rehearse(mine(), c));

  Scheme pushes = mine([](Worker& worker) {
    while (worker.next_step()) push(worker.comm(), worker.compute_gradient());
  });
  check(pushes, ".cast: has no servers, and its program talks to some");

  // The schedule is another scheme's business: a rehearsal has no warm-up of so many passes.
  c.optimizer.warmup = 2.0;
  Scheme divides = mine([](Worker& worker) {
    while (worker.next_step()) {
      if (worker.step_size() <= 0.0) throw UsageError("a step of length 0");
    }
  });
  CHECK_NOTHROW(rehearse(divides, c));
  c.optimizer.warmup = 0.0;

  Scheme gossip = mine(gossip_every_third_step);
  check(gossip, ".takes: its program asks for a topology");
  gossip.takes = {"topology"};
  CHECK_NOTHROW(rehearse(gossip, c));

  Scheme averages = mine(all_reduce_late);
  for (const char* way : {"ring", "ps"}) {
    c.ingredients["collective"] = way;
    check(averages, ".takes: its program asks for a collective");
  }
  averages.takes = {"collective"};
  averages.server = serve_collective;
  CHECK_NOTHROW(rehearse(averages, c));

  Scheme counts = mine([](Worker& worker) {
    while (worker.next_step()) {
      if (worker.step() > 0) (void)worker.hyperparameter("count");
    }
  });
  check(counts, ".hyperparameters: it asks for 'count'");
  counts.hyperparameters = {count_info()};
  c.hyperparameters["count"] = 3;
  CHECK_NOTHROW(rehearse(counts, c));

  Scheme shares = mine([](Worker& worker) {
    SharedSteps shared(worker);
    while (worker.next_step()) shared.descend(SharedAccess::racy);
  });
  check(shares, ".cast: its program calls SharedSteps(), which needs");
  shares.cast = cast::shared;
  shares.optimizers.range = OptimizerRange::plain;
  CHECK_NOTHROW(rehearse(shares, c));
  shares.worker = compute_only;
  check(shares, ".cast: its program calls compute_gradient(), which needs a replica");
}

// Threads of a machine share a model beside their replicas.
TEST_CASE("a step on a shared model needs it to be the home of the run's", "[scheme]") {
  Scheme scheme = mine([](Worker& worker) {
    SharedSteps shared(worker);
    while (worker.next_step()) shared.descend();
  });
  scheme.cast = [](const CastSetting& setting) {
    Cast made = cast::replicas(setting);
    made.machine_threads = 2;
    return made;
  };
  CHECK_THROWS_WITH(rehearse(scheme, test::quick("mine", 4, 1)),
                    ContainsSubstring("scheme 'mine': .cast: its program calls "
                                      "SharedSteps::descend(), which needs cast::shared"));
}

TEST_CASE("a rehearsal finds what simulated time would not show", "[scheme]") {
  const Configuration c = test::quick("mine", 4, 1);
  const Scheme forgets = mine([](Worker& worker) {
    const int next = (worker.comm().rank() + 1) % worker.comm().workers();
    while (worker.next_step()) worker.comm().send(next, worker.compute_gradient());
  });
  CHECK_THROWS_WITH(rehearse(forgets, c),
                    ContainsSubstring("scheme 'mine': in its rehearsal its ranks sent 16 messages "
                                      "and received none"));
  // What is sent after one period may be taken in after the next, which is not rehearsed.
  Scheme delays = mine([](Worker& worker) {
    const int workers = worker.comm().workers();
    const int next = (worker.comm().rank() + 1) % workers;
    while (worker.next_step()) {
      if ((worker.step() + 1) % 5 != 0) continue;
      if (worker.step() > 5) (void)worker.comm().receive((next + workers - 2) % workers);
      worker.comm().send(next, worker.replica());
    }
  });
  delays.order.cycle = [](int, const Hyperparameters&) { return std::uint64_t{5}; };
  CHECK_NOTHROW(rehearse(delays, c));
  // That it is about another model than the run's is said, whatever is wrong.
  const Scheme changes_its_mind = mine([](Worker& worker) {
    while (worker.next_step()) (void)worker.keep("memory", 64 + worker.step());
  });
  CHECK_THROWS_AS(rehearse(changes_its_mind, c), InternalError);
  CHECK_THROWS_WITH(rehearse(changes_its_mind, c),
                    ContainsSubstring("scheme 'mine': in its rehearsal, 4 steps with a model of 64 "
                                      "parameters: rank 0 keeps 'memory' of 64 numbers"));
}

TEST_CASE("a scheme that gossips every third step goes round the whole graph", "[scheme]") {
  // After log2 n rounds of one-peer-exp everybody has the mean of all, exactly: 0 + … + 7 over 8.
  Scheme scheme = mine(gossip_every_third_step);
  scheme.takes = {"topology"};
  test::Special special{.scheme = &scheme};
  for (int w = 0; w < workers; ++w) special.starts.push_back({static_cast<double>(w)});
  for (const auto& replica :
       test::run_on_quadratic(on_quadratics(9), no_gradients(), {}, special).workers) {
    CHECK(replica[0] == 3.5);
  }
}

TEST_CASE("a graph that varies has no neighbours before the first step", "[scheme]") {
  Scheme scheme = mine([](Worker& worker) {
    const MixingRow& row = worker.next_round();
    VectorBuffer scratch;
    while (worker.next_step()) neighbour_average(worker.comm(), row, worker.replica(), scratch);
  });
  scheme.takes = {"topology"};
  const test::Special special{.scheme = &scheme};
  Configuration c = on_quadratics(2);
  CHECK_THROWS_WITH(test::run_on_quadratic(c, no_gradients(), {}, special),
                    ContainsSubstring("scheme 'mine': .graphs: "));
  c.ingredients["topology"] = "ring";
  CHECK_NOTHROW(test::run_on_quadratic(c, no_gradients(), {}, special));
}

TEST_CASE("a scheme is added before the table is read, or not at all", "[scheme]") {
  CHECK(schemes().size() > 40);
  CHECK_THROWS_AS(add_scheme(mine()), UsageError);
  CHECK_THROWS_WITH(add_scheme(mine()),
                    ContainsSubstring("scheme 'mine': add_scheme() comes too late"));
}

TEST_CASE("no step of a run is of length 0", "[scheme]") {
  // A program sees γ of each of its steps; the least of all is kept.
  static double least = 0.0;
  const Scheme scheme = mine([](Worker& worker) {
    while (worker.next_step()) {
      least = std::min(least, worker.step_size());
      worker.apply(worker.compute_gradient());
    }
  });
  for (const char* schedule : {"inverse-time", "cosine"}) {
    for (const double warmup : {0.0, 0.5}) {
      for (const Pace pace : {Pace::lockstep, Pace::free}) {
        CAPTURE(schedule, warmup);
        Scheme own = scheme;
        own.order.pace = pace;
        Configuration c = test::quick("ring", 4, 30);
        c.optimizer.lr_schedule = parse_lr_schedule(schedule, "test");
        c.optimizer.warmup = warmup;
        c.stragglers = {{1, 20.0}};  // the others go on beyond their part where nobody waits
        const LoadedData data = test::dense_problem();
        const Configuration resolved = resolve(c, {"ring"}, data, {});
        least = 1.0;
        run_experiment(plan_run(own, resolved, data), {});
        CHECK(least > 0.0);
        if (warmup > 0.0 || c.optimizer.run_epochs > 0.0) CHECK(least < 0.1);
      }
    }
  }
}
