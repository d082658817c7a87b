// A scheme of one's own: what its author may have forgotten is a message that names the scheme and
// the field, before any training.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "experiment/rehearsal.hpp"
#include "scheme/check.hpp"
#include "support/catch.hpp"
#include "support/replicas.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

constexpr int workers = 8;

void compute_only(Worker& worker) {
  while (worker.next_step()) worker.apply(worker.compute_gradient());
}

void serve_nobody(Server&) {}

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
      all_reduce_mean(worker.comm(), worker.replica(), worker.collective());
    }
  }
}

Scheme mine(void (*program)(Worker&) = compute_only) {
  Scheme scheme;
  scheme.name = "mine";
  scheme.summary = "a test's";
  scheme.step = "γ × own gradient";
  scheme.worker = program;
  return scheme;
}

HyperparameterInfo count_info() {
  return {.name = "count",
          .argument = "N",
          .help = "a test's",
          .fallback = 5,
          .low = 1,
          .high = 10,
          .whole = true};
}

/// With what the check of this row, in a table of its own, begins its message.
void check_refused(const Scheme& scheme, const std::string& message) {
  CAPTURE(message);
  CHECK_THROWS_AS(check_schemes(std::vector{scheme}), UsageError);
  CHECK_THROWS_WITH(check_schemes(std::vector{scheme}), ContainsSubstring(message));
}

/// What makes mine() wrong, and how the message then begins.
struct Forgotten {
  const char* message;
  std::function<void(Scheme&)> change;
};

void check_refused(const Forgotten& row) {
  Scheme scheme = mine();
  row.change(scheme);
  check_refused(scheme, row.message);
}

Configuration on_quadratics(std::uint64_t steps) {
  Configuration c;
  c.scheme = "mine";
  c.workers = workers;
  c.steps = steps;
  c.topology = "one-peer-exp";
  return c;
}

/// f_i has no curvature: only what workers tell each other changes their replicas.
Dataset no_gradients() {
  return test::quadratic_data(std::vector<std::vector<double>>(workers, {0.0}),
                              std::vector<std::vector<double>>(workers, {1.0}));
}

}  // namespace

TEST_CASE("a row that lacks a field is refused by name", "[scheme]") {
  CHECK_NOTHROW(check_schemes(std::vector{mine()}));
  CHECK_NOTHROW(check_schemes(schemes()));
  for (const Forgotten& row : {
           Forgotten{"a scheme: .name: missing", [](Scheme& s) { s.name = ""; }},
           Forgotten{"scheme 'My:own': .name: lower-case", [](Scheme& s) { s.name = "My:own"; }},
           Forgotten{"scheme 'all': .name: is the name of a group",
                     [](Scheme& s) { s.name = "all"; }},
           Forgotten{"scheme 'mine': .summary: missing", [](Scheme& s) { s.summary = ""; }},
           Forgotten{"scheme 'mine': .step: missing", [](Scheme& s) { s.step = ""; }},
           Forgotten{"scheme 'mine': .worker: missing", [](Scheme& s) { s.worker = nullptr; }},
           Forgotten{"scheme 'mine': .server: missing; .home = ModelHome::servers",
                     [](Scheme& s) { s.home = ModelHome::servers; }},
           Forgotten{"scheme 'mine': .server: missing; .pace = Pace::server",
                     [](Scheme& s) { s.pace = Pace::server; }},
           Forgotten{"scheme 'mine': .server: missing; with .has_collective",
                     [](Scheme& s) { s.has_collective = true; }},
           Forgotten{"scheme 'mine': .server: missing; .has_proxies",
                     [](Scheme& s) { s.has_proxies = true; }},
           Forgotten{"scheme 'mine': .server: missing; .one_server",
                     [](Scheme& s) { s.one_server = true; }},
       }) {
    check_refused(row);
  }
  CHECK_THROWS_WITH(check_schemes(std::vector{mine(), mine()}),
                    ContainsSubstring("scheme 'mine': .name: there is a scheme of that name"));
}

