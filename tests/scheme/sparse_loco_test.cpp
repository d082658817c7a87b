// SparseLoCo against its rule written out, against what it is for certain values, and its bytes.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

constexpr std::size_t workers = 3, dimension = 40;

/// Irregular numbers that floats hold.
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

Configuration configuration(const char* scheme, std::uint64_t steps, Hyperparameters values) {
  Configuration c;
  c.scheme = scheme;
  c.workers = workers;
  c.steps = steps;
  c.optimizer.lr = 0.2;
  c.hyperparameters = std::move(values);
  return c;
}

/// A step of worker i's x.
void descend(const Dataset& data, std::size_t i, Doubles& x) {
  for (std::size_t j = 0; j < dimension; ++j) {
    const double h = static_cast<double>(data.dense_row(i)[j]);
    const double b = static_cast<double>(data.dense_row(i)[dimension + j]);
    x[j] -= 0.2 * h * (x[j] - b);
  }
}

/// The places of the k largest of each chunk, by sorting.
std::vector<std::size_t> largest_of_chunks(const Doubles& e, std::size_t chunk, std::size_t k) {
  std::vector<std::size_t> all;
  for (std::size_t first = 0; first < e.size(); first += chunk) {
    std::vector<std::size_t> places(std::min(chunk, e.size() - first));
    std::iota(places.begin(), places.end(), first);
    std::stable_sort(places.begin(), places.end(),
                     [&](std::size_t a, std::size_t b) { return std::abs(e[a]) > std::abs(e[b]); });
    all.insert(all.end(), places.begin(),
               places.begin() + static_cast<std::ptrdiff_t>(std::min(k, places.size())));
  }
  return all;
}

/// templar's _quantize_values with four bins over six deviations, and what it is turned back to.
void quantise(Doubles& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double scale = 6.0 * std::sqrt(squares) / std::sqrt(n - 1.0) / 4.0;
  std::vector<Doubles> bins(4);
  std::vector<std::size_t> bin_of;
  for (const double value : values) {
    bin_of.push_back(static_cast<std::size_t>(
        std::min(3.0, std::max(0.0, std::round((value - mean) / scale + 2.0)))));
    bins[bin_of.back()].push_back(value);
  }
  for (std::size_t j = 0; j < values.size(); ++j) {
    const Doubles& bin = bins[bin_of[j]];
    values[j] = std::accumulate(bin.begin(), bin.end(), 0.0) / static_cast<double>(bin.size());
  }
}

}  // namespace

TEST_CASE("sparse-loco sends the largest of each chunk in two bits, and keeps a part of the rest",
          "[scheme][rule:sparse-loco]") {
  const Dataset data = irregular_data();
  constexpr double alpha = 0.8, beta = 0.9;
  constexpr std::size_t chunk = 16, kept = 3, period = 4;  // the last chunk has 8
  Doubles outer(dimension, 0.0);
  std::vector<Doubles> x(workers, outer), e = x;
  for (std::uint64_t done = 1; done <= 25; ++done) {
    Doubles sum(dimension, 0.0);
    for (std::size_t i = 0; i < workers; ++i) {
      descend(data, i, x[i]);
      if (done % period != 0) continue;
      for (std::size_t j = 0; j < dimension; ++j) {
        e[i][j] = beta * e[i][j] + outer[j] - x[i][j];
      }
      const std::vector<std::size_t> places = largest_of_chunks(e[i], chunk, kept);
      Doubles values;
      for (const std::size_t place : places) values.push_back(e[i][place]);
      quantise(values);
      for (std::size_t j = 0; j < places.size(); ++j) {
        e[i][places[j]] -= values[j];
        sum[places[j]] += values[j] / workers;
      }
    }
    if (done % period == 0) {
      for (std::size_t j = 0; j < dimension; ++j) outer[j] -= alpha * sum[j];
      std::ranges::fill(x, outer);
    }
    CAPTURE(done);
    const test::Replicas found = test::run_on_quadratic(configuration("sparse-loco", done,
                                                                      {{"period", period},
                                                                       {"loco-lr", alpha},
                                                                       {"loco-decay", beta},
                                                                       {"loco-chunk", chunk},
                                                                       {"loco-kept", kept}}),
                                                        data);
    for (std::size_t i = 0; i < workers; ++i) {
      test::check_close(found.workers[i], x[i]);
      test::check_close(found.kept[i].at("error"), e[i]);
    }
  }
}

TEST_CASE("sparse-loco that keeps nothing back is diloco without outer momentum", "[scheme]") {
  const Dataset data = irregular_data();
  for (const double decay : {0.0, 0.95}) {
    const test::Replicas found = test::run_on_quadratic(configuration("sparse-loco", 22,
                                                                      {{"period", 5},
                                                                       {"loco-lr", 0.7},
                                                                       {"loco-decay", decay},
                                                                       {"loco-chunk", 7},
                                                                       {"loco-kept", 7},
                                                                       {"loco-values", 1}}),
                                                        data);
    const test::Replicas same = test::run_on_quadratic(
        configuration("diloco", 22, {{"period", 5}, {"outer-lr", 0.7}, {"outer-momentum", 0}}),
        data);
    for (std::size_t i = 0; i < workers; ++i) test::check_close(found.workers[i], same.workers[i]);
  }
}

TEST_CASE("sparse-loco without decay, in one chunk, is qsparse-local-sgd with top-k", "[scheme]") {
  const Dataset data = irregular_data();
  const test::Replicas found = test::run_on_quadratic(
      configuration("sparse-loco", 30,
                    {{"period", 3}, {"loco-decay", 1}, {"loco-kept", 6}, {"loco-values", 1}}),
      data);
  Configuration same = configuration("qsparse-local-sgd", 30, {{"period", 3}});
  same.ingredients["codec"] = "top-k:k=6";
  test::check_close(found.workers[0], test::run_on_quadratic(same, data).workers[0]);
}

TEST_CASE("sparse-loco sends two bits and a place for each number, to each other worker",
          "[scheme]") {
  const LoadedData data = test::dense_problem(50, 840);
  for (const int n : {1, 2, 4}) {
    for (const double period : {1.0, 4.0}) {
      Configuration c = test::quick("sparse-loco", n, 8);
      c.network = {.latency = std::chrono::microseconds(20), .bytes_per_second = 3e6};
      c.encode_time = c.decode_time = Duration{0};
      c.hyperparameters = {{"period", period}, {"loco-chunk", 256}, {"loco-kept", 5}};
      // Three chunks of 256, places of 8 bits, and one of 72, of 7; four floats before them.
      const std::uint64_t message = 16 + 5 + (15 * 8 + 5 * 7 + 7) / 8;
      const std::uint64_t exchanges = period == 1.0 ? 8 : 2;
      const RunResult result = test::train(c, data);
      const auto others = static_cast<std::uint64_t>(n - 1);
      CAPTURE(n, period);
      CHECK(result.summary.bytes_sent == exchanges * message * others * (others + 1));
      const double of_message = 20e-6 + static_cast<double>(message) / 3e6;
      CHECK(result.summary.seconds ==
            Approx(8e-3 + static_cast<double>(exchanges * others) * of_message).epsilon(1e-9));
    }
  }
}
