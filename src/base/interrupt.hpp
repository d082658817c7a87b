// What SIGINT (Ctrl-C), SIGTERM and SIGHUP do to the program.
//
// While there is nothing to keep, an interrupt ends it at once with status 130. Where a run is
// under way, it is only noted: the run ends with what it has, and its results are written. A second
// one ends the program at once all the same, if it comes half a second after the first or later:
// sooner it is the same one, as `timeout` and a closing terminal send theirs twice.
#pragma once

#include <atomic>

namespace trainyard {

/// To be called when the program begins. A SIGHUP that is ignored (nohup) stays so. Besides, a
/// write beyond a limit or to a closed pipe fails from here on, and does not kill (SIGXFSZ,
/// SIGPIPE).
void watch_signals();

/// From here on there is something to keep.
void keep_results_when_interrupted();

/// As if one had come and was noted.
void note_interrupt();

/// Set by an interrupt that was noted.
const std::atomic<bool>& interrupt_flag();

/// Names a file that is removed when an interrupt ends the program, because it is not whole; the
/// name must stay where it is. Null: none. Threads: one at a time.
void remove_when_interrupted(const char* file);

}  // namespace trainyard
