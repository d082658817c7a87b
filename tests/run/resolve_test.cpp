#include "trainyard/run/resolve.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/data/read.hpp"
#include "trainyard/hardware/machine.hpp"
#include "trainyard/run/scheme_graph.hpp"

#include "data/files.hpp"
#include "run/small_runs.hpp"
#include "support/catch.hpp"
#include "support/training.hpp"

namespace trainyard {

namespace {

struct Resolved {
  Configuration configuration;
  std::string remarks;
};

Resolved resolved(const Configuration& configuration, std::vector<std::string> schemes = {}) {
  if (schemes.empty()) schemes = {configuration.scheme};
  Resolved result;
  result.configuration = resolve(configuration, schemes, small_data(),
                                 [&](const std::string& text) { result.remarks += text + "\n"; });
  return result;
}

std::string refusal(const Configuration& configuration) {
  try {
    resolved(configuration);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("what does not fit together names its option, for front ends without flags", "[run]") {
  const auto error_of = [](const Configuration& c) {
    try {
      (void)resolve(c, {c.scheme}, test::dense_problem(), {});
    } catch (const OptionError& error) {
      CHECK(error.what() == fmt::format("--{}{}: {}", error.option(),
                                        error.found().empty() ? "" : " " + error.found(),
                                        error.explanation()));
      return std::vector<std::string>{error.option(), error.found(), error.explanation()};
    }
    return std::vector<std::string>{};
  };
  Configuration c = test::quick("ring", 500, 1);
  CHECK(error_of(c) ==
        std::vector<std::string>{
            "workers", "", "500 workers need at least as many training rows; dense-test has 400"});
  c = test::quick("d-psgd", 4, 1);
  c.optimizer.kind = OptimizerKind::nesterov;
  CHECK(error_of(c) == std::vector<std::string>{"optimizer", "nesterov",
                                                "it needs a --momentum above 0, like 0.9"});
  CHECK(error_of(test::quick("ring", 4, 1)).empty());
}

TEST_CASE("the budget is the smallest of what is given", "[run]") {
  Configuration c = small_configuration("ring");
  c.epochs.reset();
  CHECK(*resolved(c).configuration.steps == 150);  // 10 epochs of 600 rows in steps of 40
  CHECK(resolved(c).configuration.epochs == 10.0);

  c.target_loss = 0.1;
  CHECK(*resolved(c).configuration.steps == 3000);  // 200 epochs at most
  c.target_loss.reset();

  c.epochs = 2.0;
  CHECK(*resolved(c).configuration.steps == 30);
  c.steps = 12;
  CHECK(*resolved(c).configuration.steps == 12);
  c.epochs = 0.5;
  CHECK(*resolved(c).configuration.steps == 8);  // 7.5 steps are half an epoch
  c.epochs = 1e300;
  c.steps.reset();
  CHECK(*resolved(c).configuration.steps == static_cast<std::uint64_t>(most_steps));
}

TEST_CASE("a resolved configuration resolves to itself", "[run]") {
  for (const bool with_seconds : {false, true}) {
    Configuration c = small_configuration("ps-async");
    c.compute_time.reset();
    if (with_seconds) {
      c.epochs.reset();
      c.seconds = std::chrono::milliseconds(5);
    }
    const Configuration once = resolved(c).configuration;
    CHECK(once.compute_time);
    CHECK(configuration_text(resolved(once).configuration) == configuration_text(once));
    Configuration read;
    for (const Option& option : options()) {  // within what the options accept
      const std::string text = option.get(once);
      if (!text.empty()) CHECK_NOTHROW(option.set(read, text, option.name));
    }
  }
}

TEST_CASE("the clock follows the ranks and the cores", "[run]") {
  const int cores = this_machine().cores;
  Configuration c = small_configuration("ps-sync");
  c.time = TimeMode::automatic;
  CHECK_THAT(resolved(c).remarks,
             ContainsSubstring("time: virtual, as --compute-time has a value"));
  c.compute_time.reset();
  c.workers = cores;  // and a server more
  CHECK(resolved(c).configuration.time == TimeMode::simulated);
  CHECK_THAT(resolved(c).remarks, ContainsSubstring("time: virtual"));
  c.scheme = "ring";
  CHECK(resolved(c).configuration.time == TimeMode::wall);
  CHECK_THAT(resolved(c).remarks, ContainsSubstring("time: wall"));
  // A comparison has one clock, that of its scheme with the most ranks.
  CHECK(resolved(c, {"ring", "ps-sync"}).configuration.time == TimeMode::simulated);

  c.time = TimeMode::wall;
  c.workers = cores + 3;
  const std::string warning = resolved(c).remarks;
  CHECK_THAT(warning, ContainsSubstring("warning: " + std::to_string(cores + 3) + " ranks share " +
                                        std::to_string(cores) + " core"));
}

TEST_CASE("the compute time is measured when it is not given", "[run]") {
  Configuration c = small_configuration("ring");
  CHECK(resolved(c).configuration.compute_time == c.compute_time);
  CHECK(resolved(c).remarks.empty());
  c.compute_time.reset();
  const Resolved measured = resolved(c);
  CHECK(measured.configuration.compute_time->count() > 0);
  CHECK_THAT(measured.remarks, ContainsSubstring("measured here"));
}

TEST_CASE("the compute time is that of what the schemes compute", "[run]") {
  const auto measured = [](const LoadedData& data, std::vector<std::string> schemes) {
    Configuration c = test::quick(schemes.front(), 2, 10);
    c.compute_time.reset();
    std::string remarks;
    const Configuration r = resolve(c, schemes, data, [&](const std::string& t) { remarks += t; });
    CHECK(r.compute_time->count() > 0);
    return remarks;
  };
  const LoadedData sparse = test::sparse_problem();
  for (const char* scheme : {"hogwild", "hogwild-split", "hogwild-numa", "hogwild++"}) {
    CAPTURE(scheme);
    CHECK_THAT(measured(sparse, {scheme}), ContainsSubstring(" a step on the coordinates of 4 "));
    CHECK_THAT(measured(test::dense_problem(), {scheme}),
               ContainsSubstring(" a minibatch of 4 rows"));
    // One time for all that are compared.
    CHECK_THAT(measured(sparse, {scheme, "ring"}), ContainsSubstring(" a minibatch of 4 rows"));
  }
  CHECK_THAT(measured(sparse, {"hogwild", "hogwild++"}), ContainsSubstring("on the coordinates"));
  CHECK_THAT(measured(sparse, {"ring"}), ContainsSubstring(" a minibatch of 4 rows"));
}

TEST_CASE("a scheme refuses graphs that it does not tolerate, and says why", "[run]") {
  const TemporaryFolder folder;
  const std::string directed =
      "digraph:" + folder.write("directed", "0 1\n1 2\n2 3\n3 0\n1 0\n").string();
  const std::string dead_end = "digraph:" + folder.write("end", "0 1\n1 2\n2 3\n2 0\n").string();
  const std::string apart = "file:" + folder.write("apart", "0 1\n2 3\n").string();
  const std::string path = "file:" + folder.write("path", "0 1\n1 2\n2 3\n").string();
  struct Row {
    const char* scheme;
    std::string topology;
    const char* why;  // empty: taken
  };
  for (const Row& row : {Row{"sgp", directed, ""},
                         {"sgp-overlap", directed, ""},
                         {"gossip", directed, "only columns do; sgp, which pushes sums, takes it"},
                         {"gossip-pga", directed, "gossip-pga averages over graphs in which all"},
                         {"ad-psgd", directed, "only columns do"},
                         {"sgp", dead_end, "some of 4 workers never hear of others"},
                         {"gossip", apart, "gossip-pga averages over all workers now and then"},
                         {"sgp", apart, "the graph is not connected"},
                         {"gossip-pga", apart, ""},
                         {"d2", "static-exp", "d2 needs a graph that stays"},
                         {"extra", "one-peer-exp", "one-peer-exp changes"},
                         {"ad-psgd", "static-exp", "static-exp is directed"},
                         {"gradient-tracking", "one-peer-exp", ""},
                         {"d2", path, ""},
                         {"exact-diffusion", "star", ""}}) {
    CAPTURE(row.scheme, row.topology);
    Configuration c = small_configuration(row.scheme);
    c.ingredients["topology"] = row.topology;
    if (*row.why == '\0') {
      CHECK_NOTHROW(resolved(c));
    } else {
      CHECK_THAT(refusal(c), ContainsSubstring("--topology: ") && ContainsSubstring(row.why));
    }
  }
  for (const char* scheme : {"gossip", "extra", "qgm", "sgp"}) {  // two who swap all they have
    Configuration c = small_configuration(scheme);
    c.workers = 2;
    c.ingredients["topology"] = "file:" + folder.write("swap", "0 1 1\n1 0 1\n").string();
    CHECK_THAT(refusal(c), ContainsSubstring("goes in circles"));
  }
  Configuration c = small_configuration("d2");
  c.ingredients["topology"] = "grid";  // of 2 × 4, whose smallest eigenvalue the catalogue gives
  c.workers = 8;
  CHECK_THAT(refusal(c), ContainsSubstring("d2 diverges over grid of 8 workers"));
}

TEST_CASE("a graph that a scheme barely tolerates is remarked upon", "[run]") {
  for (const char* scheme : {"d2", "nids"}) {
    CAPTURE(scheme);
    Configuration c = small_configuration(scheme);
    c.ingredients["topology"] = "ring";
    c.hyperparameters["mixing-share"] = 1.0;
    c.workers = 6;  // λ_min = −1/3
    CHECK_THAT(resolved(c).remarks, ContainsSubstring("6 workers is at the limit"));
    c.workers = 5;
    CHECK(resolved(c).remarks.find("at the limit") == std::string::npos);
    CHECK(resolved(c).remarks.find("not checked") == std::string::npos);
    c.workers = 3000;  // an n³ of two minutes
    const Scheme& row = find_scheme(scheme);
    CHECK_THAT(check_graph(row, c, *graph_of(row, c)).value_or(""),
               ContainsSubstring("converges over ring is not checked"));
  }
}

TEST_CASE("the model follows the labels", "[run]") {
  CHECK(resolved(small_configuration("ring")).configuration.model == "logistic");
  LoadedData data = small_data();
  data.train.classes = 3;
  const Configuration c = small_configuration("ring");
  CHECK(resolve(c, {"ring"}, data, {}).model == "softmax");
  data.train.classes = 1;
  data.train.targets = AlignedBuffer<float>::zeroed(data.train.rows);
  CHECK(resolve(c, {"ring"}, data, {}).model == "least-squares");
}

TEST_CASE("a cosine ends where the run does", "[run]") {
  Configuration c = small_configuration("ring");  // steps of 40 rows of 600
  c.optimizer.lr_schedule.kind = LrSchedule::Kind::cosine;
  CHECK(resolved(c).configuration.optimizer.run_epochs == 2.0);
  c.steps = 6;
  const Configuration shorter = resolved(c).configuration;
  CHECK(shorter.optimizer.run_epochs == Approx(0.4));
  CHECK(shorter.optimizer.step_epochs == Approx(40.0 / 600.0));
  // Who begins a step at the end, half of one after the last, has a step as short, but not none.
  CHECK(shorter.optimizer.step_size(0.4) == shorter.optimizer.step_size(0.4 - 20.0 / 600.0));
  CHECK(shorter.optimizer.step_size(0.4) > 0.0);
  CHECK(shorter.optimizer.step_size(0.4) < 0.02 * shorter.optimizer.lr);
}

TEST_CASE("settings that an optimizer does not look at are remarked upon", "[run]") {
  Configuration c = small_configuration("ring");
  c.optimizer.beta1 = 0.8;
  c.given = {"beta1"};
  CHECK_THAT(resolved(c).remarks, ContainsSubstring("--beta1 has no effect"));
  Configuration one_bit = c;
  one_bit.scheme = "one-bit-adam";
  CHECK_THAT(resolved(one_bit).remarks, ContainsSubstring("one-bit-adam has a step of its own") &&
                                            !ContainsSubstring("--optimizer adam"));
  c.optimizer.kind = OptimizerKind::adam;
  CHECK(resolved(c).remarks.empty());
  c.optimizer.momentum = 0.9;
  CHECK(resolved(c).remarks.empty());  // nobody gave it
  c.given = {"momentum"};
  CHECK_THAT(resolved(c).remarks, ContainsSubstring("--momentum has no effect: adam takes none"));
}

TEST_CASE("features whose squares overflow under adam or adagrad are said", "[run]") {
  const auto warning = [](const std::string& rows, OptimizerKind kind) {
    const LoadedData data{"rows", read_dataset_bytes(rows, {}, "rows", {}), {}};
    Configuration c = small_configuration("ring");
    c.workers = 2;
    c.batch = 1;
    c.optimizer.kind = kind;
    std::string remarks;
    (void)resolve(c, {"ring"}, data, [&](const std::string& text) { remarks += text + "\n"; });
    return remarks;
  };
  // The root of the largest float is 1.8447e19.
  const std::string beyond = "1 1:1 2:-1.845e19\n-1 1:2\n", within = "1 1:1 2:-1.844e19\n-1 1:2\n";
  for (const OptimizerKind kind : {OptimizerKind::adam, OptimizerKind::adagrad}) {
    CHECK_THAT(warning(beyond, kind), ContainsSubstring("as large as 1.85e+19") &&
                                          ContainsSubstring(optimizer_text(kind) + " leaves"));
    CHECK(warning(within, kind).empty());
  }
  CHECK(warning(beyond, OptimizerKind::sgd).empty());
}

TEST_CASE("what does not fit together is refused", "[run]") {
  Configuration c = small_configuration("ring");
  c.batch = 601;
  CHECK_THAT(refusal(c), ContainsSubstring("--batch: 601 rows are more than the 600"));
  c = small_configuration("ring");
  c.workers = 601;
  CHECK_THAT(refusal(c), ContainsSubstring("--workers: 601 workers"));
  c = small_configuration("ring");
  c.stragglers = {{4, 2.0}};
  CHECK_THAT(refusal(c), ContainsSubstring("--straggler: there is no worker 4"));
  c = small_configuration("hogwild");
  c.optimizer.momentum = 0.5;
  CHECK_THAT(refusal(c), ContainsSubstring("--momentum: hogwild"));
  c = small_configuration("ring");
  c.compute_time = Duration{0};
  c.epochs.reset();
  c.seconds = std::chrono::seconds(1);
  CHECK_THAT(refusal(c), ContainsSubstring("--seconds: nothing takes time"));
}

TEST_CASE("rows without zeros leave --sparse-wire no effect, which is said", "[run][sparse-wire]") {
  const auto remarks_of = [](const LoadedData& data, SparseWire wire) {
    Configuration c = small_configuration("ps-sync");
    c.sparse_wire = wire;
    c.given = {"sparse-wire"};
    std::string remarks;
    (void)resolve(c, {c.scheme}, data, [&](const std::string& text) { remarks += text + "\n"; });
    return remarks;
  };
  const std::string note =
      "note: --sparse-wire has no effect: the rows have a value for every feature";
  CHECK_THAT(remarks_of(test::dense_problem(), SparseWire::automatic), ContainsSubstring(note));
  CHECK_THAT(remarks_of(test::dense_problem(), SparseWire::off), !ContainsSubstring(note));
  CHECK_THAT(remarks_of(test::sparse_problem(), SparseWire::automatic),
             !ContainsSubstring("--sparse-wire"));
}

TEST_CASE("without a network averages are taken by size, unless somebody says how", "[run]") {
  const auto collective = [](Configuration c) {
    const Configuration made = resolved(c).configuration;
    const bool said = run_command_text(made).find("--collective ") != std::string::npos;
    CHECK(said == (c.ingredients.contains("collective") && c.network.perfect()));
    CHECK((configuration_text(made).find("collective =") != std::string::npos) ==
          (said || c.scheme == "ring"));
    return ingredient_name(made.ingredients, "collective");
  };
  Configuration c = small_configuration("local-sgd");
  c.network.latency = std::chrono::microseconds(1);
  CHECK(collective(c) == "ring");
  for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
    c.time = time;
    c.network = {};
    c.ingredients.clear();
    REQUIRE(c.network.perfect());
    CHECK(collective(c) == "by-size");
    c.ingredients["collective"] = "ring";
    CHECK(collective(c) == "ring");
    c.scheme = "ring";  // which has its own way
    c.ingredients.clear();
    CHECK(collective(c) == "ring");
    c.scheme = "local-sgd";
  }
}

TEST_CASE("a minibatch of more rows than a worker has is said", "[run]") {
  Configuration c = small_configuration("ring");
  c.batch = 600 / static_cast<std::size_t>(c.workers);
  CHECK_THAT(resolved(c).remarks, !ContainsSubstring("more than a worker's share"));
  ++c.batch;
  CHECK_THAT(resolved(c).remarks, ContainsSubstring("more than a worker's share"));
  c.scheme = "sequential";
  CHECK_THAT(resolved(c).remarks, !ContainsSubstring("more than a worker's share"));
}

}  // namespace trainyard
