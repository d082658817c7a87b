// Activations and deltas instead of gradients: the same updates, in fewer bytes.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "trainyard/data/generate.hpp"

#include "support/catch.hpp"
#include "support/model_difference.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::relative_difference;
using test::train;

namespace {

/// 24 features, 5 classes.
LoadedData blobs() {
  return {"blobs", generate_blobs(400, 24, 5, 1.0, 3), {}};
}

Configuration network(const std::string& scheme, int workers, int servers, std::size_t batch) {
  Configuration c = quick(scheme, workers, 30);
  c.model = "mlp:32,16";
  c.batch = batch;
  c.servers = servers;
  c.optimizer.lr = 0.05;
  return c;
}

/// How many numbers a worker sends for layers {M, N}: each server in turn, each parameter of its
/// part by itself.
std::uint64_t numbers_up(const std::vector<std::pair<std::size_t, std::size_t>>& layers,
                         std::size_t servers, std::size_t batch) {
  std::size_t dimension = 0;
  for (const auto& [m, n] : layers) dimension += m * n + n;
  std::uint64_t sum = 0;
  for (std::size_t server = 0; server < servers; ++server) {
    std::size_t parameter = 0;
    for (const auto& [m, n] : layers) {
      std::set<std::size_t> rows;
      std::size_t held = 0;
      for (std::size_t i = 0; i < m * n + n; ++i, ++parameter) {
        const bool here = parameter >= dimension * server / servers &&
                          parameter < dimension * (server + 1) / servers;
        if (!here) continue;
        ++held;
        if (i < m * n) rows.insert(i / n);
      }
      const std::size_t product = batch * (rows.size() + n);
      sum += rows.empty() ? held : std::min(held, product);
    }
  }
  return sum;
}

const std::vector<std::pair<std::size_t, std::size_t>> layers{{24, 32}, {32, 16}, {16, 5}};

}  // namespace

TEST_CASE("activations and deltas give the update that gradients give",
          "[scheme][rule:ps-activations]") {
  const LoadedData data = blobs();
  for (const std::size_t batch : {1U, 4U, 12U}) {
    for (const int servers : {1, 2, 7}) {
      for (const int workers : {1, 4}) {
        for (const double l2 : {0.0, 1e-2}) {
          if (l2 > 0.0 && workers > 1) continue;  // a server's weights are not a stale worker's
          CAPTURE(batch, servers, workers, l2);
          Configuration c = network("ps-activations", workers, servers, batch);
          c.l2 = l2;
          c.optimizer.momentum = 0.5;
          const RunResult products = train(c, data);
          c.scheme = "ps-async";
          const RunResult gradients = train(c, data);
          CHECK(relative_difference(products, gradients) < 1e-5);
          // With parts of a layer on each of seven servers, 12 rows are too many.
          const bool pays = servers < 7 || batch < 12;
          CHECK((products.summary.bytes_sent < gradients.summary.bytes_sent) == pays);
          CHECK(products.summary.seconds == gradients.summary.seconds);
          CHECK(products.summary.staleness->mean == gradients.summary.staleness->mean);
          CHECK(products.summary.train_loss < products.metrics.front().train_loss);
        }
      }
    }
  }
}

TEST_CASE("activations and deltas come in epochs that end when a share is there", "[scheme]") {
  const LoadedData data = blobs();
  for (const int servers : {1, 3}) {
    for (const double share : {0.5, 0.75, 1.0}) {
      CAPTURE(servers, share);
      Configuration c = network("ps-async-epochs", 4, servers, 4);
      c.steps = 60;  // 25 are an epoch
      c.stragglers = {{2, 3.7}};
      c.compute_noise.exponential = 0.4;  // no two messages at the same moment
      c.hyperparameters["epoch-share"] = share;
      const RunResult gradients = train(c, data);
      c.hyperparameters["push"] = 1;
      const RunResult products = train(c, data);
      CHECK(relative_difference(products, gradients) < 1e-5);
      CHECK(products.summary.bytes_sent < gradients.summary.bytes_sent);
      CHECK(products.summary.seconds == gradients.summary.seconds);
      CHECK(products.summary.staleness->mean == gradients.summary.staleness->mean);
      c.scheme = "ps-activations";  // nobody waits for an epoch's end, nor where half of it ends it
      c.hyperparameters.clear();
      const Summary never = train(c, data).summary;
      CHECK((never.model_hash == products.summary.model_hash) == (share == 0.5));
    }
  }
}

