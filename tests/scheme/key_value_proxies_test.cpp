// The store of keys and values behind a proxy for each group of workers.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/model_difference.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::relative_difference;
using test::train;

namespace {

Configuration grouped(int workers, int groups, std::uint64_t steps, double delay = 0.0) {
  Configuration c = quick("key-value", workers, steps);
  c.hyperparameters = {{"staleness", delay}, {"proxies", groups}};
  return c;
}

std::optional<Duration> closed_form(const Configuration& c, std::size_t parameters) {
  const Scheme& scheme = find_scheme("key-value");
  return scheme.cost.time(
      {.workers = c.workers,
       .servers = c.servers,
       .parameters = parameters,
       .compute = *c.compute_time,
       .message = FloatMessages{c.network},
       .message_of_bytes = ByteMessages{c.network},
       .ingredients = {},
       .hyperparameters = with_fallbacks(scheme, c.hyperparameters, c.workers)});
}

}  // namespace

TEST_CASE("key-value behind proxies and without delay is ps-sync, whatever the groups",
          "[scheme]") {
  const auto golden = test::golden_trajectories();
  for (const int groups : {1, 2, 3, 5}) {
    for (const int servers : {1, 3}) {
      CAPTURE(groups, servers);
      Configuration c = test::golden_configuration(golden, "key-value");
      c.servers = servers;
      c.hyperparameters = {{"staleness", 0.0}, {"proxies", groups}};
      test::check_synchronous(golden, c, "psgd_mean");
      c.network = {.latency = std::chrono::milliseconds(1), .charge_control = true};
      test::check_synchronous(golden, c, "psgd_mean");
    }
  }
}

TEST_CASE("one group without delay has the bits of ps-sync, more have its model", "[scheme]") {
  for (const LoadedData& data : {test::dense_problem(), test::sparse_problem()}) {
    for (const int n : {1, 2, 5}) {
      Configuration c = quick("ps-sync", n, 60);
      c.l2 = 1e-3;
      const RunResult sync = train(c, data);
      for (const int groups : {1, 2, 3}) {
        if (groups > n) continue;
        for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
          CAPTURE(data.name, n, groups, time_mode_text(time));
          Configuration behind = grouped(n, groups, 60);
          behind.l2 = c.l2;
          behind.time = time;
          const RunResult one = train(behind, data);
          if (groups == 1) CHECK(one.summary.model_hash == sync.summary.model_hash);
          CHECK(relative_difference(one, sync) < 1e-6);
          CHECK(one.summary.samples == sync.summary.samples);
          CHECK(one.summary.servers == groups + 1);
          CHECK(one.summary.staleness->max == static_cast<std::uint64_t>(groups - 1));
          behind.servers = 2;
          CHECK(relative_difference(train(behind, data), sync) < 1e-6);
        }
      }
    }
  }
}

// Groups {0} and {1, 2} on F_i = (x − m_i)² / 2, γ = 3/4, so γ/n = ¼. All start at 0, where group 0
// has the gradient −2 and group 1 the sum −4 − 6 = −10; group 0, the smaller one, comes first. With
// τ = 0 both are in what both pull: x = ½ + 2½ = 3. With a bound of one step each is answered
// before the other's next: group 0 pulls ½, group 1 pulls 3. Then group 0 has ½ − 2 = −1½, x =
// 3⅜, and group 1, at 3, −1 − 3 = −4, x = 4⅜.
TEST_CASE("key-value behind proxies follows its rule", "[scheme]") {
  const Dataset data = test::quadratic_data({{1.0}, {1.0}, {1.0}}, {{2.0}, {4.0}, {6.0}});
  for (const auto& [delay, second] : {std::pair{0.0, 3.0 + (-1.0 + 1.0 + 3.0) / 4}, {1.0, 4.375}}) {
    CAPTURE(delay);
    Configuration c = grouped(3, 2, 1, delay);
    c.optimizer.lr = 0.75;
    c.network = {.latency = std::chrono::milliseconds(1)};
    test::check_close(test::run_on_quadratic(c, data).model, {3.0});
    c.steps = 2;
    test::check_close(test::run_on_quadratic(c, data).model, {second});
  }
}

// γ / (1 + A · epochs) goes by the minibatches that are in the model already, of which five are an
// epoch here. All gradients are −1, and the sums of groups {0}, {1, 2} and {3, 4} come in this
// order: −1 when there are none, −2 when there is one, −2 when there are three.
TEST_CASE("a group's sum counts as the minibatches of its members", "[scheme]") {
  const std::vector<std::vector<double>> ones(5, {1.0});
  Configuration c = grouped(5, 3, 1);
  c.optimizer.lr = 0.5;
  c.optimizer.lr_decay = 1.0;
  c.network = {.latency = std::chrono::milliseconds(1)};
  test::check_close(test::run_on_quadratic(c, test::quadratic_data(ones, ones)).model,
                    {0.5 / 5 * (1.0 + 2.0 / 1.2 + 2.0 / 1.6)});
}