TEST_CASE("a row whose fields contradict each other is refused by name", "[scheme]") {
  for (const Forgotten& row : {
           Forgotten{"scheme 'mine': .server: with .home = ModelHome::shared",
                     [](Scheme& s) {
                       s.home = ModelHome::shared;
                       s.optimizers = OptimizerRange::plain;
                       s.server = serve_nobody;
                     }},
           Forgotten{"scheme 'mine': .optimizers: must be OptimizerRange::plain",
                     [](Scheme& s) { s.home = ModelHome::shared; }},
           Forgotten{"scheme 'mine': .one_server: contradicts .has_collective",
                     [](Scheme& s) {
                       s.server = serve_nobody;
                       s.one_server = s.has_collective = true;
                     }},
           Forgotten{"scheme 'mine': .one_server: contradicts .has_proxies",
                     [](Scheme& s) {
                       s.server = serve_nobody;
                       s.one_server = s.has_proxies = true;
                     }},
           Forgotten{"scheme 'mine': .has_proxies: contradicts .has_collective",
                     [](Scheme& s) {
                       s.server = serve_nobody;
                       s.has_proxies = s.has_collective = true;
                     }},
           Forgotten{"scheme 'mine': .has_groups: groups share a model",
                     [](Scheme& s) { s.has_groups = true; }},
           Forgotten{"scheme 'mine': .one_rank: contradicts .has_topology",
                     [](Scheme& s) { s.one_rank = s.has_topology = true; }},
           Forgotten{"scheme 'mine': .one_rank: contradicts .shares",
                     [](Scheme& s) {
                       s.one_rank = true;
                       s.shares = [](int worker, int, const Hyperparameters&) {
                         return std::vector{worker};
                       };
                     }},
           Forgotten{"scheme 'mine': .graphs: says nothing without .has_topology",
                     [](Scheme& s) { s.graphs = GraphRange::static_symmetric; }},
           Forgotten{"scheme 'mine': .least_eigenvalue: needs .graphs",
                     [](Scheme& s) {
                       s.has_topology = true;
                       s.least_eigenvalue = [](const Hyperparameters&) { return 0.0; };
                     }},
       }) {
    check_refused(row);
  }
}

TEST_CASE("a hyperparameter that cannot be a flag is refused by name", "[scheme]") {
  struct Row {
    const char* message;
    std::function<void(HyperparameterInfo&)> change;
  };
  for (const Row& row : {
           Row{".hyperparameters: 'a b' cannot", [](HyperparameterInfo& p) { p.name = "a b"; }},
           Row{"hyperparameter 'count': .argument: missing",
               [](HyperparameterInfo& p) { p.argument = ""; }},
           Row{"hyperparameter 'count': .help: missing",
               [](HyperparameterInfo& p) { p.help = ""; }},
           Row{"hyperparameter 'count': .low: is greater",
               [](HyperparameterInfo& p) { p.low = 11; }},
           Row{"hyperparameter 'count': .fallback: is not among",
               [](HyperparameterInfo& p) { p.fallback = 11; }},
           Row{"hyperparameter 'count': .fallback: is not among",
               [](HyperparameterInfo& p) {
                 p.choices = {"a", "b"};
               }},
           Row{"hyperparameter 'count': .whole: limits",
               [](HyperparameterInfo& p) { p.fallback = 1.5; }},
           Row{"hyperparameter 'count': .cycle: counts steps",
               [](HyperparameterInfo& p) {
                 p.cycle = true;
                 p.low = 0;
               }},
           Row{"hyperparameter 'count': .of_workers: counts workers",
               [](HyperparameterInfo& p) {
                 p.whole = false;
                 p.of_workers = true;
               }},
       }) {
    Scheme scheme = mine();
    scheme.hyperparameters = {count_info()};
    CHECK_NOTHROW(check_schemes(std::vector{scheme}));
    row.change(scheme.hyperparameters.front());
    check_refused(scheme, "scheme 'mine': " + std::string(row.message));
  }
  Scheme twice = mine();
  twice.hyperparameters = {count_info(), count_info()};
  check_refused(twice, "scheme 'mine': hyperparameter 'count': .name: is there twice");
  Scheme groups = mine();
  groups.hyperparameters = {count_info()};
  groups.hyperparameters.front().name = "groups";
  check_refused(groups, "scheme 'mine': .has_groups: missing");
}

TEST_CASE("one name of a hyperparameter has one meaning in the whole table", "[scheme]") {
  std::vector<Scheme> table = schemes();
  table.push_back(mine());
  const auto local_sgd = std::ranges::find(table, "local-sgd", &Scheme::name);
  const HyperparameterInfo period = local_sgd->hyperparameters.front();
  table.back().hyperparameters = {period};
  CHECK_NOTHROW(check_schemes(table));
  struct Row {
    const char* field;
    std::function<void(HyperparameterInfo&)> change;
  };
  for (const Row& row : {
           Row{".argument", [](HyperparameterInfo& p) { p.argument = "T"; }},
           Row{".help", [](HyperparameterInfo& p) { p.help = "rounds"; }},
           Row{".fallback", [](HyperparameterInfo& p) { p.fallback = 11; }},
           Row{".low", [](HyperparameterInfo& p) { p.low = 2; }},
           Row{".high", [](HyperparameterInfo& p) { p.high = 100; }},
           Row{".cycle", [](HyperparameterInfo& p) { p.cycle = false; }},
           Row{".in_the_long_run", [](HyperparameterInfo& p) { p.in_the_long_run = 3; }},
       }) {
    HyperparameterInfo other = period;
    row.change(other);
    table.back().hyperparameters = {other};
    const std::string message =
        "scheme 'mine': hyperparameter 'period': " + std::string(row.field) +
        ": differs from that of scheme 'local-sgd'";
    CAPTURE(message);
    CHECK_THROWS_WITH(check_schemes(table), ContainsSubstring(message));
  }
}

