#include "trainyard/data/minibatch.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/catch.hpp"

namespace trainyard {

namespace {

Dataset rows_only(std::size_t rows) {
  Dataset data;
  data.rows = rows;
  return data;
}

std::vector<std::size_t> rows_of(Batch batch) {
  std::vector<std::size_t> rows;
  for (const RowRange& range : batch) {
    for (std::size_t i = 0; i < range.count; ++i) rows.push_back(range.first + i);
  }
  return rows;
}

using Rows = std::vector<std::size_t>;

}  // namespace

TEST_CASE("without replacement minibatches follow each other and wrap around", "[data]") {
  const Dataset share = rows_only(5);
  MinibatchStream stream(share, 3, Drawing::cyclic, RandomStream(1, Purpose::minibatch));
  const Batch first = stream.next();
  CHECK(first.size() == 1);
  CHECK(first[0].data == &share);
  CHECK(rows_of(first) == Rows{0, 1, 2});
  const Batch second = stream.next();
  CHECK(second.size() == 2);
  CHECK(rows_of(second) == Rows{3, 4, 0});
  CHECK(rows_of(stream.next()) == Rows{1, 2, 3});
}

TEST_CASE("a minibatch may be as long as its share or longer", "[data]") {
  const Dataset share = rows_only(3);
  MinibatchStream whole(share, 3, Drawing::cyclic, RandomStream(1, Purpose::minibatch));
  CHECK(rows_of(whole.next()) == Rows{0, 1, 2});
  CHECK(rows_of(whole.next()) == Rows{0, 1, 2});
  MinibatchStream longer(share, 7, Drawing::cyclic, RandomStream(1, Purpose::minibatch));
  CHECK(rows_of(longer.next()) == Rows{0, 1, 2, 0, 1, 2, 0});
  const Batch second = longer.next();
  CHECK(rows_of(second) == Rows{1, 2, 0, 1, 2, 0, 1});
  CHECK(row_count(second) == 7);
}

namespace {

/// Shares and minibatches of all proportions: one block or many, a last block that is shorter, a
/// minibatch longer than a block, than a pass, than two.
struct Sizes {
  std::size_t rows, batch;
};
constexpr Sizes all_sizes[] = {{1, 1},     {2, 1},     {97, 1},     {97, 10},    {100, 64},
                               {300, 300}, {300, 301}, {300, 650},  {4096, 16},  {4097, 16},
                               {5000, 1},  {5000, 50}, {5000, 128}, {5000, 4999}};

MinibatchStream stream_of(const Dataset& share, std::size_t batch, Drawing drawing,
                          std::uint64_t seed) {
  return {share, batch, drawing, RandomStream(seed, Purpose::minibatch)};
}

/// The rows of so many passes in the order they come.
std::vector<Rows> passes_of(MinibatchStream& stream, std::size_t rows, std::size_t passes) {
  Rows sequence;
  while (sequence.size() < passes * rows) {
    const Rows more = rows_of(stream.next());
    sequence.insert(sequence.end(), more.begin(), more.end());
  }
  std::vector<Rows> result(passes);
  for (std::size_t p = 0; p < passes; ++p) {
    const auto begin = sequence.begin() + static_cast<std::ptrdiff_t>(p * rows);
    result[p].assign(begin, begin + static_cast<std::ptrdiff_t>(rows));
  }
  return result;
}

}  // namespace

TEST_CASE("every row is visited once in every pass", "[data]") {
  const std::uint64_t seed = 5;
  for (const Drawing drawing : {Drawing::reshuffled, Drawing::cyclic}) {
    for (const auto& [rows, batch] : all_sizes) {
      INFO("seed " << seed << ", " << rows << " rows, minibatch " << batch << ", drawing "
                   << static_cast<int>(drawing));
      const Dataset share = rows_only(rows);
      MinibatchStream stream = stream_of(share, batch, drawing, seed);
      bool each_once = true, full = true;
      for (Rows& pass : passes_of(stream, rows, 5)) {
        std::ranges::sort(pass);
        for (std::size_t row = 0; row < rows; ++row) each_once = each_once && pass[row] == row;
      }
      for (int i = 0; i < 20; ++i) full = full && row_count(stream.next()) == batch;
      CHECK(each_once);
      CHECK(full);
    }
  }
}

TEST_CASE("a minibatch of a reshuffled pass is one run of rows, but for one or two", "[data]") {
  const std::uint64_t seed = 5;
  for (const auto& [rows, batch] : {Sizes{5000, 1}, Sizes{5000, 16}, Sizes{5000, 128}}) {
    INFO("seed " << seed << ", minibatch " << batch);
    const Dataset share = rows_only(rows);
    MinibatchStream stream = stream_of(share, batch, Drawing::reshuffled, seed);
    const std::size_t passes = 8;
    std::size_t more_than_one = 0;
    for (std::size_t i = 0; i < passes * rows / batch; ++i) {
      if (stream.next().size() > 1) ++more_than_one;
    }
    CHECK(more_than_one <= 2 * passes);
  }
}

TEST_CASE("a whole pass inside a minibatch is taken as it lies", "[data]") {
  const Dataset share = rows_only(100);
  for (const std::size_t passes : {1U, 2U, 3U}) {
    CAPTURE(passes);
    MinibatchStream stream = stream_of(share, passes * share.rows, Drawing::reshuffled, 1);
    for (int i = 0; i < 3; ++i) {
      const Batch batch = stream.next();
      CHECK(batch.size() == passes);
      for (const RowRange& range : batch) CHECK(range.first == 0);
    }
  }
}

TEST_CASE("where a row comes in a reshuffled pass, and after which, is random", "[data]") {
  const std::uint64_t seed = 11;
  INFO("seed " << seed);
  const std::size_t rows = 1000, passes = 2000;
  const Dataset share = rows_only(rows);
  MinibatchStream stream = stream_of(share, 8, Drawing::reshuffled, seed);
  // In which tenth of a pass rows 0 and 500 come; and how often the row after them in memory comes
  // after them in the pass: but at the end of a block.
  std::vector<std::vector<double>> visits(2, std::vector<double>(10, 0.0));
  double parted = 0.0;
  for (const Rows& pass : passes_of(stream, rows, passes)) {
    for (std::size_t i = 0; i < rows; ++i) {
      if (pass[i] % 500 != 0) continue;
      ++visits[pass[i] / 500][i * 10 / rows];
      if (i + 1 < rows && pass[i + 1] != pass[i] + 1) ++parted;
    }
  }
  for (const auto& tenths : visits) {
    double chi_square = 0.0;  // with 9 degrees of freedom, above 27.9 once in a thousand seeds
    for (const double count : tenths) chi_square += std::pow(count - 200.0, 2) / 200.0;
    CHECK(chi_square < 27.9);
  }
  CHECK(stream.block_rows() == 24);  // whole minibatches, up to the root of the rows
  const double share_of_ends = parted / (2.0 * static_cast<double>(passes));
  CHECK(share_of_ends > 0.5 / 24.0);
  CHECK(share_of_ends < 2.0 / 24.0);
}

TEST_CASE("minibatches depend on seed and number alone: a stream can be taken up anywhere",
          "[data]") {
  const std::uint64_t seed = 3;
  for (const Drawing drawing : {Drawing::reshuffled, Drawing::cyclic, Drawing::replacement}) {
    for (const auto& [rows, batch] : all_sizes) {
      INFO("seed " << seed << ", " << rows << " rows, minibatch " << batch << ", drawing "
                   << static_cast<int>(drawing));
      const Dataset share = rows_only(rows);
      MinibatchStream whole = stream_of(share, batch, drawing, seed);
      MinibatchStream skipping = stream_of(share, batch, drawing, seed);
      bool same = true;
      for (const std::uint64_t left_out : {0U, 1U, 2U, 7U, 100U, 33U}) {
        for (std::uint64_t i = 0; i < left_out; ++i) whole.next();
        skipping.skip(left_out);
        for (int i = 0; i < 3; ++i)
          same = same && rows_of(whole.next()) == rows_of(skipping.next());
      }
      CHECK(same);
    }
  }
}

TEST_CASE("another seed is another order", "[data]") {
  const Dataset share = rows_only(500);
  MinibatchStream one = stream_of(share, 10, Drawing::reshuffled, 1);
  MinibatchStream two = stream_of(share, 10, Drawing::reshuffled, 2);
  const auto passes = passes_of(one, 500, 2);
  CHECK(passes[0] != passes[1]);
  CHECK(passes != passes_of(two, 500, 2));
}

TEST_CASE("with replacement rows are drawn uniformly from the stream given", "[data]") {
  const Dataset share = rows_only(10);
  const std::uint64_t seed = 7;
  INFO("seed " << seed);
  MinibatchStream stream(share, 20, Drawing::replacement, RandomStream(seed, Purpose::minibatch));
  MinibatchStream again(share, 20, Drawing::replacement, RandomStream(seed, Purpose::minibatch));
  std::vector<double> visits(10, 0.0);
  bool same = true;
  for (int i = 0; i < 1000; ++i) {
    const Rows rows = rows_of(stream.next());
    CHECK(rows.size() == 20);
    same = same && rows == rows_of(again.next());
    for (const std::size_t row : rows) ++visits[row];
  }
  CHECK(same);
  // Chi-square with 9 degrees of freedom: above 27.9 once in a thousand seeds.
  double chi_square = 0.0;
  for (const double count : visits) chi_square += std::pow(count - 2000.0, 2) / 2000.0;
  CHECK(chi_square < 27.9);
}

}  // namespace trainyard
