// By keys or whole: of linear models on sparse rows servers' schemes send less, and train the same,
// bit by bit. Every scheme either does, or is named here with the reason why it does not.
#include <map>
#include <string>
#include <vector>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

/// Three classes, and a number of parameters whose even parts end within a key.
LoadedData three_classes() {
  LoadedData data = test::sparse_problem(400, 301);
  data.train.classes = 3;
  for (std::size_t row = 0; row < data.train.rows; ++row) {
    data.train.labels[row] = static_cast<Label>(row % 3);
  }
  return data;
}

Configuration configuration(const Scheme& scheme) {
  Configuration c = test::quick(scheme.name, 4, 12);
  c.model = "";
  c.optimizer.lr = 0.5;
  c.servers = 2;
  c.evaluate_every = 0.1;
  c.stragglers = {{1, 2.5}};
  if (scheme.optimizers.range == OptimizerRange::any) c.optimizer.kind = OptimizerKind::adam;
  if (scheme.optimizers.range == OptimizerRange::velocity) c.optimizer.momentum = 0.5;
  for (const HyperparameterInfo& info : scheme.hyperparameters) {
    if (info.cycle) c.hyperparameters[info.name] = 3.0;
    if (info.name == "staleness") c.hyperparameters[info.name] = 2.0;
  }
  return c;
}

struct Pair {
  RunResult by_keys, whole;
};
Pair both(Configuration c, const LoadedData& data) {
  c.sparse_wire = SparseWire::automatic;
  RunResult by_keys = test::train(c, data);
  c.sparse_wire = SparseWire::off;
  return {std::move(by_keys), test::train(c, data)};
}

void check_same_training(const Pair& runs) {
  const Summary &a = runs.by_keys.summary, &b = runs.whole.summary;
  CHECK(a.model_hash == b.model_hash);
  CHECK(a.seconds == b.seconds);  // messages take no time
  REQUIRE(runs.by_keys.metrics.size() == runs.whole.metrics.size());
  for (std::size_t i = 0; i < runs.whole.metrics.size(); ++i) {
    CHECK(runs.by_keys.metrics[i].train_loss == runs.whole.metrics[i].train_loss);
  }
}

/// What is sent whole between workers and servers, and why.
const std::string codec = "what a codec makes of a vector has a wire format of its own";
const std::string centre = "a replica differs from the centre wherever anybody ever moved it";
const std::string corrections = "a worker is corrected wherever anybody's rows are";
const std::string late = "its server has moved since a worker read it, and keeps no copy";
const std::string group = "a proxy has its whole group's keys to add up and to pull";
const std::string by_number = "a vector is of several shares' minibatches, taken by number";
constexpr const char* outer = "an outer optimizer's momentum moves all of the model";
const std::map<std::string, std::string> left_out{
    {"ps-hierarchical", group},
    {"ps-hierarchical-async", group},
    {"ps-async-epochs", "threads of a machine share a replica, of which each needs other keys"},
    {"ps-activations", "it sends activations of networks"},
    {"csgd", codec},
    {"ec-sgd", codec},
    {"double-squeeze", codec},
    {"qsparse-local-sgd", codec},
    {"fedpaq", codec},
    {"sign-sgd", codec},
    {"terngrad", codec},
    {"one-bit-adam", codec},
    {"scaffold", corrections},
    {"feddyn", corrections},
    {"fedpd", corrections},
    {"mime", corrections},
    {"mime-lite", corrections},
    {"fed-lt", corrections},
    {"q-fedavg", "a replica goes with two numbers of the whole of it"},
    {"fedasync", late},
    {"fedbuff", late},
    {"async-local-sgd", outer},
    {"decoupled-diloco", outer},
    {"halos", outer},
    {"easgd", centre},
    {"easgd-async", centre},
    {"eamsgd", centre},
    {"mpca-sgd", centre},
    {"gradient-coding", by_number},
    {"uncoded", by_number},
    {"sandblaster", "a gradient over portions of all rows"},
    {"fused-all-reduce", "its server only says what is to be summed next"}};

}  // namespace

TEST_CASE("by keys or whole, a scheme trains the same", "[scheme][sparse-wire]") {
  const LoadedData two = test::sparse_problem(400, 301), three = three_classes();
  for (const Scheme& scheme : schemes()) {
    if (scheme.messages.by_keys == ByKeys::no) continue;
    for (const LoadedData* data : {&two, &three}) {
      for (const double l2 : {0.0, 0.05}) {
        for (const std::size_t batch : {std::size_t{1}, std::size_t{4}}) {
          Configuration c = configuration(scheme);
          c.l2 = l2;
          c.batch = batch;
          CAPTURE(scheme.name, data->train.classes, l2, batch);
          const Pair runs = both(c, *data);
          check_same_training(runs);
          const bool goes_whole =
              scheme.messages.by_keys == ByKeys::without_regulariser && l2 > 0.0;
          if (goes_whole) {
            CHECK(runs.by_keys.summary.bytes_sent == runs.whole.summary.bytes_sent);
          } else {
            CHECK(runs.by_keys.summary.bytes_sent < 0.9 * runs.whole.summary.bytes_sent);
          }
        }
      }
    }
  }
}

