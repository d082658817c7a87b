// Workers that are threads of one machine: one port, and a model that they step together.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/scheme/cast.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

constexpr double never = 1e12;

/// 400 rows and minibatches of 4: an epoch is 25 minibatches of each of 4 workers, and nobody waits
/// for its end. Rows as they lie, so that a worker's minibatches are those of its rows alone.
Configuration configuration(int workers, int threads, double fetch_period, std::uint64_t steps) {
  Configuration c = quick("ps-async-epochs", workers, steps);
  c.hyperparameters = {{"machine-threads", threads}, {"fetch-period", fetch_period}};
  c.partition.kind = PartitionRule::Kind::contiguous;
  c.order = RowOrder::file;
  c.optimizer.lr = 0.3;
  return c;
}

/// So that no two threads read or write at the same moment.
std::vector<Straggler> uneven(int workers) {
  std::vector<Straggler> all;
  for (int w = 0; w < workers; ++w) all.push_back({w, 1.0 + 0.31 * w + 0.007 * w * w});
  return all;
}

std::vector<double> moved(const RunResult& result) {  // from 0, where logistic regression begins
  const std::span<const float> model = result.model.view().floats();
  return {model.begin(), model.end()};
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    difference = std::max(difference, std::abs(a[j] - b[j]));
  }
  return difference;
}

}  // namespace

TEST_CASE("a worker alone that fetches now and then is downpour's", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const double period : {1.0, 3.0, 7.0}) {
    for (const int servers : {1, 3}) {
      CAPTURE(period, servers);
      Configuration c = configuration(1, 1, period, 24);
      c.servers = servers;
      const RunResult epochs = train(c, data);
      c.scheme = "downpour";
      c.hyperparameters = {{"fetch-period", period}};
      const RunResult downpour = train(c, data);
      CHECK(epochs.summary.model_hash == downpour.summary.model_hash);
      CHECK(epochs.summary.bytes_sent == downpour.summary.bytes_sent);
    }
  }
}

TEST_CASE("the threads of one machine that never fetches are Hogwild's", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const int threads : {2, 4}) {
    CAPTURE(threads);
    Configuration c = configuration(threads, threads, never, 15);
    c.stragglers = uneven(threads);
    const RunResult machine = train(c, data);
    c.hyperparameters["machine-threads"] = 1;  // by itself each would take another way
    CHECK(train(c, data).summary.model_hash != machine.summary.model_hash);
    c.scheme = "hogwild";
    c.hyperparameters = {};
    const RunResult hogwild = train(c, data);
    CHECK(largest_difference(moved(machine), moved(hogwild)) < 1e-6);
    CHECK(machine.summary.samples == hogwild.summary.samples);
  }
}

TEST_CASE("machines that never fetch go Hogwild's way each, and the servers have both ways",
          "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = configuration(4, 2, never, 1000);
  c.seconds = std::chrono::microseconds(19'500);
  c.stragglers = {{1, 1.37}, {2, 1.13}, {3, 1.71}};
  const RunResult both = train(c, data);
  std::vector<double> sum(moved(both).size(), 0.0);
  std::uint64_t samples = 0;
  for (const std::uint32_t first_row : {0U, 200U}) {
    std::vector<std::uint32_t> rows(200);
    for (std::uint32_t i = 0; i < 200; ++i) rows[i] = first_row + i;
    const LoadedData half{"half", copy_rows(data.train, rows), {}};
    Configuration h = c;
    h.scheme = "hogwild";
    h.workers = 2;
    h.hyperparameters = {};
    h.stragglers = first_row == 0 ? std::vector<Straggler>{{1, 1.37}}
                                  : std::vector<Straggler>{{0, 1.13}, {1, 1.71}};
    const RunResult alone = train(h, half);
    const std::vector<double> way = moved(alone);
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += way[j];
    samples += alone.summary.samples;
  }
  CHECK(both.summary.samples == samples);
  CHECK(largest_difference(moved(both), sum) < 1e-6);
}

// Thread 0 computes in 1 ms and has its push acknowledged after 3 ms, thread 1, whose gradient is
// there after 1.31 ms, after 5 ms. So each begins its second minibatch when the other has made a
// step meanwhile.
TEST_CASE("a thread begins its step with what others have done while it waited", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = configuration(2, 2, never, 2);
  c.network.latency = std::chrono::milliseconds(2);
  c.stragglers = {{1, 1.31}};
  const RunResult machine = train(c, data);

  const auto model = make_model({"logistic", 0.0}, data.train);
  Workspace workspace;
  VectorBuffer gradient(Scalar::float32, model->dimension());
  std::vector<float> x(model->dimension(), 0.0F);
  const auto gradient_of = [&](std::size_t first_row) {
    const RowRange rows{&data.train, first_row, 4};
    model->gradient(ConstVector(x), {&rows, 1}, gradient.view(), workspace);
    const std::span<const float> values = gradient.view().floats();
    return std::vector<float>(values.begin(), values.end());
  };
  const auto step = [&](const std::vector<float>& g) {
    for (std::size_t j = 0; j < x.size(); ++j) x[j] -= 0.3F * g[j];
  };
  const auto first = gradient_of(0), second = gradient_of(200);
  step(first);
  step(second);
  step(gradient_of(4));    // thread 0, 3 ms to 4 ms
  step(gradient_of(204));  // thread 1, from 5 ms on
  CHECK(largest_difference(moved(machine), {x.begin(), x.end()}) < 1e-6);
  CHECK(machine.summary.seconds == Approx(9e-3));
}

// A thread reads what it has just fetched, before anybody else can step it.
TEST_CASE("threads that fetch in each step are workers with machines of their own", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const int servers : {1, 3}) {
    CAPTURE(servers);
    Configuration c = configuration(4, 2, 1, 60);
    c.servers = servers;
    c.stragglers = uneven(4);
    const std::string machines = train(c, data).summary.model_hash;
    c.hyperparameters["machine-threads"] = 1;
    CHECK(train(c, data).summary.model_hash == machines);
  }
}

