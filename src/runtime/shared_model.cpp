#include "trainyard/runtime/shared_model.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "trainyard/base/error.hpp"
#include "trainyard/base/even_split.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

/// Coordinates that are looked at together: two vectors of them stay in the nearest cache.
constexpr std::size_t block = 512;

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

void SharedModel::read(std::span<float> copy, std::size_t first) const {
  require(first + copy.size() <= values_.size(), "a copy of the shared model is a part of it");
  kernels::copy_shared(values_.span().subspan(first, copy.size()), copy);
}

void SharedModel::add(float scale, std::span<const float> change, std::span<float> copy,
                      SharedAccess access, std::size_t first) {
  require(first + change.size() <= values_.size(), "a change of the shared model fits into it");
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

void SharedModels::lay_out(int group, std::span<const float> initial) {
  models_[static_cast<std::size_t>(group)] = std::make_unique<SharedModel>(initial);
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
