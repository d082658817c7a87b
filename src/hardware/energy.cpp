#include "trainyard/hardware/energy.hpp"

#include <fstream>
#include <system_error>

namespace trainyard {

namespace {

template <typename Value>
std::optional<Value> first_word(const std::filesystem::path& file) {
  std::ifstream stream(file);
  Value value{};
  if (stream >> value) return value;
  return std::nullopt;
}

}  // namespace

EnergyMeter::EnergyMeter(const std::filesystem::path& powercap, std::chrono::milliseconds every)
    : every_(every) {
  std::error_code ignored;  // no such folder: no package
  for (const auto& entry : std::filesystem::directory_iterator(powercap, ignored)) {
    const std::filesystem::path& zone = entry.path();
    // AMD's processors have the name, too. "intel-rapl-mmio:0" is a package once more.
    if (!zone.filename().string().starts_with("intel-rapl:")) continue;
    // The others are parts of a package, or "psys", the whole machine.
    if (!first_word<std::string>(zone / "name").value_or("").starts_with("package")) continue;
    const auto range = first_word<std::uint64_t>(zone / "max_energy_range_uj");
    packages_.push_back({.energy = zone / "energy_uj", .range = range.value_or(0)});
  }
  readable_ = !packages_.empty();
  read_all(false);
  if (!readable_) return;
  try {
    watcher_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
  } catch (const std::system_error&) {
    readable_ = false;  // without a thread it may go round unseen
  }
}

/// REQUIRES: mutex_ is held, or nobody else is there yet.
void EnergyMeter::read_all(bool counts) {
  for (Package& package : packages_) {
    const auto now = first_word<std::uint64_t>(package.energy);
    readable_ = readable_ && now.has_value();
    if (!readable_) return;
    const bool went_round = *now < package.last;
    const std::uint64_t used = *now - package.last + (went_round ? package.range : 0);
    if (counts) microjoules_ += static_cast<double>(used);
    package.last = *now;
  }
}

void EnergyMeter::start() {
  const std::lock_guard lock(mutex_);
  if (readable_) read_all(false);
  running_ = true;
}

void EnergyMeter::stop() {
  const std::lock_guard lock(mutex_);
  if (readable_) read_all(running_);
  running_ = false;
}

std::optional<double> EnergyMeter::joules() const {
  const std::lock_guard lock(mutex_);
  return readable_ ? std::optional(microjoules_ * 1e-6) : std::nullopt;
}

void EnergyMeter::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    changed_.wait_for(lock, stop, every_, [] { return false; });
    if (!running_ || !readable_) continue;
    try {
      read_all(true);
    } catch (...) {
      readable_ = false;  // no memory for a file's buffer: what is counted later would be wrong
    }
  }
}

}  // namespace trainyard
