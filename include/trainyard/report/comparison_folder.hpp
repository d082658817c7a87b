// The folder of a comparison's results, with which another process may go on (compare --continue).
//
//   ComparisonFolder folder(out, goes_on);
//   hooks.begun = [&](const Case& one) { return folder.begun(one); };
//   hooks.planned = [&](const std::vector<Case>& cases, int) {
//     folder.hold_against(cases, remark);
//     folder.begin(cases);
//   };
//   hooks.ended_before = [&](const Case& one) { return folder.take_ended(one); };
//   …and of each run that ends, folder.sign(kept); run_folder.finish(result, &kept);
//
// DIR/comparison.npz says what the comparison was asked for, DIR/<run>/result.npz how a run ended;
// each is beside its place first, on the disk, and then renamed. So whenever the process is killed
// what is there is whole.
//
// Threads: keep() and sign() any number of them, after begin(); else one at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/data/archive.hpp"
#include "trainyard/run/notes.hpp"
#include "trainyard/study/begun_comparison.hpp"

namespace trainyard {

class Unfinished;  // base/interrupt.hpp

class ComparisonFolder {
 public:
  /// `goes_on`: with the comparison that is there; an empty or a missing folder begins one. Throws
  /// OptionError, naming --continue, where it holds something else, or cannot be read.
  ComparisonFolder(std::filesystem::path out, bool goes_on);
  /// Of a comparison that began here and of which there is nothing to keep nothing is left; an
  /// interrupt that ends the program at once removes the same.
  ~ComparisonFolder();
  ComparisonFolder(const ComparisonFolder&) = delete;
  ComparisonFolder& operator=(const ComparisonFolder&) = delete;

  /// What was known of the case when the comparison began; nullptr where it begins now.
  const BegunCase* begun(const Case& one) const;

  /// Where the comparison goes on: reads which of its runs have ended. `remark` hears of those that
  /// cannot be read and are made again. Throws OptionError where it began as another one
  /// (require_same()), and, but with --force, for a folder in a run's place that it has not made.
  void hold_against(const std::vector<Case>& cases, const Remark& remark);
  /// Where it begins: writes down what is asked for. Throws RunError where that cannot be written.
  void begin(const std::vector<Case>& cases);

  /// Whether the run has ended, and how: a second time there is nothing.
  bool has_ended(const Case& one) const;
  std::optional<Archive> take_ended(const Case& one);

  /// There is something of a run.
  void keep();
  /// Marks what is kept of a run as of this comparison.
  void sign(Archive& kept);

 private:
  void write() const;
  void read_ended(const Case& one, const Remark& remark);

  const std::filesystem::path out_;
  const bool goes_on_;
  std::optional<BegunComparison> begun_;
  std::uint64_t print_ = 0;               // of begun_
  std::map<std::string, Archive> ended_;  // by the folders of their runs
  // Where the comparison begins here:
  bool is_new_ = false;
  std::vector<std::filesystem::path> made_;  // folders that were not there, the deepest first
  std::atomic<bool> keeps_{false};
  std::unique_ptr<Unfinished> unfinished_;  // until then
};

}  // namespace trainyard
