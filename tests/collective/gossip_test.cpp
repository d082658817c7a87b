// Gossip without rounds: pairwise averaging, push-sum and sum-weight gossip, by schedules that are
// known event for event, and by what never changes, whatever the network does.
#include <array>
#include <numeric>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/collective/pairwise_average.hpp"
#include "trainyard/collective/push_sum.hpp"
#include "trainyard/collective/sum_weight_gossip.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/random_network.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using test::Json;
using test::random_network;
using test::setup_of;

namespace {

using Values = std::vector<double>;

/// x ← x − γ ∇f_i(x), as the golden problem has f_i.
Values gradient(const Json& golden, int worker, const Values& x) {
  Values g(x.size());
  const auto i = static_cast<std::size_t>(worker);
  for (std::size_t j = 0; j < x.size(); ++j) {
    g[j] = golden["_problem"]["h"][i][j].get<double>() *
           (x[j] - golden["_problem"]["b"][i][j].get<double>());
  }
  return g;
}

void step(double gamma, const Values& g, Values& x) {
  for (std::size_t j = 0; j < x.size(); ++j) x[j] -= gamma * g[j];
}

/// Of `events` events, the t-th is worker t mod n's, at t + 1 seconds.
template <typename Wait, typename Event>
void take_turns(Rank& rank, int events, const Wait& wait_until, const Event& event) {
  for (int t = rank.rank(); t < events; t += rank.workers()) {
    wait_until(seconds(t + 1.0) - rank.now());
    event();
  }
}

}  // namespace

TEST_CASE("pairwise averaging in turns is AD-PSGD's event", "[collective]") {
  const auto golden = test::golden_trajectories();
  const Json& trajectory = golden["adpsgd_schedule_i,i+1"];
  const int n = golden["_problem"]["n"];
  const double gamma = golden["_problem"]["gamma"];
  for (const auto& [t, states] : trajectory["states"].items()) {
    CAPTURE(t);
    const int rounds = std::stoi(t);
    std::vector<Values> x(static_cast<std::size_t>(n), Values(4));
    run_virtual(setup_of(n), [&](Rank& rank) {
      Values& mine = x[static_cast<std::size_t>(rank.rank())];
      std::vector<int> others;
      for (int i = 1; i < n; ++i) others.push_back((rank.rank() + i) % n);
      PairwiseAverage average(rank, Vector(mine), others);
      const auto serve = [&](const Message& message) {
        average.serve(message);
        return true;
      };
      take_turns(
          rank, rounds,
          [&](Duration time) {
            rank.compute_serving(
                {.simulated = time}, [] {}, serve);
          },
          [&] {
            const Values g = gradient(golden, rank.rank(), mine);
            average.with((rank.rank() + 1) % n);
            step(gamma, g, mine);
            average.serve_waiting();
          });
      average.finish();
    });
    for (std::size_t i = 0; i < x.size(); ++i) test::check_close(x[i], states[i]);
  }
}

TEST_CASE("sum-weight gossip in turns is GoSGD's event", "[collective][rule:gosgd]") {
  const auto golden = test::golden_trajectories();
  const Json& trajectory = golden["gosgd_schedule_i_to_i+2"];
  const int n = golden["_problem"]["n"];
  const double gamma = golden["_problem"]["gamma"];
  for (const auto& [t, states] : trajectory["states"].items()) {
    CAPTURE(t);
    const int rounds = std::stoi(t);
    std::vector<Values> x(static_cast<std::size_t>(n), Values(4));
    Values shares(static_cast<std::size_t>(n));
    run_virtual(setup_of(n), [&](Rank& rank) {
      Values& mine = x[static_cast<std::size_t>(rank.rank())];
      SumWeightGossip gossip(rank, Vector(mine));
      take_turns(
          rank, rounds,
          [&](Duration time) {
            rank.compute({.simulated = time}, [] {});
            gossip.receive_arrived();
          },
          [&] {
            step(gamma, gradient(golden, rank.rank(), mine), mine);
            gossip.send((rank.rank() + 2) % n);
          });
      gossip.finish();
      shares[static_cast<std::size_t>(rank.rank())] = gossip.share();
    });
    for (std::size_t i = 0; i < x.size(); ++i) test::check_close(x[i], states[i]);
    if (t == "1000") test::check_close(shares, trajectory["alpha_at_1000"]);
  }
}

TEST_CASE("sum-weight gossip keeps all of the truth, on any network", "[collective]") {
  const auto seed = GENERATE(1U, 2U, 3U, 4U, 5U);
  CAPTURE(seed);
  RandomStream random(seed, Purpose::network);
  const int n = 2 + static_cast<int>(random.below(7));
  const Network network = random_network(random);
  Values x(static_cast<std::size_t>(n)), shares(static_cast<std::size_t>(n));
  for (double& each : x) each = random.normal();
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
  run_virtual(setup_of(n, 0, network), [&](Rank& rank) {
    const auto index = static_cast<std::size_t>(rank.rank());
    RandomStream own(seed, Purpose::scheme, static_cast<std::uint32_t>(rank.rank()));
    SumWeightGossip gossip(rank, Vector(std::span<double>(x).subspan(index, 1)));
    for (int k = 0; k < 3000; ++k) {
      rank.compute({.simulated = seconds(1e-3 * own.exponential())}, [] {});
      gossip.receive_arrived();
      if (own.uniform() < 0.1) {
        const auto distance = 1 + static_cast<int>(own.below(static_cast<std::uint64_t>(n - 1)));
        gossip.send((rank.rank() + distance) % n);
      }
    }
    gossip.finish();
    shares[index] = gossip.share();
  });
  double total = 0.0, truth = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    total += shares[i];
    truth += shares[i] * x[i];
    CHECK(x[i] == Approx(mean).margin(1e-3));
  }
  CHECK(total == Approx(1.0).epsilon(1e-12));
  CHECK(truth == Approx(mean).epsilon(1e-12).margin(1e-12));
}