TEST_CASE("a layer's activations and deltas are sent where they are fewer", "[scheme]") {
  const LoadedData data = blobs();
  const std::size_t dimension = 24 * 32 + 32 + 32 * 16 + 16 + 16 * 5 + 5;
  for (const std::size_t servers : {1U, 2U, 3U, 7U}) {
    // 800 / 56 = 14.3, 528 / 48 = 11 and 85 / 21 = 4.05 rows: where one server's layers break even.
    for (const std::size_t batch : {1U, 4U, 5U, 10U, 11U, 14U, 15U, 40U}) {
      CAPTURE(servers, batch);
      const std::uint64_t up = numbers_up(layers, servers, batch);
      if (servers == 1) {
        CHECK(up == std::min<std::size_t>(56 * batch, 800) +
                        std::min<std::size_t>(48 * batch, 528) +
                        std::min<std::size_t>(21 * batch, 85));
      }
      const Configuration c = network("ps-activations", 2, static_cast<int>(servers), batch);
      const Summary s = train(c, data).summary;
      CHECK(s.bytes_sent == 2U * 30U * 4U * (up + dimension));
    }
  }
}

TEST_CASE("where it never pays it is ps-async, bit for bit", "[scheme]") {
  const auto check = [](Configuration c, const LoadedData& data) {
    CAPTURE(c.model, c.batch, data.name);
    c.scheme = "ps-activations";
    const Summary same = train(c, data).summary;
    c.scheme = "ps-async";
    const Summary plain = train(c, data).summary;
    CHECK(same.model_hash == plain.model_hash);
    CHECK(same.bytes_sent == plain.bytes_sent);
    CHECK(same.seconds == plain.seconds);
  };
  Configuration c = network("", 3, 2, 40);  // minibatches too large
  c.compute_noise.exponential = 0.5;        // and the noise is the same
  c.stragglers = {{1, 3.0}};
  check(c, blobs());
  c.model = "softmax";  // no layers
  check(c, blobs());
  c.model = "logistic";
  c.batch = 1;
  c.sparse_wire = SparseWire::off;  // ps-async would go by keys
  check(c, test::dense_problem());
  check(c, test::sparse_problem());
}

TEST_CASE("of sparse rows the first layer's gradient is sent, and the others' activations",
          "[scheme]") {
  const LoadedData data = test::sparse_problem();
  Configuration c = network("ps-activations", 3, 1, 4);
  const RunResult products = train(c, data);
  const std::uint64_t dimension = 300 * 32 + 32 + 32 * 16 + 16 + 16 * 2 + 2;
  const std::uint64_t up = 300 * 32 + 32 + 4 * (32 + 16) + std::min(4 * (16 + 2), 16 * 2 + 2);
  CHECK(products.summary.bytes_sent == 3U * 30U * 4U * (up + dimension));
  c.scheme = "ps-async";
  CHECK(relative_difference(products, train(c, data)) < 1e-5);
}

TEST_CASE("activations and deltas train on threads", "[scheme]") {
  const LoadedData data = blobs();
  for (const int servers : {1, 3}) {
    CAPTURE(servers);
    Configuration c = network("ps-activations", 4, servers, 4);
    c.time = TimeMode::wall;
    c.network = {.latency = std::chrono::microseconds(20), .bytes_per_second = 1e9};
    const RunResult result = train(c, data);
    CHECK(result.summary.train_loss < 0.9 * result.metrics.front().train_loss);
    CHECK(result.summary.samples == 4U * 30U * 4U);
  }
}
