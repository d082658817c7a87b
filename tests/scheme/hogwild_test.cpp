// Hogwild in its three ways of access, and its two forms for several memories. (hogwild-split:
// hogwild_split_test.cpp, too.)
#include <cmath>
#include <vector>

#include "trainyard/data/partition.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/hogwild_plus_plus.hpp"
#include "support/catch.hpp"
#include "support/shared_access.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

std::vector<float> values_of(const SharedModel& model) {
  std::vector<float> values(model.size());
  model.read(values);
  return values;
}

std::string hash_of(const Configuration& c, const LoadedData& data) {
  return train(c, data).summary.model_hash;
}

std::vector<LoadedData> problems() {
  std::vector<LoadedData> all;
  all.push_back(test::dense_problem());
  all.push_back(test::sparse_problem());
  return all;
}

}  // namespace

TEST_CASE("one worker is serial SGD, bit for bit, with every access", "[scheme][rule:hogwild]") {
  for (const LoadedData& data : problems()) {
    Configuration c = quick("sequential", 1, 300);
    c.batch = 1;
    c.l2 = 1e-3;
    const std::string serial = hash_of(c, data);
    for (const char* scheme : {"hogwild", "hogwild-split", "hogwild-numa", "hogwild++"}) {
      for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
        for (const SharedAccess access : test::all_accesses) {
          CAPTURE(data.name, scheme, time_mode_text(time), static_cast<int>(access));
          c.scheme = scheme;
          c.time = time;
          c.hyperparameters = {{"access", static_cast<double>(access)}, {"groups", 4.0}};
          CHECK(hash_of(c, data) == serial);
        }
      }
    }
  }
}

TEST_CASE("one group is Hogwild, bit for bit", "[scheme]") {
  for (const LoadedData& data : problems()) {
    Configuration c = quick("hogwild", 5, 100);
    c.compute_noise.exponential = 0.3;
    const std::string hogwild = hash_of(c, data);
    for (const char* scheme : {"hogwild-numa", "hogwild++"}) {
      CAPTURE(data.name, scheme);
      c.scheme = scheme;
      c.hyperparameters = {{"groups", 1.0}};
      CHECK(hash_of(c, data) == hogwild);
      CHECK_FALSE(train(c, data).summary.consensus_distance.has_value());
      c.hyperparameters = {{"groups", 2.0}};
      CHECK(hash_of(c, data) != hogwild);
      CHECK(train(c, data).summary.consensus_distance.has_value());
    }
  }
}

TEST_CASE("in simulated time, access changes nothing", "[scheme]") {
  const LoadedData data = test::sparse_problem();
  for (const char* scheme : {"hogwild", "hogwild-split", "hogwild-numa", "hogwild++"}) {
    Configuration c = quick(scheme, 4, 200);
    c.hyperparameters = {{"groups", 2.0}, {"access", 0.0}, {"exchange-uses", 8.0}};
    const std::string racy = hash_of(c, data);
    for (const double access : {1.0, 2.0}) {
      c.hyperparameters["access"] = access;
      CHECK(hash_of(c, data) == racy);
    }
  }
}

TEST_CASE("replicas that are never averaged train apart: a group a worker, τ beyond the end",
          "[scheme]") {
  // Each replica is then serial SGD on its worker's share, and the model is their mean.
  const LoadedData data = test::dense_problem();
  Configuration c = quick("local-sgd", 4, 50);
  c.hyperparameters = {{"period", 50.0}};
  const RunResult local = train(c, data);
  c.scheme = "hogwild-numa";
  c.hyperparameters = {{"period", 1e6}, {"groups", 4.0}};
  const RunResult apart = train(c, data);
  for (std::size_t j = 0; j < local.model.size(); ++j) {
    CHECK(apart.model.view().floats()[j] ==
          Approx(local.model.view().floats()[j]).epsilon(1e-5).margin(1e-6));
  }
  CHECK(*apart.summary.consensus_distance > 1e-6);
}

