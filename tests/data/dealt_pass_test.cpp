#include "trainyard/data/dealt_pass.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "trainyard/data/minibatch.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

using Rows = std::vector<std::size_t>;

/// Deals of all proportions: shares that differ by a row, of one block and of many, minibatches
/// longer than a block, than a share, than two.
struct Sizes {
  std::size_t rows, workers, batch;
};
constexpr Sizes all_sizes[] = {{1, 1, 1},      {2, 2, 1},     {7, 3, 1},      {97, 5, 10},
                               {100, 7, 64},   {300, 2, 150}, {300, 2, 151},  {300, 2, 320},
                               {5000, 3, 1},   {5000, 16, 8}, {5001, 4, 128}, {4097, 16, 16},
                               {5000, 1, 4999}};

struct Dealer {
  Dataset all;
  std::vector<MinibatchStream> workers;

  Dealer(const Sizes& sizes, std::uint64_t seed) {
    all.rows = sizes.rows;
    for (std::size_t w = 0; w < sizes.workers; ++w) {
      workers.emplace_back(all, DealtPass::Place{w, sizes.workers}, sizes.batch,
                           RandomStream(seed, Purpose::minibatch));
    }
  }
  Dealer(const Dealer&) = delete;  // streams refer to rows
  Dealer& operator=(const Dealer&) = delete;
};

Rows rows_of(Batch batch) {
  Rows rows;
  for (const RowRange& range : batch) {
    for (std::size_t i = 0; i < range.count; ++i) rows.push_back(range.first + i);
  }
  return rows;
}

/// What a worker gets in so many passes.
std::vector<Rows> passes_of(MinibatchStream& stream, std::size_t passes) {
  Rows sequence;
  while (sequence.size() < passes * stream.rows()) {
    const Rows more = rows_of(stream.next());
    sequence.insert(sequence.end(), more.begin(), more.end());
  }
  std::vector<Rows> result(passes);
  for (std::size_t p = 0; p < passes; ++p) {
    const auto begin = sequence.begin() + static_cast<std::ptrdiff_t>(p * stream.rows());
    result[p].assign(begin, begin + static_cast<std::ptrdiff_t>(stream.rows()));
  }
  return result;
}

double chi_square(const std::vector<double>& counts, double expected) {
  double sum = 0.0;
  for (const double count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

}  // namespace

TEST_CASE("each pass deals every row to one worker, and as many as ever to each", "[data]") {
  const std::uint64_t seed = 5;
  const std::size_t passes = 6;
  for (const Sizes& sizes : all_sizes) {
    INFO("seed " << seed << ", " << sizes.rows << " rows, " << sizes.workers
                 << " workers, minibatch " << sizes.batch);
    Dealer deal(sizes, seed);
    std::vector<Rows> dealt(passes);
    bool as_many = true, full = true;
    for (std::size_t w = 0; w < sizes.workers; ++w) {
      MinibatchStream& worker = deal.workers[w];
      const bool longer = w < sizes.rows % sizes.workers;
      as_many = as_many && worker.rows() == sizes.rows / sizes.workers + (longer ? 1 : 0);
      const std::vector<Rows> own = passes_of(worker, passes);
      for (std::size_t p = 0; p < passes; ++p) {
        dealt[p].insert(dealt[p].end(), own[p].begin(), own[p].end());
      }
      for (int i = 0; i < 20; ++i) full = full && row_count(worker.next()) == sizes.batch;
    }
    CHECK(as_many);
    CHECK(full);
    bool each_once = true;
    for (Rows& pass : dealt) {
      std::ranges::sort(pass);
      each_once = each_once && pass.size() == sizes.rows;
      for (std::size_t row = 0; row < pass.size(); ++row) each_once = each_once && pass[row] == row;
    }
    CHECK(each_once);
  }
}

TEST_CASE("a minibatch of a dealt pass is one run of rows, but for two or three", "[data]") {
  for (const Sizes& sizes : {Sizes{20'000, 4, 1}, Sizes{20'001, 4, 16}, Sizes{20'003, 4, 128}}) {
    CAPTURE(sizes.batch);
    Dealer deal(sizes, 5);
    const std::size_t passes = 8;
    for (MinibatchStream& worker : deal.workers) {
      std::size_t more_than_one = 0;
      for (std::size_t i = 0; i < passes * worker.rows() / sizes.batch; ++i) {
        if (worker.next().size() > 1) ++more_than_one;
      }
      CHECK(more_than_one <= 3 * passes);
    }
  }
}

TEST_CASE("to whom a row is dealt, when, and behind which other, is random", "[data]") {
  const std::uint64_t seed = 11;
  INFO("seed " << seed);
  const Sizes sizes{2000, 10, 8};
  const std::size_t passes = 2000, share = 200;
  Dealer deal(sizes, seed);
  // Of rows 0 and 1000: who has them, and in which tenth of the pass; and how often their
  // neighbour in memory does not come next.
  std::vector<std::vector<double>> owners(2, std::vector<double>(10, 0.0)), tenths = owners;
  double parted = 0.0;
  for (std::size_t w = 0; w < sizes.workers; ++w) {
    for (const Rows& pass : passes_of(deal.workers[w], passes)) {
      for (std::size_t i = 0; i < share; ++i) {
        if (pass[i] % 1000 != 0) continue;
        ++owners[pass[i] / 1000][w];
        ++tenths[pass[i] / 1000][i * 10 / share];
        if (i + 1 < share && pass[i + 1] != pass[i] + 1) ++parted;
      }
    }
  }
  // With 9 degrees of freedom, above 27.9 once in a thousand seeds.
  for (const auto& counts : owners) CHECK(chi_square(counts, 200.0) < 27.9);
  for (const auto& counts : tenths) CHECK(chi_square(counts, 200.0) < 27.9);
  CHECK(deal.workers.front().block_rows() == 8);  // whole minibatches, up to the root of a share
  const double share_of_ends = parted / (2.0 * static_cast<double>(passes));
  CHECK(share_of_ends > 0.5 / 8.0);
  CHECK(share_of_ends < 2.0 / 8.0);
}

TEST_CASE("a dealt stream can be taken up anywhere", "[data]") {
  for (const Sizes& sizes : all_sizes) {
    INFO(sizes.rows << " rows, " << sizes.workers << " workers, minibatch " << sizes.batch);
    Dealer whole(sizes, 3), skipping(sizes, 3);
    bool same = true;
    for (std::size_t w = 0; w < sizes.workers; ++w) {
      for (const std::uint64_t left_out : {0U, 1U, 2U, 7U, 100U, 33U}) {
        for (std::uint64_t i = 0; i < left_out; ++i) whole.workers[w].next();
        skipping.workers[w].skip(left_out);
        for (int i = 0; i < 3; ++i) {
          same = same && rows_of(whole.workers[w].next()) == rows_of(skipping.workers[w].next());
        }
      }
    }
    CHECK(same);
  }
}

TEST_CASE("another seed is another deal", "[data]") {
  const Sizes sizes{500, 4, 10};
  Dealer one(sizes, 1), two(sizes, 2);
  const auto passes = passes_of(one.workers[1], 2);
  CHECK(passes[0] != passes[1]);
  CHECK(passes != passes_of(two.workers[1], 2));
}

}  // namespace trainyard
