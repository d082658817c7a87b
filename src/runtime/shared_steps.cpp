// A worker's steps on a model that it shares with others.
#include <algorithm>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/worker.hpp"

namespace trainyard {

namespace {

/// In `wall`, how often a Hogwild worker looks how far the others have come: each look reads a line
/// that every other worker writes, about 100 ns apiece, against steps of 100 ns.
constexpr std::uint64_t staleness_sampled_every = 64;

}  // namespace

/// It stands still until the lines are here: a part of its computing.
void Worker::await(const SharedLines::Passage& passage) {
  const Time began = rank_.now();
  if (passage.has <= began) return;
  rank_.compute({.simulated = passage.has - began, .reads_shared = true}, [] {});
  context_.state.lines_time_of(rank_.rank()) += rank_.now() - began;
}

/// The lines of the features of these rows. A worker's slices are its own.
void Worker::touch_rows(Batch batch, LineUse use) {
  if (context_.lines == nullptr) return;
  const std::size_t width = context_.model.dimension() / context_.train.features;
  SharedLines::Passage passage = this->passage();
  for (const RowRange& range : batch) {
    for (std::size_t row = range.first; row < range.first + range.count; ++row) {
      for (const std::uint32_t column : range.data->sparse_row(row).columns) {
        if (column >= context_.train.features) continue;
        context_.lines->touch(passage, group_, column * width, width, use);
      }
    }
  }
  await(passage);
}

void Worker::touch_shared(int group, LineUse use) {
  if (context_.lines == nullptr) return;
  SharedLines::Passage passage = this->passage();
  context_.lines->touch_all(passage, group, use);
  await(passage);
}

void Worker::touch_shared(int group, std::span<const std::size_t> lines, LineUse use) {
  if (context_.lines == nullptr) return;
  SharedLines::Passage passage = this->passage();
  for (const std::size_t line : lines) context_.lines->touch(passage, group, line, 1, use);
  await(passage);
}

void Worker::descend_shared(SharedAccess access) {
  SharedModel& shared = this->shared().of(group_);
  if (context_.state.layout().home != ModelHome::shared) throw_wrong_home("descend_shared()");
  const Batch batch = next_minibatch();
  const auto step_size = static_cast<float>(common_step_size() * weight_);
  const bool sampled =
      context_.hot == nullptr && (context_.simulated || done_ % staleness_sampled_every == 0);
  const std::uint64_t before = sampled ? context_.pacer.worker_steps_done() : 0;

  if (sparse_ != nullptr) {
    touch_rows(batch, LineUse::read);
    rank_.compute(cost_of_next(true),
                  [&] { shared.read_margins(*sparse_, batch, residuals_.span()); });
    touch_rows(batch, LineUse::write);
    if (shared.format()) {
      // Rounded, a number that is not finite would become the largest one without a word.
      require_finite(residuals_.span(), rank_, context_.scheme, done_);
      shared.write_step_rounded(*sparse_, batch, residuals_.span(), step_size, rounding_);
    } else {
      shared.write_step(*sparse_, batch, residuals_.span(), step_size, access);
    }
  } else {
    if (!has_read_) {
      touch_shared(group_, LineUse::read);
      shared.read(read_copy_.span());
    }
    has_read_ = true;
    rank_.compute(cost_of_next(false), [&] {
      context_.model.gradient(read_copy_.span(), batch, gradient_.view(), workspace_);
    });
    const std::span<const float> gradient = gradient_.view().floats();
    touch_shared(group_, LineUse::write);
    if (shared.format()) {
      require_finite(gradient, rank_, context_.scheme, done_);
      shared.add_rounded(-step_size, gradient, read_copy_.span(), rounding_);
    } else {
      shared.add(-step_size, gradient, read_copy_.span(), access);
    }
  }
  if (sampled) {
    context_.state.staleness_of(rank_.rank()).record(context_.pacer.worker_steps_done() - before);
  }
}

void Worker::reconcile_slices(SharedAccess access) {
  const HotLines* const hot = context_.hot;
  if (hot == nullptr || --steps_to_visit_ > 0) return;
  steps_to_visit_ = hot->steps_of_visit;
  const std::uint64_t others = context_.pacer.worker_steps_done() - done_;
  for (const HotLines::Turn& turn : hot->turns) {
    reconcile_slots(turn.slots_at(visits_), others, access);
  }
  ++visits_;
}

void Worker::reconcile_rest_of_slices(SharedAccess access) {
  const HotLines* const hot = context_.hot;
  if (hot == nullptr) return;
  const bool visited_just_now = visits_ > 0 && steps_to_visit_ == hot->steps_of_visit;
  const std::uint64_t others = context_.pacer.worker_steps_done() - done_;
  for (const HotLines::Turn& turn : hot->turns) {
    // From the part that waits longest on; the last one of them is that of the latest visit.
    const std::uint64_t parts = turn.visits - (visited_just_now ? 1 : 0);
    for (std::uint64_t part = 0; part < parts; ++part) {
      reconcile_slots(turn.slots_at(visits_ + part), others, access);
    }
  }
}

/// The shared model's lines that these slots are copies of.
void Worker::touch_slots(std::size_t first, std::size_t end) {
  if (context_.lines == nullptr) return;
  SharedLines::Passage passage = this->passage();
  const HotLines& hot = *context_.hot;
  for (std::size_t slot = first; slot < end; ++slot) {
    const std::size_t model = hot.blocks[slot] * hot.parameters;
    const std::size_t count = std::min(hot.parameters, hot.dimension - model);
    context_.lines->touch(passage, group_, model, count, LineUse::write);
  }
  await(passage);
}

void Worker::reconcile_slots(std::pair<std::size_t, std::size_t> slots, std::uint64_t others,
                             SharedAccess access) {
  const auto [first, end] = slots;
  touch_slots(first, end);
  shared().of(group_).reconcile(rank_.rank(), first, end, access);
  Staleness& staleness = context_.state.staleness_of(rank_.rank());
  for (std::size_t slot = first; slot < end; ++slot) {
    staleness.record(others - others_then_[slot]);
    others_then_[slot] = others;
  }
}

}  // namespace trainyard
