// What may be behind a rate that is below what is predicted.
//
// Threads: as of predictions (prediction.hpp).
#pragma once

#include <span>
#include <vector>

#include "trainyard/analysis/advice.hpp"

namespace trainyard {

/// Each for itself: links that give less, a slow worker, slower minibatches, and which of `schemes`
/// are within a tenth of it. REQUIRES: the question has a measured rate, other than that of
/// `contestant`.
std::vector<Explanation> explanations_of(const Contestant& contestant,
                                         const AdviceQuestion& question,
                                         std::span<const AdvisedScheme> schemes);

}  // namespace trainyard
