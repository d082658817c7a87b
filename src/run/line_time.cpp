#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "trainyard/base/units.hpp"
#include "trainyard/hardware/machine.hpp"
#include "trainyard/hardware/measurements.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "run/lines.hpp"

namespace trainyard {

namespace {

/// The median over pairs of cores, of eight cores at most; empty where there are no two cores, or
/// other programs had them.
std::optional<Duration> measure_line_time() {
  constexpr std::size_t most_cores = 8;
  const auto latencies = line_latencies(first_units(this_machine(), most_cores));
  std::vector<double> pairs;
  for (std::size_t row = 0; row < latencies.size(); ++row) {
    for (std::size_t column = row + 1; column < latencies.size(); ++column) {
      const double found = latencies[row][column].seconds;
      if (std::isfinite(found)) pairs.push_back(found);
    }
  }
  if (pairs.empty()) return std::nullopt;
  const auto median = pairs.begin() + static_cast<std::ptrdiff_t>(pairs.size() / 2);
  std::ranges::nth_element(pairs, median);
  constexpr double in_a_ns = 1e9;
  return std::chrono::nanoseconds(std::max(1L, std::lround(*median * in_a_ns)));
}

/// Whether several of its workers write to one model in memory.
bool shares_memory(const Cast& cast) {
  return cast.workers > 1 && cast.models_in_memory() > 0;
}

/// The contestants of a comparison have one figure.
const std::optional<Duration>& line_time_here() {
  static const std::optional<Duration> measured = measure_line_time();
  return measured;
}

std::size_t parameters_of_a_line(const Plan& plan) {
  constexpr std::size_t line = 64;  // bytes
  return line / (plan.cast.shared_format ? plan.cast.shared_format->bytes() : sizeof(float));
}

}  // namespace

bool lines_take_time(const Plan& plan) {
  const Configuration& c = plan.configuration;
  return c.time == TimeMode::simulated && plan.cast.workers > 1 &&
         plan.cast.models_in_memory() > 0 && c.line_time.value_or(Duration{0}).count() > 0;
}

std::unique_ptr<SharedLines> shared_lines(const Plan& plan) {
  if (!lines_take_time(plan)) return nullptr;
  const bool by_rows = plan.cast.model == ModelHome::shared &&
                       plan.configuration.optimizer.plain() &&
                       plan.model->sparse_update() != nullptr;
  return std::make_unique<SharedLines>(
      *plan.configuration.line_time,
      SharedLines::Shape{.workers = plan.cast.workers,
                         .models = plan.cast.models_in_memory(),
                         .parameters = plan.model->dimension(),
                         .parameters_of_a_line = parameters_of_a_line(plan),
                         .touched_whole = !by_rows});
}

void resolve_line_time(Configuration& c, std::span<const RunObjects> all, const Remark& remark) {
  const auto sharing = std::ranges::find_if(
      all, [](const RunObjects& objects) { return shares_memory(objects.cast); });
  if (c.time == TimeMode::wall || sharing == all.end()) return;
  if (!c.line_time) {
    c.line_time = line_time_here().value_or(default_line_time);
    remark(line_time_here()
               ? fmt::format("line time: {} for a cache line from core to core, measured here",
                             exact_text(*c.line_time))
               : fmt::format("note: nothing could be measured between two cores here; line time: "
                             "{}, the default",
                             exact_text(*c.line_time)));
  } else if (c.line_time->count() == 0) {
    remark(
        fmt::format("note: with --line-time 0 cache lines that others have written are free: the "
                    "workers of {} get into each other's way less than on any machine",
                    sharing->scheme->name));
  }
}

void remark_on_lines(const Plan& plan, const Summary& summary, const Remark& remark) {
  constexpr double seen = 0.01;
  const double waited = summary.lines_s.value_or(0.0);
  if (waited == 0.0 || waited < seen * summary.seconds) return;
  // By twentieths, so that nearly all seeds say the same.
  const double share = 5.0 * std::round(20.0 * waited / summary.seconds);
  remark(fmt::format(
      "note: {} of the workers' time, which counts as computing, is for cache lines that "
      "others wrote, by a model of cache coherence (--line-time {})",
      share < 5.0 ? "less than a twentieth" : fmt::format("about {:.0f} %", share),
      exact_text(*plan.configuration.line_time)));
}

}  // namespace trainyard