TEST_CASE("replicas are averaged in every τ-th step, once for all", "[scheme][rule:hogwild-numa]") {
  // Whoever ends the last step averages, and by then all others have ended theirs.
  for (const int groups : {2, 4}) {
    for (const std::uint64_t steps : {24U, 25U, 26U, 50U}) {
      CAPTURE(groups, steps);
      Configuration c = quick("hogwild-numa", 4, steps);
      c.hyperparameters = {{"period", 25.0}, {"groups", static_cast<double>(groups)}};
      const double distance = *train(c, test::dense_problem()).summary.consensus_distance;
      CHECK((distance < 1e-9) == (steps % 25 == 0));
    }
  }
}

TEST_CASE("β solves βⁿ + β = 1 and λ is 1 − βⁿ⁻¹", "[scheme]") {
  CHECK(ring_weights(2).beta == Approx((std::sqrt(5.0) - 1) / 2).epsilon(1e-12));
  CHECK(ring_weights(2).lambda == Approx((3 - std::sqrt(5.0)) / 2).epsilon(1e-12));
  for (int n = 2; n <= 40; ++n) {
    const auto [beta, lambda] = ring_weights(n);
    CHECK(std::pow(beta, n) + beta == Approx(1.0).epsilon(1e-12));
    CHECK(lambda == Approx(1.0 - std::pow(beta, n - 1)).epsilon(1e-12));
  }
}

TEST_CASE("an exchange of the ring does what its formula says", "[scheme][rule:hogwild++]") {
  const std::size_t size = 1100;  // two blocks and a bit
  const double tolerance = 0.01;
  for (const SharedAccess access : test::all_accesses) {
    std::vector<float> start(size), changed(size), next(size);
    for (std::size_t j = 0; j < size; ++j) {
      start[j] = std::sin(static_cast<float>(j));
      changed[j] = start[j] + (j % 3 == 0 ? 0.5F : j % 3 == 1 ? 0.005F : 0.0F);
      next[j] = std::cos(static_cast<float>(j));
    }
    SharedModel own(changed), other(next);
    const auto [beta, lambda] = ring_weights(3);
    std::vector<float> old = start;
    RingExchange ring({beta, lambda}, tolerance, old);
    ring.exchange(own, other, access);
    const std::vector<float> own_after = values_of(own), other_after = values_of(other);
    // Once more, with what `old` has become: nothing new has been added since.
    ring.exchange(own, other, access);
    const std::vector<float> other_twice = values_of(other), own_twice = values_of(own);
    for (std::size_t j = 0; j < size; ++j) {
      const double delta = static_cast<double>(changed[j]) - start[j], w = changed[j], x = next[j];
      const bool large = std::abs(delta) > tolerance;
      const double w1 =
          lambda * x + (1 - lambda) * w + (large ? beta + lambda - 1 : lambda) * delta;
      const double x1 = large ? x + beta * delta : x;
      REQUIRE(own_after[j] == Approx(w1).margin(1e-6));
      REQUIRE(other_after[j] == Approx(x1).margin(1e-6));
      const double rest = large ? 0.0 : delta;  // w1 − old
      REQUIRE(other_twice[j] == Approx(x1).margin(1e-6));
      REQUIRE(own_twice[j] == Approx(lambda * x1 + (1 - lambda) * w1 + lambda * rest).margin(1e-6));
    }
  }
}

TEST_CASE("small changes accumulate until they are handed on", "[scheme]") {
  const std::vector<float> zero(20, 0.0F), small(20, 0.006F);
  std::vector<float> copy(20), old = zero;
  SharedModel own(zero), next(zero);
  RingExchange ring(ring_weights(2), 0.01, old);
  own.add(1.0F, small, copy, SharedAccess::racy);
  ring.exchange(own, next, SharedAccess::racy);
  CHECK(values_of(next) == zero);
  own.add(1.0F, small, copy, SharedAccess::racy);
  ring.exchange(own, next, SharedAccess::racy);
  for (const float value : values_of(next)) {
    CHECK(value == Approx(ring_weights(2).beta * 0.012).epsilon(1e-4));
  }
}

