#include "trainyard/collective/all_reduce.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/base/random.hpp"

#include "support/catch.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using test::setup_of;

namespace {

using Vectors = std::vector<std::vector<float>>;

/// All-reduces `vectors`, one a worker; k is what --servers would say.
Vectors summed(const test::Runtime& runtime, const AllReduce& way, Vectors vectors, int k,
               const Network& network = {}, RuntimeReport* report = nullptr, int rounds = 1) {
  const int n = static_cast<int>(vectors.size());
  const std::size_t length = vectors[0].size();
  const auto result = runtime.run(setup_of(n, way.servers(n, k), network), [&](Rank& rank) {
    rank.begin();
    if (rank.rank() >= n) {
      way.serve(rank, Scalar::float32, length);
      return;
    }
    for (int round = 0; round < rounds; ++round) {
      all_reduce_sum(rank, vectors[static_cast<std::size_t>(rank.rank())], way);
    }
  });
  if (report != nullptr) *report = result;
  return vectors;
}

Vectors random_vectors(int n, std::size_t length, RandomStream& random, bool whole) {
  Vectors vectors(static_cast<std::size_t>(n), std::vector<float>(length));
  for (auto& vector : vectors) {
    for (float& value : vector) {
      value = whole ? static_cast<float>(static_cast<int>(random.below(2001)) - 1000)
                    : static_cast<float>(random.normal());
    }
  }
  return vectors;
}

std::vector<float> serial_sum(const Vectors& vectors) {
  std::vector<float> sum(vectors[0].size(), 0.0F);
  for (const auto& vector : vectors) {
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += vector[j];
  }
  return sum;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * 4) == 0);
}

/// Every worker has the serial sum where that is exact, and the same bits where it is not.
void check_sums(const test::Runtime& runtime, const std::vector<int>& workers,
                const std::vector<std::size_t>& more_lengths) {
  const std::uint64_t seed = 11;
  INFO("seed " << seed);
  RandomStream random(seed, Purpose::scheme);
  for (const AllReduce& way : all_reduces()) {
    for (const int n : workers) {
      std::vector<std::size_t> lengths{0, 1, static_cast<std::size_t>(n - 1),
                                       static_cast<std::size_t>(n)};
      lengths.insert(lengths.end(), more_lengths.begin(), more_lengths.end());
      for (const std::size_t length : lengths) {
        CAPTURE(runtime.name, way.name, n, length);
        const Vectors whole = random_vectors(n, length, random, true);
        const std::vector<float> expected = serial_sum(whole);
        for (const auto& vector : summed(runtime, way, whole, 3)) REQUIRE(vector == expected);
        const Vectors result = summed(runtime, way, random_vectors(n, length, random, false), 3);
        for (const auto& vector : result) REQUIRE(same_bits(vector, result[0]));
      }
    }
  }
}

std::vector<int> one_to(int n) {
  std::vector<int> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 1);
  return numbers;
}

}  // namespace

TEST_CASE("every all-reduce is the serial sum, with the same bits everywhere, simulated",
          "[collective]") {
  check_sums(test::runtimes()[0], one_to(17), {1000});
}

TEST_CASE("every all-reduce is the serial sum, with the same bits everywhere, on threads",
          "[collective]") {
  check_sums(test::runtimes()[1], {1, 2, 3, 5, 8}, {1000});
}

TEST_CASE("the same for long vectors and all n on threads", "[collective][slow]") {
  check_sums(test::runtimes()[0], {1, 2, 3, 7, 8, 17}, {16385});
  check_sums(test::runtimes()[1], {4, 6, 7, 9, 11, 13, 15, 16, 17}, {257});
  check_sums(test::runtimes()[1], {2, 5, 8, 17}, {16385});
}

TEST_CASE("threads and simulation give the same bits", "[collective]") {
  RandomStream random(4, Purpose::scheme);
  for (const AllReduce& way : all_reduces()) {
    CAPTURE(way.name);
    const Vectors vectors = random_vectors(6, 103, random, false);
    CHECK(summed(test::runtimes()[0], way, vectors, 2) ==
          summed(test::runtimes()[1], way, vectors, 2));
  }
}

TEST_CASE("a mean is the sum over n", "[collective]") {
  std::vector<std::vector<float>> vectors{{1.0F, 2.0F}, {3.0F, 6.0F}};
  run_virtual(setup_of(2), [&](Rank& rank) {
    rank.begin();
    all_reduce_mean(rank, vectors[static_cast<std::size_t>(rank.rank())], find_all_reduce("ring"));
  });
  CHECK(vectors[0] == std::vector<float>{2.0F, 4.0F});
  CHECK(vectors[1] == vectors[0]);
}

// α = 1 ms, 1 Gbps: the closed form of the catalogue §1.2, parts of uneven size included.
TEST_CASE("every all-reduce takes exactly its closed form", "[collective]") {
  const Network network{.latency = std::chrono::milliseconds(1), .bytes_per_second = 125e6};
  std::vector<int> workers = one_to(17);
  workers.insert(workers.end(), {32, 64});
  for (const AllReduce& way : all_reduces()) {
    for (const int n : workers) {
      for (const int k : {1, 2, 4, 7}) {
        if (k > 1 && way.servers(n, k) == way.servers(n, 1)) continue;
        for (const std::size_t length :
             {std::size_t{1} << 14U, std::size_t{10007}, std::size_t{3}, std::size_t{0}}) {
          CAPTURE(way.name, n, k, length);
          RuntimeReport report;
          summed(test::runtimes()[0], way,
                 Vectors(static_cast<std::size_t>(n), std::vector<float>(length)), k, network,
                 &report);
          CHECK(report.elapsed == way.duration(n, k, length, FloatMessages{network}));
        }
      }
    }
  }
}

