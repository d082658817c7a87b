// Whether what a configuration asks for goes together, whatever its scheme is.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/run/notes.hpp"
#include "trainyard/runtime/optimizer.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

// Each throws OptionError for what does not.

void check_optimizer(const OptimizerOptions& optimizer);
void check_stragglers(const Configuration& configuration);
/// Only passes over iid shares, in an order of their own each, can be dealt anew.
void check_deal(const Configuration& configuration);
/// And only schemes whose workers can take any rows; of each step, only those that wait for all.
void check_deal_of(const Scheme& scheme, const Cast& cast, const Configuration& configuration);
/// `ranks`: of the scheme that has the most.
void check_network(const Configuration& configuration, int ranks);
/// At most one, and one that can be measured.
void check_target(const Configuration& configuration, const LoadedData& data);
/// Rows for --patience and --metric to look at, with labels that have such a measure.
void check_held_out(const Configuration& configuration, const LoadedData& data);
/// Rows for each worker and each minibatch.
void check_against_data(const Configuration& configuration, const LoadedData& data);

/// Throws OptionError where a measure needs rows of each class and some class has no validation
/// row; says of which of two classes a measure is.
void check_classes_of_metric(const Configuration& configuration, const LoadedData& data,
                             const Remark& remark);

/// Says where a target is looked for on rows that were to test the model.
void remark_on_test_target(const Configuration& configuration, const Remark& remark);

}  // namespace trainyard
