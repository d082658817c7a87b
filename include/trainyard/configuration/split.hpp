// How many ways a run is parallel, data × pipeline × tensor (Narayanan et al. 2021, §3), in one
// word: dp=4,pp=2,tp=2. It is another way to write the workers and the hyperparameters "stages" and
// "tensor-size", and nothing besides knows of it.
//
// Threads: a value like any other.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trainyard/configuration/configuration.hpp"

namespace trainyard {

struct Split {
  int data = 1;      // pipelines that take minibatches of their own
  int pipeline = 1;  // stages of each
  int tensor = 1;    // workers that hold a stage together

  int workers() const { return data * pipeline * tensor; }
  /// "dp=4,pp=2,tp=2".
  std::string text() const;
  bool operator==(const Split&) const = default;
};

/// Factors in any order, those left out 1. Throws UsageError beginning with `what` for anything
/// else, and for more than 32000 workers.
Split parse_split(std::string_view text, std::string_view what);

/// Sets workers, stages and tensor size.
void set_split(Configuration& configuration, const Split& split);
/// The split that was set; empty where a run leaves open how its workers divide the model.
std::optional<Split> split_of(const Configuration& configuration);

/// Throws UsageError where a split is given and, beside it, what it stands for.
void check_split(const Configuration& configuration);

}  // namespace trainyard