TEST_CASE("what a row's functions ask for, the row names", "[scheme]") {
  for (const Scheme& scheme : schemes()) {
    CAPTURE(scheme.name);
    CHECK_NOTHROW(try_functions(scheme));
  }
  Scheme scheme = mine();
  scheme.step_time = [](const StepSetting& s) -> std::optional<Duration> {
    return scaled(s.compute, hyperparameter(s.hyperparameters, "count"));
  };
  CHECK_THROWS_AS(try_functions(scheme), UsageError);
  CHECK_THROWS_WITH(try_functions(scheme),
                    ContainsSubstring("scheme 'mine': .step_time: .hyperparameters: it asks for "
                                      "'count', which its row does not name"));
  scheme.hyperparameters = {count_info()};
  CHECK_NOTHROW(try_functions(scheme));
  scheme.cycle = [](int workers, const Hyperparameters& values) {
    return static_cast<std::uint64_t>(workers * hyperparameter(values, "period"));
  };
  CHECK_THROWS_WITH(try_functions(scheme), ContainsSubstring("scheme 'mine': .cycle: "));
  scheme.hyperparameters.front().name = "period";
  scheme.step_time = nullptr;
  CHECK_NOTHROW(try_functions(scheme));
  scheme.shares = [](int worker, int all, const Hyperparameters&) {
    return std::vector{worker, all};
  };
  CHECK_THROWS_WITH(try_functions(scheme), ContainsSubstring("scheme 'mine': .shares: "));
  scheme.shares = [](int, int, const Hyperparameters&) { return std::vector<int>(); };
  CHECK_THROWS_WITH(try_functions(scheme), ContainsSubstring("scheme 'mine': .shares: "));
}

TEST_CASE("a rehearsal finds what a program needs and its row lacks", "[scheme]") {
  Configuration c = test::quick("mine", 4, 1);
  const auto check = [&](const Scheme& scheme, const std::string& message) {
    CAPTURE(message);
    CHECK_THROWS_AS(rehearse(scheme, c), UsageError);
    CHECK_THROWS_WITH(rehearse(scheme, c), ContainsSubstring("scheme 'mine': " + message));
  };
  CHECK_NOTHROW(rehearse(mine(), c));

  Scheme gossip = mine(gossip_every_third_step);
  check(gossip, ".has_topology: missing");
  gossip.has_topology = true;
  CHECK_NOTHROW(rehearse(gossip, c));

  Scheme averages = mine(all_reduce_late);
  for (const char* way : {"ring", "ps"}) {
    c.collective = way;
    check(averages, ".has_collective: missing");
  }
  averages.has_collective = true;
  averages.server = [](Server& server) {
    server.collective().serve(server.comm(), server.shard().scalar(), server.dimension());
  };
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
    while (worker.next_step()) worker.descend_shared(SharedAccess::racy);
  });
  check(shares, ".home: its program calls shared(), which needs");
  shares.home = ModelHome::shared;
  shares.optimizers = OptimizerRange::plain;
  CHECK_NOTHROW(rehearse(shares, c));
  shares.worker = compute_only;
  check(shares, ".home: its program calls compute_gradient(), which needs a replica");
}

TEST_CASE("a scheme that gossips every third step goes round the whole graph", "[scheme]") {
  // After log2 n rounds of one-peer-exp everybody has the mean of all, exactly: 0 + … + 7 over 8.
  Scheme scheme = mine(gossip_every_third_step);
  scheme.has_topology = true;
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
  scheme.has_topology = true;
  const test::Special special{.scheme = &scheme};
  Configuration c = on_quadratics(2);
  CHECK_THROWS_WITH(test::run_on_quadratic(c, no_gradients(), {}, special),
                    ContainsSubstring("scheme 'mine': .graphs: "));
  c.topology = "ring";
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
        own.pace = pace;
        Configuration c = test::quick("ring", 4, 30);
        c.optimizer.lr_schedule = parse_lr_schedule(schedule, "test");
        c.optimizer.warmup = warmup;
        c.stragglers = {{1, 20.0}};  // the others go on beyond their part where nobody waits
        const LoadedData data = test::dense_problem();
        const Configuration resolved = resolve(c, {"ring"}, data, {});
        least = 1.0;
        run_experiment_of(own, resolved, data, {});
        CHECK(least > 0.0);
        if (warmup > 0.0 || c.optimizer.run_epochs > 0.0) CHECK(least < 0.1);
      }
    }
  }
}
