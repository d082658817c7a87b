#include "trainyard/hardware/processor_quota.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "hardware/control_groups.hpp"
#include "hardware/numbers_in_files.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

/// cpu.max is "QUOTA PERIOD", in µs, or "max PERIOD".
std::optional<double> quota_of_group(const fs::path& group) {
  std::ifstream stream(group / "cpu.max");
  double quota = 0.0, period = 0.0;
  if (!(stream >> quota >> period) || period <= 0.0) return std::nullopt;
  return quota / period;
}

/// No quota is -1.
std::optional<double> quota_of_old_group(const fs::path& group) {
  const auto quota = number_in(group / "cpu.cfs_quota_us");
  const auto period = number_in(group / "cpu.cfs_period_us");
  if (!quota || !period || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<double> quota_of(const ControlGroup& group) {
  return group.old ? quota_of_old_group(group.folder) : quota_of_group(group.folder);
}

/// Version 2 counts µs, version 1 ns.
std::optional<double> throttled_in(const ControlGroup& group) {
  const auto time =
      value_of(group.folder / "cpu.stat", group.old ? "throttled_time" : "throttled_usec");
  if (!time) return std::nullopt;
  return static_cast<double>(*time) * (group.old ? 1e-9 : 1e-6);
}

}  // namespace

std::optional<double> processor_quota(const fs::path& root) {
  std::optional<double> least;
  for (const ControlGroup& group : control_groups("cpu", root)) {
    const auto quota = quota_of(group);
    if (quota) least = std::min(*quota, least.value_or(*quota));
  }
  return least;
}

std::optional<double> throttled_seconds(const fs::path& root) {
  std::optional<double> sum;
  for (const ControlGroup& group : control_groups("cpu", root)) {
    if (!quota_of(group)) continue;
    if (const auto seconds = throttled_in(group)) sum = sum.value_or(0.0) + *seconds;
  }
  return sum;
}

bool has_core_for_each(int ranks, int cores, std::optional<double> quota) {
  return ranks <= cores && ranks <= quota.value_or(cores);
}

std::string cores_text(int cores, std::optional<double> quota) {
  std::string all = fmt::format("{} core{}", cores, cores == 1 ? "" : "s");
  // A larger one binds nobody.
  if (quota.value_or(cores) >= cores) return all;
  return fmt::format("{} with a CPU quota of {:.3g}", all, *quota);
}

}  // namespace trainyard