TEST_CASE("by keys or whole, shares weigh what they weigh", "[scheme][sparse-wire]") {
  const LoadedData data = test::sparse_problem(400, 301);
  for (const char* name : {"ps-sync", "ps-async", "ssp", "fedavg"}) {
    CAPTURE(name);
    Configuration c = configuration(find_scheme(name));
    c.optimizer.kind = OptimizerKind::sgd;
    c.l2 = 0.05;
    c.partition = parse_partition("dirichlet:0.5", "here");
    c.weights = ShareWeights::rows;
    const Pair runs = both(c, data);
    check_same_training(runs);
    CHECK(runs.by_keys.summary.bytes_sent < runs.whole.summary.bytes_sent);
  }
}

// Servers shrink what nobody touched as well; what is clipped is 0 where nothing is regularised.
TEST_CASE("by keys or whole, weights are shrunk and gradients clipped alike",
          "[scheme][sparse-wire]") {
  const LoadedData data = test::sparse_problem(400, 301);
  struct Case {
    double l2, l1, clip_norm;
    bool by_keys;
  };
  for (const char* name : {"ps-sync", "ps-async", "ps-backup", "dc-asgd-c", "fedavg"}) {
    for (const Case& one : {Case{0.0, 1e-3, 0.0, true}, Case{0.05, 1e-3, 0.0, true},
                            Case{0.0, 0.0, 0.05, true}, Case{0.05, 0.0, 0.05, false}}) {
      CAPTURE(name, one.l2, one.l1, one.clip_norm);
      Configuration c = configuration(find_scheme(name));
      c.l2 = one.l2;
      c.l1 = one.l1;
      c.optimizer = {.lr = 0.5, .clip_norm = one.clip_norm};
      const Pair runs = both(c, data);
      const std::vector<Metrics>&by_keys = runs.by_keys.metrics, &whole = runs.whole.metrics;
      REQUIRE(by_keys.size() == whole.size());
      for (std::size_t i = 0; i < whole.size(); ++i) {
        CHECK(by_keys[i].train_loss == whole[i].train_loss);
      }
      const bool goes_whole = !one.by_keys || (one.l1 > 0.0 && c.scheme == "fedavg");
      CHECK((runs.by_keys.summary.bytes_sent < runs.whole.summary.bytes_sent) == !goes_whole);
    }
  }
}

// What has accrued stays until it is pushed, whatever was fetched meanwhile.
TEST_CASE("downpour goes by keys with any periods", "[scheme][sparse-wire]") {
  const LoadedData data = test::sparse_problem(400, 301);
  for (const auto& [fetch, push] : std::map<double, double>{{1, 3}, {2, 5}, {3, 1}, {4, 2}}) {
    CAPTURE(fetch, push);
    Configuration c = configuration(find_scheme("downpour"));
    c.steps = 20;
    c.hyperparameters = {{"fetch-period", fetch}, {"push-period", push}, {"warm-start", 3.0}};
    const Pair runs = both(c, data);
    check_same_training(runs);
    CHECK(runs.by_keys.summary.bytes_sent < runs.whole.summary.bytes_sent);
  }
}

TEST_CASE("where nothing is sparse, nothing goes by keys", "[scheme][sparse-wire]") {
  const LoadedData full = test::sparse_problem(40, 8);  // a minibatch touches most of them
  const LoadedData dense = test::dense_problem(40, 8);
  for (const Scheme& scheme : schemes()) {
    if (scheme.messages.by_keys == ByKeys::no) continue;
    for (const LoadedData* data : {&full, &dense}) {
      CAPTURE(scheme.name, data->name);
      Configuration c = configuration(scheme);
      c.batch = 8;
      c.servers = 1;
      const Pair runs = both(c, *data);
      check_same_training(runs);
      CHECK(runs.by_keys.summary.bytes_sent == runs.whole.summary.bytes_sent);
    }
  }
}

TEST_CASE("who sends nothing by keys is known, and why", "[scheme][sparse-wire]") {
  const LoadedData data = test::sparse_problem(400, 301);
  for (const Scheme& scheme : schemes()) {
    if (scheme.messages.by_keys != ByKeys::no) {
      CHECK(left_out.count(scheme.name) == 0);
      continue;
    }
    const Configuration c = configuration(scheme);
    const bool has_servers = cast_of(scheme, c).servers > 0;
    CAPTURE(scheme.name);
    CHECK(left_out.count(scheme.name) == (has_servers ? 1 : 0));
  }
}
