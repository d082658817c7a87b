// The flags of `compare`: those of a run, and who takes part, what is varied, how often.
#pragma once

#include "trainyard/study/comparison.hpp"
#include "trainyard/study/crossover_map.hpp"

#include "app/commands.hpp"
#include "app/training_flags.hpp"

namespace trainyard::app {

class CompareFlags {
 public:
  /// Adds the flags to `command`.
  explicit CompareFlags(CLI::App& command);

  /// The comparison that the command line asks for. Throws UsageError.
  ComparisonRequest comparison() const;

  /// Whether the comparison in --out goes on.
  bool goes_on() const;
  /// The file of its curves. --force is for this one, too: where nothing else is written the
  /// request is left without it, which else would be said to do nothing.
  Picture take_picture(ComparisonRequest& request) const;

  /// Whether --map was given; then that is what it asks for. Throws UsageError.
  bool is_map() const { return map_->count() > 0; }
  MapRequest map() const;

 private:
  ComparisonOptions options() const;

  CLI::Option *schemes_, *vary_, *map_, *seeds_, *tune_lr_, *jobs_, *columns_, *baseline_, *svg_,
      *continue_;
  TrainingFlags training_;
};

}  // namespace trainyard::app
