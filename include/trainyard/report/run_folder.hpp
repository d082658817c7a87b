// The results of one run on disk.
#pragma once

#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "trainyard/experiment/experiment.hpp"

namespace trainyard {

/// DIR/<name>/ with config.toml, metrics.jsonl, summary.json, ranks.csv, model.npy. Everything is
/// first written to DIR/<name>.partial/, the metrics line by line as they come, and renamed when it
/// is whole: a run that is killed leaves what it had, and nobody takes it for a finished one.
class RunFolder {
 public:
  /// Throws UsageError when it cannot be written, and as refuse_existing_results() unless
  /// `overwrite`.
  RunFolder(const std::filesystem::path& out, const std::string& name,
            const Configuration& resolved, bool overwrite);

  void add(const Metrics& metrics);
  void finish(const RunResult& result);

 private:
  const std::filesystem::path final_, partial_;
  const bool overwrite_;
  std::ofstream metrics_;
};

/// Throws UsageError when DIR/<name>, or the .partial one of a run that did not end, is there. A
/// command asks for all its runs at once, so that it does not find out after hours of the first
/// ones.
void refuse_existing_results(const std::filesystem::path& out, const std::string& name);

/// A vector of float32 in NumPy's .npy format, version 1.0.
void write_npy(const std::filesystem::path& file, ConstVector values);

}  // namespace trainyard
