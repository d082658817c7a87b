// How much of a run each round of tuning makes (trainyard/study/tuning.hpp).
//
// Threads: any; functions of their arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "trainyard/configuration/configuration.hpp"

namespace trainyard {

constexpr int furthest_power = 20;  // of two, of the extended grid
/// The most work beside the run itself, in whole runs, if more can be done without.
constexpr double most_runs = 4.0;

/// Whether it ends by its time, and not after so many steps.
bool is_by_clock(const Configuration& run);

/// A few steps, as long as nine times as many are not much of the run; whole cycles of what happens
/// only every so many steps, and more than one, as a centre that has not moved yet says nothing.
std::uint64_t steps_of_part(const Configuration& run, double part);

/// Parts of the run's steps, or of its time, in each round. How far off a target is nobody knows:
/// from few steps on, each time eight times as many.
std::vector<double> parts_of(const Configuration& run);

/// The step size's way through a run, in a run so much shorter.
void shorten_schedule(OptimizerOptions& optimizer, double part);

}  // namespace trainyard
