#include "trainyard/data/minibatch.hpp"

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
  MinibatchStream stream(share, 3, false, RandomStream(1, Purpose::minibatch));
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
  MinibatchStream whole(share, 3, false, RandomStream(1, Purpose::minibatch));
  CHECK(rows_of(whole.next()) == Rows{0, 1, 2});
  CHECK(rows_of(whole.next()) == Rows{0, 1, 2});
  MinibatchStream longer(share, 7, false, RandomStream(1, Purpose::minibatch));
  CHECK(rows_of(longer.next()) == Rows{0, 1, 2, 0, 1, 2, 0});
  const Batch second = longer.next();
  CHECK(rows_of(second) == Rows{1, 2, 0, 1, 2, 0, 1});
  CHECK(row_count(second) == 7);
}

TEST_CASE("every row is visited once a pass", "[data]") {
  const Dataset share = rows_only(97);
  MinibatchStream stream(share, 10, false, RandomStream(1, Purpose::minibatch));
  std::vector<int> visits(97, 0);
  for (int i = 0; i < 97; ++i) {
    for (const std::size_t row : rows_of(stream.next())) ++visits[row];
  }
  CHECK(visits == std::vector<int>(97, 10));
}

TEST_CASE("with replacement rows are drawn uniformly from the stream given", "[data]") {
  const Dataset share = rows_only(10);
  const std::uint64_t seed = 7;
  INFO("seed " << seed);
  MinibatchStream stream(share, 20, true, RandomStream(seed, Purpose::minibatch));
  MinibatchStream again(share, 20, true, RandomStream(seed, Purpose::minibatch));
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
