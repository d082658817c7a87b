// FedAsync and FedBuff against their rules written out, with workers of different speeds: who has
// done its round first is mixed in first, with the staleness that it then has.
#include <array>
#include <cmath>

#include "trainyard/scheme/scheme.hpp"

#include "support/federated.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

constexpr int steps_of_round = 3;
// No two of them are ever done at the same moment of the tests.
const std::vector<double> slowdowns{1.0, 1.31, 1.73, 2.37, 4.19};

Configuration configuration(const char* scheme) {
  Configuration c = test::federated(scheme, steps_of_round, 1.0, 1);
  c.hyperparameters.erase("participation");
  for (int i = 1; i < 5; ++i) c.stragglers.push_back({i, slowdowns[static_cast<std::size_t>(i)]});
  return c;
}

/// x after so many minibatches of all workers: each takes them off a common count, the first to be
/// free first. `receive(way to y from where it began, y, updates that x had had there)` is what the
/// server does.
template <typename Server>
double served(int minibatches, Server& server) {
  struct Worker {
    double y = 0.0, began_at = 0.0;
    std::uint64_t version = 0;
    int steps = 0;
  };
  std::array<Worker, 5> workers{};
  std::array<double, 5> ready{};
  while (true) {
    // Its present step is done at `ready`.
    std::size_t next = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      if (ready[i] < ready[next]) next = i;
    }
    if (std::isinf(ready[next])) return server.x;
    Worker& worker = workers[next];
    if (ready[next] > 0.0) {
      worker.y -= test::federated_lr * test::federated_gradient(next, worker.y);
      if (++worker.steps % steps_of_round == 0) {
        server.receive(worker.y - worker.began_at, worker.y, worker.version);
        worker.y = worker.began_at = server.x;
        worker.version = server.version;
      }
    }
    ready[next] = minibatches-- > 0 ? ready[next] + slowdowns[next] : INFINITY;
  }
}

struct FedAsync {
  double x = 0.0;
  std::uint64_t version = 0;

  void receive(double, double y, std::uint64_t read) {
    const double share = 0.7 * std::pow(1.0 + static_cast<double>(version - read), -0.4);
    x = (1.0 - share) * x + share * y;
    ++version;
  }
};

struct FedBuff {
  double x = 0.0, sum = 0.0;
  std::uint64_t version = 0;
  int buffered = 0;

  void receive(double way, double, std::uint64_t read) {
    sum += way / std::sqrt(1.0 + static_cast<double>(version - read));
    if (++buffered < 3) return;
    x += 0.8 * sum / 3.0;
    sum = 0.0;
    buffered = 0;
    ++version;
  }
};

}  // namespace

TEST_CASE("fedasync mixes in each replica as it comes, the less the older it is",
          "[scheme][rule:fedasync]") {
  Configuration c = configuration("fedasync");
  c.hyperparameters.insert({{"mixing-alpha", 0.7}, {"staleness-power", 0.4}});
  for (const int minibatches : {3, 14, 60, 151, 400}) {
    CAPTURE(minibatches);
    FedAsync server;
    const double x = served(minibatches, server);
    test::check_close(
        test::run_on_quadratic(c, test::federated_data(), static_cast<std::uint64_t>(minibatches))
            .model,
        {x});
  }
}

TEST_CASE("fedbuff makes a step of every K ways", "[scheme][rule:fedbuff]") {
  Configuration c = configuration("fedbuff");
  c.hyperparameters.insert({{"buffer-size", 3.0}, {"global-lr", 0.8}});
  for (const int minibatches : {3, 14, 60, 151, 400}) {
    CAPTURE(minibatches);
    FedBuff server;
    const double x = served(minibatches, server);
    const test::Replicas found =
        test::run_on_quadratic(c, test::federated_data(), static_cast<std::uint64_t>(minibatches));
    test::check_close(found.model, {x});
    test::check_close(found.kept[5].at("buffer"), {-server.sum});  // of ways back
  }
}

TEST_CASE("one worker of fedasync or fedbuff that goes all the way is serial SGD", "[scheme]") {
  const LoadedData data = test::dense_problem();
  const RunResult serial = test::train(test::quick("sequential", 1, 60), data);
  for (const auto& [scheme, name] :
       {std::pair("fedasync", "mixing-alpha"), std::pair("fedbuff", "buffer-size")}) {
    CAPTURE(scheme);
    Configuration c = test::quick(scheme, 1, 60);
    c.hyperparameters = {{name, 1.0}};
    const RunResult alone = test::train(c, data);
    CHECK(alone.summary.train_loss == Approx(serial.summary.train_loss).epsilon(1e-5));
    CHECK(alone.summary.staleness->max == 0);
  }
}
