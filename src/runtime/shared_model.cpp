#include "trainyard/runtime/shared_model.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "trainyard/base/cache_lines.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/even_split.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/model/parameter_access.hpp"
#include "trainyard/runtime/hot_lines.hpp"

#include "runtime/shared_mutex.hpp"

namespace trainyard {

namespace {

// Changes that processes make to one another's numbers are atomic only where they need no lock:
// locks lie elsewhere, in each process. (What is lock-free goes by the memory, whatever its
// address.)
static_assert(std::atomic_ref<float>::is_always_lock_free &&
              std::atomic_ref<std::int16_t>::is_always_lock_free &&
              std::atomic_ref<std::int8_t>::is_always_lock_free);

/// The places of a shared model's parts in its memory, in bytes, each on lines of its own.
struct Parts {
  std::size_t values = 0, then = 0;  // bytes; of floats, but for values that have a format
  std::size_t then_at = 0, mutex_at = 0, all = 0;

  Parts(std::size_t size, const SharedForm& form) {
    const HotLines* const hot = form.hot;
    values = form.format      ? size * form.format->bytes()
             : hot == nullptr ? size * sizeof(float)
                              : hot->all_blocks() * hot->parameters * sizeof(float);
    if (hot != nullptr) {
      then = static_cast<std::size_t>(hot->workers) * hot->blocks.size() * hot->parameters *
             sizeof(float);
    }
    then_at = whole_lines(values);
    mutex_at = then_at + whole_lines(then);
    all = mutex_at + whole_lines(sizeof(SharedMutex));
  }
};

std::span<float> floats_in(std::span<std::byte> memory, std::size_t at, std::size_t bytes) {
  return {reinterpret_cast<float*>(memory.data() + at), bytes / sizeof(float)};
}

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

std::size_t SharedModel::bytes_of(std::size_t size, const SharedForm& form) {
  return Parts(size, form).all;
}

SharedModel::SharedModel(std::size_t size, const SharedForm& form, std::span<std::byte> memory)
    : size_(size), form_(form), memory_(memory) {
  const Parts parts(size, form);
  require(memory.size() >= parts.all, "a shared model has the memory that it takes");
  if (!form.format) values_ = floats_in(memory, 0, parts.values);
  then_ = floats_in(memory, parts.then_at, parts.then);
  mutex_ = reinterpret_cast<SharedMutex*>(memory.data() + parts.mutex_at);
}

SharedModel::SharedModel(std::size_t size, const SharedForm& form, AlignedBuffer<std::byte> own)
    : SharedModel(size, form, own.span()) {
  own_ = std::move(own);
}

SharedModel::SharedModel(std::span<const float> initial, const SharedForm& form)
    : SharedModel(initial.size(), form, AlignedBuffer<std::byte>(bytes_of(initial.size(), form))) {
  lay_out(initial);
}

void SharedModel::lay_out(std::span<const float> initial) {
  require(initial.size() == size_, "a shared model begins with as many parameters as it has");
  if (own_.empty()) charge_.emplace(memory_.size());
  mutex_ = new (mutex_)
      SharedMutex(own_.empty() ? SharedMutex::Among::processes : SharedMutex::Among::threads);
  if (!form_.format) {
    if (form_.hot != nullptr) std::ranges::fill(values_, 0.0F);
    std::ranges::copy(initial, values_.begin());
    if (form_.hot != nullptr) lay_out_slices(initial);
    return;
  }
  const auto largest = static_cast<float>(FixedPoint::largest_of(form_.format->bits));
  with_number(*form_.format, [&]<typename Number>(Number) {
    for (std::size_t i = 0; i < size_; ++i) {
      const float place = std::clamp(initial[i] / form_.format->unit, -largest, largest);
      const auto number = static_cast<Number>(std::lround(place));
      std::memcpy(memory_.data() + i * sizeof(Number), &number, sizeof(Number));
    }
  });
}

void SharedModel::lay_out_slices(std::span<const float> initial) {
  for (int worker = 0; worker < form_.hot->workers; ++worker) {
    for (std::size_t slot = 0; slot < form_.hot->blocks.size(); ++slot) {
      const Slot own = slot_of(worker, slot);
      std::ranges::copy(initial.subspan(own.model, own.count), values_.subspan(own.now).begin());
      std::ranges::copy(initial.subspan(own.model, own.count), then_.subspan(own.then).begin());
    }
  }
}

/// The model's last block may be shorter than others.
SharedModel::Slot SharedModel::slot_of(int worker, std::size_t slot) const {
  const std::size_t model = form_.hot->blocks[slot] * form_.hot->parameters;
  const std::size_t place = form_.hot->place_of(worker, slot);
  return {.model = model,
          .count = std::min(form_.hot->parameters, size_ - model),
          .now = place * form_.hot->parameters,
          .then = (place - form_.hot->slots.size()) * form_.hot->parameters};
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
  const float* const line = values_.data() + form_.hot->blocks[slot] * form_.hot->parameters;
  for (std::size_t i = 0; i < form_.hot->parameters; i += 16) __builtin_prefetch(line + i, 1);
}

void SharedModel::reconcile_slot(int worker, std::size_t slot, SharedAccess access) {
  const Slot own = slot_of(worker, slot);
  const std::span<float> now = values_.subspan(own.now, own.count);
  const std::span<float> then = then_.subspan(own.then, own.count);
  // The number becomes what has been added since then.
  for (std::size_t i = 0; i < own.count; ++i) then[i] = now[i] - then[i];
  add(1.0F, then, now, access, own.model);
  std::ranges::copy(now, then.begin());
}

void SharedModel::add_unsent(std::span<float> copy) const {
  require(copy.size() == size_, "what is unsent belongs to a whole model");
  if (form_.hot == nullptr) return;
  for (int worker = 0; worker < form_.hot->workers; ++worker) {
    for (std::size_t slot = 0; slot < form_.hot->blocks.size(); ++slot) {
      const Slot own = slot_of(worker, slot);
      for (std::size_t i = 0; i < own.count; ++i) {
        copy[own.model + i] += values_[own.now + i] - then_[own.then + i];
      }
    }
  }
}

void SharedModel::read(std::span<float> copy, std::size_t first) const {
  require(first + copy.size() <= size_, "a copy of the shared model is a part of it");
  if (!form_.format) {
    kernels::copy_shared(values_.subspan(first, copy.size()), copy);
    return;
  }
  with_number(*form_.format, [&]<typename Number>(Number) {
    const ReadNumbers<Number> numbers(as_numbers());
    for (std::size_t i = 0; i < copy.size(); ++i) copy[i] = numbers.load(first + i);
  });
}

void SharedModel::write(std::span<const float> values) {
  require(!form_.format && values.size() == size_, "a shared model of floats is written whole");
  for (std::size_t i = 0; i < size_; ++i) {
    // relaxed: nothing else is published with a coordinate.
    std::atomic_ref<float>(values_[i]).store(values[i], std::memory_order_relaxed);
  }
}

void SharedModel::read_margins(const Model::SparseUpdate& update, Batch batch,
                               std::span<float> residuals) const {
  if (form_.format) {
    update.read(as_numbers(), batch, residuals);
  } else {
    update.read(values_, batch, residuals);
  }
}

void SharedModel::add_rounded(float scale, std::span<const float> change, std::span<float> copy,
                              XorShift& rounding) {
  require(form_.format && change.size() == size_, "a model with a format is changed as a whole");
  with_number(*form_.format, [&]<typename Number>(Number) {
    const RoundedNumbers<Number> numbers(as_numbers(), rounding);
    for (std::size_t i = 0; i < change.size(); ++i) {
      numbers.subtract(i, [&](float) { return -scale * change[i]; });
      copy[i] = numbers.load(i);
    }
  });
}

void SharedModel::write_step_rounded(const Model::SparseUpdate& update, Batch batch,
                                     std::span<const float> residuals, float step_size,
                                     XorShift& rounding) {
  require(form_.format.has_value(), "a model of floats is not rounded");
  update.write(as_numbers(), batch, residuals, step_size, rounding);
}

void SharedModel::add(float scale, std::span<const float> change, std::span<float> copy,
                      SharedAccess access, std::size_t first) {
  require(first + change.size() <= size_ && !form_.format,
          "a change of the shared floats fits into them");
  const std::span<float> values = values_.subspan(first, change.size());
  switch (access) {
    case SharedAccess::racy:
      kernels::axpy_shared(scale, change, values, copy);
      break;
    case SharedAccess::cas_add:
      add_by_compare_and_swap(scale, change, values, copy);
      break;
    case SharedAccess::locked: {
      const std::lock_guard lock(*mutex_);
      kernels::axpy_shared(scale, change, values, copy);
      break;
    }
  }
}

void SharedModel::shrink(float threshold, std::span<float> copy, SharedAccess access,
                         std::size_t first) {
  require(first + copy.size() <= size_ && !form_.format, "the shared floats are shrunk");
  float* const values = values_.data() + first;
  const auto shrink_by = [&](auto numbers) {
    for (std::size_t i = 0; i < copy.size(); ++i) {
      numbers.replace(
          i, [&](float old) { return copy[i] = old - std::clamp(old, -threshold, threshold); });
    }
  };
  if (access == SharedAccess::cas_add) return shrink_by(CompareAndSwap{values});
  std::unique_lock<SharedMutex> lock;
  if (access == SharedAccess::locked) lock = std::unique_lock(*mutex_);
  shrink_by(LoadAndStore{values});
}

void SharedModel::write_step(const Model::SparseUpdate& update, Batch batch,
                             std::span<const float> residuals, float step_size,
                             SharedAccess access) {
  switch (access) {
    case SharedAccess::racy:
      update.write(values_, batch, residuals, step_size);
      break;
    case SharedAccess::cas_add:
      update.add(values_, batch, residuals, step_size);
      break;
    case SharedAccess::locked: {
      const std::lock_guard lock(*mutex_);
      update.write(values_, batch, residuals, step_size);
      break;
    }
  }
}

SharedModels::SharedModels(int workers, int groups, std::vector<std::span<std::byte>> memory)
    : workers_(workers), memory_(std::move(memory)), models_(static_cast<std::size_t>(groups)) {
  require(groups >= 1 && groups <= workers, "every group of workers has one");
  require(memory_.empty() || memory_.size() == models_.size(), "each model has its own memory");
}

int SharedModels::group_of(int worker) const {
  int group = groups() - 1;
  while (first_worker_of(group) > worker) --group;
  return group;
}

int SharedModels::first_worker_of(int group) const {
  return static_cast<int>(std::int64_t{workers_} * group / groups());
}

void SharedModels::enter(int worker, std::span<const float> initial, const SharedForm& form) {
  const int own = group_of(worker);
  const bool is_first = first_worker_of(own) == worker;
  if (memory_.empty()) {
    if (is_first) lay_out(own, initial, form);
    return;
  }
  for (std::size_t group = 0; group < models_.size(); ++group) {
    if (memory_[group].empty()) continue;
    models_[group] = std::make_unique<SharedModel>(initial.size(), form, memory_[group]);
  }
  require(models_[static_cast<std::size_t>(own)] != nullptr, "a worker has its group's memory");
  if (is_first) of(own).lay_out(initial);
}

void SharedModels::put_down(std::vector<VectorBuffer>& models) const {
  models.resize(models_.size());
  for (std::size_t group = 0; group < models_.size(); ++group) {
    const SharedModel& model = *models_[group];
    models[group] = VectorBuffer(Scalar::float32, model.size());
    model.read(models[group].view().floats());
    model.add_unsent(models[group].view().floats());
  }
}

void SharedModels::lay_out(int group, std::span<const float> initial, const SharedForm& form) {
  models_[static_cast<std::size_t>(group)] = std::make_unique<SharedModel>(initial, form);
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