TEST_CASE("the delay is between groups: whose group is not slow runs τ steps ahead", "[scheme]") {
  // Worker 0 takes as long as five and a half steps of the others, and worker 1 waits for it.
  const LoadedData data = test::dense_problem();
  for (const double delay : {0.0, 1.0, 3.0}) {
    for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
      CAPTURE(delay, time_mode_text(time));
      Configuration c = grouped(6, 3, 20, delay);
      c.time = time;
      c.stragglers = {{0, 5.5}};
      const RunResult bounded = train(c, data);
      // From a group's pull to its push, each other group may go from τ steps behind it to τ ahead,
      // those of this very step between them.
      CHECK(bounded.summary.staleness->max <= static_cast<std::uint64_t>(2 * (2 * delay + 1)));
      CHECK(bounded.summary.samples == 20U * 6U * 4U);
      if (time == TimeMode::wall) continue;
      // Only the group that is slow throughout is passed: the others' τ, and those of this very
      // step.
      CHECK(bounded.summary.staleness->max == static_cast<std::uint64_t>(2 * (delay + 1)));
      CHECK(bounded.summary.seconds == Approx(20 * 5.5e-3).epsilon(1e-9));
    }
  }
}

// Who is ahead has begun a step that the others of its group, and all groups within the bound,
// still have to take part in.
TEST_CASE("behind proxies all workers end with the same step, when the time is up", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const double delay : {0.0, 3.0, 1e12}) {
    for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
      CAPTURE(delay, time_mode_text(time));
      Configuration c = grouped(5, 2, 1, delay);
      c.time = time;
      c.servers = 2;
      c.steps.reset();
      c.seconds = std::chrono::milliseconds(50);
      c.stragglers = {{1, 2.5}};
      const RunResult result = train(c, data);
      CHECK(result.summary.samples > 0);
      CHECK(result.summary.samples == result.summary.steps * 5 * 4);
      // A worker's message and its proxy's answer, and two of the proxy's to each server.
      CHECK(result.summary.messages == result.summary.steps * (2 * 5 + 2 * 2 * 2));
    }
  }
}

TEST_CASE("behind proxies a server's port takes a vector of each group, and no more", "[scheme]") {
  constexpr std::size_t features = 60, vector = features * sizeof(float);
  constexpr unsigned steps = 30, n = 7, groups = 3, servers = 2;
  const LoadedData data = test::dense_problem(400, features);
  for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
    for (const bool half : {false, true}) {
      CAPTURE(time_mode_text(time), half);
      Configuration c = grouped(n, groups, steps, 2.0);
      c.time = time;
      c.servers = servers;
      c.hyperparameters["wire"] = half ? 1 : 0;
      const RunResult result = train(c, data);
      const std::size_t far = half ? vector / 2 : vector;  // from a proxy to the servers
      const std::vector<unsigned> members{2, 2, 3};
      REQUIRE(result.accounts.size() == n + groups + servers);
      for (unsigned w = 0; w < n; ++w) CHECK(result.accounts[w].bytes_sent == steps * vector);
      for (unsigned g = 0; g < groups; ++g) {
        CHECK(result.accounts[n + g].bytes_sent == steps * (far + members[g] * vector));
        CHECK(result.accounts[n + g].bytes_received == steps * (far + members[g] * vector));
      }
      for (unsigned s = 0; s < servers; ++s) {
        const RankAccount& server = result.accounts[n + groups + s];
        CHECK(server.bytes_sent == steps * groups * far / servers);
        CHECK(server.bytes_received == steps * groups * far / servers);
        CHECK(server.messages_sent == steps * groups);
      }
    }
  }
}

// Without delay everybody computes at the model that there is after t steps, which a run of t steps
// ends with. So the gradients can be added up, and what of them is not in the model is held back.
TEST_CASE("behind proxies the filter loses nothing", "[scheme]") {
  constexpr int n = 5, groups = 2;
  constexpr double rate = 0.2;
  constexpr std::uint64_t steps = 25;
  const Dataset data = test::unlike_data(n);
  for (const bool half : {false, true}) {
    std::vector<double> gradients(2, 0.0);
    double most_held = 0.0;
    Configuration c = grouped(n, groups, 0);
    c.optimizer.lr = rate;
    c.hyperparameters["significance"] = 1.0;
    c.hyperparameters["wire"] = half ? 1 : 0;
    std::vector<double> pulled(2, 0.0);
    for (std::uint64_t t = 1; t <= steps; ++t) {
      CAPTURE(half, t);
      for (std::size_t i = 0; i < n; ++i) {
        const auto row = data.dense_row(i);
        for (std::size_t j = 0; j < 2; ++j) gradients[j] += row[j] * (pulled[j] - row[2 + j]);
      }
      c.steps = t;
      const test::Replicas run = test::run_on_quadratic(c, data);
      for (std::size_t j = 0; j < 2; ++j) {
        double held = 0.0;
        for (int g = 0; g < groups; ++g) {
          const double own = run.kept[static_cast<std::size_t>(n + g)].at("held-back")[j];
          CHECK(std::abs(own) < 1.0 + (half ? 0.01 : 0.0));
          held += own;
          most_held = std::max(most_held, std::abs(own));
        }
        CHECK(-run.model[j] * n / rate + held == Approx(gradients[j]).epsilon(1e-12).margin(1e-12));
      }
      for (const auto& replica : run.workers) CHECK(replica == run.workers.front());
      pulled = run.workers.front();
    }
    CHECK(most_held > 0.1);  // otherwise the filter did nothing
  }
}

