// The partitions whose shares are drawn from a symmetric Dirichlet distribution, and what they have
// in common with others (trainyard/data/partition.hpp).
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/data/partition.hpp"

namespace trainyard {

using Rows = std::vector<std::uint32_t>;
using Parts = std::vector<Rows>;

Rows all_rows(const Dataset& data);

/// Throws OptionError where the rule needs classes and the labels are real numbers.
void refuse_real_labels(const Dataset& data, const PartitionRule& rule);

/// PartitionRule::Kind::dirichlet. Throws OptionError for real labels; UsageError where no draw
/// gave every worker enough rows.
Parts split_dirichlet(const Dataset& data, const PartitionRule& rule, std::size_t workers,
                      RandomStream& random);

/// Rows alike (Kind::size): a row for each worker, and of the others as many as a draw from
/// Dirichlet(a·1_n) says. Li, Diao et al. 2022 (their "quantity skew") draw until each has ten
/// rows, which with many workers and a small concentration never ends, and makes sizes less unequal
/// than the concentration says.
Parts split_by_size(const Dataset& data, const PartitionRule& rule, std::size_t workers,
                    RandomStream& random);

}  // namespace trainyard
