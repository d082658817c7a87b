#include "trainyard/data/partition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "trainyard/base/error.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Parts = std::vector<std::vector<std::uint32_t>>;

/// Labels in turn: 0 1 2 0 1 2 ...; row r has the features r and 2r.
Dataset striped(std::size_t rows, int classes) {
  Dataset data;
  data.rows = rows;
  data.features = 2;
  data.classes = classes;
  data.labels = AlignedBuffer<Label>(rows);
  data.dense = AlignedBuffer<float>(2 * rows);
  for (std::size_t row = 0; row < rows; ++row) {
    data.labels[row] = static_cast<Label>(row % static_cast<std::size_t>(classes));
    data.dense[2 * row] = static_cast<float>(row);
    data.dense[2 * row + 1] = static_cast<float>(2 * row);
  }
  return data;
}

std::vector<std::size_t> sizes_of(const Parts& parts) {
  std::vector<std::size_t> sizes;
  for (const auto& part : parts) sizes.push_back(part.size());
  return sizes;
}

bool every_row_once(const Parts& parts, std::size_t rows) {
  std::vector<std::uint32_t> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end());
  std::vector<std::uint32_t> expected(rows);
  std::iota(expected.begin(), expected.end(), 0U);
  return all == expected;
}

std::set<Label> labels_in(const Dataset& data, const std::vector<std::uint32_t>& part) {
  std::set<Label> labels;
  for (const std::uint32_t row : part) labels.insert(data.labels[row]);
  return labels;
}

