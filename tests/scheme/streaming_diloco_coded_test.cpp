// Streaming DiLoCo with a codec: against coded-diloco, against its rule written out, and what its
// messages are.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "codec/rounding.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

Hyperparameters schedule(double period, double fragments, double delay, double local_share) {
  return {{"period", period},
          {"fragments", fragments},
          {"fragment-delay", delay},
          {"local-share", local_share}};
}

Network slow_network() {
  return {.latency = std::chrono::microseconds(100), .bytes_per_second = 1e6};
}

/// Two workers, two fragments of five and six numbers, of which the first worker owns two and
/// three, by the rule of its file.
class ByHand {
 public:
  static constexpr std::size_t n = 2, size = 11;
  static constexpr double eta = 0.6, mu = 0.8, alpha = 0.25, gamma = 0.1;

  explicit ByHand(bool feeds_back) : feeds_back_(feeds_back) {}

  static std::vector<Doubles> curvatures() {
    return {{1.0, 0.25, 4.0, 0.5, 1.5, 0.125, 0.75, 2.0, 0.375, 1.0, 3.0},
            {0.5, 0.75, 1.0, 2.0, 0.375, 0.875, 1.25, 0.25, 4.0, 0.5, 1.0}};
  }
  static std::vector<Doubles> optima() {
    return {{1.0, -2.0, 0.5, 3.0, 0.0, 9.0, -1.0, 0.25, 2.0, -4.0, 1.5},
            {-1.0, 3.0, 0.25, 1.0, -4.0, 0.5, 2.0, -3.0, 0.125, 5.0, -0.5}};
  }
  const Doubles& worker(std::size_t i) const { return x_[i]; }

  void step_all() {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        x_[i][j] -= gamma * curvatures()[i][j] * (x_[i][j] - optima()[i][j]);
      }
    }
  }
  void send(std::size_t fragment) {
    const std::vector<std::size_t> cuts =
        fragment == 0 ? std::vector<std::size_t>{0, 2, 5} : std::vector<std::size_t>{5, 8, 11};
    for (std::size_t owner = 0; owner < n; ++owner) send(cuts[owner], cuts[owner + 1]);
  }
  void merge(std::size_t fragment) {
    for (std::size_t j = fragment == 0 ? 0 : 5; j < (fragment == 0 ? 5U : 11U); ++j) {
      velocity_[j] = mu * velocity_[j] + way_[j];
      outer_[j] -= eta * (way_[j] + mu * velocity_[j]);
      for (Doubles& each : x_) each[j] = (1 - alpha) * outer_[j] + alpha * each[j];
    }
  }

 private:
  /// The owner's part of it.
  void send(std::size_t first, std::size_t last) {
    Doubles sum(last - first, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      Doubles part;
      for (std::size_t j = first; j < last; ++j) {
        part.push_back(outer_[j] - x_[i][j] + (feeds_back_ ? error_[i][j] : 0.0));
      }
      const Doubles sent = test::as_e3m0(part);
      for (std::size_t j = first; j < last; ++j) {
        error_[i][j] = part[j - first] - sent[j - first];
        sum[j - first] += sent[j - first] / n;
      }
    }
    for (std::size_t j = first; j < last && feeds_back_; ++j) sum[j - first] += own_error_[j];
    const Doubles mean = test::as_e3m0(sum);
    for (std::size_t j = first; j < last; ++j) {
      own_error_[j] = sum[j - first] - mean[j - first];
      way_[j] = mean[j - first];
    }
  }

  const bool feeds_back_;
  Doubles outer_ = Doubles(size, 0.0), velocity_ = outer_, own_error_ = outer_, way_ = outer_;
  std::vector<Doubles> x_{n, outer_}, error_{n, outer_};
};

}  // namespace

TEST_CASE("encoded, streaming-diloco of one fragment that is waited for is coded-diloco",
          "[scheme]") {
  const LoadedData data = test::dense_problem(60, 41);
  for (const char* codec : {"e3m0", "qsgd:7", "sign", "top-k:30%", "fp16"}) {
    for (const double feedback : {0.0, 1.0}) {
      for (const int n : {1, 2, 3, 5}) {
        for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
          if (time == TimeMode::wall && n != 3) continue;  // its delays are really waited for
          CAPTURE(codec, feedback, n, time_mode_text(time));
          Configuration c = test::quick("streaming-diloco", n, 23);
          c.time = time;
          c.network = slow_network();
          c.encode_time = std::chrono::nanoseconds(700);
          c.decode_time = std::chrono::nanoseconds(300);
          c.ingredients["codec"] = codec;
          c.hyperparameters = schedule(5, 1, 0, 0.0);
          c.hyperparameters["error-feedback"] = feedback;
          Configuration same = c;
          same.scheme = "coded-diloco";
          same.hyperparameters = {{"period", 5.0}, {"error-feedback", feedback}};
          const Summary a = test::train(c, data).summary, b = test::train(same, data).summary;
          CHECK(a.model_hash == b.model_hash);
          CHECK(a.bytes_sent == b.bytes_sent);
          CHECK(a.messages == b.messages);
          CHECK(a.coding_error == b.coding_error);
          if (time == TimeMode::wall) continue;
          CHECK(a.seconds == b.seconds);
          CHECK(a.coding_s == b.coding_s);
        }
      }
    }
  }
}

