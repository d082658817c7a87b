// FireCaffe's tree, whose root is a rank of its own.
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/collective/all_reduce.hpp"

#include "support/catch.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using test::setup_of;

namespace {

using Vectors = std::vector<std::vector<float>>;

RuntimeReport sum_up(const test::Runtime& runtime, Vectors& vectors, const Network& network = {}) {
  const int n = static_cast<int>(vectors.size());
  return runtime.run(setup_of(n, 1, network), [&](Rank& rank) {
    rank.begin();
    if (rank.rank() == n) return tree_root_serve(rank, Scalar::float32, vectors[0].size());
    tree_root_sum(rank, vectors[static_cast<std::size_t>(rank.rank())]);
  });
}

/// The sum of the places `first` and those below it in the tree, by the tree as a drawing has it:
/// below place p hang p + 1, p + 2, p + 4, … as long as the step is less than p's lowest set bit.
std::vector<float> sum_below(const Vectors& vectors, std::size_t place, std::size_t places) {
  std::vector<float> sum(vectors[0].size(), 0.0F);
  if (place > 0) sum = vectors[place - 1];
  for (std::size_t reach = 1; place + reach < places; reach *= 2) {
    if ((place & reach) != 0) break;
    const std::vector<float> below = sum_below(vectors, place + reach, places);
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += below[j];
  }
  return sum;
}

}  // namespace

TEST_CASE("a tree with a root of its own adds up as the tree is drawn", "[collective]") {
  RandomStream random(5, Purpose::scheme);
  for (const auto& runtime : test::runtimes()) {
    for (const int n : {1, 2, 3, 4, 7, 8, 13}) {
      CAPTURE(runtime.name, n);
      Vectors vectors(static_cast<std::size_t>(n), std::vector<float>(41));
      for (auto& vector : vectors) {
        for (float& value : vector) value = static_cast<float>(random.normal());
      }
      const std::vector<float> expected = sum_below(vectors, 0, vectors.size() + 1);
      sum_up(runtime, vectors);
      for (const auto& vector : vectors) REQUIRE(vector == expected);
    }
  }
}

TEST_CASE("a tree with a root of its own takes as many rounds as n + 1 ranks need",
          "[collective]") {
  constexpr std::size_t length = 250;                                         // 1000 bytes
  const Network network{.latency = seconds(1.5), .bytes_per_second = 200.0};  // 1.5 + 5 s a message
  for (int n = 1; n <= 33; ++n) {
    CAPTURE(n);
    Vectors vectors(static_cast<std::size_t>(n), std::vector<float>(length, 1.0F));
    const RuntimeReport report = sum_up(test::runtimes()[0], vectors, network);
    int rounds = 0;
    while ((1 << rounds) < n + 1) ++rounds;
    CHECK(to_seconds(report.elapsed) == Approx(2 * rounds * 6.5).epsilon(1e-12));

    std::uint64_t bytes = 0, at_root = report.accounts.back().bytes_sent;
    for (const RankAccount& account : report.accounts) bytes += account.bytes_sent;
    CHECK(bytes == 2U * static_cast<unsigned>(n) * 1000U);    // every worker up and down once
    CHECK(at_root == static_cast<unsigned>(rounds) * 1000U);  // one child a round
    CHECK(report.accounts.back().bytes_received == at_root);
    CHECK(report.accounts.front().bytes_sent == 1000U);  // place 1 is a leaf
  }
}
