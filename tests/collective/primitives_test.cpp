#include "trainyard/collective/primitives.hpp"

#include <cmath>
#include <vector>

#include "trainyard/base/even_split.hpp"

#include "support/catch.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using test::setup_of;

namespace {

using Vectors = std::vector<std::vector<float>>;

/// Worker w's element j is 100 w + j.
Vectors numbered(int n, std::size_t length) {
  Vectors vectors(static_cast<std::size_t>(n), std::vector<float>(length));
  for (std::size_t w = 0; w < vectors.size(); ++w) {
    for (std::size_t j = 0; j < length; ++j) vectors[w][j] = static_cast<float>(100 * w + j);
  }
  return vectors;
}

float sum_at(int n, std::size_t j) {
  return static_cast<float>(100 * n * (n - 1) / 2) + static_cast<float>(n) * static_cast<float>(j);
}

template <typename Collective>
RuntimeReport apply(const test::Runtime& runtime, Vectors& vectors, const Network& network,
                    Collective collective) {
  return runtime.run(setup_of(static_cast<int>(vectors.size()), 0, network), [&](Rank& rank) {
    rank.begin();
    collective(rank, std::span<float>(vectors[static_cast<std::size_t>(rank.rank())]));
  });
}

template <typename Check>
void for_all_sizes(Check check) {
  for (const auto& runtime : test::runtimes()) {
    for (const int n : {1, 2, 3, 4, 5, 7, 8, 9}) {
      for (const std::size_t length : {0U, 1U, 4U, 9U, 20U}) {
        CAPTURE(runtime.name, n, length);
        check(runtime, n, length);
      }
    }
  }
}

const Network slow{.latency = seconds(1.5), .bytes_per_second = 4.0 * 2520 / 5.0};

}  // namespace

TEST_CASE("broadcast: all have worker 0's vector", "[collective]") {
  for_all_sizes([](const test::Runtime& runtime, int n, std::size_t length) {
    Vectors vectors = numbered(n, length);
    const auto expected = vectors[0];
    apply(runtime, vectors, {}, broadcast);
    for (const auto& vector : vectors) REQUIRE(vector == expected);
  });
}

TEST_CASE("reduce: worker 0 has the sum", "[collective]") {
  for_all_sizes([](const test::Runtime& runtime, int n, std::size_t length) {
    Vectors vectors = numbered(n, length);
    apply(runtime, vectors, {}, reduce_sum);
    for (std::size_t j = 0; j < length; ++j) REQUIRE(vectors[0][j] == sum_at(n, j));
  });
}

TEST_CASE("reduce-scatter: worker w has part w of the sum", "[collective]") {
  for_all_sizes([](const test::Runtime& runtime, int n, std::size_t length) {
    Vectors vectors = numbered(n, length);
    apply(runtime, vectors, {}, reduce_scatter_sum);
    for (int w = 0; w < n; ++w) {
      auto& vector = vectors[static_cast<std::size_t>(w)];
      const auto part = even_split(std::span(vector), w, n);
      const std::size_t first = static_cast<std::size_t>(part.data() - vector.data());
      for (std::size_t i = 0; i < part.size(); ++i) REQUIRE(part[i] == sum_at(n, first + i));
    }
  });
}

TEST_CASE("all-gather: all have part w of worker w", "[collective]") {
  for_all_sizes([](const test::Runtime& runtime, int n, std::size_t length) {
    Vectors vectors = numbered(n, length);
    const Vectors before = vectors;
    apply(runtime, vectors, {}, all_gather);
    std::vector<float> expected;
    for (int w = 0; w < n; ++w) {
      const auto part = even_split(std::span(before[static_cast<std::size_t>(w)]), w, n);
      expected.insert(expected.end(), part.begin(), part.end());
    }
    for (const auto& vector : vectors) REQUIRE(vector == expected);
  });
}

TEST_CASE("all-to-all transposes", "[collective]") {
  for_all_sizes([](const test::Runtime& runtime, int n, std::size_t length) {
    // Whole parts: part j of worker i goes to part i of worker j.
    const std::size_t whole = length * static_cast<std::size_t>(n);
    const Vectors outgoing = numbered(n, whole);
    Vectors incoming(static_cast<std::size_t>(n), std::vector<float>(whole));
    runtime.run(setup_of(n), [&](Rank& rank) {
      rank.begin();
      const auto me = static_cast<std::size_t>(rank.rank());
      all_to_all(rank, outgoing[me], incoming[me]);
    });
    for (std::size_t i = 0; i < incoming.size(); ++i) {
      for (std::size_t j = 0; j < incoming.size(); ++j) {
        for (std::size_t e = 0; e < length; ++e) {
          REQUIRE(incoming[j][i * length + e] == outgoing[i][j * length + e]);
        }
      }
    }
  });
}

TEST_CASE("primitives take their closed forms", "[collective]") {
  for (int n = 1; n <= 9; ++n) {
    CAPTURE(n);
    const double rounds = n == 1 ? 0 : std::ceil(std::log2(n));
    const double around = (n - 1) * (1.5 + 5.0 / n);
    Vectors vectors = numbered(n, 2520);
    const auto time_of = [&](auto collective) {
      return to_seconds(apply(test::runtimes()[0], vectors, slow, collective).elapsed);
    };
    CHECK(time_of(broadcast) == Approx(rounds * 6.5).epsilon(1e-9).margin(1e-12));
    CHECK(time_of(reduce_sum) == Approx(rounds * 6.5).epsilon(1e-9).margin(1e-12));
    CHECK(time_of(reduce_scatter_sum) == Approx(around).epsilon(1e-9).margin(1e-12));
    CHECK(time_of(all_gather) == Approx(around).epsilon(1e-9).margin(1e-12));
    std::vector<float> incoming(2520 * 9);
    CHECK(time_of([&](Communicator& comm, std::span<float> vector) {
            const auto mine = even_split(std::span(incoming), comm.rank(), 9);
            all_to_all(comm, vector, mine);
          }) == Approx(around).epsilon(1e-9).margin(1e-12));
  }
}
