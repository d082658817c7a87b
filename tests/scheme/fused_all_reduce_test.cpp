// Gradients that are fused once in a cycle: the sums of rings, the time of a recurrence, whoever is
// late.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/by_layers.hpp"
#include "scheme/own_row.hpp"
#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

LoadedData blobs() {
  return {"blobs", generate_blobs(300, 12, 4, 1.0, 3), generate_blobs(50, 12, 4, 1.0, 4)};
}

Configuration mlp_run(int workers, double buffer) {
  Configuration c = quick("fused-all-reduce", workers, 30);
  c.model = "mlp:10,8";
  c.optimizer.lr = 0.2;
  c.hyperparameters = {{"cycle-time", 0.0}, {"fusion-buffer", buffer}};
  return c;
}

/// Each tensor by itself, the last one first; the model above has 12·10 + 10, 10·8 + 8 and 8·4 + 4
/// parameters.
void sum_tensors_in_turn(Worker& worker) {
  const std::vector<ParameterRange> tensors{{250, 4},  {218, 32}, {210, 8},
                                            {130, 80}, {120, 10}, {0, 120}};
  while (worker.next_step()) {
    const Vector gradient = worker.compute_gradient();
    for (const auto& [first, count] : tensors) {
      ring_sum(worker.comm(), gradient.subspan(first, count));
    }
    worker.apply(gradient, 1.0 / worker.comm().workers());
  }
}

/// Seconds of a step that begins at `now`, where cycles begin at `next` at the earliest.
struct Cycles {
  double length, next = 0.0;

  double sum_up(double now, const test::RandomNetwork& of, const Configuration& c) {
    const double compute = to_seconds(*c.compute_time);
    const double buffer = c.hyperparameters.at("fusion-buffer");
    const auto tensors = of.tensors();
    const auto final_at = [&](std::size_t t) { return now + tensors[t].final_at * compute; };
    double ends = 0.0;
    for (std::size_t t = 0; t < tensors.size();) {
      while (next < final_at(t)) next = length > 0.0 ? next + length : final_at(t);
      const double began = next;
      ends = began;
      while (t < tensors.size() && final_at(t) <= began) {
        std::size_t floats = tensors[t++].numbers;
        while (t < tensors.size() && final_at(t) <= began &&
               4.0 * static_cast<double>(floats + tensors[t].numbers) <= buffer) {
          floats += tensors[t++].numbers;
        }
        ends += test::ring_seconds(of.workers, floats, c.network);
      }
      next = std::max(began + length, ends);
    }
    return std::max(ends, now + compute);
  }
};

}  // namespace

TEST_CASE("without layers fused-all-reduce is ring, bit for bit",
          "[scheme][rule:fused-all-reduce]") {
  for (const LoadedData& data : {test::dense_problem(), test::sparse_problem()}) {
    for (const int n : {1, 2, 3, 8}) {
      for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
        CAPTURE(data.name, n, time_mode_text(time));
        Configuration c = quick("ring", n, 30);
        const RunResult ring = train(c, data);
        c.scheme = "fused-all-reduce";
        c.time = time;
        c.hyperparameters["cycle-time"] = 1e-3;
        const RunResult fused = train(c, data);
        CHECK(fused.summary.model_hash == ring.summary.model_hash);
        CHECK(fused.summary.bytes_sent == ring.summary.bytes_sent);
        CHECK(fused.summary.messages == ring.summary.messages);
        CHECK(fused.summary.servers == 1);
      }
    }
  }
}

TEST_CASE("without a buffer each tensor is summed around a ring by itself, whoever is late",
          "[scheme]") {
  const LoadedData data = blobs();
  const Scheme in_turn = test::mine(sum_tensors_in_turn);
  for (const int n : {2, 3, 5, 8}) {
    Configuration c = mlp_run(n, 0.0);
    c.scheme = "ring";
    c.hyperparameters.clear();
    const RunResult plain =
        run_experiment(plan_run(in_turn, resolve(c, {c.scheme}, data, {}), data), {});
    for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
      for (const double cycle : {0.0, 3e-4, 2e-3}) {
        for (const bool uneven : {false, true}) {
          CAPTURE(n, time_mode_text(time), cycle, uneven);
          c = mlp_run(n, 0.0);
          c.time = time;
          c.hyperparameters["cycle-time"] = cycle;
          if (uneven) {
            c.network = {.latency = std::chrono::microseconds(20), .bytes_per_second = 1e7};
            c.network.jitter = {Jitter::Kind::exponential, std::chrono::microseconds(30)};
            c.stragglers = {{n - 1, 3.0}};
            c.compute_noise.exponential = 0.5;
          }
          const RunResult fused = train(c, data);
          CHECK(fused.summary.model_hash == plain.summary.model_hash);
          CHECK(fused.summary.bytes_sent == plain.summary.bytes_sent);
          CHECK(fused.summary.messages == plain.summary.messages);
        }
      }
    }
  }
}

