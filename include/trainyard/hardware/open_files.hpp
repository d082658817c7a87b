// How many files a process may have open: 1024 on most systems unless it asks for more, which
// anybody may up to a hard limit.
//
// Threads: one at a time.
#pragma once

#include <cstddef>

namespace trainyard {

/// How many more files this process can open, at least `wanted` where the hard limit allows it: the
/// soft limit is raised as far as that takes.
std::size_t room_for_files(std::size_t wanted);

}  // namespace trainyard
