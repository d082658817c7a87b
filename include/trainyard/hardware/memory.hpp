// How much memory there is for a run.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <filesystem>

namespace trainyard {

/// Bytes that this process can still take without pushing anybody out: what the system calls
/// available (MemAvailable of /proc/meminfo: free pages, and caches that can be dropped), or what a
/// control group above this process leaves, where that is less (containers, batch systems).
/// Also what a limit on addresses leaves (ulimit -v, -d). SIZE_MAX where nothing of it can be read.
std::size_t available_memory();

/// The first two of it below another root than "/", for tests.
std::size_t available_memory_below(const std::filesystem::path& root);

}  // namespace trainyard
