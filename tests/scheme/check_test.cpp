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
           Forgotten{"scheme 'mine': .cast: missing", [](Scheme& s) { s.cast = nullptr; }},
           Forgotten{"scheme 'mine': .server: missing; it is the program of the servers",
                     [](Scheme& s) { s.cast = cast::servers; }},
           Forgotten{"scheme 'mine': .server: missing; it is the program of the servers",
                     [](Scheme& s) { s.cast = cast::replicas_with_proxies; }},
           Forgotten{"scheme 'mine': .server: missing; .order.pace = Pace::server",
                     [](Scheme& s) { s.order.pace = Pace::server; }},
           Forgotten{"scheme 'mine': .server: missing; with .takes = {\"collective\"}",
                     [](Scheme& s) { s.takes = {"collective"}; }},
           Forgotten{"scheme 'mine': .family: with .takes = {\"topology\"} it is",
                     [](Scheme& s) { s.takes = {"topology"}; }},
       }) {
    check_refused(row);
  }
  CHECK_THROWS_WITH(check_schemes(std::vector{mine(), mine()}),
                    ContainsSubstring("scheme 'mine': .name: there is a scheme of that name"));
}

TEST_CASE("a row whose fields contradict each other is refused by name", "[scheme]") {
  for (const Forgotten& row : {
           Forgotten{"scheme 'mine': .server: nobody runs it",
                     [](Scheme& s) { s.server = serve_nobody; }},
           Forgotten{"scheme 'mine': .optimizers: must be OptimizerRange::plain",
                     [](Scheme& s) { s.cast = cast::shared; }},
           Forgotten{"scheme 'mine': .cast: .hyperparameters: it asks for 'groups'",
                     [](Scheme& s) {
                       s.cast = cast::shared_by_groups;
                       s.optimizers.range = OptimizerRange::plain;
                     }},
           Forgotten{"scheme 'mine': .cast: contradicts .takes",
                     [](Scheme& s) {
                       s.cast = cast::one_worker;
                       s.family = SchemeFamily::decentralised;
                       s.takes = {"topology"};
                     }},
           Forgotten{
               "scheme 'mine': .takes: 'colective' is no kind of ingredient; known: topology,",
               [](Scheme& s) { s.takes = {"colective"}; }},
           Forgotten{"scheme 'mine': .takes: 'topology' is there twice",
                     [](Scheme& s) {
                       s.family = SchemeFamily::decentralised;
                       s.takes = {"topology", "topology"};
                     }},
           Forgotten{"scheme 'mine': .graphs: says nothing without .takes",
                     [](Scheme& s) { s.graphs.range = GraphRange::static_symmetric; }},
           Forgotten{"scheme 'mine': .messages.codec_optional: says nothing",
                     [](Scheme& s) { s.messages.codec_optional = true; }},
           Forgotten{"scheme 'mine': .order.repeats_with: says nothing",
                     [](Scheme& s) { s.order.repeats_with = "--period 1"; }},
           Forgotten{"scheme 'mine': .graphs.least_eigenvalue: needs .range",
                     [](Scheme& s) {
                       s.family = SchemeFamily::decentralised;
                       s.takes = {"topology"};
                       s.graphs.least_eigenvalue = [](const Hyperparameters&) { return 0.0; };
                     }},
       }) {
    check_refused(row);
  }
}

