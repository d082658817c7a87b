// Decides what a configuration leaves open: the runtime, the budget, the compute time.
//
// Threads: one at a time; it reads the machine and may run rehearsals.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/run/notes.hpp"

namespace trainyard {

class Model;
struct Scheme;

/// The model where --model is not given: logistic regression for two classes, softmax for more.
std::string model_name(const Configuration& configuration, const LoadedData& data);

/// The clock of --time auto for so many ranks: wall where each gets a core, and a quota of CPU time
/// has room for all of them, else virtual. And the remark that says so.
TimeMode clock_for(int ranks);
std::string clock_remark(TimeMode chosen, int ranks);
/// The remark where the compute time decides, be it the command's default.
inline constexpr const char* set_compute_time_remark =
    "time: virtual, as --compute-time has a value";

/// Throws UsageError for what this scheme refuses and another may take. Returns a warning where the
/// setting is at the limit of what the scheme tolerates. `model` is the configuration's.
std::optional<std::string> check_scheme(const Scheme& scheme, const Configuration& configuration,
                                        std::shared_ptr<const Model> model);

/// Decides for all `schemes` at once, so that a comparison runs every scheme under the same clock
/// with the same cost of computation:
///  - `--time auto` is virtual where a compute time is given, wall when the scheme with the most
///    ranks gets a core for each, and else virtual;
///  - without a model, logistic regression for two classes and softmax for more;
///  - without a budget, 10 epochs (with only a target loss, at most 200);
///  - `--compute-time auto` is measured here when time is virtual.
/// `remark` is told what was decided and why, and what has no effect.
/// A scheme of one's own is rehearsed for some steps, in which a field that its row lacks shows.
/// Throws UsageError for what does not fit together.
Configuration resolve(const Configuration& configuration, const std::vector<std::string>& schemes,
                      const LoadedData& data, const Remark& remark);

/// Without those of options that have no effect: they are of the question and not of the run, which
/// the resolved configuration, fed back, repeats to the byte.
std::vector<Note> without_idle_notes(std::vector<Note> notes, const Configuration& resolved);

/// Sets the hyperparameters "stages" and "microbatches" of a scheme that has them: as many stages
/// as divide the workers and the model has layers for, or the groups of "tensor-size" workers and
/// pairs of layers, and as many microbatches as the scheme usually has, or rows. `say` is told
/// where a model has no layers to cut. Throws OptionError where more microbatches are asked for
/// than there are rows, or for groups that do not divide the workers.
void resolve_pipelines(Configuration& c, const Scheme& scheme, const LoadedData& data,
                       const Remark& say);

/// Whether simulated time alone ends the run. REQUIRES: it is resolved, but for its compute time.
bool ends_by_clock(const Configuration& resolved);

}  // namespace trainyard
