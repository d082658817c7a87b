#include "analysis/advised_setting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trainyard/analysis/optimal_time.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/configuration/options.hpp"

namespace trainyard {

namespace {

/// Seconds that a minibatch of each worker takes on average.
std::vector<double> mean_seconds(const Configuration& c) {
  const ComputeNoiseRule& noise = c.compute_noise;
  std::vector<double> all = compute_seconds(c);
  for (double& each : all) {
    each = each * (noise.constant + noise.exponential) +
           noise.pause_probability * to_seconds(noise.pause);
  }
  return all;
}

void make_ports_alike(Network& network) {
  network.up_bytes_per_second.reset();
  network.down_bytes_per_second.reset();
}

/// Of who was there those stay that are the fastest.
void leave_out_slowest(Configuration& c, int count) {
  std::ranges::stable_sort(c.stragglers, std::ranges::less(), &Straggler::factor);
  const auto slow = static_cast<std::ptrdiff_t>(c.stragglers.size());
  c.stragglers.resize(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, slow - count)));
  for (int rank = 0; Straggler & each : c.stragglers) each.rank = rank++;
}

}  // namespace

double rate_of(const PredictionSetting& setting, double step_s) {
  const Configuration& c = setting.configuration;
  return static_cast<double>(c.batch) * c.workers / step_s;
}

double alone_rate(const PredictionSetting& setting) {
  const std::vector<double> each = mean_seconds(setting.configuration);
  return static_cast<double>(setting.configuration.batch) / *std::ranges::min_element(each);
}

double ideal_rate(const PredictionSetting& setting) {
  double rate = 0.0;
  for (const double each : mean_seconds(setting.configuration)) {
    rate += static_cast<double>(setting.configuration.batch) / each;
  }
  return rate;
}

PredictionSetting with_changes(const PredictionSetting& setting,
                               const std::vector<OptionText>& changes) {
  PredictionSetting changed = setting;
  Configuration& c = changed.configuration;
  for (const auto& [option, text] : changes) {
    if (option == "straggler" && text.empty()) {
      c.stragglers.clear();
    } else {
      option_named(option).set(c, text, "--" + option);
    }
  }
  if (c.workers < setting.configuration.workers) {
    leave_out_slowest(c, setting.configuration.workers - c.workers);
  }
  return changed;
}

PredictionSetting without_bandwidth_limit(const PredictionSetting& setting) {
  PredictionSetting changed = setting;
  Network& network = changed.configuration.network;
  network.bytes_per_second = std::numeric_limits<double>::infinity();
  network.between_bytes_per_second.reset();
  make_ports_alike(network);
  return changed;
}

PredictionSetting without_window(const PredictionSetting& setting) {
  PredictionSetting changed = setting;
  changed.configuration.network.tcp_window = 0;
  return changed;
}

PredictionSetting with_bandwidth(const PredictionSetting& setting, double bytes_per_second) {
  PredictionSetting changed = setting;
  Network& network = changed.configuration.network;
  if (is_between_racks(setting.configuration)) {
    network.between_bytes_per_second = bytes_per_second;
  } else {
    network.bytes_per_second = bytes_per_second;
    make_ports_alike(network);
  }
  return changed;
}

bool is_between_racks(const Configuration& c) {
  return c.network.racks > 1 && c.network.between_bytes_per_second.has_value();
}

PredictionSetting without_latency(const PredictionSetting& setting) {
  PredictionSetting changed = setting;
  Network& network = changed.configuration.network;
  // What a window leaves of the bandwidth is no matter of the messages' latency.
  if (network.racks > 1 && (network.between_latency || network.between_bytes_per_second)) {
    const Link between{network.between_latency.value_or(network.latency),
                       network.between_bytes_per_second.value_or(network.bytes_per_second)};
    network.between_bytes_per_second = network.within_window(between).bytes_per_second;
  }
  const auto within = [&](double bytes_per_second) {
    return network.within_window({network.latency, bytes_per_second}).bytes_per_second;
  };
  for (auto* ports : {&network.up_bytes_per_second, &network.down_bytes_per_second}) {
    if (*ports) *ports = within(**ports);
  }
  network.bytes_per_second = within(network.bytes_per_second);
  network.tcp_window = 0;
  network.latency = Duration{0};
  network.between_latency.reset();
  network.jitter = {};
  return changed;
}

PredictionSetting without_stragglers(const PredictionSetting& setting) {
  PredictionSetting changed = setting;
  changed.configuration.stragglers.clear();
  changed.configuration.compute_noise = {};
  return changed;
}

bool is_uneven(const Configuration& c) {
  return !c.stragglers.empty() || c.compute_noise.any();
}

std::vector<int> worker_counts(int most) {
  std::vector<int> counts;
  for (int power = 1; power <= most; power *= 2) {
    counts.push_back(power);
    if (power >= 2 && power + power / 2 <= most) counts.push_back(power + power / 2);
  }
  return counts;
}

/// The time of a step is a broken line that rises with whatever slows it down, so that chords (the
/// Illinois way of false position) are there after a few predictions.
double solve(double low, double high, double wanted, const std::function<double(double)>& step) {
  double below = step(low) - wanted, above = step(high) - wanted;
  double middle = low;
  int same_side = 0;
  for (int i = 0; i < 60; ++i) {
    middle = (low * above - high * below) / (above - below);
    const double off = step(middle) - wanted;
    if (std::abs(off) <= 1e-4 * wanted) break;
    const bool is_below = off < 0.0;
    if (is_below) {
      low = middle;
      below = off;
      if (same_side < 0) above /= 2.0;
    } else {
      high = middle;
      above = off;
      if (same_side > 0) below /= 2.0;
    }
    same_side = is_below ? -1 : 1;
  }
  return middle;
}

double rounded(double value) {
  if (!(value > 0.0)) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 3.0);
  return std::round(value / unit) * unit;
}

}  // namespace trainyard