TEST_CASE("a cast that cannot run is refused by name", "[scheme]") {
  for (const Forgotten& row : {
           Forgotten{
               "scheme 'mine': .cast: has no worker",
               [](Scheme& s) { s.cast = [](const CastSetting&) { return Cast{.workers = 0}; }; }},
           Forgotten{"scheme 'mine': .cast: keeps the model on servers, and has none",
                     [](Scheme& s) {
                       s.server = serve_nobody;
                       s.cast = [](const CastSetting& setting) {
                         return Cast{.workers = setting.workers,
                                     .servers = 1,
                                     .proxies = 1,
                                     .model = ModelHome::servers};
                       };
                     }},
           Forgotten{"scheme 'mine': .cast: has neither one rank for all workers nor one for each",
                     [](Scheme& s) {
                       s.cast = [](const CastSetting& setting) {
                         return Cast{.workers = setting.workers - 1};
                       };
                     }},
           Forgotten{
               "scheme 'mine': .cast: says what of the model each worker holds, and shares it",
               [](Scheme& s) {
                 s.cast = [](const CastSetting& setting) {
                   Cast made = cast::shared(setting);
                   made.holds = cast::pipeline(setting).holds;
                   return made;
                 };
               }},
           Forgotten{"scheme 'mine': .cast: has so many workers hold layers together that they do",
                     [](Scheme& s) {
                       s.cast = [](const CastSetting& setting) {
                         return Cast{.workers = setting.workers, .tensor_size = 3};
                       };
                     }},
           Forgotten{"scheme 'mine': .cast: says of another number of workers",
                     [](Scheme& s) {
                       s.cast = [](const CastSetting& setting) {
                         return Cast{.workers = setting.workers, .shares = {{0}, {1}}};
                       };
                     }},
           Forgotten{"scheme 'mine': .cast: a worker takes the minibatches of one worker at least",
                     [](Scheme& s) {
                       s.cast = [](const CastSetting& setting) {
                         return Cast{.workers = 1, .shares = {{0, setting.workers}}};
                       };
                     }},
           Forgotten{"scheme 'mine': .cast: a worker takes the minibatches of one worker at least",
                     [](Scheme& s) {
                       s.cast = [](const CastSetting&) {
                         return Cast{.workers = 4, .shares = {{0, 1, 2, 3}, {}, {0}, {0}}};
                       };
                     }},
       }) {
    check_refused(row);
  }
}

