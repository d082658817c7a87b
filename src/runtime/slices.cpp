#include "trainyard/runtime/slices.hpp"

#include <algorithm>

#include "trainyard/runtime/shared_steps.hpp"
#include "trainyard/runtime/worker.hpp"

#include "runtime/line_waits.hpp"
#include "runtime/worker_parts.hpp"

namespace trainyard {

Slices::Slices(Worker& worker, SharedSteps& shared)
    : worker_(worker),
      rank_(WorkerParts(worker).rank),
      context_(WorkerParts(worker).context),
      shared_(shared.own()),
      group_(shared.group()),
      hot_(context_.hot) {
  if (hot_ == nullptr) return;
  steps_to_visit_ = hot_->steps_of_visit;
  others_then_.assign(hot_->blocks.size(), 0);
}

std::uint64_t Slices::steps_of_others() const {
  return context_.pacer.worker_steps_done() - worker_.step();
}

void Slices::reconcile(SharedAccess access) {
  if (hot_ == nullptr || --steps_to_visit_ > 0) return;
  steps_to_visit_ = hot_->steps_of_visit;
  const std::uint64_t others = steps_of_others();
  for (const HotLines::Turn& turn : hot_->turns) {
    reconcile_slots(turn.slots_at(visits_), others, access);
  }
  ++visits_;
}

void Slices::reconcile_rest(SharedAccess access) {
  if (hot_ == nullptr) return;
  const bool visited_just_now = visits_ > 0 && steps_to_visit_ == hot_->steps_of_visit;
  const std::uint64_t others = steps_of_others();
  for (const HotLines::Turn& turn : hot_->turns) {
    // From the part that waits longest on; the last one of them is that of the latest visit.
    const std::uint64_t parts = turn.visits - (visited_just_now ? 1 : 0);
    for (std::uint64_t part = 0; part < parts; ++part) {
      reconcile_slots(turn.slots_at(visits_ + part), others, access);
    }
  }
}

/// The shared model's lines that these slots are copies of.
void Slices::touch_slots(std::size_t first, std::size_t end) {
  wait_for_lines(rank_, context_, [&](SharedLines& lines, SharedLines::Passage& passage) {
    for (std::size_t slot = first; slot < end; ++slot) {
      const std::size_t begin = hot_->blocks[slot] * hot_->parameters;
      const std::size_t count = std::min(hot_->parameters, hot_->dimension - begin);
      lines.touch(passage, group_, begin, count, LineUse::write);
    }
  });
}

void Slices::reconcile_slots(std::pair<std::size_t, std::size_t> slots, std::uint64_t others,
                             SharedAccess access) {
  const auto [first, end] = slots;
  touch_slots(first, end);
  shared_.reconcile(rank_.rank(), first, end, access);
  for (std::size_t slot = first; slot < end; ++slot) {
    worker_.record_staleness(others - others_then_[slot]);
    others_then_[slot] = others;
  }
}

}  // namespace trainyard
