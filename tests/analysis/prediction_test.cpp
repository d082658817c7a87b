// Predictions against real training runs under simulated time, and against closed forms.
#include "trainyard/analysis/prediction.hpp"

#include <algorithm>
#include <cmath>

#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/spectrum.hpp"

#include "support/catch.hpp"
#include "support/contestants.hpp"
#include "support/topologies.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

constexpr std::size_t parameters = 840;  // divisible by 1 to 8

PredictionSetting setting_of(int workers, Network network, std::uint64_t floats = parameters) {
  PredictionSetting setting;
  setting.configuration.workers = workers;
  setting.configuration.network = std::move(network);
  setting.configuration.compute_time = std::chrono::milliseconds(3);
  setting.configuration.hyperparameters["period"] = 4;  // a whole number of times in 8 and in 32
  setting.configuration.hyperparameters["freeze-step"] = 1;
  setting.configuration.hyperparameters["switch-epoch"] = 0;  // or the long run begins after it
  setting.parameters = floats;
  return setting;
}

/// What training takes: its first step, and a step of those that a prediction counts.
struct Trained {
  double first_s = 0.0, sustained_s = 0.0;
};

bool is_piped(const Scheme& scheme) {
  return std::ranges::count(scheme.hyperparameters, "stages", &HyperparameterInfo::name) > 0;
}

/// Of a pipeline: all workers are its stages, each a layer of a chain of layers alike.
LoadedData as_chain(Configuration& c, const PredictionSetting& setting) {
  const int layers = std::max(2, c.workers);
  const double of_layer = static_cast<double>(setting.parameters) / layers;  // u(u + 1)
  const auto units = static_cast<int>(std::lround(std::sqrt(of_layer + 0.25) - 0.5));
  c.model = "mlp:" + std::to_string(units);
  for (int layer = 2; layer < layers; ++layer) c.model += "," + std::to_string(units);
  c.hyperparameters["stages"] = c.workers;
  c.batch = setting.configuration.batch;
  return {"chain", generate_blobs(400, static_cast<std::size_t>(units), units, 1.0, 3), {}};
}

Trained trained(const Contestant& contestant, const PredictionSetting& setting,
                const Prediction& prediction) {
  static const LoadedData rows = test::dense_problem(60, parameters);
  Configuration c = quick(contestant.scheme, setting.configuration.workers, 1);
  const Scheme& scheme = find_scheme(contestant.scheme);
  const bool piped = is_piped(scheme);
  const LoadedData chain = piped ? as_chain(c, setting) : LoadedData{};
  const LoadedData& data = piped ? chain : rows;
  c.network = setting.configuration.network;
  c.servers = setting.configuration.servers;
  c.compute_time = setting.configuration.compute_time;
  c.hyperparameters.insert(setting.configuration.hyperparameters.begin(),
                           setting.configuration.hyperparameters.end());
  apply(contestant.settings, c);
  const auto seconds_of = [&](std::uint64_t steps) {
    c.steps = steps;
    return train(c, data).summary.seconds;
  };
  const std::uint64_t first = prediction.steps_before, counted = prediction.steps_counted;
  return {seconds_of(1),
          (seconds_of(first + counted) - seconds_of(first)) / static_cast<double>(counted)};
}

/// Where nothing comes round again, or nobody waits for a round that is under way, a run's end
/// falls anywhere within some messages.
double tolerance(const Prediction& prediction, const PredictionSetting& setting) {
  const Scheme& scheme = find_scheme(prediction.contestant.scheme);
  const bool ends_alike = scheme.order.rhythm == Rhythm::regular && scheme.name != "mpca-sgd" &&
                          scheme.name != "decoupled-diloco";
  const Network& network = setting.configuration.network;
  const double message = to_seconds(network.message_time(sizeof(float) * setting.parameters));
  const double ends = 8.0 * message / static_cast<double>(prediction.steps_counted);
  return 1e-6 * prediction.step_s + prediction.step_error_s + (ends_alike ? 0.0 : ends);
}

bool has_servers(const Contestant& contestant, Configuration c) {
  const Scheme& scheme = find_scheme(contestant.scheme);
  apply(contestant, c);
  c.hyperparameters = with_fallbacks(scheme, c.hyperparameters, c.workers);
  return cast_of(scheme, c).servers > 0;
}