TEST_CASE("with identity streaming-diloco encodes nothing, and is what it is without a codec",
          "[scheme]") {
  const LoadedData data = test::dense_problem(60, 41);
  for (const double wire : {0.0, 1.0}) {
    for (const int n : {1, 3, 4}) {
      CAPTURE(wire, n);
      Configuration c = test::quick("streaming-diloco", n, 40);
      c.network = slow_network();
      c.hyperparameters["wire"] = wire;
      const RunResult without = test::train(c, data);
      CHECK(without.resolved.ingredients.at("codec") == "identity");
      c.ingredients["codec"] = "identity";
      c.encode_time = c.decode_time = std::chrono::nanoseconds(0);
      const RunResult with = test::train(c, data);
      CHECK(with.summary.model_hash == without.summary.model_hash);
      CHECK(with.summary.seconds == without.summary.seconds);
      CHECK_FALSE(with.summary.coding_s);
      // Rings: two turns a period of ten steps, of 2(n − 1) hops of each worker's.
      const auto hops = static_cast<std::uint64_t>(2 * (n - 1));
      CHECK(with.summary.messages == 8 * hops * static_cast<std::uint64_t>(n));
      CHECK(with.summary.bytes_sent == 4 * 41 * hops * (wire == 0.0 ? 4 : 2));
    }
  }
  // Its sums have the bits of diloco's ring, and the mean too where 1/n is exact.
  Configuration c = test::quick("streaming-diloco", 4, 40);
  c.hyperparameters = schedule(5, 1, 0, 0.0);
  Configuration same = c;
  same.scheme = "diloco";
  same.hyperparameters = {{"period", 5.0}};
  same.ingredients["collective"] = "ring";
  CHECK(test::train(c, data).summary.model_hash == test::train(same, data).summary.model_hash);
}

/// Of six steps a period two fragments have their turns after the third and the last, and are sent
/// two steps before.
TEST_CASE("streaming-diloco steps each fragment along the encoded mean of encoded ways",
          "[scheme]") {
  const Dataset data = test::quadratic_data(ByHand::curvatures(), ByHand::optima());
  for (const bool feeds_back : {false, true}) {
    ByHand expected(feeds_back);
    for (std::uint64_t done = 1; done <= 32; ++done) {
      expected.step_all();
      const std::size_t fragment = (done - 1) / 3 % 2;
      if (done % 3 == 1) expected.send(fragment);
      if (done % 3 == 0) expected.merge(fragment);
      CAPTURE(feeds_back, done);
      Configuration c;
      c.scheme = "streaming-diloco";
      c.workers = ByHand::n;
      c.steps = done;
      c.optimizer.lr = ByHand::gamma;
      c.ingredients["codec"] = "e3m0";
      c.hyperparameters = schedule(6, 2, 2, ByHand::alpha);
      c.hyperparameters["outer-lr"] = ByHand::eta;
      c.hyperparameters["outer-momentum"] = ByHand::mu;
      c.hyperparameters["error-feedback"] = feeds_back ? 1.0 : 0.0;
      const test::Replicas found = test::run_on_quadratic(c, data);
      for (std::size_t i = 0; i < ByHand::n; ++i) {
        test::check_close(found.workers[i], expected.worker(i));
      }
    }
  }
}

