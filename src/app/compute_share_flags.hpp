// The flag of `trainyard predict` about the bandwidth that a share of computing needs.
#pragma once

#include <CLI/CLI.hpp>

#include "trainyard/analysis/prediction.hpp"
#include "trainyard/report/compute_share_format.hpp"

namespace trainyard::app {

class ComputeShareFlags {
 public:
  explicit ComputeShareFlags(CLI::App& command);

  bool asked() const { return shares_->count() > 0; }
  const CLI::Option* flag() const { return shares_; }

  /// Workers, size, compute time, latency and how often they meet are the setting's. Throws
  /// UsageError.
  ComputeShareQuestion question(const PredictionSetting& setting) const;

 private:
  CLI::Option* shares_;
};

}  // namespace trainyard::app