TEST_CASE("closed forms are those of the catalogue's table", "[collective]") {
  // α = 1.5, t = 5 for the whole vector.
  const Network network{.latency = seconds(1.5), .bytes_per_second = 4.0 * 1000 / 5.0};
  struct Row {
    const char* name;
    double at_4, at_8;
  };
  for (const Row& row :
       {Row{"ps", 52, 104}, Row{"ring", 16.5, 29.75}, Row{"ring-unpartitioned", 39, 91},
        Row{"tree", 26, 39}, Row{"recursive-doubling", 13, 19.5}, Row{"rabenseifner", 13.5, 17.75},
        Row{"ps-colocated", 16.5, 29.75},
        Row{"hierarchical-ring", 2 * (1.5 + 2.5) + 2 * (1.5 + 1.25),
            2 * (1.5 + 2.5) + 6 * (1.5 + 0.625)}}) {
    CAPTURE(row.name);
    const AllReduce& way = find_all_reduce(row.name);
    CHECK(to_seconds(way.duration(4, 1, 1000, FloatMessages{network})) ==
          Approx(row.at_4).epsilon(1e-9));
    CHECK(to_seconds(way.duration(8, 1, 1000, FloatMessages{network})) ==
          Approx(row.at_8).epsilon(1e-9));
  }
  CHECK(to_seconds(find_all_reduce("hierarchical").duration(8, 2, 1000, FloatMessages{network})) ==
        Approx(2 * (4 + 2) * 6.5));
  CHECK(to_seconds(find_all_reduce("ps-sharded").duration(8, 4, 1000, FloatMessages{network})) ==
        Approx(2 * 8 * (1.5 + 1.25)));
}

TEST_CASE("bytes sent by a worker are the closed form's", "[collective]") {
  const std::size_t length = 5040;  // divisible by 1 to 10
  for (const AllReduce& way : all_reduces()) {
    for (const int n : {2, 3, 4, 8}) {
      CAPTURE(way.name, n);
      RuntimeReport report;
      summed(test::runtimes()[0], way,
             Vectors(static_cast<std::size_t>(n), std::vector<float>(length)), 2, {}, &report);
      std::uint64_t most = 0;
      for (int w = 0; w < n; ++w) {
        most = std::max(most, report.accounts[static_cast<std::size_t>(w)].bytes_sent);
      }
      const double vector_bytes = 4.0 * length;
      const bool power_of_two = (n & (n - 1)) == 0;
      if (way.name == "ring" || way.name == "ps-colocated" || way.name == "hierarchical-ring" ||
          (way.name == "rabenseifner" && power_of_two)) {
        CHECK(static_cast<double>(most) == 2.0 * (n - 1) / n * vector_bytes);
      } else if (way.serve != nullptr && way.name != "tree-root") {
        CHECK(static_cast<double>(most) == vector_bytes);  // up once; the server sends it down
      } else if (way.name == "recursive-doubling" && power_of_two) {
        CHECK(static_cast<double>(most) == std::log2(n) * vector_bytes);
      }
    }
  }
}

TEST_CASE("many rounds in a row under any network end, and add up", "[collective]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, Purpose::network);
    const Network network{.latency = seconds(random.uniform() * 1e-3),
                          .bytes_per_second = 1e5 * (1 + 1e4 * random.uniform()),
                          .ports = random.below(2) == 0 ? PortMode::circuit : PortMode::cutthrough};
    const int n = 1 + static_cast<int>(random.below(12));
    for (const AllReduce& way : all_reduces()) {
      CAPTURE(way.name, n);
      const Vectors result =
          summed(test::runtimes()[0], way, Vectors(static_cast<std::size_t>(n), {1.0F, 2.0F, 3.0F}),
                 1 + static_cast<int>(random.below(5)), network, nullptr, 4);
      const float factor = std::pow(static_cast<float>(n), 4.0F);
      for (const auto& vector : result)
        CHECK(vector == std::vector<float>{factor, 2 * factor, 3 * factor});
    }
  }
}

TEST_CASE("groups of a hierarchical ring are equal, and near the root of n", "[collective]") {
  std::vector<int> members;
  for (const int n : {1, 2, 3, 4, 6, 7, 8, 9, 12, 16, 24, 30, 36, 64, 97}) {
    members.push_back(workers_of_group(n));
  }
  CHECK(members == std::vector<int>{1, 1, 1, 2, 2, 1, 2, 3, 3, 4, 4, 5, 6, 8, 1});
}

TEST_CASE("a hierarchical ring takes its closed form for even lengths, and little more for others",
          "[collective]") {
  // A number takes 4 us: parts that are longer by one are felt.
  const Network network{.latency = std::chrono::microseconds(10), .bytes_per_second = 1e6};
  const AllReduce& way = find_all_reduce("hierarchical-ring");
  for (const int n : {4, 6, 8, 9, 10, 12, 16, 20}) {
    const auto ranks = static_cast<std::size_t>(n);
    for (std::size_t length = 0; length < 4 * ranks; ++length) {
      CAPTURE(n, length);
      RuntimeReport report;
      summed(test::runtimes()[0], way, Vectors(ranks, std::vector<float>(length)), 1, network,
             &report);
      const Duration form = way.duration(n, 1, length, FloatMessages{network});
      const auto members = static_cast<std::size_t>(workers_of_group(n));
      const auto part = FloatMessages{network}((length + members - 1) / members);
      CHECK(report.elapsed >= form);
      CHECK(report.elapsed <= form + (length % ranks == 0 ? Duration{0} : part));
    }
  }
}

TEST_CASE("an unknown collective names the nearest", "[collective]") {
  CHECK_THROWS_WITH(find_all_reduce("rabenseifer"),
                    ContainsSubstring("did you mean 'rabenseifner'"));
}