TEST_CASE("servers and shared models that contradict each other are refused", "[scheme]") {
  for (const Forgotten& row : {
           Forgotten{"scheme 'mine': .cast: shares the model in memory, and has servers",
                     [](Scheme& s) {
                       s.server = serve_nobody;
                       s.cast = [](const CastSetting& setting) {
                         return Cast{
                             .workers = setting.workers, .servers = 1, .model = ModelHome::shared};
                       };
                     }},
           Forgotten{"scheme 'mine': .cast: has no shared model, or more of them",
                     [](Scheme& s) {
                       s.cast = [](const CastSetting& setting) {
                         return Cast{.workers = setting.workers,
                                     .model = ModelHome::shared,
                                     .shared_models = setting.workers + 1};
                       };
                     }},
           Forgotten{"scheme 'mine': .cast: has fewer servers than none",
                     [](Scheme& s) {
                       s.server = serve_nobody;
                       s.cast = [](const CastSetting& setting) {
                         return Cast{.workers = setting.workers, .servers = 1, .proxies = 2};
                       };
                     }},
           Forgotten{"scheme 'mine': .cast: does not have the servers that --collective ring",
                     [](Scheme& s) {
                       s.server = serve_nobody;
                       s.cast = cast::one_server;
                       s.takes = {"collective"};
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
           Row{"hyperparameter 'count': .unit: bytes and seconds",
               [](HyperparameterInfo& p) {
                 p.unit = Unit::bytes;
                 p.low = -1;
               }},
           Row{"hyperparameter 'count': .unit: counts bytes",
               [](HyperparameterInfo& p) {
                 p.unit = Unit::bytes;
                 p.whole = false;
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
  groups.cast = cast::shared;
  groups.optimizers.range = OptimizerRange::plain;
  check_refused(groups, "scheme 'mine': .cast: is not cast::shared_by_groups");
}

TEST_CASE("one name of a hyperparameter has one meaning in the whole table", "[scheme]") {
  std::vector<Scheme> table = schemes();
  table.push_back(mine());
  const auto local_sgd = std::ranges::find(table, "local-sgd", &Scheme::name);
  const HyperparameterInfo period = local_sgd->hyperparameters.front();
  table.back().hyperparameters = {period};
  CHECK_NOTHROW(check_schemes(table));
  table.back().hyperparameters.front().fallback = 11;  // its own
  CHECK_NOTHROW(check_schemes(table));
  CHECK(with_fallbacks(table.back(), {}, 4) == Hyperparameters{{"period", 11.0}});
  struct Row {
    const char* field;
    std::function<void(HyperparameterInfo&)> change;
  };
  for (const Row& row : {
           Row{".argument", [](HyperparameterInfo& p) { p.argument = "STEPS"; }},
           Row{".help", [](HyperparameterInfo& p) { p.help = "rounds"; }},
           Row{".low", [](HyperparameterInfo& p) { p.low = 2; }},
           Row{".high", [](HyperparameterInfo& p) { p.high = 100; }},
           Row{".unit", [](HyperparameterInfo& p) { p.unit = Unit::seconds; }},
           Row{".cycle", [](HyperparameterInfo& p) { p.cycle = false; }},
           Row{".of_wall", [](HyperparameterInfo& p) { p.of_wall = true; }},
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
  table.back().hyperparameters = {known_hyperparameter("period")};
  CHECK_NOTHROW(check_schemes(table));
  CHECK_THROWS_WITH(known_hyperparameter("perod"), ContainsSubstring("period"));
}

TEST_CASE("what a row's functions ask for, the row names", "[scheme]") {
  for (const Scheme& scheme : schemes()) {
    CAPTURE(scheme.name);
    CHECK_NOTHROW(try_functions(scheme));
  }
  Scheme averages = mine();
  averages.cost.time = [](const StepSetting& s) -> std::optional<Duration> {
    return s.all_reduce(s.collective());
  };
  CHECK_THROWS_AS(try_functions(averages), UsageError);
  CHECK_THROWS_WITH(
      try_functions(averages),
      ContainsSubstring("scheme 'mine': .cost.time: .takes: it asks for a collective, "
                        "which needs .takes = {\"collective\"}"));
  Scheme scheme = mine();
  scheme.cost.time = [](const StepSetting& s) -> std::optional<Duration> {
    return scaled(s.compute, hyperparameter(s.hyperparameters, "count"));
  };
  CHECK_THROWS_AS(try_functions(scheme), UsageError);
  CHECK_THROWS_WITH(try_functions(scheme),
                    ContainsSubstring("scheme 'mine': .cost.time: .hyperparameters: it asks for "
                                      "'count', which its row does not name"));
  scheme.hyperparameters = {count_info()};
  CHECK_NOTHROW(try_functions(scheme));
  scheme.order.cycle = [](int workers, const Hyperparameters& values) {
    return static_cast<std::uint64_t>(workers * hyperparameter(values, "period"));
  };
  CHECK_THROWS_WITH(try_functions(scheme), ContainsSubstring("scheme 'mine': .order.cycle: "));
  scheme.hyperparameters.front().name = "period";
  scheme.cost.time = nullptr;
  CHECK_NOTHROW(try_functions(scheme));
}

// Neither was called before training asked for it.
TEST_CASE("a row's numbers of minibatches and of nodes are tried", "[scheme]") {
  Scheme scheme = mine();
  scheme.cost.learns_from = [](int, const Hyperparameters& values) {
    return static_cast<int>(hyperparameter(values, "count"));
  };
  CHECK_THROWS_WITH(try_functions(scheme),
                    ContainsSubstring("scheme 'mine': .cost.learns_from: .hyperparameters: it asks "
                                      "for 'count', which its row does not name"));
  scheme.hyperparameters = {count_info()};
  scheme.hyperparameters.front().fallback = 3;
  CHECK_NOTHROW(try_functions(scheme));
  for (const double wrong : {0.0, 5.0, -1.0}) {
    CAPTURE(wrong);
    scheme.hyperparameters.front().fallback = wrong;
    CHECK_THROWS_WITH(try_functions(scheme), ContainsSubstring("of 4 workers; accepted is 1 to"));
  }
  scheme.cost.learns_from = nullptr;
  scheme.graphs.nodes = [](int workers, const Hyperparameters& values) {
    return workers / static_cast<int>(hyperparameter(values, "period"));
  };
  CHECK_THROWS_WITH(try_functions(scheme), ContainsSubstring("scheme 'mine': .graphs.nodes: "));
}

TEST_CASE("a fallback that depends on the run is within its limits, or refused", "[scheme]") {
  Scheme scheme = mine();
  scheme.hyperparameters = {count_info()};
  auto& fallback = scheme.hyperparameters.front().run_fallback;
  fallback = [](int workers, const Hyperparameters&) { return static_cast<double>(workers); };
  CHECK_NOTHROW(check_schemes(std::vector{scheme}));
  const auto check = [&](const char* message) {
    CHECK_THROWS_AS(check_schemes(std::vector{scheme}), UsageError);
    CHECK_THROWS_WITH(check_schemes(std::vector{scheme}),
                      ContainsSubstring("scheme 'mine': " + std::string(message)));
  };
  fallback = [](int, const Hyperparameters&) { return 0.0; };
  check("hyperparameter 'count': .run_fallback: is 0 for 1 workers; accepted is a whole number");
  fallback = [](int, const Hyperparameters&) { return 1.5; };
  check("hyperparameter 'count': .run_fallback: is 1.5");
  fallback = [](int, const Hyperparameters& given) { return hyperparameter(given, "later"); };
  check(".run_fallback: .hyperparameters: it asks for 'later'");
}
