// Closed forms of the first step where parts of the model are of a few numbers, or of none.
#include <algorithm>

#include "trainyard/analysis/prediction.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

bool divides_layers(const Scheme& scheme) {
  return std::ranges::count(scheme.hyperparameters, std::string("stages"),
                            &HyperparameterInfo::name) > 0;
}

void check_first_steps(std::uint64_t floats, int workers, int servers, double latency_s) {
  PredictionSetting setting;
  Configuration& c = setting.configuration;
  c.workers = workers;
  c.servers = servers;
  c.network = {.latency = seconds(latency_s), .bytes_per_second = 125e3};
  c.compute_time = std::chrono::milliseconds(1);
  c.encode_time = c.decode_time = Duration{0};
  setting.parameters = floats;
  const LoadedData data{
      "rows", generate_sparse_logistic(static_cast<std::size_t>(workers), floats, 1, 5), {}};
  for (const Contestant& contestant : predicted_contestants("all")) {
    const Scheme& scheme = find_scheme(contestant.scheme);
    if (divides_layers(scheme)) continue;
    CAPTURE(contestant.label, floats, workers, servers, latency_s);
    const Prediction found = predict(contestant, setting);
    if (!found.closed_form_s) continue;
    Configuration run = c;
    run.scheme = scheme.name;
    run.model = "logistic";
    run.batch = 1;
    run.steps = 1;
    run.time = TimeMode::simulated;
    run.line_time = Duration{0};  // the closed form is of lines that take no time
    run.evaluate_every = 1e9;
    run.sparse_wire = SparseWire::off;  // a row has one feature
    apply(contestant.settings, run);
    CHECK(test::train(run, data).summary.seconds == Approx(*found.closed_form_s).epsilon(1e-9));
  }
}

}  // namespace

TEST_CASE("closed forms hold for vectors shorter than the ranks", "[analysis][first-step]") {
  check_first_steps(5, 4, 3, 0.0);
  check_first_steps(7, 8, 5, 1e-6);
}

TEST_CASE("closed forms hold for short vectors, over a grid", "[analysis][first-step][slow]") {
  // Each length with each number of workers, and each of these with each number of servers.
  int k = 0;
  for (const std::uint64_t floats : {1, 3, 13, 25}) {
    for (const int n : {2, 5, 8, 9}) {
      k = k % 3 + 1;
      check_first_steps(floats, n, k, k == 2 ? 0.0 : 1e-6);
    }
  }
}
