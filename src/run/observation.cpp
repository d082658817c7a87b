#include "run/observation.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/hardware/open_files.hpp"

namespace trainyard {

namespace {

/// Files that a run itself has open at once.
constexpr std::size_t files_of_a_run = 32;

}  // namespace

Observation::Observation(const Configuration& resolved, int ranks) {
  if (resolved.time != TimeMode::wall) return;
  places_.resize(static_cast<std::size_t>(ranks));
  if (!resolved.counters) return;
  counts_.resize(static_cast<std::size_t>(ranks));
  metered_ = ranks_metered(counts_.size(), room_for_files(room_of_meters(counts_.size())));
  energy_.emplace();
}

std::string Observation::note() const {
  if (metered_ == counts_.size()) return "";
  return fmt::format(
      "note: of {} of {} only context switches and page faults are counted: each takes {} open "
      "files, and the system allows too few (ulimit -Hn)",
      counts_.size() - metered_, counted(counts_.size(), "rank"), ThreadMeter::events);
}

Observation::Watch::Watch(Observation& all, int rank)
    : all_(all), rank_(static_cast<std::size_t>(rank)) {
  if (!all.places_.empty()) trail_.emplace();
  if (all.counts_.empty()) return;
  if (rank_ < all.metered_) {
    meter_.emplace();
  } else {
    meter_.emplace([](const perf_event_attr&, int) { return -1; });
  }
}

void Observation::Watch::begins() {
  if (meter_) meter_->start();
}

Observation::Watch::~Watch() {
  try {
    if (meter_) all_.counts_[rank_] = meter_->read();
    meter_.reset();  // its descriptors, four a rank: what follows opens a file
    if (trail_) all_.places_[rank_] = trail_->here();
  } catch (...) {
    // No memory for a file's buffer: then it is not known, which is no reason to lose the run.
  }
}

void ThrottleMeter::stop() {
  const auto now = began_ ? throttled_seconds(root_) : std::nullopt;
  if (now) seconds_ += std::max(0.0, *now - *began_);
  began_.reset();
}

std::string ThrottleMeter::note() const {
  const auto quota = processor_quota(root_);
  if (seconds_ == 0.0 || !quota) return "";
  return fmt::format(
      "note: the CPU quota of {} held this control group back for {}, added up over "
      "hardware threads, while the run went on; that time is part of its ranks' compute and wait",
      counted(fmt::format("{:.3g}", *quota), "core"), human_duration(seconds_));
}

void Observation::count(bool counts) {
  if (!places_.empty()) counts ? throttle_.start() : throttle_.stop();
  if (!energy_) return;
  if (counts) {
    energy_->start();
  } else {
    energy_->stop();
  }
}

namespace {

/// The pages of what each rank keeps from step to step: replicas, shards, momenta.
PageCount pages_kept(const RunState& state, std::span<const ThreadPlace> places) {
  PageCount count;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    const auto home = places[rank].node ? system_number_of_node(*places[rank].node) : std::nullopt;
    if (!home) continue;
    for (const KeptVector& kept : state.kept_by(static_cast<int>(rank))) {
      count += count_pages(kept.values.bytes(), *home);
    }
  }
  return count;
}

}  // namespace

void Observation::put_into(RunResult& result, const RunState& state,
                           const std::function<void(const std::string&)>& remark) const {
  if (places_.empty()) return;
  const std::string note = throttle_.note();
  if (remark && !note.empty()) remark(note);
  const Machine machine = this_machine();
  result.places = places_;
  for (ThreadPlace& place : result.places) {
    if (!place.unit) continue;
    const auto unit = std::ranges::find(machine.units, *place.unit, &ProcessingUnit::index);
    if (unit == machine.units.end()) continue;
    place.core = unit->core;
    place.node = unit->node;
  }
  result.counts = counts_;
  result.summary.ran_on = ran_on_text(machine, result.places);
  if (machine.nodes > 1) {
    *result.summary.ran_on += memory_text(machine, pages_kept(state, result.places));
  }
  result.summary.moves = moves_of(result.places);
  result.summary.counts = sum_of(result.counts);
  if (energy_) result.summary.energy_j = energy_->joules();
}

namespace {

/// Describes threads that the system moves about: which core each was on just then says little.
std::string crowd_text(std::span<const ThreadPlace> places) {
  struct Crowd {
    std::size_t ranks = 0;
    std::set<int> cores{};
  };
  std::map<int, Crowd> on_node;
  for (const ThreadPlace& place : places) {
    if (!place.core || !place.node) return "not pinned, and where they were is not known";
    Crowd& crowd = on_node[*place.node];
    ++crowd.ranks;
    crowd.cores.insert(*place.core);
  }
  std::string text;
  for (const auto& [node, crowd] : on_node) {
    text += fmt::format("{}{} on {} of node {}", text.empty() ? "" : ", ",
                        counted(crowd.ranks, "rank"), counted(crowd.cores.size(), "core"), node);
  }
  return "not pinned: at the end " + text;
}

std::string moves_text(const std::optional<std::uint64_t>& moves) {
  if (!moves) return "how often they moved is not known";
  if (*moves == 0) return "never moved";
  return *moves == 1 ? "moved once" : fmt::format("moved {} times", *moves);
}

}  // namespace

std::string ran_on_text(const Machine& machine, std::span<const ThreadPlace> places) {
  const bool sit = std::ranges::all_of(
      places, [](const ThreadPlace& place) { return place.pinned && place.core; });
  std::string where;
  if (sit) {
    std::vector<int> units;
    for (const ThreadPlace& place : places) units.push_back(*place.unit);
    where = seats_text(machine, units);
  } else {
    where = crowd_text(places);
  }
  return where + "; " + moves_text(moves_of(places));
}

std::string memory_text(const Machine& machine, const PageCount& pages) {
  const std::size_t all = pages.at_home + pages.elsewhere;
  if (machine.nodes < 2 || all == 0) return "";
  return fmt::format("; {} % of the memory that they keep is on their node",
                     100 * pages.at_home / all);
}

std::size_t room_of_meters(std::size_t ranks) {
  return ranks * ThreadMeter::events + files_of_a_run;
}

std::size_t ranks_metered(std::size_t ranks, std::size_t room) {
  return std::min(ranks, (room - std::min(room, files_of_a_run)) / ThreadMeter::events);
}

std::optional<std::uint64_t> moves_of(std::span<const ThreadPlace> places) {
  std::uint64_t sum = 0;
  for (const ThreadPlace& place : places) {
    if (!place.moves) return std::nullopt;
    sum += *place.moves;
  }
  return sum;
}

}  // namespace trainyard
