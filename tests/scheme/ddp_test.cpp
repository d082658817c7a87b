// Gradients in buckets that travel while they are computed: the bits of a ring, and the time of a
// recurrence.
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

Configuration mlp_run(const char* scheme, int workers, double bucket) {
  Configuration c = quick(scheme, workers, 30);
  c.model = "mlp:10,8";
  c.l2 = 1e-3;
  c.optimizer.lr = 0.2;
  if (std::string(scheme) == "ddp") c.hyperparameters = {{"bucket", bucket}, {"wire", 0.0}};
  return c;
}

/// Of the model above, by hand: 12·10 + 10, 10·8 + 8, 8·4 + 4 parameters.
struct Buckets {
  double bytes;
  std::vector<ParameterRange> ranges;  // the last one first
};
const std::vector<Buckets> by_hand{
    {1e9, {{0, 254}}},
    {400, {{130, 124}, {0, 130}}},            // b3 W3 b2 W2 | b1 W1
    {144, {{218, 36}, {130, 88}, {0, 130}}},  // b3 W3 | b2 W2 | b1 W1
    {145, {{210, 44}, {130, 80}, {0, 130}}},  // b3 W3 b2 | W2 | b1 W1
    {1, {{250, 4}, {218, 32}, {210, 8}, {130, 80}, {120, 10}, {0, 120}}},
};

/// Buckets that wait for the whole gradient, and for each other.
std::vector<ParameterRange> in_turn_buckets;
void sum_buckets_in_turn(Worker& worker) {
  while (worker.next_step()) {
    const Vector gradient = worker.compute_gradient();
    for (const auto& [first, count] : in_turn_buckets) {
      ring_sum(worker.comm(), gradient.subspan(first, count));
    }
    worker.apply(gradient, 1.0 / worker.comm().workers());
  }
}

}  // namespace

TEST_CASE("ddp with one bucket is ring, bit for bit", "[scheme][rule:ddp]") {
  for (const LoadedData& data : {blobs(), test::dense_problem(), test::sparse_problem()}) {
    for (const auto kind : {OptimizerKind::sgd, OptimizerKind::adam}) {
      for (const int n : {1, 2, 3, 8}) {
        for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
          CAPTURE(data.name, static_cast<int>(kind), n, time_mode_text(time));
          Configuration c = quick("ring", n, 30);
          if (data.name == "blobs") c.model = "mlp:10,8";
          c.optimizer.kind = kind;
          const RunResult ring = train(c, data);
          c.scheme = "ddp";
          c.time = time;
          const RunResult ddp = train(c, data);
          CHECK(ddp.summary.model_hash == ring.summary.model_hash);
          CHECK(ddp.summary.bytes_sent == ring.summary.bytes_sent);
          CHECK(ddp.summary.messages == ring.summary.messages);
        }
      }
    }
  }
}

TEST_CASE("ddp's buckets are sums around a ring each, bit for bit, whatever arrives first",
          "[scheme]") {
  const LoadedData data = blobs();
  const Scheme in_turn = test::mine(sum_buckets_in_turn);
  for (const Buckets& buckets : by_hand) {
    in_turn_buckets = buckets.ranges;
    for (const int n : {2, 3, 5, 8}) {
      CAPTURE(buckets.bytes, n);
      Configuration c = mlp_run("ring", n, buckets.bytes);
      const RunResult plain =
          run_experiment(plan_run(in_turn, resolve(c, {c.scheme}, data, {}), data), {});
      for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
        for (const bool uneven : {false, true}) {
          CAPTURE(time_mode_text(time), uneven);
          c = mlp_run("ddp", n, buckets.bytes);
          c.time = time;
          if (uneven) {
            c.network = {.latency = std::chrono::microseconds(20), .bytes_per_second = 1e7};
            c.network.jitter = {Jitter::Kind::exponential, std::chrono::microseconds(30)};
            c.stragglers = {{n - 1, 3.0}};
            c.compute_noise.exponential = 0.5;
          }
          const RunResult ddp = train(c, data);
          CHECK(ddp.summary.model_hash == plain.summary.model_hash);
          CHECK(ddp.summary.bytes_sent == plain.summary.bytes_sent);
          CHECK(ddp.summary.messages == plain.summary.messages);
        }
      }
    }
  }
}

