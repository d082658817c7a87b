// Why a rule has no place for an option, where several rows say the same (OptimizerUse).
//
// Threads: constants.
#pragma once

namespace trainyard::refusal {

// Of --l1.
inline constexpr const char* tracked_gradient =
    "steps along a tracked gradient; what is published for penalties, NEXT (Di Lorenzo & Scutari "
    "2016), is another rule";
inline constexpr const char* corrected_step =
    "corrects each step by the one before; what is published for penalties, PG-EXTRA (Shi, Ling, "
    "Wu & Yin 2015), is another rule";
inline constexpr const char* corrected_by_ways =
    "corrects gradients by the ways that replicas have come, of which the shrinking would be a "
    "part";

// Of --clip-norm.
inline constexpr const char* gradient_of_same_rows =
    "corrects a minibatch's gradient by another of the same rows, which clipping makes differ";
inline constexpr const char* earlier_gradient =
    "corrects a minibatch's gradient by an earlier one of the same rows, which clipping makes "
    "differ";

}  // namespace trainyard::refusal