TEST_CASE("behind proxies the filter saves bytes and learns as well", "[scheme]") {
  const LoadedData data = test::dense_problem(400, 60);
  const double plain = train(grouped(6, 2, 300), data).summary.train_loss;
  const auto sent = [&](double significance, TimeMode time) {
    Configuration c = grouped(6, 2, 300, 2.0);
    c.hyperparameters["significance"] = significance;
    c.hyperparameters["wire"] = 1;
    c.servers = 3;
    c.time = time;
    const RunResult result = train(c, data);
    CHECK(result.summary.train_loss == Approx(plain).epsilon(0.1));
    return result.accounts[6].bytes_sent + result.accounts[7].bytes_sent;
  };
  const std::uint64_t all = sent(0.0, TimeMode::simulated);
  CHECK(all == 300U * 60U * (2U * 2U + 6U * 4U));
  for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
    CHECK(sent(1.0, time) < all);
  }
}

TEST_CASE("one step of key-value behind proxies takes what its closed form says", "[scheme]") {
  const LoadedData data = test::dense_problem(50, 840);
  constexpr double whole = 6.5;
  struct Row {
    int workers, groups;
    double least, most;  // members of a group
    int larger;          // groups that have the most, where others have fewer
  };
  for (const Row& row :
       {Row{2, 1, 2, 2, 0}, Row{2, 2, 1, 1, 0}, Row{4, 1, 4, 4, 0}, Row{4, 2, 2, 2, 0},
        Row{4, 3, 1, 2, 1}, Row{5, 1, 5, 5, 0}, Row{5, 2, 2, 3, 1}, Row{5, 3, 1, 2, 2},
        Row{6, 1, 6, 6, 0}, Row{6, 2, 3, 3, 0}, Row{6, 3, 2, 2, 0}, Row{7, 3, 2, 3, 1}}) {
    for (const double delay : {0.0, 1.0}) {
      for (const bool half : {false, true}) {
        CAPTURE(row.workers, row.groups, delay, half);
        Configuration c = grouped(row.workers, row.groups, 1, delay);
        c.hyperparameters["wire"] = half ? 1 : 0;
        c.compute_time = seconds(3.0);
        c.network = {.latency = seconds(1.5), .bytes_per_second = 840 * 4 / 5.0};
        // Sums to the server: the smaller groups' one behind the other, then the larger groups',
        // which are there a member's vector later. Answers, and the model to the most members.
        const double sum = half ? 1.5 + 2.5 : whole;
        const int smaller = row.larger == 0 ? 0 : row.groups - row.larger;
        const int last = row.groups - smaller;
        const double small_done = row.least * whole + smaller * sum;
        const double pushed =
            std::max(smaller == 0 ? 0.0 : small_done, row.most * whole) + last * sum;
        const int answers = delay == 0.0 ? row.groups : 1;
        const double takes = 3.0 + pushed + answers * sum + row.most * whole;
        CHECK(train(c, data).summary.seconds == Approx(takes).epsilon(1e-12));
        const auto told = closed_form(c, 840);
        REQUIRE(told);
        CHECK(to_seconds(*told) == Approx(takes).epsilon(1e-12));
        if (!half && row.larger == 0 && delay == 0.0) {
          c.scheme = "ps-hierarchical";
          c.servers = row.groups;
          CHECK(train(c, data).summary.seconds == Approx(takes).epsilon(1e-12));
        }
      }
    }
  }
  Configuration c = grouped(6, 2, 1);
  c.compute_time = seconds(3.0);
  c.servers = 2;
  CHECK_FALSE(closed_form(c, 840));
  c.servers = 1;
  c.hyperparameters["significance"] = 0.1;
  CHECK_FALSE(closed_form(c, 840));
}

TEST_CASE("more proxies than workers are refused", "[scheme]") {
  const LoadedData data = test::dense_problem();
  CHECK_THROWS_WITH(train(grouped(4, 5, 1), data),
                    "--proxies 5: more groups than there are workers; 0 to 4 are accepted");
  CHECK_THROWS_AS(train(grouped(1, 2, 1), data), OptionError);
  CHECK(train(grouped(4, 4, 1), data).summary.servers == 5);
}
