// Work on a thread beside the caller's, which holds the interpreter's lock only to hear signals and
// to tell Python what happened.
//
//   Beside beside(progress);
//   beside.run([&] { result = run_experiment(plan, {.interrupted = &beside.interrupted()}); });
//
// The first Ctrl-C, and whatever `progress` raises, sets interrupted(): the work ends with what it
// has. What `progress` raised, and a second Ctrl-C, is raised once it has ended. The second one is
// also raised in the Python code that ranks are in, which may never end by itself.
//
// When the interpreter ends, so does work of threads that nobody waits for: they could not take its
// lock any more.
//
// Threads: tell() from any; the rest by the caller's, with the interpreter's lock.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include <pybind11/pybind11.h>

#include "trainyard/run/run.hpp"

namespace trainyard::python {

namespace py = pybind11;

/// Something to tell: a remark, or an evaluation of a run.
struct Evaluated {
  std::string name;  // of the run
  Metrics metrics;
};
using News = std::variant<std::string, Evaluated>;

class Beside {
 public:
  /// Waits until no other thread's work is under way. Throws UsageError where it is this thread's
  /// own, and RunError in a process that was forked from one which had worked.
  explicit Beside(py::object progress);
  ~Beside();
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  const std::atomic<bool>& interrupted() const { return interrupted_; }
  /// Whether anybody hears what is told.
  bool is_told() const { return is_told_; }
  void tell(News news);
  /// Throws what `work` throws.
  void run(const std::function<void()>& work);

 private:
  bool wait_a_little();
  void take(py::error_already_set error);
  void hear();
  void pass_on();

  py::object progress_;
  const bool is_told_;  // progress_ is there
  std::atomic<bool> interrupted_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<News> news_;
  bool done_ = false;
  int interrupts_ = 0;
  int ignored_ = 0;  // how often it was heard that the interpreter ends
  std::optional<py::error_already_set> raised_;
};

/// Ends the work that is under way, as two Ctrl-C do; other work is refused from then on.
void end_work();

}  // namespace trainyard::python