struct Links {
  int workers;
  double latency_s, bytes_per_second;  // 1e5: 34 ms a model, 1e7: 0.34 ms
};

bool has_closed_form(const Contestant& contestant, int workers, int servers, double first_s) {
  const std::string& name = contestant.scheme;
  const bool async_server = name == "ps-async" || name == "staleness-aware" || name == "downpour" ||
                            name == "ps-backup" || name == "key-value" || name == "ringmaster" ||
                            name.starts_with("dc-asgd");
  if (async_server) return servers == 1;
  if (name == "ps-sync") return servers <= workers;
  if (name == "1f1b") return workers == 1;
  if (name == "uncoded" && workers > 1) return first_s <= 6e-3;
  return find_scheme(name).cost.time != nullptr;
}

/// With one server and with three.
void check_predictions(const Links& links) {
  for (const int k : {1, 3}) {
    PredictionSetting setting = setting_of(
        links.workers,
        {.latency = seconds(links.latency_s), .bytes_per_second = links.bytes_per_second});
    setting.configuration.servers = k;
    for (const Contestant& contestant : predicted_contestants("all")) {
      if (k > 1 && !has_servers(contestant, setting.configuration)) continue;
      CAPTURE(links.workers, k, links.latency_s, links.bytes_per_second, contestant.label);
      const Prediction prediction = predict(contestant, setting);
      const Trained run = trained(contestant, setting, prediction);
      CHECK(std::abs(prediction.step_s - run.sustained_s) <= tolerance(prediction, setting));
      const bool closed = prediction.closed_form_s.has_value();
      // Where coding takes time it depends; coded_step_time_test has when they are known.
      if (!encodes(find_scheme(contestant.scheme))) {
        CHECK(closed == has_closed_form(contestant, links.workers, k, run.first_s));
      }
      if (closed) CHECK(*prediction.closed_form_s == Approx(run.first_s).epsilon(1e-6));
    }
  }
}

}  // namespace

TEST_CASE("a prediction is what a run takes, for every scheme", "[analysis]") {
  check_predictions({5, 0.5e-3, 1e6});
}

// Each number of workers, latency and bandwidth with every scheme; not all at each other, which
// takes twice as long.
TEST_CASE("a prediction is what a run takes, over the whole grid", "[analysis][slow]") {
  for (const Links& links :
       {Links{1, 0.5e-3, 1e5}, Links{2, 0.0, 1e5}, Links{2, 20e-3, 1e7}, Links{3, 0.5e-3, 1e7},
        Links{4, 0.5e-3, 1e5}, Links{5, 20e-3, 1e5}, Links{8, 0.0, 1e7}, Links{8, 20e-3, 1e5}}) {
    check_predictions(links);
  }
}

TEST_CASE("a store behind proxies is predicted as it is trained", "[analysis]") {
  for (const int groups : {2, 3}) {
    for (const int k : {1, 3}) {
      CAPTURE(groups, k);
      PredictionSetting setting =
          setting_of(5, {.latency = seconds(0.5e-3), .bytes_per_second = 1e6});
      setting.configuration.servers = k;
      setting.configuration.hyperparameters["proxies"] = groups;
      const Contestant contestant = test::contestant("key-value");
      const Prediction prediction = predict(contestant, setting);
      const Trained run = trained(contestant, setting, prediction);
      CHECK(prediction.servers == groups + k);
      CHECK(prediction.step_s == Approx(run.sustained_s).epsilon(1e-6));
      CHECK(prediction.closed_form_s.has_value() == (k == 1));
      if (k == 1) CHECK(*prediction.closed_form_s == Approx(run.first_s).epsilon(1e-6));
      CHECK(prediction.messages == 2 * (5 + groups * k));
    }
  }
}

TEST_CASE("a large pipeline is predicted by a thin one", "[analysis]") {
  const Network network{.latency = std::chrono::microseconds(100), .bytes_per_second = 125e6};
  struct Case {
    int workers;
    std::size_t batch;
    double stages;
  };
  for (const Case& row : {Case{8, 32, 8}, Case{8, 32, 4}, Case{7, 31, 7}}) {
    PredictionSetting setting = setting_of(row.workers, network, 250'000'000);
    setting.configuration.batch = row.batch;
    setting.configuration.hyperparameters["stages"] = row.stages;
    CAPTURE(row.workers, row.batch, row.stages);
    const Prediction found = predict(test::contestant("gpipe"), setting);
    REQUIRE(found.closed_form_s);
    CHECK(found.step_s == Approx(*found.closed_form_s).epsilon(0.05));
  }
}

