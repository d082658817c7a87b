// Schemes that compute the same thing by different ways of talking must give the same model.
#include <algorithm>
#include <cmath>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/left_out.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

/// max |a - b| / max |b|
double relative_difference(const RunResult& a, const RunResult& b) {
  double difference = 0.0;
  double size = 0.0;
  const std::span<const float> x = a.model.view().floats(), y = b.model.view().floats();
  for (std::size_t j = 0; j < x.size(); ++j) {
    difference = std::max(difference, std::abs(static_cast<double>(x[j]) - y[j]));
    size = std::max(size, std::abs(static_cast<double>(y[j])));
  }
  return difference / size;
}

}  // namespace

TEST_CASE("synchronous schemes give the same model at equal total batch", "[scheme]") {
  const auto others = test::schemes_where(test::is_synchronous,
                                          {{"sequential", "is what the others are compared with"},
                                           {"tensor-split", "takes networks; has its own test"},
                                           {"ec-sgd", "takes no momentum"},
                                           {"double-squeeze", "takes no momentum"},
                                           {"coded-all-reduce", "takes no momentum"},
                                           {"sandblaster", "is L-BFGS"},
                                           {"terngrad", "is right on average"},
                                           {"sign-sgd", "steps by signs"},
                                           {"one-bit-adam", "steps as Adam does"},
                                           {"demo", "steps by signs"},
                                           {"power-sgd", "takes no momentum"}});
  for (const LoadedData& data : {test::dense_problem(), test::sparse_problem()}) {
    for (const int n : {1, 2, 3, 5, 8}) {
      Configuration c = quick("sequential", n, 60);
      c.l2 = 1e-3;
      c.optimizer.momentum = 0.5;
      c.optimizer.lr_decay = 0.1;
      const RunResult yardstick = train(c, data);
      CHECK(yardstick.summary.samples == 60U * 4U * static_cast<unsigned>(n));
      c.hyperparameters = {{"backups", 0.0}, {"stragglers", 0.0}};  // everybody is waited for
      c.ingredients["codec"] = "identity";
      for (const std::string& scheme : others) {
        for (const int servers : {1, 3}) {
          CAPTURE(data.name, n, scheme, servers);
          c.scheme = scheme;
          c.servers = servers;
          const RunResult result = train(c, data);
          CHECK(relative_difference(result, yardstick) < 1e-5);
          CHECK(result.summary.samples == yardstick.summary.samples);
          CHECK(result.summary.consensus_distance.value_or(0.0) == 0.0);
        }
      }
    }
  }
}

TEST_CASE("gossip over the full graph is the ring's all-reduce", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const int n : {1, 2, 3, 5, 8}) {
    CAPTURE(n);
    const RunResult ring = train(quick("ring", n, 60), data);
    Configuration c = quick("gossip", n, 60);
    c.ingredients["topology"] = "full";
    CHECK(relative_difference(train(c, data), ring) < 1e-5);
  }
}

TEST_CASE("gossip over a sparse graph has replicas that differ, and a mean that learns",
          "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const char* topology : {"ring", "static-exp", "one-peer-exp"}) {
    CAPTURE(topology);
    Configuration c = quick("gossip", 8, 200);
    c.ingredients["topology"] = topology;
    const RunResult result = train(c, data);
    CHECK(*result.summary.consensus_distance > 1e-8);
    CHECK(result.summary.train_loss < 0.8 * result.metrics.front().train_loss);
  }
}

TEST_CASE("one Hogwild worker is serial SGD, bit for bit", "[scheme]") {
  for (const LoadedData& data : {test::dense_problem(), test::sparse_problem()}) {
    for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
      CAPTURE(data.name, time_mode_text(time));
      Configuration c = quick("sequential", 1, 1302);  // in `wall` in lots of 5, and one of 2
      c.batch = 1;
      c.l2 = 1e-3;
      c.optimizer.lr_decay = 0.5;
      const RunResult serial = train(c, data);
      c.scheme = "hogwild";
      c.time = time;
      CHECK(train(c, data).summary.model_hash == serial.summary.model_hash);
    }
  }
}

