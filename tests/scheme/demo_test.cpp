// DeMo: its transform, its rule written out, and where it is synchronous SGD.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>

#include "trainyard/scheme/scheme.hpp"

#include "scheme/chunk_transform.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

constexpr std::size_t workers = 3, dimension = 30;

double irregular(std::size_t i, std::size_t j) {
  return static_cast<double>((7919 * (i + 1) + 104729 * (j + 3)) % 1000) / 512.0 - 0.9375;
}

Dataset irregular_data() {
  std::vector<Doubles> h(workers), b(workers);
  for (std::size_t i = 0; i < workers; ++i) {
    for (std::size_t j = 0; j < dimension; ++j) {
      h[i].push_back(0.25 + 0.25 * static_cast<double>((i + j) % 5));
      b[i].push_back(irregular(i, j));
    }
  }
  return test::quadratic_data(h, b);
}

Configuration configuration(std::uint64_t steps, Hyperparameters values) {
  Configuration c;
  c.scheme = "demo";
  c.workers = workers;
  c.steps = steps;
  c.optimizer.lr = 0.1;
  c.hyperparameters = std::move(values);
  return c;
}

double cosine(std::size_t n, std::size_t k, std::size_t i) {
  const auto N = static_cast<double>(n);
  return std::sqrt((k == 0 ? 1.0 : 2.0) / N) *
         std::cos(std::numbers::pi / N * (static_cast<double>(i) + 0.5) * static_cast<double>(k));
}

/// D of each chunk of `size` numbers that follow one another, or D⁻¹.
Doubles transformed(const Doubles& x, std::size_t size, bool back) {
  Doubles result(x.size(), 0.0);
  for (std::size_t j = 0; j < x.size(); ++j) {
    const std::size_t first = j - j % size;
    for (std::size_t i = 0; i < size; ++i) {
      result[j] += x[first + i] * (back ? cosine(size, i, j % size) : cosine(size, j % size, i));
    }
  }
  return result;
}

/// x with all but the k largest of each chunk 0; `sent` counts them.
Doubles largest_of_chunks(const Doubles& x, std::size_t chunk, std::size_t k,
                          std::vector<int>& sent) {
  Doubles result(x.size(), 0.0);
  for (std::size_t first = 0; first < x.size(); first += chunk) {
    std::vector<std::size_t> places(chunk);
    std::iota(places.begin(), places.end(), first);
    std::stable_sort(places.begin(), places.end(),
                     [&](std::size_t a, std::size_t b) { return std::abs(x[a]) > std::abs(x[b]); });
    for (std::size_t j = 0; j < k; ++j) {
      result[places[j]] = x[places[j]];
      ++sent[places[j]];
    }
  }
  return result;
}

}  // namespace

TEST_CASE("sides of chunks are the largest divisors below a limit", "[scheme]") {
  CHECK(largest_divisor(123, 64) == 41);
  CHECK(largest_divisor(768, 64) == 64);
  CHECK(largest_divisor(50, 64) == 50);
  CHECK(largest_divisor(127, 64) == 1);
  CHECK(largest_divisor(1, 64) == 1);
}

TEST_CASE("a chunk's coefficients are its cosine transform on both sides", "[scheme]") {
  const std::vector<TensorShape> tensors{{6, 10}, {15, 1}, {4, 4}};
  constexpr std::size_t length = 60 + 15 + 16;
  ChunkTransform transform(tensors, 5, true);  // chunks of 3 × 5, 5 × 1 and 4 × 4
  CHECK(transform.chunks() == std::vector<ChunkRun>{{15, 4}, {5, 3}, {16, 1}});
  Doubles x(length), found(length), again(length);
  for (std::size_t j = 0; j < length; ++j) x[j] = irregular(1, j);
  transform.forward(x, found);
  std::size_t at = 0, first = 0;
  for (const auto& [rows, columns, h, w] :
       {std::array<std::size_t, 4>{6, 10, 3, 5}, {15, 1, 5, 1}, {4, 4, 4, 4}}) {
    for (std::size_t y = 0; y < rows; y += h) {
      for (std::size_t z = 0; z < columns; z += w) {
        for (std::size_t k = 0; k < h * w; ++k) {
          double expected = 0.0;
          for (std::size_t i = 0; i < h * w; ++i) {
            expected += cosine(h, k / w, i / w) * cosine(w, k % w, i % w) *
                        x[first + (y + i / w) * columns + z + i % w];
          }
          CHECK(found[at++] == Approx(expected).margin(1e-13));
        }
      }
    }
    first += rows * columns;
  }
  transform.backward(found, again);
  test::check_close(again, x);
}