TEST_CASE("those who hold parts of layers are predicted by a chain of layers alike", "[analysis]") {
  const Network network{.latency = std::chrono::microseconds(100), .bytes_per_second = 1e7};
  struct Case {
    const char* contestant;
    int layers;  // of 16 units
    Hyperparameters division;
    bool closed;
  };
  for (const Case& row : {Case{"tensor-split:ring", 2, {}, true},
                          Case{"tensor-split:recursive-doubling", 2, {{"tensor-size", 2}}, true},
                          Case{"gpipe", 4, {{"stages", 2}, {"tensor-size", 2}}, false},
                          Case{"gpipe", 2, {{"stages", 1}, {"tensor-size", 2}}, true},
                          Case{"1f1b", 4, {{"stages", 2}, {"tensor-size", 2}}, false},
                          Case{"downpour", 2, {{"tensor-size", 2}}, false}}) {
    const Contestant contestant = predicted_contestants(row.contestant).front();
    const auto numbers = static_cast<std::uint64_t>(row.layers * 16 * 17);
    PredictionSetting setting = setting_of(4, network, numbers);
    setting.configuration.hyperparameters.insert(row.division.begin(), row.division.end());
    const Prediction found = predict(contestant, setting);
    Configuration c = quick(contestant.scheme, 4, 1);
    c.model = row.layers == 2 ? "mlp:16" : "mlp:16,16,16";
    c.network = network;
    c.compute_time = setting.configuration.compute_time;
    c.batch = setting.configuration.batch;
    c.hyperparameters = row.division;
    apply(contestant.settings, c);
    const LoadedData data{"blobs", generate_blobs(400, 16, 16, 1.0, 3), {}};
    const double first = train(c, data).summary.seconds;
    c.steps = found.steps_before;
    const double before = train(c, data).summary.seconds;
    c.steps = found.steps_before + found.steps_counted;
    const double sustained =
        (train(c, data).summary.seconds - before) / static_cast<double>(found.steps_counted);
    CAPTURE(row.contestant, row.layers);
    CHECK(found.step_s == Approx(sustained).epsilon(1e-6));
    CHECK(found.closed_form_s.has_value() == row.closed);
    if (row.closed) CHECK(*found.closed_form_s == Approx(first).epsilon(1e-6));
  }
  // A large one by a thin one.
  PredictionSetting large = setting_of(8, network, 250'000'000);
  large.configuration.batch = 32;
  const Prediction split = predict(test::contestant("tensor-split:ring"), large);
  REQUIRE(split.closed_form_s);
  CHECK(split.step_s == Approx(*split.closed_form_s).epsilon(0.05));
}

TEST_CASE("a prediction over any topology is what a run takes", "[analysis]") {
  const Network network{.latency = std::chrono::milliseconds(1), .bytes_per_second = 1e6};
  for (const int n : {4, 5, 16}) {
    const PredictionSetting setting = setting_of(n, network);
    for (const std::string& topology : test::topologies_for(n)) {
      const Contestant contestant = predicted_contestants("gossip:" + topology).front();
      CAPTURE(n, contestant.label);
      const Prediction prediction = predict(contestant, setting);
      const Trained run = trained(contestant, setting, prediction);
      CHECK(prediction.step_s == Approx(run.sustained_s).epsilon(1e-6));
      if (prediction.closed_form_s) {
        CHECK(*prediction.closed_form_s == Approx(run.first_s).epsilon(1e-6));
      }
    }
  }
  CHECK(predict(test::contestant("gossip:torus"), setting_of(16, network)).closed_form_s ==
        Approx(3e-3 + 4 * (1e-3 + 4.0 * parameters / 1e6)));
  CHECK(predict(test::contestant("gossip:hypercube"), setting_of(16, network)).closed_form_s ==
        Approx(3e-3 + 4 * (1e-3 + 4.0 * parameters / 1e6)));
  CHECK_FALSE(predict(test::contestant("gossip:star"), setting_of(5, network)).closed_form_s);
  CHECK_THROWS_WITH(predict(test::contestant("gossip:hypercube"), setting_of(5, network)),
                    ContainsSubstring("not a power of two"));
  // A base graph of 25 workers has nine rounds, in some of which not everybody sends.
  const Prediction base = predict(test::contestant("gossip:base:2"), setting_of(25, network));
  CHECK(base.steps_counted == 27);
  CHECK(base.messages == Approx(25 * analyse(make_topology("base:2", 25, 1)).messages));
}