TEST_CASE("with one worker every centralised scheme is serial SGD", "[scheme]") {
  // The decentralised ones are in decentralised_test.cpp.
  const auto all = test::schemes_where(
      [](const Scheme& scheme) { return scheme.family != SchemeFamily::decentralised; },
      {{"easgd", "its model is the centre, which lags behind the replicas"},
       {"easgd-async", "its model is the centre, which lags behind the replicas"},
       {"eamsgd", "its model is the centre, which lags behind the replicas"},
       {"mpca-sgd", "is drawn towards where it was"},
       {"diloco", "has an outer optimizer; diloco_test has where that does nothing"},
       {"streaming-diloco", "has an outer optimizer; streaming_diloco_test has what it is"},
       {"slowmo", "has slow momentum; slowmo_test has where that does nothing"},
       {"noloco", "has an outer optimizer; noloco_test has what it is"},
       {"palsgd", "has an outer optimizer; palsgd_test has what it is"},
       {"eager-diloco", "has an outer optimizer; eager_diloco_test has what it is"},
       {"coded-diloco", "has an outer optimizer; coded_diloco_test has what it is"},
       {"async-local-sgd", "has an outer optimizer; async_local_sgd_test has what it is"},
       {"decoupled-diloco", "has an outer optimizer; decoupled_diloco_test has what it is"},
       {"halos", "has outer optimizers; halos_test has what they are"},
       {"local-svrg", "steps along gradients of all rows; local_svrg_test has what it is"},
       {"fedprox", "is drawn back to where a round began"},
       {"feddyn", "is drawn back to where a round began"},
       {"fed-lt", "is drawn to a reflection of its model"},
       {"q-fedavg", "goes a part of the way; q_fedavg_test has where it goes all of it"},
       {"mime", "has momentum; mime_test has where it is SGD with that"},
       {"mime-lite", "has momentum; mime_test has where it has none"},
       {"fedpd", "is drawn to a centre, by a multiplier too"},
       {"fedopt", "has a server's optimizer; fedopt_test has where that does nothing"},
       {"fedasync", "its model is a mixture; fedbuff_test has where it is not"},
       {"buckwild", "rounds its model to 16 bits"},
       {"tensor-split", "takes networks; has its own test"},
       {"sandblaster", "is L-BFGS"},
       {"terngrad", "is right on average"},
       {"sign-sgd", "steps by signs"},
       {"demo", "steps by signs"},
       {"sparse-loco", "keeps a part of its way; sparse_loco_test has where it does not"},
       {"one-bit-adam", "steps as Adam does"}});
  const LoadedData data = test::dense_problem();
  const RunResult serial = train(quick("sequential", 1, 100), data);
  for (const std::string& scheme : all) {
    CAPTURE(scheme);
    Configuration c = quick(scheme, 1, 100);
    c.ingredients["codec"] = "identity";
    const RunResult alone = train(c, data);
    CHECK(relative_difference(alone, serial) < 1e-5);
    if (alone.summary.staleness) CHECK(alone.summary.staleness->max == 0);
  }
}

TEST_CASE("schemes in lockstep give the same bits on threads as in simulation", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const Scheme& scheme : schemes()) {
    if (!test::repeats_with_one_tensor(scheme)) continue;
    for (const int n : {1, 2, 3, 5, 8}) {
      CAPTURE(scheme.name, n);
      Configuration c = quick(scheme.name, n, 40);
      c.evaluate_every = 0.2;
      c.servers = 2;
      const RunResult simulated = train(c, data);
      c.time = TimeMode::wall;
      const RunResult wall = train(c, data);
      CHECK(wall.summary.model_hash == simulated.summary.model_hash);
      REQUIRE(wall.metrics.size() == simulated.metrics.size());
      for (std::size_t i = 0; i < wall.metrics.size(); ++i) {
        CHECK(wall.metrics[i].train_loss == simulated.metrics[i].train_loss);
        CHECK(wall.metrics[i].consensus_distance == simulated.metrics[i].consensus_distance);
      }
    }
  }
}

TEST_CASE("every scheme learns on threads, under a network, with more ranks than cores",
          "[scheme]") {
  const LoadedData data = test::sparse_problem();
  for (const Scheme& scheme : schemes()) {
    CAPTURE(scheme.name);
    Configuration c = quick(scheme.name, 5, 60);
    c.time = TimeMode::wall;
    c.network = {.latency = std::chrono::microseconds(200), .bytes_per_second = 1e8};
    const bool by_signs = scheme.name == "sign-sgd" || scheme.name == "demo";
    if (by_signs) c.optimizer.lr = 0.01;  // γ in each coordinate, every time
    // A thread may have taken all steps before the second of a quorum has run.
    c.hyperparameters["quorum"] = 1;
    const RunResult result = train(c, data);
    CHECK(result.summary.train_loss < result.metrics.front().train_loss);
    CHECK(result.summary.steps == Approx(60).margin(1));
    const double split =
        result.summary.compute_s + result.summary.transfer_s + result.summary.wait_s;
    CHECK(split == Approx(result.summary.seconds).epsilon(1e-9));
  }
}

TEST_CASE("under simulated time every scheme repeats, looks in the middle of it included",
          "[scheme]") {
  const LoadedData data = test::dense_problem(400, 40);
  for (const Scheme& scheme : schemes()) {
    CAPTURE(scheme.name);
    Configuration c = quick(scheme.name, 6, 40);
    c.optimizer.lr = 0.5;
    c.evaluate_every = 0.02;
    c.compute_noise.exponential = 0.5;
    c.hyperparameters = {{"period", 3.0}, {"period-up", 2.0}, {"period-down", 3.0}};
    const RunResult first = train(c, data);
    const RunResult second = train(c, data);
    CHECK(first.summary.model_hash == second.summary.model_hash);
    REQUIRE(first.metrics.size() == second.metrics.size());
    for (std::size_t i = 0; i < first.metrics.size(); ++i) {
      CHECK(first.metrics[i].train_loss == second.metrics[i].train_loss);
    }
  }
}
