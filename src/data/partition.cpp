// Each rule decides only how the rows are divided; the order in which a worker visits its own rows
// is drawn afterwards from a stream of that worker's own.
#include "trainyard/data/partition.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/random.hpp"
#include "trainyard/data/split_file.hpp"

#include "data/dirichlet_parts.hpp"

namespace trainyard {

namespace {

constexpr std::size_t shards_per_worker = 2;

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

/// holders[class]: who holds it, ascending. First the classes are dealt in turn, so that each is
/// held: worker w has class w mod C, and where there are fewer workers than classes, class c is
/// with worker c mod n. The rest of a worker's classes are drawn at random.
std::vector<std::vector<std::size_t>> draw_holders(std::size_t classes, std::size_t of_worker,
                                                   std::size_t workers, RandomStream& random) {
  std::vector<std::vector<std::size_t>> holders(classes);
  for (std::size_t worker = 0; worker < workers; ++worker) {
    std::vector<bool> has(classes, false);
    std::size_t count = 0;
    for (std::size_t c = worker % classes; c < classes; c += workers, ++count) has[c] = true;
    while (count < of_worker) {
      const std::size_t c = random.below(classes);
      if (has[c]) continue;
      has[c] = true;
      ++count;
    }
    for (std::size_t c = 0; c < classes; ++c) {
      if (has[c]) holders[c].push_back(worker);
    }
  }
  return holders;
}

/// "#C = K" of Li, Diao et al. 2022. Unlike shards it says how many classes a worker has, whatever
/// their sizes are, and not how many rows.
Parts split_by_label_quantity(const Dataset& data, const PartitionRule& rule, std::size_t workers,
                              RandomStream& random) {
  refuse_real_labels(data, rule);
  Parts classes = rows_by_class(data);
  std::vector<std::size_t> numbers(classes.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  std::erase_if(numbers, [&](std::size_t c) { return classes[c].empty(); });
  std::erase_if(classes, [](const Rows& rows) { return rows.empty(); });
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format("partition '{}': {}", partition_text(rule), why));
  };
  if (rule.classes > classes.size()) {
    refuse(fmt::format("the training rows are of {}", counted(classes.size(), "class", "classes")));
  }
  if (workers * rule.classes < classes.size()) {
    refuse(fmt::format("{} hold {} of the {} classes at most; label-quantity:{} holds all",
                       counted(workers, "worker"), workers * rule.classes, classes.size(),
                       (classes.size() + workers - 1) / workers));
  }
  const auto holders = draw_holders(classes.size(), rule.classes, workers, random);
  Parts parts(workers);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (classes[c].size() < holders[c].size()) {
      refuse(fmt::format("class {} has {}, and {} hold it; take fewer workers", numbers[c],
                         counted(classes[c].size(), "row"), counted(holders[c].size(), "worker")));
    }
    random.shuffle(classes[c]);
    const Parts pieces = cut_equally(classes[c], holders[c].size());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      Rows& part = parts[holders[c][i]];
      part.insert(part.end(), pieces[i].begin(), pieces[i].end());
    }
  }
  return parts;
}

/// [values that occur]: their rows, the longest first; those that are alike as they first occur.
Parts rows_by_group(const Dataset& data) {
  Parts groups;
  for (std::size_t row = 0; row < data.rows; ++row) {
    const std::size_t group = data.groups[row];
    if (group >= groups.size()) groups.resize(group + 1);
    groups[group].push_back(static_cast<std::uint32_t>(row));
  }
  // Test and validation rows may have been all of a value's.
  std::erase_if(groups, [](const Rows& rows) { return rows.empty(); });
  std::ranges::stable_sort(groups, std::ranges::greater{}, &Rows::size);
  return groups;
}

/// As scikit-learn's GroupKFold makes its folds.
Parts split_by_column(const Dataset& data, const PartitionRule& rule, std::size_t workers) {
  const auto refuse = [&](const std::string& why) {
    throw OptionError("partition", partition_text(rule), why);
  };
  if (data.groups.empty() && !data.part_begin.empty()) {
    refuse(
        "a file that 'trainyard split' has written does not keep the column; split the table by "
        "it, and then --partition split has these parts");
  }
  if (data.groups.empty()) {
    refuse(
        "the rows of this data set come from no CSV or TSV file of yours, whose columns it names");
  }
  const Parts groups = rows_by_group(data);
  if (groups.size() < workers) {
    refuse(
        fmt::format("the training rows have {} in this column, and there are {}; expected no "
                    "more workers than values",
                    counted(groups.size(), "value"), counted(workers, "worker")));
  }
  Parts parts(workers);
  for (const Rows& group : groups) {
    Rows& part = *std::ranges::min_element(parts, {}, &Rows::size);
    part.insert(part.end(), group.begin(), group.end());
  }
  return parts;
}

Parts split_as_written(const Dataset& data, std::size_t workers) {
  const auto& begin = data.part_begin;
  if (begin.empty()) {
    throw OptionError("partition", "split",
                      "the rows of this data set were not divided beforehand; expected iid, "
                      "contiguous, shards, label-quantity:K, dirichlet:A, size:A or by:COLUMN, or "
                      "a --dataset that 'trainyard split' has "
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

Parts split(const Dataset& data, const PartitionRule& rule, std::size_t workers,
            RandomStream& random) {
  switch (rule.kind) {
    case PartitionRule::Kind::iid:
      return split_iid(data, workers, random);
    case PartitionRule::Kind::contiguous:
      return cut_equally(all_rows(data), workers);
    case PartitionRule::Kind::shards:
      return split_shards(data, workers, random);
    case PartitionRule::Kind::label_quantity:
      return split_by_label_quantity(data, rule, workers, random);
    case PartitionRule::Kind::dirichlet:
      return split_dirichlet(data, rule, workers, random);
    case PartitionRule::Kind::size:
      return split_by_size(data, rule, workers, random);
    case PartitionRule::Kind::column:
      return split_by_column(data, rule, workers);
    case PartitionRule::Kind::split:
      return split_as_written(data, workers);
  }
  throw InternalError("a partition rule without code");
}

}  // namespace

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

std::vector<std::vector<std::uint32_t>> divide_rows(const Dataset& data, const PartitionRule& rule,
                                                    std::size_t workers, std::uint64_t seed) {
  require(workers > 0, "a partition needs at least one worker");
  require(data.rows <= std::numeric_limits<std::uint32_t>::max(), "row numbers have 32 bits");
  if (data.rows < workers) {
    throw UsageError(
        fmt::format("partition: {} workers need at least {} rows; the training set has {}", workers,
                    workers, data.rows));
  }
  using Kind = PartitionRule::Kind;
  const bool looks_at_labels = rule.kind == Kind::shards || rule.kind == Kind::label_quantity ||
                               rule.kind == Kind::dirichlet;
  if (looks_at_labels) check_rows(data, 0, data.rows);
  RandomStream random(seed, Purpose::partition, 0);
  return split(data, rule, workers, random);
}

std::vector<std::vector<std::uint32_t>> partition(const Dataset& data, const PartitionRule& rule,
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
