// The results of one run on disk.
//
// Threads: one at a time for one object; different objects share nothing. Two processes that
// want one folder are kept apart by a lock.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "trainyard/base/descriptor.hpp"
#include "trainyard/data/archive.hpp"
#include "trainyard/run/run.hpp"

namespace trainyard {

class Unfinished;  // base/interrupt.hpp

/// DIR/<name>/ with config.toml, metrics.jsonl, summary.json, ranks.csv, model.npy; of a run of a
/// comparison also result.npz, with which that may go on in another process. Everything is
/// first written to DIR/<name>.partial/, the metrics line by line as they come, and renamed when it
/// is whole: a run that is killed leaves what it had, and nobody takes it for a finished one.
///
/// One process at a time owns DIR/<name>.partial: it holds a lock on the metrics in it, which goes
/// with the process however that ends. So what DIR/<name> holds is always of one run. In one
/// process nobody may make two of one name at once.
///
/// What is overwritten is only a folder of a run, which holds nothing but the files above and whose
/// config.toml begins with `# Written by trainyard`. It is first renamed to
/// DIR/<name>.<process number>.old, or to a name like it that is not in use, and removed when the
/// new one has its name.
class RunFolder {
 public:
  /// Throws UsageError as refuse_taken_folder(), and when the folder cannot be made; RunError when
  /// there is no room.
  RunFolder(const std::filesystem::path& out, const std::string& name,
            const Configuration& resolved, bool overwrite);
  /// Leaves the partial folder if there is an evaluation in it. Without one, folders that were made
  /// for it go, too; an interrupt that ends the program at once removes the same.
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  void add(const Metrics& metrics);

  /// Throws RunError when something cannot be written, or the name has been taken meanwhile. As
  /// much as possible is written all the same, and the message says where it is and what lacks.
  /// `kept`: what a comparison keeps of it, as result.npz; then all of it is on the disk itself
  /// when the folder takes its name.
  void finish(const RunResult& result, const Archive* kept = nullptr);

  /// For a run that is refused after it has begun: removes what it has written, if that is not
  /// whole yet.
  void discard();

  /// The file of the evaluations so far; empty when there are none.
  std::filesystem::path kept() const;

 private:
  void begin(const Configuration& resolved);
  void append(const Metrics& metrics);
  void move_elsewhere();
  void write_metrics(const RunResult& result);
  void force_all_to_disk() const;
  void take_final_name() const;

  const std::filesystem::path final_;
  std::filesystem::path partial_;
  const bool overwrite_;
  std::vector<std::filesystem::path> made_;  // folders that were not there, the deepest first
  std::unique_ptr<Unfinished> unfinished_;   // until there is an evaluation
  Descriptor metrics_;                       // and with it the lock
  std::size_t evaluations_ = 0;
  int metrics_error_ = 0;  // the errno of the line that could not be written; none is after it
  bool finished_ = false;
};

/// Throws UsageError when DIR/<name> is there and is not a run's folder, or may not be overwritten;
/// likewise DIR/<name>.partial, which a run that was killed has left, or which another process is
/// writing. A command asks for all its runs at once, so that it does not find out after hours of
/// the first ones.
void refuse_taken_folder(const std::filesystem::path& out, const std::string& name, bool overwrite);

/// Throws UsageError when no folder can be made in `out` or for it, RunError when there is no room.
/// What is made to find out is removed again.
void refuse_unwritable(const std::filesystem::path& out);

/// A vector in NumPy's .npy format, version 1.0. Throws RunError when it cannot be written.
void write_npy(const std::filesystem::path& file, ConstVector values);

}  // namespace trainyard
