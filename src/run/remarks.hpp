// Remarks on a run: before it begins, of settings that are accepted and make of it what few will
// have meant; and at its end, of how it went.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "trainyard/base/vector.hpp"
#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/dataset.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/notes.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/runtime/optimizer.hpp"
#include "trainyard/scheme/cast.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// REQUIRES: `c` has all hyperparameters that the scheme takes, and `cast` is of both.
void remark_hyperparameters(const Configuration& c, const Scheme& scheme, const Cast& cast,
                            const Remark& remark);

/// The warning where a feature is finite and its square is not. Adagrad and Adam divide a gradient,
/// of the size of the feature, by the root of summed squares: a square that is infinite leaves the
/// parameter where it is, without a word. Empty where that cannot be.
std::optional<std::string> remark_on_squares(OptimizerKind optimizer, Scalar of_model,
                                             const Dataset& train);

/// The warning where the loss of the last evaluation is not finite, or more than 1000 times the
/// first: the run has diverged. (Logistic loss grows only linearly in the weights, and would take a
/// very long time to overflow.)
/// `liars`: of so many workers among them; a smaller step is then no remedy.
std::optional<std::string> divergence_note(std::span<const Metrics> metrics, int liars = 0);

/// If it has not, and the loss ended above the one it began with.
std::optional<std::string> risen_note(std::span<const Metrics> metrics, int liars = 0);

/// If evaluating was given up: the losses are those of an earlier model.
std::string missing_look_note(const Metrics& last, double steps);

/// If the trace that was asked for is incomplete, or empty.
std::optional<std::string> trace_end_note(const Trace& trace);

/// Remarks on times that were taken while threads shared cores, and on a shared model. What they
/// need is timed only where somebody `listens`.
void remark_end(const Plan& plan, const Summary& summary, ConstVector model, bool listens,
                const Remark& remark);

/// Where workers mostly write what others have just written, they wait for cache lines, and all of
/// them together may be slower than one. How much data it takes differs from processor to
/// processor, so one is timed alone. Of runs in `wall`.
void remark_whether_sharing_pays(const Configuration& config, const Model& model,
                                 const Dataset& train, const Summary& summary,
                                 const Remark& remark);

/// A warning about parameters at the ends of the range of a model in few bits.
void remark_ends_of_range(const Cast& cast, ConstVector model, const Remark& remark);

}  // namespace trainyard
