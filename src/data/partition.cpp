// Each rule decides only how the rows are divided; the order in which a worker visits its own rows
// is drawn afterwards from a stream of that worker's own.
#include "trainyard/data/partition.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/random.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/data/split_file.hpp"

namespace trainyard {

namespace {

using Rows = std::vector<std::uint32_t>;
using Parts = std::vector<Rows>;

constexpr std::size_t shards_per_worker = 2;
constexpr std::size_t smallest_dirichlet_part = 10;
// Beyond this the shares differ by a thousandth at most, and the partition is iid in all but name.
constexpr double largest_concentration = 1e6;
// A try costs classes × workers gamma draws and no pass over the rows: 10,000 tries with 64 workers
// and 10 classes are 6.4 million draws, about half a second.
constexpr int dirichlet_tries = 10'000;

Rows all_rows(const Dataset& data) {
  Rows rows(data.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

/// The first item of piece `index`, when `total` items are divided into nearly equal pieces; the
/// first total % pieces of them are one longer.
std::size_t piece_begin(std::size_t total, std::size_t pieces, std::size_t index) {
  return index * (total / pieces) + std::min(index, total % pieces);
}

Parts cut_equally(const Rows& rows, std::size_t pieces) {
  Parts parts(pieces);
  for (std::size_t i = 0; i < pieces; ++i) {
    parts[i].assign(
        rows.begin() + static_cast<std::ptrdiff_t>(piece_begin(rows.size(), pieces, i)),
        rows.begin() + static_cast<std::ptrdiff_t>(piece_begin(rows.size(), pieces, i + 1)));
  }
  return parts;
}

/// All rows in the order of their targets or classes, those that are alike in the file's order.
Rows rows_by_label(const Dataset& data) {
  Rows rows = all_rows(data);
  std::ranges::stable_sort(rows, [&](std::uint32_t a, std::uint32_t b) {
    return data.targets.empty() ? data.labels[a] < data.labels[b]
                                : data.targets[a] < data.targets[b];
  });
  return rows;
}

Parts split_iid(const Dataset& data, std::size_t workers, RandomStream& random) {
  Rows rows = all_rows(data);
  random.shuffle(rows);
  return cut_equally(rows, workers);
}

Parts split_shards(const Dataset& data, std::size_t workers, RandomStream& random) {
  const std::size_t shard_count = shards_per_worker * workers;
  if (data.rows < shard_count) {
    throw UsageError(fmt::format(
        "partition 'shards': {} with {} shards each need{} at least {} rows; the training "
        "set has {}",
        counted(workers, "worker"), shards_per_worker, workers == 1 ? "s" : "", shard_count,
        data.rows));
  }
  const Parts shards = cut_equally(rows_by_label(data), shard_count);
  Rows deal(shard_count);
  std::iota(deal.begin(), deal.end(), 0U);
  random.shuffle(deal);
  Parts parts(workers);
  for (std::size_t i = 0; i < shard_count; ++i) {
    const Rows& shard = shards[deal[i]];
    Rows& part = parts[i / shards_per_worker];
    part.insert(part.end(), shard.begin(), shard.end());
  }
  return parts;
}

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
std::vector<std::vector<std::size_t>> draw_until_fair(const Parts& classes, PartitionRule rule,
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

Parts split_dirichlet(const Dataset& data, PartitionRule rule, std::size_t workers,
                      RandomStream& random) {
  if (!data.targets.empty()) {
    throw OptionError("partition", partition_text(rule),
                      "the labels are real numbers, and this rule divides classes; expected iid, "
                      "contiguous or shards");
  }
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

Parts split_as_written(const Dataset& data, std::size_t workers) {
  const auto& begin = data.part_begin;
  if (begin.empty()) {
    throw OptionError(
        "partition", "split",
        "the rows of this data set were not divided beforehand; expected iid, "
        "contiguous, shards or dirichlet:A, or a --dataset that 'trainyard split' has "
        "written");
  }
  if (begin.size() != workers + 1) {
    throw OptionError("partition", "split",
                      fmt::format("the rows of this data set were divided among {}, and there {}",
                                  counted(begin.size() - 1, "worker"),
                                  workers == 1 ? "is 1" : fmt::format("are {}", workers)));
  }
  Parts parts(workers);
  for (std::size_t worker = 0; worker < workers; ++worker) {
    parts[worker].resize(begin[worker + 1] - begin[worker]);
    std::iota(parts[worker].begin(), parts[worker].end(),
              static_cast<std::uint32_t>(begin[worker]));
  }
  return parts;
}

Parts split(const Dataset& data, PartitionRule rule, std::size_t workers, RandomStream& random) {
  switch (rule.kind) {
    case PartitionRule::Kind::iid:
      return split_iid(data, workers, random);
    case PartitionRule::Kind::contiguous:
      return cut_equally(all_rows(data), workers);
    case PartitionRule::Kind::shards:
      return split_shards(data, workers, random);
    case PartitionRule::Kind::dirichlet:
      return split_dirichlet(data, rule, workers, random);
    case PartitionRule::Kind::split:
      return split_as_written(data, workers);
  }
  throw InternalError("a partition rule without code");
}

}  // namespace

PartitionRule parse_partition(std::string_view text, std::string_view what) {
  if (text == "iid") return {PartitionRule::Kind::iid, 0.0};
  if (text == "contiguous") return {PartitionRule::Kind::contiguous, 0.0};
  if (text == "shards") return {PartitionRule::Kind::shards, 0.0};
  if (text == "split") return {PartitionRule::Kind::split, 0.0};
  constexpr std::string_view dirichlet = "dirichlet:";
  if (text.starts_with(dirichlet)) {
    const double concentration = parse_number(text.substr(dirichlet.size()), what);
    if (concentration > 0.0 && concentration <= largest_concentration) {
      return {PartitionRule::Kind::dirichlet, concentration};
    }
    throw UsageError(fmt::format("{}: found '{}'; expected a concentration above 0 and up to {}",
                                 what, text, largest_concentration));
  }
  throw UsageError(
      fmt::format("{}: found '{}'; expected iid, contiguous, shards, dirichlet:A (A > 0, such as "
                  "dirichlet:0.1) or split",
                  what, text));
}

std::string partition_text(PartitionRule rule) {
  switch (rule.kind) {
    case PartitionRule::Kind::iid:
      return "iid";
    case PartitionRule::Kind::contiguous:
      return "contiguous";
    case PartitionRule::Kind::shards:
      return "shards";
    case PartitionRule::Kind::dirichlet:
      return fmt::format("dirichlet:{}", rule.concentration);
    case PartitionRule::Kind::split:
      return "split";
  }
  throw InternalError("a partition rule without a name");
}

ShareWeights parse_share_weights(std::string_view text, std::string_view what) {
  for (const ShareWeights weights : {ShareWeights::workers, ShareWeights::rows}) {
    if (text == share_weights_text(weights)) return weights;
  }
  throw UsageError(fmt::format("{}: found {}; expected workers or rows", what, echoed(text)));
}

std::string share_weights_text(ShareWeights weights) {
  return weights == ShareWeights::workers ? "workers" : "rows";
}

Parts rows_by_class(const Dataset& data) {
  Parts classes(static_cast<std::size_t>(data.classes));
  for (std::size_t row = 0; row < data.rows; ++row) {
    classes[static_cast<std::size_t>(data.labels[row])].push_back(static_cast<std::uint32_t>(row));
  }
  return classes;
}

std::vector<double> row_weights(const std::vector<std::vector<std::uint32_t>>& parts) {
  std::size_t rows = 0;
  for (const auto& part : parts) rows += part.size();
  std::vector<double> weights;
  weights.reserve(parts.size());
  for (const auto& part : parts) {
    weights.push_back(static_cast<double>(parts.size() * part.size()) / static_cast<double>(rows));
  }
  return weights;
}

RowOrder parse_row_order(std::string_view text, std::string_view what) {
  for (const RowOrder order : {RowOrder::reshuffle, RowOrder::once, RowOrder::file}) {
    if (text == row_order_text(order)) return order;
  }
  throw UsageError(
      fmt::format("{}: found {}; expected reshuffle, once or file", what, echoed(text)));
}

std::string row_order_text(RowOrder order) {
  switch (order) {
    case RowOrder::reshuffle:
      return "reshuffle";
    case RowOrder::once:
      return "once";
    case RowOrder::file:
      return "file";
  }
  throw InternalError("a row order without a name");
}

Deal parse_deal(std::string_view text, std::string_view what) {
  for (const Deal deal : {Deal::once, Deal::pass}) {
    if (text == deal_text(deal)) return deal;
  }
  throw UsageError(fmt::format("{}: found {}; expected once or pass", what, echoed(text)));
}

std::string deal_text(Deal deal) {
  return deal == Deal::once ? "once" : "pass";
}

std::vector<std::vector<std::uint32_t>> divide_rows(const Dataset& data, PartitionRule rule,
                                                    std::size_t workers, std::uint64_t seed) {
  require(workers > 0, "a partition needs at least one worker");
  require(data.rows <= std::numeric_limits<std::uint32_t>::max(), "row numbers have 32 bits");
  if (data.rows < workers) {
    throw UsageError(
        fmt::format("partition: {} workers need at least {} rows; the training set has {}", workers,
                    workers, data.rows));
  }
  const bool looks_at_labels =
      rule.kind == PartitionRule::Kind::shards || rule.kind == PartitionRule::Kind::dirichlet;
  if (looks_at_labels) check_rows(data, 0, data.rows);
  RandomStream random(seed, Purpose::partition, 0);
  return split(data, rule, workers, random);
}

std::vector<std::vector<std::uint32_t>> partition(const Dataset& data, PartitionRule rule,
                                                  std::size_t workers, std::uint64_t seed,
                                                  RowOrder order) {
  Parts parts = divide_rows(data, rule, workers, seed);
  for (std::size_t worker = 0; worker < workers; ++worker) {
    if (order == RowOrder::file) {
      std::ranges::sort(parts[worker]);
    } else {
      RandomStream random(seed, Purpose::partition, static_cast<std::uint32_t>(worker + 1));
      random.shuffle(parts[worker]);
    }
  }
  return parts;
}

Dataset laid_out(const Dataset& data, const std::vector<std::vector<std::uint32_t>>& parts) {
  Rows rows;
  rows.reserve(data.rows);
  for (const Rows& part : parts) rows.insert(rows.end(), part.begin(), part.end());
  return copy_rows(data, rows);
}

}  // namespace trainyard
