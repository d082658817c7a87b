// The runs that advice rests on, of data at hand: what they have of a configuration, and what the
// data bring into the question.
//
//   Configuration training = advised_training(configuration);
//   const LoadedData data = load_dataset(dataset_request(training));
//   const AdvisedModel model = advised_model(training, data);  // of the question, if it has none
//   run_to_target(training);
//   check_advised_data(on_machines_of(question, training), data);
//   const ComparisonRequest runs = target_runs(question, advice, training, 3);
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trainyard/analysis/advice.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/study/comparison.hpp"

namespace trainyard {

/// Passes after which a run ends that does not come to its target.
inline constexpr double advised_epochs = 20.0;
/// Of each run.
inline constexpr int advised_seeds = 3;

/// Those of its `given` that are of machines and links, and at which advice does not look.
std::vector<std::string> unadvised_options(const Configuration& c);

/// Over the defaults of its data set what `c` was given, without those and without what says where
/// results go: in simulated time.
Configuration advised_training(const Configuration& c);

/// Until its target, which `c` has: `advised_epochs` at most and looked at twenty times a pass,
/// unless its `given` say otherwise.
void run_to_target(Configuration& c);

/// Of the data, model, optimizer and target of `training`, on the question's machines and links.
Configuration on_machines_of(const AdviceQuestion& question, const Configuration& training);

/// Throws OptionError where the data have not enough rows for its workers, minibatch or target.
void check_advised_data(const Configuration& c, const LoadedData& data);

/// The same data, model and optimizer with one worker that nobody is beside, without a target: what
/// they take and have by themselves. Its minibatch has no more rows than there are.
Configuration of_one_worker(const Configuration& training, std::size_t rows);

struct AdvisedModel {
  std::uint64_t parameters = 0;
  Duration compute_time{};  // of a minibatch: what `training` says, or what one takes here
};
AdvisedModel advised_model(const Configuration& training, const LoadedData& data);

/// How long they take on this machine if none comes to the target, so many at once. What a look
/// takes is half a gradient's work for each row.
double most_seconds(const ComparisonRequest& runs, const LoadedData& data, int at_once);

/// "note: 15 ways to talk are trained in simulated time, each at its own best step size, with 3
/// seeds: HOW LONG", or "…, with 3 seeds, and who may be first with 10 or 30: HOW LONG" where
/// `finalists` are more seeds than the runs have.
std::string training_note(const std::string& what, const ComparisonRequest& runs, int finalists,
                          const std::string& how_long);

}  // namespace trainyard
