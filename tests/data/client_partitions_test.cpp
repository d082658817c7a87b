// Partitions as federated clients have them: so many classes each, unequal numbers of rows, and the
// values of a column.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "trainyard/base/error.hpp"
#include "trainyard/data/partition.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

using Parts = std::vector<std::vector<std::uint32_t>>;

/// Rows with these classes.
Dataset with_classes(const std::vector<Label>& labels, int classes) {
  Dataset data;
  data.rows = labels.size();
  data.features = 1;
  data.classes = classes;
  data.labels = AlignedBuffer<Label>::copy_of(labels);
  data.dense = AlignedBuffer<float>::zeroed(data.rows);
  return data;
}

/// `rows_of[c]` rows of class c, in turn as far as they go.
Dataset with_rows_of(std::vector<std::size_t> rows_of) {
  const int classes = static_cast<int>(rows_of.size());
  std::vector<Label> labels;
  for (bool some = true; some;) {
    some = false;
    for (std::size_t c = 0; c < rows_of.size(); ++c) {
      if (rows_of[c] == 0) continue;
      labels.push_back(static_cast<Label>(c));
      some = --rows_of[c] > 0 || some;
    }
  }
  return with_classes(labels, classes);
}

/// Rows of one class with these values of a column.
Dataset with_groups(const std::vector<std::uint32_t>& groups) {
  Dataset data = with_classes(std::vector<Label>(groups.size(), 0), 2);
  data.groups = AlignedBuffer<std::uint32_t>::copy_of(groups);
  return data;
}

Parts parts_of(const Dataset& data, const std::string& rule, std::size_t workers,
               std::uint64_t seed = 1) {
  return divide_rows(data, parse_partition(rule, "--partition"), workers, seed);
}

