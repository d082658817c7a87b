#include "data/dirichlet_parts.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

constexpr std::size_t smallest_dirichlet_part = 10;
// A try costs classes × workers gamma draws and no pass over the rows: 10,000 tries with 64 workers
// and 10 classes are 6.4 million draws, about half a second.
constexpr int dirichlet_tries = 10'000;

/// One draw from Dirichlet(concentration·1_n), as running totals that end in exactly 1.
std::vector<double> cumulative_shares(double concentration, std::size_t workers,
                                      RandomStream& random) {
  std::vector<double> shares(workers);
  for (double& share : shares) share = random.gamma(concentration);
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  // A concentration below about 0.001 makes every gamma draw underflow to zero. The limit of
  // Dirichlet(a) as a → 0 gives everything to one worker.
  if (!(total > 0.0)) {
    std::fill(shares.begin(), shares.end(), 0.0);
    shares[random.below(workers)] = 1.0;
  } else {
    for (double& share : shares) share /= total;
  }
  std::partial_sum(shares.begin(), shares.end(), shares.begin());
  shares.back() = 1.0;
  return shares;
}

/// counts[worker] rows of a class of `rows` rows.
std::vector<std::size_t> draw_counts(std::size_t rows, double concentration, std::size_t workers,
                                     RandomStream& random) {
  const std::vector<double> cumulative = cumulative_shares(concentration, workers, random);
  std::vector<std::size_t> counts(workers);
  std::size_t begin = 0;
  for (std::size_t worker = 0; worker < workers; ++worker) {
    const auto cut = static_cast<std::size_t>(cumulative[worker] * static_cast<double>(rows));
    const std::size_t end = std::clamp(cut, begin, rows);
    counts[worker] = end - begin;
    begin = end;
  }
  return counts;
}

/// Ten rows a worker (catalogue §6). Where the mean share is below 20 rows that is out of reach of
/// nearly every draw, so there it is half the mean share.
std::size_t smallest_allowed_part(std::size_t rows, std::size_t workers) {
  return std::clamp<std::size_t>(rows / (2 * workers), 1, smallest_dirichlet_part);
}

/// counts[class][worker], drawn until every worker has enough rows.
std::vector<std::vector<std::size_t>> draw_until_fair(const Parts& classes,
                                                      const PartitionRule& rule,
                                                      std::size_t workers, std::size_t smallest,
                                                      RandomStream& random) {
  std::vector<std::vector<std::size_t>> counts(classes.size());
  for (int attempt = 0; attempt < dirichlet_tries; ++attempt) {
    std::vector<std::size_t> sizes(workers, 0);
    for (std::size_t c = 0; c < classes.size(); ++c) {
      counts[c] = draw_counts(classes[c].size(), rule.concentration, workers, random);
      for (std::size_t worker = 0; worker < workers; ++worker) sizes[worker] += counts[c][worker];
    }
    if (*std::min_element(sizes.begin(), sizes.end()) >= smallest) return counts;
  }
  throw UsageError(fmt::format(
      "partition '{}': in {} draws some of the {} workers always had fewer than {} rows; take a "
      "larger concentration or fewer workers",
      partition_text(rule), dirichlet_tries, workers, smallest));
}

}  // namespace

Rows all_rows(const Dataset& data) {
  Rows rows(data.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

void refuse_real_labels(const Dataset& data, const PartitionRule& rule) {
  if (data.targets.empty()) return;
  throw OptionError("partition", partition_text(rule),
                    "the labels are real numbers, and this rule divides classes; expected iid, "
                    "contiguous, shards, size:A or by:COLUMN");
}

Parts split_dirichlet(const Dataset& data, const PartitionRule& rule, std::size_t workers,
                      RandomStream& random) {
  refuse_real_labels(data, rule);
  Parts classes = rows_by_class(data);
  const std::size_t smallest = smallest_allowed_part(data.rows, workers);
  const auto counts = draw_until_fair(classes, rule, workers, smallest, random);
  Parts parts(workers);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    random.shuffle(classes[c]);
    auto next = classes[c].begin();
    for (std::size_t worker = 0; worker < workers; ++worker) {
      const auto end = next + static_cast<std::ptrdiff_t>(counts[c][worker]);
      parts[worker].insert(parts[worker].end(), next, end);
      next = end;
    }
  }
  return parts;
}

Parts split_by_size(const Dataset& data, const PartitionRule& rule, std::size_t workers,
                    RandomStream& random) {
  Rows rows = all_rows(data);
  random.shuffle(rows);
  const std::vector<std::size_t> others =
      draw_counts(data.rows - workers, rule.concentration, workers, random);
  Parts parts(workers);
  auto next = rows.begin();
  for (std::size_t worker = 0; worker < workers; ++worker) {
    const auto end = next + static_cast<std::ptrdiff_t>(1 + others[worker]);
    parts[worker].assign(next, end);
    next = end;
  }
  return parts;
}

}  // namespace trainyard
