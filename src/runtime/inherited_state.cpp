// The state of a run whose members have changed: what becomes of what each rank has kept.
//
// Who stays has all that it had. Who joins has lost its memory, and fetches what it cannot do
// without from one of the others. What that is nobody has to list: a vector that all workers hold
// alike, while there are several, belongs to the run (an outer model, its momentum), and is
// fetched; one that differs belongs to a worker (a residual of its own coding), and begins anew.
// The replica and the optimizer's moments are fetched though they differ between two averages.
#include <algorithm>
#include <string>
#include <utility>

#include "trainyard/base/error.hpp"
#include "trainyard/runtime/run_state.hpp"

#include "runtime/leg_counts.hpp"

namespace trainyard {

namespace {

const std::string stream_mark = "stream ";

bool is_of_the_model(std::string_view name) {
  return name == "replica" || name.starts_with("optimizer.");
}

}  // namespace

std::uint64_t RunState::minibatches_of_others() const {
  const auto& counts = ranks_.front().counts;
  const auto found = counts.find(others_name);
  return found == counts.end() ? 0 : found->second.front();
}

std::uint64_t RunState::minibatches_learnt() const {
  std::uint64_t sum = minibatches_of_others();
  for (int worker = 0; worker < layout_.workers; ++worker) {
    const auto& counts = of(worker).counts;
    const auto count = [&](std::string_view name) {
      const auto found = counts.find(name);
      return found == counts.end() ? 0 : found->second.front();
    };
    sum += count(steps_name) - count(sat_out_name);
  }
  return sum;
}

std::set<std::string> RunState::held_alike() const {
  std::set<std::string> alike;
  const auto all_others = [&](const auto& is_so) {
    return std::all_of(ranks_.begin() + 1, ranks_.begin() + layout_.workers, is_so);
  };
  for (const auto& [name, values] : ranks_.front().kept) {
    const auto has_it = [&name = name, &values = values](const OfRank& other) {
      const auto found = other.kept.find(name);
      return found != other.kept.end() &&
             std::ranges::equal(found->second.view().bytes(), values.view().bytes());
    };
    if (all_others(has_it)) alike.insert(name);
  }
  for (const auto& [name, stream] : ranks_.front().streams) {
    const auto has_it = [&name = name, packed = stream.packed()](const OfRank& other) {
      const auto found = other.streams.find(name);
      return found != other.streams.end() && found->second.packed() == packed;
    };
    if (all_others(has_it)) alike.insert(stream_mark + name);
  }
  return alike;
}

RunState::OfRank RunState::as_joining(int donor, const std::set<std::string>& alike,
                                      std::size_t& fetched) const {
  OfRank joining;
  const OfRank& from = of(donor);
  for (const auto& [name, values] : from.kept) {
    if (!is_of_the_model(name) && !alike.contains(name)) continue;
    joining.kept.emplace(name, VectorBuffer::copy_of(values.view()));
    fetched += values.view().bytes().size();
  }
  joining.counts = from.counts;
  for (const auto& [name, stream] : from.streams) {
    if (alike.contains(stream_mark + name)) joining.streams.emplace(name, stream);
  }
  return joining;
}

std::size_t RunState::inherit(RunState& former, const std::vector<int>& was, int donor,
                              const std::set<std::string>& alike) {
  require(was.size() == ranks_.size() && !shared_, "each rank was one, and has a model of its own");
  const std::uint64_t learnt = former.minibatches_learnt();
  std::size_t fetched = 0;
  for (std::size_t rank = 0; rank < was.size(); ++rank) {
    if (was[rank] == joins) ranks_[rank] = former.as_joining(donor, alike, fetched);
  }
  for (std::size_t rank = 0; rank < was.size(); ++rank) {
    if (was[rank] != joins) ranks_[rank] = std::move(former.of(was[rank]));
  }
  for (int r = 0; r < former.layout_.workers + former.layout_.servers; ++r) {
    if (std::ranges::find(was, r) != was.end()) continue;
    ranks_.front().coding.add(former.of(r).coding);
    ranks_.front().lines_time += former.of(r).lines_time;
  }
  for (int worker = 0; worker < layout_.workers; ++worker) {
    of(worker).counts.erase(std::string(taken_name));
  }
  of(0).counts[std::string(others_name)] = {0};
  of(0).counts[std::string(others_name)] = {learnt - minibatches_learnt()};
  staleness_ = former.staleness_;
  begin_leg();
  return fetched;
}

}  // namespace trainyard
