// Runs a check under every instruction set that this machine has, by telling Highway that the
// machine has no other.
#pragma once

#include <cstdint>

#include <hwy/highway.h>

#include "support/catch.hpp"

namespace trainyard::test {

template <typename Check>
void with_each_instruction_set(const Check& check) {
  const auto use = [](std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  };
  // Passing on the way out too, or a failed check would leave the later tests on the wrong set.
  struct Restore {
    decltype(use) use_;
    ~Restore() { use_(0); }
  } restore{use};
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    use(target);
    INFO("instruction set " << hwy::TargetName(target));
    check();
  }
}

}  // namespace trainyard::test
