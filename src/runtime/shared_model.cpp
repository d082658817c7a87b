#include "trainyard/runtime/shared_model.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>

#include "trainyard/base/error.hpp"
#include "trainyard/base/even_split.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/hot_lines.hpp"

#include "model/parameter_access.hpp"

namespace trainyard {

namespace {

/// Coordinates that are looked at together: two vectors of them stay in the nearest cache.
constexpr std::size_t block = 512;

/// Slots whose lines are on their way while one is reconciled.
constexpr std::size_t fetched_ahead = 8;

/// The sums of a block by vectors, then a compare-and-swap for each coordinate. Where somebody came
/// in between, that one's sum is taken anew, by the same kernel, which gives the same bits for a
/// coordinate whatever stands beside it.
void add_by_compare_and_swap(float scale, std::span<const float> change, std::span<float> values,
                             std::span<float> copy) {
  std::array<float, block> seen;
  for (std::size_t from = 0; from < values.size(); from += block) {
    const std::size_t count = std::min(block, values.size() - from);
    const std::span<float> sums = copy.subspan(from, count);
    kernels::copy_shared(values.subspan(from, count), sums);
    std::ranges::copy(sums, seen.begin());
    kernels::axpy(scale, change.subspan(from, count), sums);
    for (std::size_t i = 0; i < count; ++i) {
      const std::atomic_ref<float> value(values[from + i]);
      // relaxed: nothing else is published with a coordinate.
      while (!value.compare_exchange_weak(seen[i], sums[i], std::memory_order_relaxed,
                                          std::memory_order_relaxed)) {
        sums[i] = seen[i];
        kernels::axpy(scale, change.subspan(from + i, 1), sums.subspan(i, 1));
      }
    }
  }
}

}  // namespace

const std::vector<std::string>& shared_access_names() {
  static const std::vector<std::string> names{"racy", "cas-add", "locked"};
  return names;
}

SharedModel::SharedModel(std::span<const float> initial, std::optional<FixedPoint> format)
    : size_(initial.size()), format_(format) {
  if (!format_) {
    values_ = AlignedBuffer<float>::copy_of(initial);
    return;
  }
  numbers_ = AlignedBuffer<std::byte>(size_ * format_->bytes());
  const auto largest = static_cast<float>(FixedPoint::largest_of(format_->bits));
  with_number(*format_, [&]<typename Number>(Number) {
    for (std::size_t i = 0; i < size_; ++i) {
      const float place = std::clamp(initial[i] / format_->unit, -largest, largest);
      const auto number = static_cast<Number>(std::lround(place));
      std::memcpy(numbers_.data() + i * sizeof(Number), &number, sizeof(Number));
    }
  });
}

SharedModel::SharedModel(std::span<const float> initial, const HotLines& hot)
    : size_(initial.size()),
      values_(hot.all_blocks() * hot.parameters),
      hot_(&hot),
      then_(static_cast<std::size_t>(hot.workers) * hot.blocks.size() * hot.parameters) {
  std::ranges::fill(values_, 0.0F);
  std::ranges::copy(initial, values_.begin());
  for (int worker = 0; worker < hot.workers; ++worker) {
    for (std::size_t slot = 0; slot < hot.blocks.size(); ++slot) {
      const Slot own = slot_of(worker, slot);
      std::ranges::copy(initial.subspan(own.model, own.count), values_.begin() + own.now);
      std::ranges::copy(initial.subspan(own.model, own.count), then_.begin() + own.then);
    }
  }
}

/// The model's last block may be shorter than others.
SharedModel::Slot SharedModel::slot_of(int worker, std::size_t slot) const {
  const std::size_t model = hot_->blocks[slot] * hot_->parameters;
  const std::size_t place = hot_->place_of(worker, slot);
  return {.model = model,
          .count = std::min(hot_->parameters, size_ - model),
          .now = place * hot_->parameters,
          .then = (place - hot_->slots.size()) * hot_->parameters};
}

void SharedModel::reconcile(int worker, std::size_t first, std::size_t end, SharedAccess access) {
  // Another core has written them last: many come in the time of one.
  for (std::size_t slot = first; slot < end; ++slot) {
    if (slot == first) {
      for (std::size_t next = first; next < std::min(end, first + fetched_ahead); ++next)
        fetch(next);
    } else if (slot + fetched_ahead <= end) {
      fetch(slot + fetched_ahead - 1);
    }
    reconcile_slot(worker, slot, access);
  }
}

void SharedModel::fetch(std::size_t slot) const {
  const float* const line = values_.data() + hot_->blocks[slot] * hot_->parameters;
  for (std::size_t i = 0; i < hot_->parameters; i += 16) __builtin_prefetch(line + i, 1);
}

void SharedModel::reconcile_slot(int worker, std::size_t slot, SharedAccess access) {
  const Slot own = slot_of(worker, slot);
  const std::span<float> now = values_.span().subspan(own.now, own.count);
  const std::span<float> then = then_.span().subspan(own.then, own.count);
  // What has been added since then, in its place.
  for (std::size_t i = 0; i < own.count; ++i) then[i] = now[i] - then[i];
  add(1.0F, then, now, access, own.model);
  std::ranges::copy(now, then.begin());
}

void SharedModel::add_unsent(std::span<float> copy) const {
  require(copy.size() == size_, "what is unsent belongs to a whole model");
  if (hot_ == nullptr) return;
  for (int worker = 0; worker < hot_->workers; ++worker) {
    for (std::size_t slot = 0; slot < hot_->blocks.size(); ++slot) {
      const Slot own = slot_of(worker, slot);
      for (std::size_t i = 0; i < own.count; ++i) {
        copy[own.model + i] += values_[own.now + i] - then_[own.then + i];
      }
    }
  }
}

void SharedModel::read(std::span<float> copy, std::size_t first) const {
  require(first + copy.size() <= size_, "a copy of the shared model is a part of it");
  if (!format_) {
    kernels::copy_shared(values_.span().subspan(first, copy.size()), copy);
    return;
  }
  with_number(*format_, [&]<typename Number>(Number) {
    const ReadNumbers<Number> numbers(memory());
    for (std::size_t i = 0; i < copy.size(); ++i) copy[i] = numbers.load(first + i);
  });
}

void SharedModel::write(std::span<const float> values) {
  require(!format_ && values.size() == size_, "a shared model of floats is written whole");
  for (std::size_t i = 0; i < size_; ++i) {
    // relaxed: nothing else is published with a coordinate.
    std::atomic_ref<float>(values_[i]).store(values[i], std::memory_order_relaxed);
  }
}

void SharedModel::read_margins(const Model::SparseUpdate& update, Batch batch,
                               std::span<float> residuals) const {
  if (format_) {
    update.read(memory(), batch, residuals);
  } else {
    update.read(values_.span(), batch, residuals);
  }
}

void SharedModel::add_rounded(float scale, std::span<const float> change, std::span<float> copy,
                              XorShift& rounding) {
  require(format_ && change.size() == size_, "a model with a format is changed as a whole");
  with_number(*format_, [&]<typename Number>(Number) {
    const RoundedNumbers<Number> numbers(memory(), rounding);
    for (std::size_t i = 0; i < change.size(); ++i) {
      numbers.subtract(i, [&](float) { return -scale * change[i]; });
      copy[i] = numbers.load(i);
    }
  });
}

void SharedModel::write_step_rounded(const Model::SparseUpdate& update, Batch batch,
                                     std::span<const float> residuals, float step_size,
                                     XorShift& rounding) {
  require(format_.has_value(), "a model of floats is not rounded");
  update.write(memory(), batch, residuals, step_size, rounding);
}

void SharedModel::add(float scale, std::span<const float> change, std::span<float> copy,
                      SharedAccess access, std::size_t first) {
  require(first + change.size() <= size_ && !format_,
          "a change of the shared floats fits into them");
  const std::span<float> values = values_.span().subspan(first, change.size());
  switch (access) {
    case SharedAccess::racy:
      kernels::axpy_shared(scale, change, values, copy);
      break;
    case SharedAccess::cas_add:
      add_by_compare_and_swap(scale, change, values, copy);
      break;
    case SharedAccess::locked: {
      const std::lock_guard lock(mutex_);
      kernels::axpy_shared(scale, change, values, copy);
      break;
    }
  }
}

void SharedModel::write_step(const Model::SparseUpdate& update, Batch batch,
                             std::span<const float> residuals, float step_size,
                             SharedAccess access) {
  switch (access) {
    case SharedAccess::racy:
      update.write(values_.span(), batch, residuals, step_size);
      break;
    case SharedAccess::cas_add:
      update.add(values_.span(), batch, residuals, step_size);
      break;
    case SharedAccess::locked: {
      const std::lock_guard lock(mutex_);
      update.write(values_.span(), batch, residuals, step_size);
      break;
    }
  }
}

SharedModels::SharedModels(int workers, int groups)
    : workers_(workers), models_(static_cast<std::size_t>(groups)) {
  require(groups >= 1 && groups <= workers, "every group of workers has one");
}

int SharedModels::group_of(int worker) const {
  int group = groups() - 1;
  while (first_worker_of(group) > worker) --group;
  return group;
}

int SharedModels::first_worker_of(int group) const {
  return static_cast<int>(std::int64_t{workers_} * group / groups());
}

void SharedModels::lay_out(int group, std::span<const float> initial,
                           std::optional<FixedPoint> format) {
  models_[static_cast<std::size_t>(group)] = std::make_unique<SharedModel>(initial, format);
}

void SharedModels::lay_out(int group, std::span<const float> initial, const HotLines& hot) {
  models_[static_cast<std::size_t>(group)] = std::make_unique<SharedModel>(initial, hot);
}

std::size_t SharedModels::average_scratch() const {
  return (models_.size() + 2) * block;
}

void SharedModels::average(std::span<float> scratch, SharedAccess access) {
  require(scratch.size() == average_scratch(), "averaging has its scratch memory");
  const std::span<float> mean = scratch.first(block);
  const std::span<float> written = scratch.subspan(block, block);
  const float share = 1.0F / static_cast<float>(models_.size());
  const auto read_of = [&](std::size_t group, std::size_t count) {
    return scratch.subspan((group + 2) * block, count);
  };
  for (std::size_t first = 0; first < models_.front()->size(); first += block) {
    const std::size_t count = std::min(block, models_.front()->size() - first);
    std::ranges::fill(mean, 0.0F);
    for (std::size_t g = 0; g < models_.size(); ++g) {
      models_[g]->read(read_of(g, count), first);
      kernels::axpy(share, read_of(g, count), mean.first(count));
    }
    for (std::size_t g = 0; g < models_.size(); ++g) {
      const std::span<float> change = read_of(g, count);
      kernels::scale(-1.0, change);
      kernels::add(mean.first(count), change);
      models_[g]->add(1.0F, change, written.first(count), access, first);
    }
  }
}

}  // namespace trainyard
