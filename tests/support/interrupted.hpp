// A process that is interrupted while it does something.
#pragma once

#include <chrono>
#include <functional>

namespace trainyard::test {

/// Runs `work` in a process of its own that watches signals as the program does; `after` that time
/// it gets a SIGTERM. Returns its exit status; 128 and the signal where one killed it. What it says
/// goes nowhere. `after` zero: `work` raises its signals itself.
int status_when_interrupted(const std::function<void()>& work,
                            std::chrono::microseconds after = std::chrono::microseconds(0));

}  // namespace trainyard::test
