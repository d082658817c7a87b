// What a step costs under the switch, against the closed forms of the catalogue §1.2, with its α
// = 1.5 s and t = 5 s for the whole model.
#include <algorithm>
#include <cmath>

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

constexpr double alpha = 1.5;
constexpr double transfer = 5.0;
constexpr double compute = 3.0;

/// One step from lock-step; 840 parameters, divisible by 1 to 8.
double step_seconds(const std::string& scheme, int workers, const std::string& topology = "ring",
                    int servers = 1, std::uint64_t steps = 1, double computing = compute) {
  static const LoadedData data = test::dense_problem(50, 840);
  Configuration c = quick(scheme, workers, steps);
  c.ingredients["topology"] = topology;
  c.servers = servers;
  c.compute_time = seconds(computing);
  c.network = {.latency = seconds(alpha), .bytes_per_second = 840 * 4 / transfer};
  return train(c, data).summary.seconds;
}

}  // namespace

TEST_CASE("one step of ps-sync takes c + 2·max(n, k)(α + t/k)", "[scheme]") {
  for (const int n : {1, 2, 3, 5, 8}) {
    for (const int k : {1, 2, 4, 8}) {
      CAPTURE(n, k);
      const double step = step_seconds("ps-sync", n, "ring", k);
      const double closed_form = compute + 2 * std::max(n, k) * (alpha + transfer / k);
      if (k <= n) {
        CHECK(step == Approx(closed_form).epsilon(1e-12));
      } else {
        CHECK(step <= closed_form *
                          (1 + 1e-12));  // the first shards are answered while the last are pushed
      }
    }
  }
}

TEST_CASE("a step of ring takes c + 2(n-1)(α + t/n)", "[scheme]") {
  for (const int n : {1, 2, 3, 5, 8}) {
    for (const std::uint64_t steps : {1U, 7U}) {
      CAPTURE(n, steps);
      const double step = compute + 2 * (n - 1) * (alpha + transfer / n);
      CHECK(step_seconds("ring", n, "ring", 1, steps) ==
            Approx(static_cast<double>(steps) * step).epsilon(1e-12));
    }
  }
}

TEST_CASE("a step of gossip takes c + Δ(α + t)", "[scheme]") {
  for (const int n : {1, 2, 3, 5, 8}) {
    const int hops = n == 1 ? 0 : static_cast<int>(std::ceil(std::log2(n)));
    struct Row {
      const char* topology;
      int degree;
    };
    for (const Row& row : {Row{"ring", std::min(n - 1, 2)}, Row{"full", n - 1},
                           Row{"static-exp", hops}, Row{"one-peer-exp", std::min(hops, 1)}}) {
      for (const std::uint64_t steps : {1U, 7U}) {
        CAPTURE(n, row.topology, steps);
        const double step = compute + row.degree * (alpha + transfer);
        CHECK(step_seconds("gossip", n, row.topology, 1, steps) ==
              Approx(static_cast<double>(steps) * step).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("decentralised steps take what their closed forms say, on every regular graph",
          "[scheme]") {
  constexpr int n = 16;
  struct Graph {
    const char* name;
    int degree;
  };
  for (const auto& [topology, degree] : {Graph{"ring", 2}, Graph{"torus", 4}, Graph{"hypercube", 4},
                                         Graph{"static-exp", 4}, Graph{"one-peer-exp", 1}}) {
    const double round = degree * (alpha + transfer);
    const double longer_round = degree * (alpha + transfer * 841 / 840);  // one number more
    const bool stays_symmetric = std::string(topology) != "static-exp" && degree > 1;
    const auto check = [&, topology = topology](const char* scheme, double first, double later) {
      for (const std::uint64_t steps : {1U, 5U}) {
        CAPTURE(scheme, topology, steps);
        CHECK(step_seconds(scheme, n, topology, 1, steps) ==
              Approx(first + static_cast<double>(steps - 1) * later).epsilon(1e-9));
      }
    };
    check("gossip", compute + round, compute + round);
    check("qgm", compute + round, compute + round);
    check("gossip-pga", compute + round, compute + round);  // before its first global average
    check("sgp", compute + longer_round, compute + longer_round);
    check("d-psgd", std::max(compute, round), std::max(compute, round));
    check("gradient-tracking", compute + round, compute + 2 * round);
    check("diging", std::max(compute, 2 * round), std::max(compute, 2 * round));
    check("sgp-overlap", compute, std::max(compute, longer_round));
    for (const char* scheme : {"d-psgd", "diging"}) {  // computing takes longer than all messages
      CHECK(step_seconds(scheme, n, topology, 1, 3, 100.0) == Approx(300.0).epsilon(1e-9));
    }
    if (!stays_symmetric) continue;
    check("nids", compute, compute + round);  // the first step is not mixed
    check("extra", std::max(compute, round), std::max(compute, round));
    check("exact-diffusion", compute + round, compute + round);
  }
}

TEST_CASE("gossip-pga's every sixth step is an all-reduce", "[scheme]") {
  const double gossip = compute + 2 * (alpha + transfer);
  const double all_reduce = compute + 2 * 7 * (alpha + transfer / 8);
  CHECK(step_seconds("gossip-pga", 8, "ring", 1, 12) ==
        Approx(10 * gossip + 2 * all_reduce).epsilon(1e-9));
}

TEST_CASE("gossip-aga averages ever more rarely while the loss falls", "[scheme]") {
  const auto messages = [](const char* scheme) {
    Configuration c = quick(scheme, 8, 300);
    c.optimizer.lr = 0.5;
    c.ingredients["collective"] = "ring";
    return train(c, test::dense_problem()).summary.messages;
  };
  // A round of gossip sends 16 messages, an all-reduce 112.
  CHECK(messages("gossip-pga") == 300U / 6 * (5 * 16 + 112));
  CHECK(messages("gossip-aga") < messages("gossip-pga") - 5U * 96U);
  CHECK(messages("gossip-aga") > messages("gossip"));
}

TEST_CASE("a slow worker does not hold up those who average in pairs", "[scheme]") {
  const LoadedData data = test::dense_problem(100, 840);
  for (const auto& [scheme, topology] :
       {std::pair{"ad-psgd", "full"}, std::pair{"ad-psgd", "ring"}, std::pair{"ad-psgd", "star"},
        std::pair{"gosgd", "full"}}) {
    Configuration c = quick(scheme, 8, 400);
    c.ingredients["topology"] = topology;
    c.network = {.latency = std::chrono::microseconds(10), .bytes_per_second = 1e9};
    const double alike = train(c, data).summary.samples_per_second;
    c.stragglers = {{0, 10.0}};
    CAPTURE(scheme, topology);
    CHECK(train(c, data).summary.samples_per_second > 0.85 * alike);
  }
}

TEST_CASE("sequential computes for all, hogwild side by side, neither sends", "[scheme]") {
  for (const int n : {1, 2, 5}) {
    CAPTURE(n);
    CHECK(step_seconds("sequential", n) == n * compute);
    CHECK(step_seconds("hogwild", n) == compute);
  }
}

TEST_CASE("a busy asynchronous server applies one update each α + t", "[scheme]") {
  // n = 8 workers offer 8 / (c + 2(α + t)) updates a second, the port takes 1 / (α + t).
  const double long_run = step_seconds("ps-async", 8, "ring", 1, 50);
  CHECK(long_run == Approx(50 * 8 * (alpha + transfer)).epsilon(0.02));
}