TEST_CASE("demo steps by the signs of the fastest coefficients, and keeps the others",
          "[scheme][rule:demo]") {
  const Dataset data = irregular_data();
  constexpr double beta = 0.95, gamma = 0.1;
  constexpr std::size_t chunk = 10, kept = 3;
  for (const bool cosine : {true, false}) {
    for (const bool by_signs : {true, false}) {
      Doubles x(dimension, 0.0);
      std::vector<Doubles> delta(workers, x);
      for (std::uint64_t done = 1; done <= 20; ++done) {
        Doubles mean(dimension, 0.0);
        std::vector<int> sent(dimension, 0);
        for (std::size_t i = 0; i < workers; ++i) {
          for (std::size_t j = 0; j < dimension; ++j) {
            const double h = static_cast<double>(data.dense_row(i)[j]);
            const double b = static_cast<double>(data.dense_row(i)[dimension + j]);
            delta[i][j] = beta * delta[i][j] + gamma * h * (x[j] - b);
          }
          const Doubles of_delta = cosine ? transformed(delta[i], chunk, false) : delta[i];
          const Doubles q = largest_of_chunks(of_delta, chunk, kept, sent);
          const Doubles given = cosine ? transformed(q, chunk, true) : q;
          for (std::size_t j = 0; j < dimension; ++j) {
            delta[i][j] -= given[j];
            mean[j] += q[j];
          }
        }
        for (std::size_t j = 0; j < dimension; ++j) mean[j] /= std::max(1, sent[j]);
        const Doubles way = cosine ? transformed(mean, chunk, true) : mean;
        for (std::size_t j = 0; j < dimension; ++j) {
          x[j] -= by_signs ? gamma * ((way[j] > 0.0) - (way[j] < 0.0)) : way[j];
        }
        CAPTURE(done, cosine, by_signs);
        const test::Replicas found =
            test::run_on_quadratic(configuration(done, {{"demo-decay", beta},
                                                        {"demo-chunk", 12},  // 10 divides 30
                                                        {"demo-kept", kept},
                                                        {"demo-transform", cosine ? 0 : 1},
                                                        {"demo-step", by_signs ? 0 : 1}}),
                                   data);
        for (std::size_t i = 0; i < workers; ++i) test::check_close(found.workers[i], x);
      }
    }
  }
}

TEST_CASE("demo that sends everything and steps by the mean is ring", "[scheme]") {
  const Dataset data = irregular_data();
  Configuration ring = configuration(30, {});
  ring.scheme = "ring";
  const Doubles expected = test::run_on_quadratic(ring, data).model;
  for (const double transform : {0.0, 1.0}) {
    const Configuration c =
        configuration(30, {{"demo-kept", 1000}, {"demo-transform", transform}, {"demo-step", 1}});
    test::check_close(test::run_on_quadratic(c, data).model, expected);
  }
}

TEST_CASE("demo sends a value and a place for each coefficient, to each other worker", "[scheme]") {
  const LoadedData data = test::dense_problem(50, 840);  // chunks of 60
  Configuration c = test::quick("demo", 4, 5);
  c.network = {.latency = std::chrono::microseconds(20), .bytes_per_second = 3e6};
  c.encode_time = c.decode_time = Duration{0};
  c.hyperparameters["demo-kept"] = 7;
  const std::uint64_t message = 14 * 7 * 4 + (14 * 7 * 6 + 7) / 8;
  const RunResult result = test::train(c, data);
  CHECK(result.summary.bytes_sent == 5 * message * 4 * 3);
  CHECK(result.summary.seconds ==
        Approx(5 * (1e-3 + 3 * (20e-6 + static_cast<double>(message) / 3e6))).epsilon(1e-9));
}
