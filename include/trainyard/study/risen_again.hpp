// Runs whose training loss went up again after the target: who was first at it did not end first.
//
// Threads: any; functions of their arguments.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "trainyard/run/run.hpp"

namespace trainyard {

/// The runs of one name that ended above the target that they had reached, by more than a twentieth
/// of the way from the first loss down to it; less is what minibatches do.
struct RisenAgain {
  std::string name;      // as name_at() does
  std::size_t runs = 0;  // so many of them
  std::size_t of = 0;    // seeds
  double target_loss = 0.0;
  double end_loss = 0.0;  // the mean of theirs
};

/// In the order in which their names first come. A run that ends at its target is none of them.
std::vector<RisenAgain> risen_again(std::span<const RunResult> results);

/// "to a training loss of 0.51 at its end; the target is 0.33", with the seeds where not all did.
std::string text_of(const RisenAgain& risen);

}  // namespace trainyard
