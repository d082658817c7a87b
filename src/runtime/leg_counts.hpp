// Names of counts that one leg of a run leaves to the next (RunState::count()), where who counts
// and who goes on from there are not the same.
#pragma once

#include <string_view>

namespace trainyard {

/// Of a worker: the steps that it has done. The pacer counts them.
inline constexpr std::string_view steps_name = "steps";
/// Of these, those in which it took no minibatch.
inline constexpr std::string_view sat_out_name = "steps sat out";
/// Of a server: the steps that it has closed, and the minibatches that they took.
inline constexpr std::string_view closed_name = "steps closed", learnt_name = "minibatches learnt";
/// Of worker 0: RunState::minibatches_of_others(), where there are any.
inline constexpr std::string_view others_name = "minibatches of others";
/// Of a worker: the minibatches that it has taken of each share.
inline constexpr std::string_view taken_name = "minibatches";

}  // namespace trainyard
