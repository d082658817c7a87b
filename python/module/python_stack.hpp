// Where Python runs for ranks that are fibers.
//
// A fiber has 256 KiB of stack, which is enough for a scheme in C++ and not for what Python code
// may call; and Python's frames must not lie there when another fiber goes on, since the
// interpreter keeps one chain of them for each thread. So a rank's program goes to the interpreter
// from one wait to the next, on a stack of the thread's own that is empty again when it comes back.
//
// Threads: any; each has its own stack, and its own state of the interpreter, as long as it lives.
#pragma once

#include <functional>

namespace trainyard::python {

/// Calls `segment` with the interpreter's lock, and throws what it throws; where the thread has
/// that lock, on the stack it is on. REQUIRES: it ends without going to another fiber.
void with_python(const std::function<void()>& segment);

/// Whether the caller is called by such a segment.
bool within_segment();

/// Raises KeyboardInterrupt in what all segments run now, which may never end by itself. REQUIRES:
/// the interpreter's lock.
void interrupt_segments();

}  // namespace trainyard::python