TEST_CASE("a prediction of what is drawn at random is near its mean", "[analysis]") {
  const Network network{.latency = std::chrono::milliseconds(1), .bytes_per_second = 1e6};
  PredictionSetting setting = setting_of(16, network);
  setting.configuration.hyperparameters["send-probability"] = 0.25;
  // 3840 chances: two standard deviations are 6 %.
  CHECK(predict(test::contestant("gosgd"), setting).messages == Approx(16 * 0.25).epsilon(0.1));
  setting.configuration.hyperparameters["budget"] = 0.3;
  // The two matchings of a ring of 16 have 16 links, and both directions of each are messages.
  CHECK(predict(test::contestant("matcha:ring"), setting).messages ==
        Approx(0.3 * 32).epsilon(0.15));
}

TEST_CASE("a prediction for a model too large to try agrees with the closed forms", "[analysis]") {
  const Network network{.latency = std::chrono::milliseconds(1), .bytes_per_second = 125e6};
  const std::uint64_t floats = 100'000'000;
  for (const int n : {8, 64}) {
    const PredictionSetting setting = setting_of(n, network, floats);
    const double message = 1e-3 + 4.0 * floats / 125e6;
    for (const char* text : {"ring", "all-reduce:rabenseifner", "all-reduce:recursive-doubling",
                             "all-reduce:ps-colocated", "gossip:ring", "gossip:static-exp"}) {
      const Contestant contestant = predicted_contestants(text).front();
      CAPTURE(n, text);
      const Prediction prediction = predict(contestant, setting);
      REQUIRE(prediction.closed_form_s);
      CHECK(prediction.step_s == Approx(*prediction.closed_form_s).epsilon(1e-6));
    }
    CHECK(predict(test::contestant("gossip:one-peer-exp"), setting).step_s ==
          Approx(3e-3 + message).epsilon(1e-6));
    CHECK(predict(test::contestant("gossip:one-peer-exp"), setting).bytes ==
          Approx(n * 4.0 * floats).epsilon(1e-9));
    // A server that is never idle; and one that answers the first while it waits for the last.
    CHECK(predict(test::contestant("ps-async"), setting).step_s ==
          Approx(n * message).epsilon(1e-6));
    CHECK(predict(test::contestant("ps-sync"), setting).step_s ==
          Approx(3e-3 + (n + 1) * message).epsilon(1e-6));
  }
}

TEST_CASE("a step of ps-async is a worker's own round while the server has time", "[analysis]") {
  const PredictionSetting setting =
      setting_of(3, {.latency = std::chrono::microseconds(100), .bytes_per_second = 1e9});
  const double message = 100e-6 + 4.0 * parameters / 1e9;
  CHECK(predict(test::contestant("ps-async"), setting).step_s ==
        Approx(3e-3 + 2 * message).epsilon(1e-9));
}

