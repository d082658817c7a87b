#include "trainyard/runtime/deposits.hpp"

#include <algorithm>
#include <iterator>

#include "trainyard/model/kernels.hpp"

namespace trainyard {

Deposit* Deposits::lay_down(int worker, std::uint64_t step, std::uint64_t minibatches,
                            ConstVector replica) {
  Deposit* deposit = nullptr;
  {
    const std::lock_guard lock(mutex_);
    deposit = &of_step(step);
  }
  kernels::copy(replica,
                deposit->replicas.view().subspan(layout_.place_of(worker), replica.size()));
  const std::lock_guard lock(mutex_);
  deposit->minibatches += minibatches;
  return ++deposit->present == layout_.workers ? deposit : nullptr;
}

/// REQUIRES: mutex_ is held.
Deposit& Deposits::of_step(std::uint64_t step) {
  const auto same = std::ranges::find_if(
      deposits_, [step](const Deposit& deposit) { return !deposit.free && deposit.step == step; });
  if (same != deposits_.end()) return *same;
  auto found = std::ranges::find_if(deposits_, &Deposit::free);
  if (found == deposits_.end()) {
    deposits_.emplace_back().replicas = VectorBuffer(layout_.scalar, size_);
    found = std::prev(deposits_.end());
  }
  found->step = step;
  found->minibatches = 0;
  found->present = 0;
  found->free = false;
  return *found;
}

}  // namespace trainyard