TEST_CASE("steps of fused-all-reduce take what cycles say, for any layers, buffers and cycles",
          "[scheme]") {
  constexpr std::uint64_t seed = 29;
  RandomStream random(seed, Purpose::scheme);
  int fused = 0, apart = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const test::RandomNetwork of(random, 1 + static_cast<int>(random.below(6)));
    Configuration c = test::random_run(random, of, "fused-all-reduce");
    const double model_bytes = 4.0 * static_cast<double>(of.parameters());
    const double buffer = std::floor(1.2 * model_bytes * random.uniform());
    const double cycle = trial % 6 == 0 ? 0.0 : 1e-2 * random.uniform();
    c.hyperparameters = {{"cycle-time", cycle}, {"fusion-buffer", buffer}, {"wire", 0.0}};
    CAPTURE(seed, trial, of.workers, of.model, of.widths.front(), buffer, cycle);

    Cycles cycles{to_seconds(seconds(cycle))};
    std::vector<double> ends{0.0};
    for (int step = 0; step < 4; ++step) ends.push_back(cycles.sum_up(ends.back(), of, c));
    c.steps = 1;
    const Summary one = train(c, of.data).summary;
    CHECK(one.seconds == Approx(ends[1]).epsilon(1e-8));
    c.steps = 4;
    CHECK(train(c, of.data).summary.seconds == Approx(ends[4]).epsilon(1e-8));
    CHECK(one.bytes_sent == static_cast<std::uint64_t>(2 * (of.workers - 1) * model_bytes));
    if (of.workers > 1) {
      const auto rings =
          one.messages / static_cast<std::uint64_t>(2 * of.workers * (of.workers - 1));
      if (rings < of.tensors().size()) ++fused;
      if (rings > 1) ++apart;
    }

    const auto model = make_model({of.model, 0.0}, of.data.train);
    const auto closed_form = find_scheme("fused-all-reduce")
                                 .cost.time({.workers = of.workers,
                                             .parameters = of.parameters(),
                                             .compute = *c.compute_time,
                                             .message = FloatMessages{c.network},
                                             .message_of_bytes = ByteMessages{c.network},
                                             .model = model.get(),
                                             .ingredients = {},
                                             .hyperparameters = c.hyperparameters});
    REQUIRE(closed_form);
    CHECK(to_seconds(*closed_form) == Approx(ends[1]).epsilon(1e-8));
  }
  CHECK(fused > 20);
  CHECK(apart > 20);
}

TEST_CASE("fused-all-reduce in 16 bits sends half the bytes, and learns as well", "[scheme]") {
  const LoadedData data = blobs();
  for (const int n : {1, 2, 3, 8}) {
    Configuration c = mlp_run(n, 1e6);
    c.network = {.latency = std::chrono::microseconds(20), .bytes_per_second = 1e6};
    c.hyperparameters["cycle-time"] = 9e-4;
    const RunResult plain = train(c, data);
    c.hyperparameters["wire"] = 1;
    const RunResult half = train(c, data);
    CAPTURE(n);
    CHECK(half.summary.model_hash != plain.summary.model_hash);
    CHECK(half.summary.train_loss == Approx(plain.summary.train_loss).epsilon(1e-2));
    CHECK(half.summary.consensus_distance == 0.0);
    CHECK(2 * half.summary.bytes_sent == plain.summary.bytes_sent);
    // On threads the cycles decide which tensors go together, and with it in what order sums round.
    c.time = TimeMode::wall;
    const RunResult wall = train(c, data);
    CHECK(wall.summary.train_loss == Approx(plain.summary.train_loss).epsilon(1e-2));
    CHECK(wall.summary.consensus_distance == 0.0);
    c.hyperparameters["fusion-buffer"] = 0.0;
    const RunResult apart = train(c, data);
    c.time = TimeMode::simulated;
    CHECK(apart.summary.model_hash == train(c, data).summary.model_hash);

    c.hyperparameters["fusion-buffer"] = 1e6;
    c.steps = 1;
    c.model = "mlp:16,8";
    const auto model = make_model({c.model, 0.0}, data.train);
    const auto form = find_scheme("fused-all-reduce")
                          .cost.time({.workers = n,
                                      .parameters = model->dimension(),
                                      .compute = *c.compute_time,
                                      .message = FloatMessages{c.network},
                                      .message_of_bytes = ByteMessages{c.network},
                                      .model = model.get(),
                                      .ingredients = {},
                                      .hyperparameters = c.hyperparameters});
    if (n != 3) CHECK(train(c, data).summary.seconds == Approx(to_seconds(*form)).epsilon(1e-9));
  }
}

TEST_CASE("in 16 bits a gradient that is not finite ends the run", "[scheme]") {
  Configuration c = mlp_run(2, 1e6);
  c.hyperparameters["wire"] = 1;
  c.optimizer.lr = 1e20;
  CHECK(train(c, blobs()).summary.diverged);
}

TEST_CASE("a model without layers is summed after the first cycle that begins at c or later",
          "[scheme]") {
  const LoadedData data = test::dense_problem(50, 840);
  for (const int n : {2, 4, 7}) {
    Configuration c = quick("fused-all-reduce", n, 1);
    c.compute_time = std::chrono::milliseconds(12);
    c.network = {.latency = std::chrono::microseconds(150), .bytes_per_second = 1e6};
    CAPTURE(n);
    // By default a cycle is 5 ms: the third one begins after 15 ms.
    const double step = 15e-3 + test::ring_seconds(n, 840, c.network);
    CHECK(train(c, data).summary.seconds == Approx(step).epsilon(1e-9));
  }
}

TEST_CASE("cycles and buffers are written as durations and sizes", "[scheme]") {
  Configuration c;
  option_named("cycle-time").set(c, "3.5ms", "test");
  CHECK(c.hyperparameters.at("cycle-time") == Approx(3.5e-3).epsilon(1e-12));
  CHECK(option_named("cycle-time").get(c) == "3500us");
  option_named("fusion-buffer").set(c, "0", "test");
  CHECK(c.hyperparameters.at("fusion-buffer") == 0.0);
  CHECK(option_named("fusion-buffer").get(c) == "0");
  CHECK_THROWS_WITH(option_named("cycle-time").set(c, "5", "--cycle-time"),
                    ContainsSubstring("--cycle-time"));
}
