// Settings that differ in one thing from the one that advice is asked about, and the rates of their
// workers.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <functional>
#include <vector>

#include "trainyard/analysis/prediction.hpp"

namespace trainyard {

/// Rows a second of all workers, where each has a minibatch in a step.
double rate_of(const PredictionSetting& setting, double step_s);
/// Of workers that wait for nothing: of the fastest one, and of all together.
double alone_rate(const PredictionSetting& setting);
double ideal_rate(const PredictionSetting& setting);

/// The setting with these options. REQUIRES: options of predictions that take the texts. A
/// straggler of no text: none. Of fewer workers those are there that are the fastest.
PredictionSetting with_changes(const PredictionSetting& setting,
                               const std::vector<OptionText>& changes);
/// With links of infinite bandwidth, no window, no latency and no jitter, or workers that are
/// alike.
PredictionSetting without_bandwidth_limit(const PredictionSetting& setting);
PredictionSetting without_window(const PredictionSetting& setting);
/// Of all ports, both ways, or, where there are racks with links of their own between them, of
/// those.
PredictionSetting with_bandwidth(const PredictionSetting& setting, double bytes_per_second);
bool is_between_racks(const Configuration& c);
PredictionSetting without_latency(const PredictionSetting& setting);
PredictionSetting without_stragglers(const PredictionSetting& setting);

/// Some workers are slower than others, always or now and then.
bool is_uneven(const Configuration& c);

/// 1, 2, 3, 4, 6, 8, 12, 16, …, up to `most`.
std::vector<int> worker_counts(int most);

/// Where a step takes `wanted`, between low and high, by 1e-4 of it. REQUIRES: there is such a
/// place.
double solve(double low, double high, double wanted, const std::function<double(double)>& step);
/// To four significant digits.
double rounded(double value);

}  // namespace trainyard
