// The results of one run on disk.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "trainyard/experiment/experiment.hpp"

namespace trainyard {

/// DIR/<name>/ with config.toml, metrics.jsonl, summary.json, model.npy. Everything is first written to
/// DIR/<name>.partial/, the metrics line by line as they come, and renamed when it is whole: a
/// run that is killed leaves what it had, and nobody takes it for a finished one.
class RunFolder {
 public:
  /// Throws UsageError when DIR/<name> exists (unless `overwrite`) or cannot be written.
  RunFolder(const std::filesystem::path& out, const std::string& name,
            const Configuration& resolved, bool overwrite);

  void add(const Metrics& metrics);
  void finish(const RunResult& result);

 private:
  std::filesystem::path final_, partial_;
  std::ofstream metrics_;
};

/// A vector of float32 in NumPy's .npy format, version 1.0.
void write_npy(const std::filesystem::path& file, std::span<const float> values);

}  // namespace trainyard