TEST_CASE("sum-weight gossip leaves nothing on its way", "[collective]") {
  // All send just before they end. Simulated ports let no message overtake another to the same
  // rank, not even by way of a third; threads do.
  for (const test::Runtime& runtime : test::runtimes()) {
    for (const int n : {1, 2, 3, 4, 7, 20}) {
      for (int repetition = 0; repetition < 40; ++repetition) {
        CAPTURE(runtime.name, n, repetition);
        Values x(static_cast<std::size_t>(n)), shares(x.size());
        std::iota(x.begin(), x.end(), 0.0);
        const RuntimeReport report = runtime.run(setup_of(n), [&](Rank& rank) {
          const auto index = static_cast<std::size_t>(rank.rank());
          SumWeightGossip gossip(rank, Vector(std::span<double>(x).subspan(index, 1)));
          for (int i = 1; i < n; i += 2) gossip.send((rank.rank() + i) % n);
          gossip.finish();
          shares[index] = gossip.share();
        });
        CHECK(std::accumulate(shares.begin(), shares.end(), 0.0) == Approx(1.0).epsilon(1e-12));
        CHECK(std::inner_product(x.begin(), x.end(), shares.begin(), 0.0) ==
              Approx((n - 1) / 2.0).margin(1e-12));
        std::uint64_t messages = 0;
        for (const RankAccount& account : report.accounts) messages += account.messages_sent;
        CHECK(messages == static_cast<std::uint64_t>(n * (n / 2) + 2 * (n - 1)));
      }
    }
  }
}

TEST_CASE("sum-weight gossip: who only gives keeps a share, and none is lost to rounding",
          "[collective]") {
  std::vector<std::vector<float>> x{{1.0F}, {5.0F}, {6.0F}};
  std::vector<double> shares(3);
  run_virtual(setup_of(3), [&](Rank& rank) {
    const auto index = static_cast<std::size_t>(rank.rank());
    SumWeightGossip gossip(rank, Vector(x[index]));
    for (int k = 0; rank.rank() == 0 && k < 2000; ++k) gossip.send(1 + k % 2);
    gossip.finish();
    shares[index] = gossip.share();
  });
  CHECK(shares[0] > 0.0);
  CHECK(shares[0] + shares[1] + shares[2] == Approx(1.0).epsilon(1e-15));
  CHECK(x[0][0] == 1.0F);
  // Of what 0 had, 1 gets two thirds.
  CHECK(x[1][0] == Approx((5.0 + 2.0 / 3) / (1.0 + 2.0 / 3)));
  CHECK(x[2][0] == Approx((6.0 + 1.0 / 3) / (1.0 + 1.0 / 3)));
}

TEST_CASE("push-sum keeps sum and weight over random directed graphs", "[collective]") {
  const auto seed = GENERATE(1U, 2U, 3U, 4U, 5U);
  CAPTURE(seed);
  RandomStream random(seed, Purpose::network);
  const int n = 2 + static_cast<int>(random.below(8));
  const Network network = random_network(random);
  // A circle, so that it is connected, and links at random beside it.
  std::vector<MixingEdge> edges;
  for (int to = 0; to < n; ++to) {
    for (int from = 0; from < n; ++from) {
      if (to == from) continue;
      if (to == (from + 1) % n || random.below(4) == 0) edges.push_back({to, from, 0.0});
    }
  }
  const MixingMatrix graph = equal_shares(n, edges);
  const bool late = random.below(2) == 0;  // taken in one round after
  Values x(static_cast<std::size_t>(n)), weights(x.size()), sums(x.size());
  for (double& each : x) each = random.normal();
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
  run_virtual(setup_of(n, 0, network), [&](Rank& rank) {
    const auto index = static_cast<std::size_t>(rank.rank());
    const Vector mine(std::span<double>(x).subspan(index, 1));
    Values pair(2);
    PushSum sum(Vector(pair), mine);
    for (int k = 0; k < 400; ++k) {
      sum.send(rank, graph[index]);
      if (!late || k > 0) sum.receive(rank, graph[index]);
    }
    if (late) sum.receive(rank, graph[index]);
    weights[index] = sum.weight();
    sums[index] = sum.u().doubles()[0];
    sum.estimate(mine);
  });
  CHECK(std::accumulate(weights.begin(), weights.end(), 0.0) == Approx(n).epsilon(1e-12));
  CHECK(std::accumulate(sums.begin(), sums.end(), 0.0) ==
        Approx(mean * n).epsilon(1e-12).margin(1e-12));
  for (const double each : x) CHECK(each == Approx(mean).margin(1e-6));
}