std::string error_of(const Dataset& data, const std::string& rule, std::size_t workers) {
  try {
    parts_of(data, rule, workers);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

bool every_row_once(const Parts& parts, std::size_t rows) {
  std::vector<std::uint32_t> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  std::ranges::sort(all);
  std::vector<std::uint32_t> expected(rows);
  std::iota(expected.begin(), expected.end(), 0U);
  return all == expected;
}

std::map<Label, std::size_t> counts_in(const Dataset& data,
                                       const std::vector<std::uint32_t>& part) {
  std::map<Label, std::size_t> counts;
  for (const std::uint32_t row : part) ++counts[data.labels[row]];
  return counts;
}

std::vector<std::size_t> sizes_of(const Parts& parts) {
  std::vector<std::size_t> sizes;
  for (const auto& part : parts) sizes.push_back(part.size());
  return sizes;
}

}  // namespace

TEST_CASE("by label quantity each worker has as many classes, evenly divided among who hold them",
          "[data][partition]") {
  const Dataset data = with_rows_of({300, 40, 41, 90, 100, 77});
  for (const std::size_t workers : {2, 3, 5, 6, 7, 13}) {
    for (std::size_t k = (6 + workers - 1) / workers; k <= 6; ++k) {
      CAPTURE(workers, k);
      const Parts parts = parts_of(data, "label-quantity:" + std::to_string(k), workers, 4);
      CHECK(every_row_once(parts, data.rows));
      std::map<Label, std::vector<std::size_t>> of_class;
      for (std::size_t worker = 0; worker < workers; ++worker) {
        const auto counts = counts_in(data, parts[worker]);
        CHECK(counts.size() == k);
        // The first is its own number's, which is how each class is held.
        CHECK(counts.contains(static_cast<Label>(worker % 6)));
        for (const auto& [label, count] : counts) of_class[label].push_back(count);
      }
      CHECK(of_class.size() == 6);
      for (const auto& [label, counts] : of_class) {
        const auto [least, most] = std::ranges::minmax_element(counts);
        CHECK(*most - *least <= 1);
      }
    }
  }
}

TEST_CASE("by label quantity the other classes are drawn alike", "[data][partition]") {
  const Dataset data = with_rows_of(std::vector<std::size_t>(5, 40));
  std::vector<double> drawn(5, 0.0);
  constexpr int seeds = 2000;
  for (int seed = 0; seed < seeds; ++seed) {
    const Parts parts = parts_of(data, "label-quantity:2", 5, static_cast<std::uint64_t>(seed));
    for (const auto& [label, count] : counts_in(data, parts[0])) {
      ++drawn[static_cast<std::size_t>(label)];
    }
  }
  CHECK(drawn[0] == seeds);
  double chi_square = 0.0;
  for (std::size_t c = 1; c < 5; ++c) {
    chi_square += std::pow(drawn[c] - seeds / 4.0, 2) / (seeds / 4.0);
  }
  CHECK(chi_square < 16.3);  // 3 degrees of freedom: above it once in a thousand
}

TEST_CASE("with all classes a worker has them as they are in the whole", "[data][partition]") {
  const Dataset data = with_rows_of({80, 40, 20});
  for (const auto& part : parts_of(data, "label-quantity:3", 4)) {
    CHECK(counts_in(data, part) == std::map<Label, std::size_t>{{0, 20}, {1, 10}, {2, 5}});
  }
}

TEST_CASE("label quantities that cannot be are refused with the reason", "[data][partition]") {
  const Dataset data = with_rows_of({30, 30, 30, 30, 30});
  CHECK(error_of(data, "label-quantity:6", 8) ==
        "partition 'label-quantity:6': the training rows are of 5 classes");
  CHECK(error_of(data, "label-quantity:2", 2) ==
        "partition 'label-quantity:2': 2 workers hold 4 of the 5 classes at most; "
        "label-quantity:3 holds all");
  CHECK(error_of(data, "label-quantity:3", 2) == "no error");
  // Class 1 has no rows, and is none; class 2 is that of every other worker.
  const Dataset few = with_classes({0, 0, 0, 0, 0, 2, 2}, 3);
  CHECK(error_of(few, "label-quantity:1", 4) == "no error");
  CHECK(error_of(few, "label-quantity:1", 6) ==
        "partition 'label-quantity:1': class 2 has 2 rows, and 3 workers hold it; take fewer "
        "workers");
}

TEST_CASE("sizes have the moments of a symmetric Dirichlet draw", "[data][partition]") {
  constexpr std::size_t rows = 20'000, workers = 8;
  const Dataset data = with_rows_of({rows / 2, rows / 2});
  for (const double concentration : {0.2, 1.0, 6.5}) {
    CAPTURE(concentration);
    constexpr int seeds = 400;
    double sum = 0.0, squares = 0.0;
    for (int seed = 0; seed < seeds; ++seed) {
      const Parts parts = parts_of(data, "size:" + std::to_string(concentration), workers,
                                   static_cast<std::uint64_t>(seed));
      REQUIRE(std::ranges::all_of(parts, [](const auto& part) { return !part.empty(); }));
      sum += static_cast<double>(parts[0].size());
      for (const auto& part : parts) {
        squares += std::pow(static_cast<double>(part.size()) - 1.0 * rows / workers, 2);
      }
    }
    constexpr double n = workers, spread = rows - workers;
    // Dirichlet(a·1_n): mean 1/n, variance (1/n)(1 − 1/n) / (na + 1).
    const double variance = spread * spread * (1 / n) * (1 - 1 / n) / (n * concentration + 1);
    CHECK(squares / (seeds * n) == Approx(variance).epsilon(0.15));
    CHECK(std::abs(sum / seeds - rows / n) < 4 * std::sqrt(variance / seeds));
  }
}

TEST_CASE("shares of unequal sizes have the labels of the whole, chance apart",
          "[data][partition]") {
  std::vector<Label> labels;  // in their order, which a cut of the file's order would keep
  for (Label row = 0; row < 10'000; ++row) labels.push_back(row / 1000);
  const Dataset data = with_classes(labels, 10);
  double chi_square = 0.0;
  for (const auto& part : parts_of(data, "size:1", 8, 5)) {
    const double expected = static_cast<double>(part.size()) / 10;
    REQUIRE(expected > 5);  // of this seed; else the statistic says nothing
    auto counts = counts_in(data, part);
    for (Label c = 0; c < 10; ++c) {
      chi_square += std::pow(static_cast<double>(counts[c]) - expected, 2) / expected;
    }
  }
  CHECK(chi_square < 104.0);  // 63 degrees of freedom: above it once in a thousand seeds
  // As many rows as workers: one each.
  CHECK(sizes_of(parts_of(with_rows_of({4, 4}), "size:0.1", 8)) == std::vector<std::size_t>(8, 1));
}

TEST_CASE("by a column a value's rows are one worker's, as scikit-learn's GroupKFold has them",
          "[data][partition]") {
  std::ifstream file(TRAINYARD_SOURCE_DIR "/tests/oracles/group_folds.json");
  const nlohmann::json cases = nlohmann::json::parse(file);
  REQUIRE(cases.size() > 3);
  for (const auto& one : cases) {
    const auto groups = one["groups"].get<std::vector<std::uint32_t>>();
    const auto workers = one["folds"].get<std::size_t>();
    CAPTURE(workers, groups.size());
    const Dataset data = with_groups(groups);
    const Parts parts = parts_of(data, "by:user", workers);
    CHECK(every_row_once(parts, data.rows));
    CHECK(sizes_of(parts) == one["sizes"].get<std::vector<std::size_t>>());
    std::map<std::uint32_t, std::set<std::size_t>> workers_of;
    for (std::size_t worker = 0; worker < workers; ++worker) {
      for (const std::uint32_t row : parts[worker]) workers_of[groups[row]].insert(worker);
    }
    for (const auto& [group, who] : workers_of) CHECK(who.size() == 1);
    CHECK(parts == parts_of(data, "by:user", workers, 2));  // nothing is drawn
  }
}

TEST_CASE("columns that cannot divide rows are refused with the reason", "[data][partition]") {
  // Value 1 is none of these rows'.
  CHECK(error_of(with_groups({0, 0, 2, 2, 2, 3}), "by:user", 4) ==
        "--partition by:user: the training rows have 3 values in this column, and there are 4 "
        "workers; expected no more workers than values");
  CHECK(error_of(with_groups({0, 0, 2, 2, 2, 3}), "by:user", 3) == "no error");
  CHECK(error_of(with_rows_of({4, 4}), "by:user", 2) ==
        "--partition by:user: the rows of this data set come from no CSV or TSV file of yours, "
        "whose columns it names");
  Dataset written = with_rows_of({4, 4});
  written.part_begin = {0, 4, 8};
  CHECK_THAT(error_of(written, "by:user", 2), ContainsSubstring("does not keep the column"));
}

}  // namespace trainyard
