// What the author of a scheme's row may have forgotten is a message that names the scheme and the
// field, before any training.
#include "scheme/check.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/own_row.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using test::compute_only;
using test::count_info;
using test::mine;

namespace {

void serve_nobody(Server&) {}

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
           Row{".argument", [](HyperparameterInfo& p) { p.argument = "STEPS"; }},
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

TEST_CASE("a fallback that depends on the run is within its limits, or refused", "[scheme]") {
  Scheme scheme = mine();
  scheme.hyperparameters = {count_info()};
  auto& fallback = scheme.hyperparameters.front().run_fallback;
  fallback = [](int workers, const Hyperparameters&) { return static_cast<double>(workers); };
  CHECK_NOTHROW(try_functions(scheme));
  const auto check = [&](const char* message) {
    CHECK_THROWS_AS(try_functions(scheme), UsageError);
    CHECK_THROWS_WITH(try_functions(scheme),
                      ContainsSubstring("scheme 'mine': " + std::string(message)));
  };
  fallback = [](int, const Hyperparameters&) { return 0.0; };
  check("hyperparameter 'count': .run_fallback: is 0 for 1 workers; accepted is a whole number");
  fallback = [](int, const Hyperparameters&) { return 1.5; };
  check("hyperparameter 'count': .run_fallback: is 1.5");
  fallback = [](int, const Hyperparameters& given) { return hyperparameter(given, "later"); };
  check(".run_fallback: .hyperparameters: it asks for 'later'");
}