TEST_CASE("a step of ddp takes what its recurrence says, for any layers and buckets", "[scheme]") {
  constexpr std::uint64_t seed = 23;
  RandomStream random(seed, Purpose::scheme);
  int overlapped = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const test::RandomNetwork of(random, 1 + static_cast<int>(random.below(6)));
    Configuration c = test::random_run(random, of, "ddp");
    const double model_bytes = 4.0 * static_cast<double>(of.parameters());
    const double bucket = 1 + std::floor(model_bytes * random.uniform() * random.uniform());
    const bool half = random.below(2) == 1;
    c.hyperparameters["bucket"] = bucket;
    c.hyperparameters["wire"] = half ? 1 : 0;
    Network seen = c.network;  // 2 bytes a number for 4 are twice the bandwidth
    if (half) seen.bytes_per_second *= 2;
    CAPTURE(seed, trial, of.workers, of.model, of.widths.front(), bucket, half);

    const double compute = to_seconds(*c.compute_time);
    double ends = 0.0, alone = compute;
    std::size_t floats = 0;
    const auto tensors = of.tensors();
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      floats += tensors[t].numbers;
      if (4.0 * static_cast<double>(floats) < bucket && t + 1 < tensors.size()) continue;
      const double takes = test::ring_seconds(of.workers, floats, seen);
      ends = std::max(ends, tensors[t].final_at * compute) + takes;
      alone += takes;
      floats = 0;
    }
    ends = std::max(ends, compute);
    if (ends < 0.99 * alone) ++overlapped;

    for (const std::uint64_t steps : {1U, 4U}) {
      c.steps = steps;
      CHECK(train(c, of.data).summary.seconds ==
            Approx(static_cast<double>(steps) * ends).epsilon(1e-8));
    }
    const Scheme& ddp = find_scheme("ddp");
    const auto model = make_model({of.model, 0.0}, of.data.train);
    const auto closed_form = ddp.cost.time({.workers = of.workers,
                                            .parameters = of.parameters(),
                                            .compute = *c.compute_time,
                                            .message = FloatMessages{c.network},
                                            .message_of_bytes = ByteMessages{c.network},
                                            .model = model.get(),
                                            .ingredients = {},
                                            .hyperparameters = c.hyperparameters});
    REQUIRE(closed_form);
    CHECK(to_seconds(*closed_form) == Approx(ends).epsilon(1e-8));
  }
  CHECK(overlapped > 20);
}

TEST_CASE("where chunks are uneven a step of ddp takes its closed form at most", "[scheme]") {
  const LoadedData data = blobs();
  for (const int n : {2, 3, 5, 7}) {
    for (const double bucket : {1.0, 100.0, 400.0, 2000.0}) {
      Configuration c = mlp_run("ddp", n, bucket);
      c.steps = 1;
      c.compute_time = std::chrono::milliseconds(10);
      c.network = {.latency = std::chrono::microseconds(50), .bytes_per_second = 1e5};
      const auto model = make_model({c.model, 0.0}, data.train);
      const auto form = find_scheme("ddp").cost.time({.workers = n,
                                                      .parameters = model->dimension(),
                                                      .compute = *c.compute_time,
                                                      .message = FloatMessages{c.network},
                                                      .message_of_bytes = ByteMessages{c.network},
                                                      .model = model.get(),
                                                      .ingredients = {},
                                                      .hyperparameters = c.hyperparameters});
      const double step = train(c, data).summary.seconds;
      CAPTURE(n, bucket, step, to_seconds(*form));
      CHECK(step <= to_seconds(*form) * (1 + 1e-12));
      CHECK(step > 0.9 * to_seconds(*form));
    }
  }
}

TEST_CASE("ddp in 16 bits sends half the bytes in as many messages, and learns as well",
          "[scheme]") {
  const LoadedData data = blobs();
  for (const int n : {1, 2, 3, 8}) {
    CAPTURE(n);
    Configuration c = mlp_run("ddp", n, 400);
    const RunResult plain = train(c, data);
    c.hyperparameters["wire"] = 1;
    const RunResult half = train(c, data);
    CHECK(half.summary.model_hash != plain.summary.model_hash);
    CHECK(half.summary.train_loss == Approx(plain.summary.train_loss).epsilon(1e-2));
    CHECK(half.summary.consensus_distance == 0.0);
    CHECK(half.summary.messages == plain.summary.messages);
    CHECK(2 * half.summary.bytes_sent == plain.summary.bytes_sent);
    c.time = TimeMode::wall;
    CHECK(train(c, data).summary.model_hash == half.summary.model_hash);
    c.optimizer.lr = 1e20;
    CHECK(train(c, data).summary.diverged);
  }
}

TEST_CASE("a bucket is written as a size, and none of nothing", "[scheme]") {
  Configuration c;
  const Option& bucket = option_named("bucket");
  bucket.set(c, "25MiB", "test");
  CHECK(c.hyperparameters.at("bucket") == 26214400.0);
  CHECK(bucket.get(c) == "25MiB");
  bucket.set(c, "1000kB", "test");
  CHECK(bucket.get(c) == "1000000");
  CHECK_THROWS_WITH(bucket.set(c, "0", "--bucket"),
                    ContainsSubstring("--bucket: '0' is not from 1 to "));
  CHECK_THROWS_WITH(bucket.set(c, "much", "--bucket"), ContainsSubstring("--bucket"));
}