/// Four workers, two fragments of 40 numbers in parts of 10: in four bits 4 + 5 bytes, of which
/// each worker sends 2 · 3 a turn.
TEST_CASE("encoded fragments travel in the codec's bytes, while workers compute", "[scheme]") {
  const LoadedData data = test::dense_problem(60, 80);
  Configuration c = test::quick("streaming-diloco", 4, 40);
  c.network = slow_network();  // 6 messages take 0.654 ms
  c.hyperparameters = schedule(10, 2, 2, 0.5);
  c.ingredients["codec"] = "e3m0";
  c.encode_time = c.decode_time = Duration{0};
  const Summary summary = test::train(c, data).summary;
  CHECK(summary.messages == 8U * 6 * 4);
  CHECK(summary.bytes_sent == 8U * 6 * 4 * 9);
  CHECK(*summary.compression == Approx(40.0 / 9.0));
  CHECK(summary.seconds == Approx(40e-3).epsilon(1e-12));  // nobody waits
  CHECK(summary.wait_s + summary.transfer_s == 0.0);
  // A worker encodes each of its four parts and a mean, 10 numbers each; it decodes 4 parts and 4
  // means.
  c.encode_time = std::chrono::nanoseconds(500);
  c.decode_time = std::chrono::nanoseconds(200);
  const Summary timed = test::train(c, data).summary;
  const double coding = 8 * 10 * (5 * 500e-9 + 8 * 200e-9);
  CHECK(*timed.coding_s == Approx(coding).epsilon(1e-9));
  CHECK(timed.seconds == Approx(40e-3 + coding).epsilon(1e-9));
  CHECK(timed.model_hash == summary.model_hash);
}

TEST_CASE("threads have the bits of encoded fragments in simulation", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const char* codec : {"e3m0", "qsgd:127"}) {
    for (const int n : {1, 2, 5}) {
      CAPTURE(codec, n);
      Configuration c = test::quick("streaming-diloco", n, 60);
      c.ingredients["codec"] = codec;
      c.hyperparameters = schedule(9, 3, 2, 0.5);
      c.hyperparameters["error-feedback"] = 1.0;
      const RunResult simulated = test::train(c, data);
      c.time = TimeMode::wall;
      CHECK(test::train(c, data).summary.model_hash == simulated.summary.model_hash);
    }
  }
}

TEST_CASE("outer gradients are not encoded twice", "[scheme]") {
  Configuration c = test::quick("streaming-diloco", 4, 1);
  c.ingredients["codec"] = "e3m0";
  c.hyperparameters["wire"] = 1.0;
  CHECK_THROWS_WITH(test::train(c, test::dense_problem()),
                    ContainsSubstring("--wire fp16: ") && ContainsSubstring("--codec e3m0"));
}

namespace {

/// 40 steps of four workers, a checkpoint after each seven.
Configuration in_legs(const char* codec) {
  Configuration c = test::quick("streaming-diloco", 4, 40);
  c.network = slow_network();
  c.ingredients["codec"] = codec;
  c.hyperparameters = schedule(10, 2, 2, 0.5);
  c.checkpoint_every = 7 * 16 / 400.0;
  return c;
}

}  // namespace

/// Fragments are sent after 3 and 8 steps of ten and merged two later: legs end amid turns with
/// steps 14 and 28, and between the two fragments' with others.
TEST_CASE("encoded fragments go on in legs as in one piece, with their errors", "[scheme][legs]") {
  const LoadedData data = test::dense_problem();
  for (const double feedback : {0.0, 1.0}) {
    CAPTURE(feedback);
    Configuration c = in_legs("qsgd:7");
    c.hyperparameters["error-feedback"] = feedback;
    int legs = 1;
    RunHooks hooks;
    hooks.leg_ended = [&](const RunState&) { ++legs; };
    const Configuration resolved = resolve(c, {c.scheme}, data, {});
    const Summary in_pieces = run_experiment(plan_run(resolved, data), hooks).summary;
    CHECK(legs == 6);
    c.checkpoint_every.reset();
    const Summary whole = test::train(c, data).summary;
    CHECK(in_pieces.model_hash == whole.model_hash);
    CHECK(in_pieces.bytes_sent == whole.bytes_sent);
  }
}

TEST_CASE("a ring that a leg's end cuts off leaves all outer models one", "[scheme][legs]") {
  const LoadedData data = test::dense_problem();
  const Configuration c = in_legs("identity");
  int legs = 1;
  RunHooks hooks;
  hooks.leg_ended = [&](const RunState& state) {
    ++legs;
    std::vector<Doubles> outer;
    for (int w = 0; w < 4; ++w) {
      for (const auto& [name, values] : state.kept_by(w)) {
        if (name == "outer model")
          outer.emplace_back(values.floats().begin(), values.floats().end());
      }
    }
    REQUIRE(outer.size() == 4);
    for (const Doubles& each : outer) CHECK(each == outer.front());
  };
  const Configuration resolved = resolve(c, {c.scheme}, data, {});
  (void)run_experiment(plan_run(resolved, data), hooks);
  CHECK(legs == 6);
}
