// Which rows go to which worker.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/data/dataset.hpp"

namespace trainyard {

/// iid: a seeded shuffle, cut into equal parts. contiguous: equal blocks of the file's order.
/// shards: rows sorted by label, cut into 2n shards, two for each worker (McMahan et al. 2017).
/// label_quantity: K classes a worker, drawn so that each class is held, and the rows of a class
/// divided evenly among its holders (Li, Diao et al. 2022). dirichlet: for each class, worker
/// shares drawn from Dirichlet(a·1_n), drawn again until every worker has at least 10 rows
/// (catalogue §6). size: rows alike, of numbers drawn from Dirichlet(a·1_n), at least one a worker.
/// Part sizes of the first two differ by at most 1. column: rows with the same value of a column of
/// the table (Dataset::groups) go to one worker; where there are more values than workers, whole
/// values, the largest first, each to the worker with the fewest rows so far. Where labels are real
/// numbers, shards are cut of rows sorted by target, and label_quantity and dirichlet are refused.
/// split: as the rows of the data set were divided when it was written (split_file.hpp).
struct PartitionRule {
  enum class Kind { iid, contiguous, shards, label_quantity, dirichlet, size, column, split };
  Kind kind = Kind::iid;
  double concentration = 0.0;  // a > 0, of dirichlet and size
  std::size_t classes = 0;     // K, of label_quantity
  std::string column{};        // by name or number (TableOptions)
};

/// "iid", "contiguous", "shards", "label-quantity:2", "dirichlet:0.1", "size:0.5", "by:user",
/// "split". Throws UsageError, naming `what`.
PartitionRule parse_partition(std::string_view text, std::string_view what);
std::string partition_text(const PartitionRule& rule);

/// In which order a worker visits its rows, pass after pass (--order).
enum class RowOrder {
  reshuffle,  // shuffled once, and cut and ordered anew for each pass (data/minibatch.hpp)
  once,       // shuffled once, the same in every pass
  file,       // the data set's own, the same in every pass
};

/// "reshuffle", "once", "file". Throws UsageError, naming `what`.
RowOrder parse_row_order(std::string_view text, std::string_view what);
std::string row_order_text(RowOrder order);

/// How often rows are divided among the workers (--deal).
enum class Deal {
  once,   // a worker keeps its share for the whole run
  pass,   // anew for each pass, in blocks of rows (data/dealt_pass.hpp)
  speed,  // those of each step, by how fast workers are (runtime/deal_by_speed.hpp)
};

/// "once", "pass", "speed". Throws UsageError, naming `what`.
Deal parse_deal(std::string_view text, std::string_view what);
std::string deal_text(Deal deal);

/// The weight in the objective of the loss f_i of a worker with n_i of all N rows (--weights).
enum class ShareWeights {
  workers,  // all alike: (1/n) Σ_i f_i
  rows,     // by its rows: Σ_i (n_i/N) f_i, the mean over all rows
};

/// "workers", "rows". Throws UsageError, naming `what`.
ShareWeights parse_share_weights(std::string_view text, std::string_view what);
std::string share_weights_text(ShareWeights weights);

/// n n_i / N for each worker: times that, a mean over workers is one over rows.
std::vector<double> row_weights(const std::vector<std::vector<std::uint32_t>>& parts);

/// For each worker the row numbers it owns, in no order that means anything. Every row goes to
/// exactly one worker.
/// Throws OptionError for label_quantity and dirichlet on real labels, for column where the rows
/// have no groups, and for split where the rows were not divided beforehand, or among another
/// number of workers; UsageError when there are fewer rows than workers, or when the rule cannot
/// give every worker what it should (it says which rule and why).
std::vector<std::vector<std::uint32_t>> divide_rows(const Dataset& data, const PartitionRule& rule,
                                                    std::size_t workers, std::uint64_t seed);

/// For each worker the row numbers it owns, in the order of a first pass: shuffled with the seed,
/// whatever the rule; for RowOrder::file, ascending. Which rows do not depend on the order. Throws
/// as divide_rows().
std::vector<std::vector<std::uint32_t>> partition(const Dataset& data, const PartitionRule& rule,
                                                  std::size_t workers, std::uint64_t seed,
                                                  RowOrder order = RowOrder::reshuffle);

/// All rows, those of the first worker first, in the order of its part, copied into fresh memory of
/// the calling thread: for runs that deal rows anew. Throws as copy_rows().
Dataset laid_out(const Dataset& data, const std::vector<std::vector<std::uint32_t>>& parts);

/// [classes]: the rows of each, ascending. Real labels are one class.
std::vector<std::vector<std::uint32_t>> rows_by_class(const Dataset& data);

/// The given rows of `data`, copied in the given order into fresh memory of the calling thread.
/// Throws as check_rows() where `data` has an unchecked_file.
Dataset copy_rows(const Dataset& data, const std::vector<std::uint32_t>& rows);

}  // namespace trainyard
