// How many threads a process may have.
//
// Threads: any.
#pragma once

#include <filesystem>
#include <string>

namespace trainyard {

/// The limits that keep the system from giving one more, for the end of a message: "; limits:
/// pids.max of the control group 20, ulimit -u 4096". Empty where there is none.
std::string thread_limits_text(const std::filesystem::path& root = "/");

}  // namespace trainyard
