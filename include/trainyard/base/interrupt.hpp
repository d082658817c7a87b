// Handles SIGINT (Ctrl-C), SIGTERM and SIGHUP.
//
// While there is nothing to keep, an interrupt ends it at once with status 130. Where a run is
// under way, it is only noted: the run ends with what it has, and its results are written. A second
// one ends the program at once all the same, if it comes half a second after the first or later:
// sooner it is the same one, as `timeout` and a closing terminal send theirs twice.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <vector>

namespace trainyard {

/// To be called when the program begins. A SIGHUP that is ignored (nohup) stays so. Besides, a
/// write beyond a limit or to a closed pipe fails from here on, and does not kill (SIGXFSZ,
/// SIGPIPE).
void watch_signals();

/// From here on there is something to keep.
void keep_results_when_interrupted();

/// Notes an interrupt as if a signal had come.
void note_interrupt();

/// Set by an interrupt that was noted.
const std::atomic<bool>& interrupt_flag();

/// While one exists, an interrupt that would end the program at once waits until none does: for the
/// moments in which something is made that nobody would remove. Threads: any number of them.
class InterruptsWait {
 public:
  InterruptsWait();
  ~InterruptsWait();
  InterruptsWait(const InterruptsWait&) = delete;
  InterruptsWait& operator=(const InterruptsWait&) = delete;
};

/// Files and folders that are not whole: while this exists an interrupt that ends the program at
/// once removes them, in their order, those of what was made last first, and of folders only those
/// that are empty then. Who makes them does so under an InterruptsWait, and names them before it
/// ends. Of more than 256 at a time the last ones stay where they are. Threads: one at a time for
/// one object.
class Unfinished {
 public:
  explicit Unfinished(std::vector<std::filesystem::path> paths);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  const std::vector<std::filesystem::path> paths_;
  std::size_t place_;  // in the table that the handler reads
};

}  // namespace trainyard