std::string error_of(const Dataset& data, const std::string& rule, std::size_t workers) {
  try {
    partition(data, parse_partition(rule, "--partition"), workers, 1);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("every partition gives every row to one worker, the same for the same seed",
          "[data][partition]") {
  const Dataset data = striped(1003, 5);
  for (const char* text : {"iid", "contiguous", "shards", "label-quantity:5", "dirichlet:0.5",
                           "dirichlet:100", "size:0.5", "size:1e-300"}) {
    const PartitionRule rule = parse_partition(text, "--partition");
    CHECK(partition_text(rule) == text);
    for (const std::size_t workers : {1, 2, 3, 8, 16}) {
      INFO(text << ", " << workers << " workers");
      const Parts parts = partition(data, rule, workers, 42);
      CHECK(parts.size() == workers);
      CHECK(every_row_once(parts, data.rows));
      CHECK(parts == partition(data, rule, workers, 42));
      CHECK(parts != partition(data, rule, workers, 43));
    }
  }
}

TEST_CASE("iid and contiguous parts differ in size by one at most", "[data][partition]") {
  const Dataset data = striped(11, 2);
  for (const char* text : {"iid", "contiguous"}) {
    INFO(text);
    const Parts parts = partition(data, parse_partition(text, ""), 4, 1);
    CHECK(sizes_of(parts) == std::vector<std::size_t>{3, 3, 3, 2});
  }
  Parts blocks = partition(data, parse_partition("contiguous", ""), 4, 1);
  std::sort(blocks[1].begin(), blocks[1].end());
  CHECK(blocks[1] == std::vector<std::uint32_t>{3, 4, 5});
}

TEST_CASE("iid shares have the labels of the whole, chance apart", "[data][partition]") {
  const std::uint64_t seed = 5;
  INFO("seed " << seed);
  const Dataset data = striped(10'000, 10);
  double chi_square = 0.0;
  for (const auto& part : partition(data, parse_partition("iid", ""), 8, seed)) {
    std::vector<double> counts(10, 0.0);
    for (const std::uint32_t row : part) ++counts[static_cast<std::size_t>(data.labels[row])];
    for (const double count : counts) chi_square += std::pow(count - 125.0, 2) / 125.0;
  }
  // 7 × 9 = 63 degrees of freedom: above 104 once in a thousand seeds.
  CHECK(chi_square < 104.0);
}

TEST_CASE("shards give each worker few labels", "[data][partition]") {
  const Dataset data = striped(1000, 10);
  const Parts parts = partition(data, parse_partition("shards", ""), 10, 3);
  CHECK(sizes_of(parts) == std::vector<std::size_t>(10, 100));
  // 20 shards of 50 rows, 100 rows a label: each shard has one label.
  for (const auto& part : parts) CHECK(labels_in(data, part).size() <= 2);
}

TEST_CASE("Dirichlet's concentration sets the label skew", "[data][partition]") {
  const Dataset data = striped(10'000, 10);
  // Mean over the workers of the largest label's fraction: 0.1 when all are equal.
  const auto skew = [&](const char* rule) {
    double sum = 0.0;
    for (const auto& part : partition(data, parse_partition(rule, ""), 8, 11)) {
      std::vector<double> counts(10, 0.0);
      for (const std::uint32_t row : part) ++counts[static_cast<std::size_t>(data.labels[row])];
      sum += *std::max_element(counts.begin(), counts.end()) / static_cast<double>(part.size());
    }
    return sum / 8;
  };
  const double severe = skew("dirichlet:0.1");
  const double mild = skew("dirichlet:1");
  const double nearly_iid = skew("dirichlet:1000");
  INFO(severe << " " << mild << " " << nearly_iid);
  CHECK(severe > 0.4);
  CHECK(mild < severe);
  CHECK(mild > 0.15);
  CHECK(nearly_iid < 0.13);
}

TEST_CASE("every worker of a Dirichlet partition has ten rows or what can be had",
          "[data][partition]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    const Parts parts = partition(striped(2000, 10), parse_partition("dirichlet:0.3", ""), 8, seed);
    for (const auto& part : parts) CHECK(part.size() >= 10);
    // 40 rows for 8 workers: half the mean share is 2.
    const Parts small = partition(striped(40, 2), parse_partition("dirichlet:1", ""), 8, seed);
    for (const auto& part : small) CHECK(part.size() >= 2);
  }
}

TEST_CASE("each worker visits its rows in an order of its own", "[data][partition]") {
  const Dataset data = striped(1000, 2);
  const Parts parts = partition(data, parse_partition("contiguous", ""), 2, 1);
  CHECK_FALSE(std::is_sorted(parts[0].begin(), parts[0].end()));
  std::vector<std::uint32_t> second = parts[1];
  for (std::uint32_t& row : second) row -= 500;
  CHECK(second != parts[0]);
}

TEST_CASE("in the file's order a worker has the same rows, ascending", "[data][partition]") {
  const Dataset data = striped(100, 4);
  for (const char* rule :
       {"iid", "contiguous", "shards", "label-quantity:2", "dirichlet:1", "size:1"}) {
    CAPTURE(rule);
    const PartitionRule parsed = parse_partition(rule, "--partition");
    Parts shuffled = partition(data, parsed, 3, 5, RowOrder::once);
    CHECK(partition(data, parsed, 3, 5, RowOrder::reshuffle) == shuffled);
    const Parts in_order = partition(data, parsed, 3, 5, RowOrder::file);
    CHECK(in_order != shuffled);
    for (auto& part : shuffled) std::ranges::sort(part);
    CHECK(in_order == shuffled);
  }
}

TEST_CASE("row orders are named as they are written", "[data][partition]") {
  for (const char* name : {"reshuffle", "once", "file"}) {
    CHECK(row_order_text(parse_row_order(name, "--order")) == name);
  }
  CHECK_THROWS_WITH(parse_row_order("files", "--order"),
                    "--order: found 'files'; expected reshuffle, once or file");
}

TEST_CASE("partitions that cannot be are refused with the reason", "[data][partition]") {
  CHECK(error_of(striped(7, 2), "iid", 8) ==
        "partition: 8 workers need at least 8 rows; the training set has 7");
  CHECK(error_of(striped(15, 2), "shards", 8) ==
        "partition 'shards': 8 workers with 2 shards each need at least 16 rows; the training set "
        "has 15");
  CHECK(error_of(striped(4000, 2), "dirichlet:0.001", 200) ==
        "partition 'dirichlet:0.001': in 10000 draws some of the 200 workers always had fewer than "
        "10 rows; take a larger concentration or fewer workers");
  for (const char* text : {"",
                           "random",
                           "dirichlet",
                           "dirichlet:",
                           "dirichlet:x",
                           "dirichlet:0",
                           "dirichlet:-1",
                           "dirichlet:nan",
                           "dirichlet:inf",
                           "dirichlet:1e9",
                           "label-quantity",
                           "label-quantity:",
                           "label-quantity:0",
                           "label-quantity:1.5",
                           "label-quantity:1e99",
                           "size",
                           "size:",
                           "size:0",
                           "size:-1",
                           "size:nan",
                           "by",
                           "by:"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_partition(text, "--partition"), UsageError);
    CHECK_THROWS_WITH(parse_partition(text, "--partition"), ContainsSubstring("--partition"));
  }
}

TEST_CASE("copied rows are the rows, dense or sparse", "[data][partition]") {
  const Dataset dense = copy_rows(striped(10, 3), {7, 2, 2});
  CHECK(dense.rows == 3);
  CHECK(dense.classes == 3);
  CHECK(std::vector<float>(dense.dense.begin(), dense.dense.end()) ==
        std::vector<float>{7, 14, 2, 4, 2, 4});
  CHECK(std::vector<Label>(dense.labels.begin(), dense.labels.end()) ==
        std::vector<Label>{1, 2, 2});
  const Dataset sparse = read_dataset_bytes("1 1:5 4:6\n-1\n1 2:7\n", {}, "data", {});
  const Dataset copied = copy_rows(sparse, {2, 1, 0});
  CHECK(fingerprint_of(copied) ==
        fingerprint_of(read_dataset_bytes("1 2:7\n-1\n1 1:5 4:6\n", {}, "data", {})));
  CHECK(copy_rows(sparse, {}).rows == 0);
}

TEST_CASE("of real labels shards are cut in the order of targets, and dirichlet is refused",
          "[data][partition]") {
  Dataset data = striped(16, 1);
  data.targets = AlignedBuffer<float>(16);
  for (std::size_t row = 0; row < 16; ++row) data.targets[row] = static_cast<float>(row * 7 % 16);
  const Parts parts = partition(data, parse_partition("shards", ""), 4, 1);
  CHECK(every_row_once(parts, 16));
  for (const auto& part : parts) {
    // Two shards of two neighbouring targets each, which begin at an even one.
    std::set<float> targets;
    for (const std::uint32_t row : part) targets.insert(data.targets[row]);
    for (const float target : targets) {
      const float other = std::fmod(target, 2.0F) == 0.0F ? target + 1 : target - 1;
      CHECK(targets.count(other) == 1);
    }
  }
  CHECK(error_of(data, "dirichlet:0.5", 2) ==
        "--partition dirichlet:0.5: the labels are real numbers, and this rule divides classes; "
        "expected iid, contiguous, shards, size:A or by:COLUMN");
  CHECK_THAT(error_of(data, "label-quantity:1", 2),
             ContainsSubstring("--partition label-quantity:1: the labels are real numbers"));
  CHECK(every_row_once(partition(data, parse_partition("size:1", ""), 4, 1), 16));
  CHECK(sizes_of(partition(data, parse_partition("iid", ""), 4, 1)) ==
        std::vector<std::size_t>{4, 4, 4, 4});
}

TEST_CASE("copied rows keep their targets, and the intercept", "[data][partition]") {
  Dataset data = striped(4, 1);
  data.targets = AlignedBuffer<float>(4);
  for (std::size_t row = 0; row < 4; ++row) data.targets[row] = static_cast<float>(row) + 0.5F;
  data.intercept = true;
  const Dataset copy = copy_rows(data, {3, 1});
  CHECK(std::vector<float>(copy.targets.begin(), copy.targets.end()) ==
        std::vector<float>{3.5F, 1.5F});
  CHECK(copy.intercept);
  CHECK(copy_rows(striped(4, 2), {1}).targets.empty());
}

}  // namespace trainyard