TEST_CASE("a change is whole again in its own cluster after a round of the token", "[scheme]") {
  for (const int n : {2, 3, 4, 7}) {
    CAPTURE(n);
    const std::vector<float> zero(5, 0.0F), one(5, 1.0F);
    std::vector<float> copy(5);
    SharedModels clusters(n, n);
    std::vector<std::vector<float>> old(static_cast<std::size_t>(n), zero);
    std::vector<RingExchange> rings;
    for (int c = 0; c < n; ++c) {
      clusters.lay_out(c, zero);
      rings.emplace_back(ring_weights(n), 0.0, old[static_cast<std::size_t>(c)]);
    }
    clusters.of(0).add(1.0F, one, copy, SharedAccess::racy);
    for (int c = 0; c < n; ++c) {
      rings[static_cast<std::size_t>(c)].exchange(clusters.of(c), clusters.of((c + 1) % n),
                                                  SharedAccess::racy);
    }
    for (const float value : values_of(clusters.of(0))) CHECK(value == Approx(1.0).epsilon(1e-5));
  }
}

TEST_CASE("the token goes round: each holder keeps it for so many of its steps", "[scheme]") {
  // A holder exchanges after a step, sends the token on after `hold` more, and the next one finds
  // it after the step that it ends thereafter: hold + 1 steps a holder.
  for (const std::uint64_t hold : {1U, 2U, 5U}) {
    for (const std::uint64_t steps : {1U, 10U, 33U}) {
      for (const int clusters : {2, 3}) {
        CAPTURE(hold, steps, clusters);
        Configuration c = quick("hogwild++", 6, steps);
        c.hyperparameters = {{"groups", static_cast<double>(clusters)},
                             {"token-updates", static_cast<double>(hold)}};
        c.network.charge_control = true;  // so that the token is counted; it takes no time
        const Summary found = train(c, test::dense_problem()).summary;
        CHECK(found.messages == steps / (hold + 1));
        CHECK(found.bytes_sent == 0);
        c.network.charge_control = false;
        CHECK(train(c, test::dense_problem()).summary.messages == 0);
      }
    }
  }
}

TEST_CASE("the ring brings clusters together that would drift apart", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const char* scheme : {"hogwild-numa", "hogwild++"}) {
    CAPTURE(scheme);
    Configuration c = quick(scheme, 4, 400);
    c.partition = {.kind = PartitionRule::Kind::contiguous};
    c.hyperparameters = {
        {"groups", 2.0}, {"token-updates", 4.0}, {"period", 8.0}, {"tolerance", 0.0}};
    const double together = *train(c, data).summary.consensus_distance;
    c.hyperparameters = {
        {"groups", 2.0}, {"token-updates", 1e9}, {"period", 1e9}, {"tolerance", 0.0}};
    CHECK(together < 0.1 * *train(c, data).summary.consensus_distance);
  }
}

TEST_CASE("clusters learn on threads", "[scheme]") {
  const LoadedData data = test::sparse_problem();
  for (const char* scheme : {"hogwild", "hogwild-split", "hogwild-numa", "hogwild++"}) {
    for (const SharedAccess access : test::all_accesses) {
      CAPTURE(scheme, static_cast<int>(access));
      Configuration c = quick(scheme, 4, 500);
      c.time = TimeMode::wall;
      c.hyperparameters = {
          {"groups", 2.0}, {"exchange-uses", 8.0}, {"access", static_cast<double>(access)}};
      const RunResult result = train(c, data);
      CHECK(result.summary.train_loss < 0.8 * result.metrics.front().train_loss);
    }
  }
}