TEST_CASE("what happens every so many steps is predicted at its share", "[analysis]") {
  const Network network{.latency = std::chrono::milliseconds(1), .bytes_per_second = 1e6};
  const double model = 4.0 * parameters;
  PredictionSetting setting = setting_of(4, network);
  setting.configuration.hyperparameters = {{"period", 7.0}, {"switch-epoch", 1000.0}};
  const double average = to_seconds(find_all_reduce("tree").duration(
      4, 1, parameters, FloatMessages{setting.configuration.network}));
  // In the long run post-local-sgd is local SGD, however late its switch.
  for (const char* scheme : {"local-sgd", "post-local-sgd"}) {
    CHECK(predict(test::contestant(std::string(scheme) + ":tree"), setting).step_s ==
          Approx(3e-3 + average / 7).epsilon(1e-9));
  }
  CHECK(*predict(test::contestant("post-local-sgd:tree"), setting).closed_form_s ==
        Approx(3e-3 + average).epsilon(1e-9));
  setting.configuration.hyperparameters = {{"fetch-period", 5.0}, {"push-period", 7.0}};
  CHECK(predict(test::contestant("downpour"), setting).bytes ==
        Approx(4 * model * (1.0 / 5 + 1.0 / 7)));
  setting.configuration.hyperparameters = {{"period", 5.0}, {"participation", 0.5}};
  CHECK(predict(test::contestant("fedavg"), setting).bytes == Approx((2 + 4) * model / 5));
  setting.configuration.hyperparameters = {{"period-up", 9.0}, {"period-down", 11.0}};
  CHECK(predict(test::contestant("tree-easgd"), setting).bytes ==
        Approx(3 * model * (1.0 / 9 + 1.0 / 11)));

  setting = setting_of(15, network);
  setting.configuration.hyperparameters = {
      {"period-up", 10.0}, {"period-down", 10.0}, {"period-growth", 10.0}};
  const Prediction tree = predict(test::contestant("tree-easgd"), setting);
  CHECK(tree.steps_counted == 1000);
  CHECK(tree.messages == Approx(2 * (8 / 10.0 + 4 / 100.0 + 2 / 1000.0)));
}

TEST_CASE("periods that come round together too rarely are not predicted", "[analysis]") {
  PredictionSetting setting = setting_of(15, {});
  Hyperparameters& given = setting.configuration.hyperparameters;
  given = {{"period-up", 10.0}, {"period-down", 10.0}, {"period-growth", 1000.0}};
  CHECK_THROWS_AS(predict(test::contestant("tree-easgd"), setting), UsageError);
  CHECK_THROWS_WITH(predict(test::contestant("tree-easgd"), setting),
                    ContainsSubstring("tree-easgd: its periods come round together only after "
                                      "10000000 steps or more; a prediction plays them all, with "
                                      "15 workers at most 279620"));
  setting.configuration.workers = 2;  // one level of edges
  CHECK(predict(test::contestant("tree-easgd"), setting).messages == Approx(2 / 10.0));
  const double up = 999'999'999'989, down = 999'999'999'999;  // their product is beyond 64 bits
  given = {{"period-up", up}, {"period-down", down}, {"push-period", up}, {"fetch-period", down}};
  for (const char* scheme : {"tree-easgd", "downpour"}) {
    CHECK_THROWS_WITH(predict(test::contestant(scheme), setting),
                      ContainsSubstring("1000000000000 steps"));
  }
}

TEST_CASE("an epoch is its rows over what a step takes in", "[analysis]") {
  PredictionSetting setting = setting_of(4, {});
  setting.configuration.batch = 10;
  setting.rows = 1000;
  CHECK(predict(test::contestant("ring"), setting).epoch_s == Approx(25 * 3e-3));
  CHECK(predict(test::contestant("sequential"), setting).epoch_s == Approx(25 * 4 * 3e-3));
  CHECK(predict(test::contestant("ps-async"), setting).epoch_s == Approx(25 * 3e-3));
  setting.configuration.hyperparameters["backups"] = 2;  // two minibatches a step
  CHECK(predict(test::contestant("ps-backup"), setting).epoch_s == Approx(50 * 3e-3));
}

TEST_CASE("a prediction has no closed form where workers or links are not alike", "[analysis]") {
  const Network network{.latency = std::chrono::milliseconds(1), .bytes_per_second = 1e6};
  const Contestant ring = test::contestant("ring");
  CHECK(predict(ring, setting_of(4, network)).closed_form_s);

  PredictionSetting slow = setting_of(4, network);
  slow.configuration.stragglers = {{.rank = 2, .factor = 10.0}};
  CHECK_FALSE(predict(ring, slow).closed_form_s);
  CHECK(predict(ring, slow).step_s ==
        Approx(predict(ring, setting_of(4, network)).step_s + 9 * 3e-3).epsilon(1e-9));

  Network racks = network;
  racks.racks = 2;
  racks.between_latency = std::chrono::milliseconds(9);
  CHECK_FALSE(predict(ring, setting_of(4, racks)).closed_form_s);
  CHECK(predict(ring, setting_of(4, racks)).step_s > predict(ring, setting_of(4, network)).step_s);

  Network cut = network;
  cut.ports = PortMode::cutthrough;
  CHECK_FALSE(predict(ring, setting_of(4, cut)).closed_form_s);
}