TEST_CASE("the threads of a machine take turns at its port", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const bool colocated : {false, true}) {
    CAPTURE(colocated);
    Configuration c = configuration(2, 1, 1, 1);
    c.servers = 2;
    c.network.latency = std::chrono::milliseconds(2);
    if (colocated) c.network.server_placement = ServerPlacement::colocated;
    // c = 1 ms. Each worker's two shards up and down: by machines of their own in two rounds up, of
    // which the second one's answer is the third message.
    const double apart = train(c, data).summary.seconds;
    CHECK(apart == Approx(1e-3 + (colocated ? 2 : 3) * 2e-3));
    // Four messages leave one port; the last is answered at once. Colocated, both servers are on
    // the one machine that there is.
    c.hyperparameters["machine-threads"] = 2;
    CHECK(train(c, data).summary.seconds == Approx(1e-3 + (colocated ? 0 : 5) * 2e-3));
  }
}

// 4 threads on 2 machines, servers 0 and 1 beside them.
TEST_CASE("what a machine's threads send to the server beside them stays inside", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = configuration(4, 2, 1, 1);
  c.servers = 2;
  c.network.latency = std::chrono::milliseconds(2);
  c.network.server_placement = ServerPlacement::colocated;
  // Each machine's two threads push a shard to the other's server, one after the other, and the
  // answer to the first one goes back behind the second push.
  const Summary s = train(c, data).summary;
  CHECK(s.seconds == Approx(1e-3 + 4 * 2e-3));
  CHECK(s.messages == 8);
  c.hyperparameters["machine-threads"] = 1;  // servers beside workers 0 and 2
  CHECK(train(c, data).summary.messages == 12);
}

TEST_CASE("a machine's threads stand in one rack", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = configuration(4, 4, 1, 8);
  c.network.latency = std::chrono::milliseconds(2);
  const double one_rack = train(c, data).summary.seconds;
  c.network.racks = 2;  // the server stands in the first one, and so does the machine
  c.network.between_latency = std::chrono::milliseconds(50);
  CHECK(train(c, data).summary.seconds == one_rack);
}

TEST_CASE("the step size of a machine's model falls with the steps of all", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = configuration(4, 4, never, 200);
  c.hyperparameters["epoch-share"] = 0.01;  // nobody waits
  c.optimizer.lr_decay = 1.0;
  c.stragglers = {{0, 10.0}, {1, 1.01}, {2, 1.02}};
  const RunResult machine = train(c, data);
  c.scheme = "hogwild";
  c.hyperparameters = {};
  // The servers' step sizes go by what has arrived, Hogwild's by what was begun.
  CHECK(machine.summary.train_loss == Approx(train(c, data).summary.train_loss).epsilon(0.02));
}

TEST_CASE("activations and deltas are pushed by a machine's threads as gradients are", "[scheme]") {
  const LoadedData data{"blobs", generate_blobs(400, 24, 5, 1.0, 3), {}};
  for (const int servers : {1, 2}) {
    CAPTURE(servers);
    Configuration c = configuration(4, 2, 3, 40);
    c.model = "mlp:32,16";
    c.servers = servers;
    c.optimizer.lr = 0.05;
    c.stragglers = uneven(4);
    const RunResult gradients = train(c, data);
    c.hyperparameters["push"] = 1;
    const RunResult activations = train(c, data);
    CHECK(largest_difference(moved(gradients), moved(activations)) < 1e-4);
    CHECK(activations.summary.bytes_sent < gradients.summary.bytes_sent);
  }
}

TEST_CASE("threads step their machine's model at the same time", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const int threads : {2, 3, 6}) {
    for (const double period : {1.0, 4.0, never}) {
      CAPTURE(threads, period);
      Configuration c = configuration(6, threads, period, 60);
      c.time = TimeMode::wall;
      c.optimizer.lr = 0.05;
      c.servers = threads == 3 ? 2 : 1;
      const Summary s = train(c, data).summary;
      CHECK(s.samples == 6U * 60U * 4U);
      CHECK(s.train_loss < 0.69);
    }
  }
}

TEST_CASE("a machine's threads divide the workers, and share floats", "[scheme]") {
  const LoadedData data = test::dense_problem();
  CHECK_THROWS_AS(train(configuration(4, 3, 1, 5), data), OptionError);
  CHECK_THROWS_WITH(train(configuration(4, 3, 1, 5), data),
                    ContainsSubstring("4 workers make no machines with so many each"));
  Configuration c = configuration(4, 2, 1, 5);
  c.model = "quadratic";  // its parameters are double
  CHECK_THROWS_WITH(train(c, data), ContainsSubstring("share is float"));
}
