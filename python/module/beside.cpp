#include "module/beside.hpp"

#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include <pybind11/stl.h>
#include <unistd.h>

#include "trainyard/base/error.hpp"
#include "trainyard/run/curve_figures.hpp"

#include "module/python_stack.hpp"

namespace trainyard::python {

namespace {

using namespace std::chrono_literals;

// One question at a time: runs by the machine's clock would slow each other down.
std::timed_mutex one_at_a_time;
std::atomic<std::thread::id> at_work{};
std::atomic<pid_t> worked_in{0};
std::atomic<bool> all_ends{false};  // the interpreter does

py::dict evaluation(const Evaluated& news) {
  py::dict told;
  told["run"] = news.name;
  for (const CurveFigure& figure : curve_figures()) {
    const auto put = [&](auto member) {
      told[py::str(std::string(figure.key))] = py::cast(curve_value(news.metrics, member));
    };
    std::visit(put, figure.member);
  }
  return told;
}

void check_process() {
  pid_t nobody = 0;
  const pid_t here = getpid();
  if (worked_in.compare_exchange_strong(nobody, here) || nobody == here) return;
  throw RunError(
      "this process was forked from one that had trained, whose threads it does not have; start it "
      "by multiprocessing's \"spawn\" or \"forkserver\"");
}

}  // namespace

Beside::Beside(py::object progress)
    : progress_(std::move(progress)), is_told_(!progress_.is_none()) {
  check_process();
  if (at_work.load() == std::this_thread::get_id() || within_segment()) {
    throw UsageError("a question is asked while another one of this thread is being answered");
  }
  while (!one_at_a_time.try_lock()) {
    {
      const py::gil_scoped_release released;
      if (one_at_a_time.try_lock_for(50ms)) break;
    }
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
  if (all_ends) {
    one_at_a_time.unlock();
    throw RunError("the interpreter ends, and with it all questions");
  }
  at_work = std::this_thread::get_id();
}

Beside::~Beside() {
  at_work = std::thread::id{};
  one_at_a_time.unlock();
}

void Beside::tell(News news) {
  if (!is_told_) return;
  const std::lock_guard lock(mutex_);
  news_.push_back(std::move(news));
  changed_.notify_one();
}

/// False when the work has ended. Without the interpreter's lock.
bool Beside::wait_a_little() {
  const py::gil_scoped_release released;
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, 50ms, [this] { return done_ || !news_.empty(); });
  return !done_;
}

/// A Ctrl-C may be heard here, or raised within what is told.
void Beside::take(py::error_already_set error) {
  interrupted_ = true;
  const bool is_interrupt = error.matches(PyExc_KeyboardInterrupt);
  if (is_interrupt) ++interrupts_;
  const bool is_first = is_interrupt && interrupts_ == 1;
  if (!raised_ && !is_first) raised_.emplace(std::move(error));
}

void Beside::hear() {
  constexpr int most_ignored = 20;  // a second or less
  if (PyErr_CheckSignals() != 0) take(py::error_already_set());
  if (all_ends) {
    interrupted_ = true;
    ++ignored_;
  }
  // Again and again: somebody may only be on the way to code that never ends.
  if (interrupts_ > 1 || ignored_ > most_ignored) interrupt_segments();
}

void Beside::pass_on() {
  std::deque<News> news;
  {
    const std::lock_guard lock(mutex_);
    news.swap(news_);
  }
  for (const News& one : news) {
    if (raised_) return;
    try {
      const auto* const text = std::get_if<std::string>(&one);
      if (text != nullptr) {
        progress_(*text);
      } else {
        progress_(evaluation(std::get<Evaluated>(one)));
      }
    } catch (py::error_already_set& error) {
      take(std::move(error));
    }
  }
}

void Beside::run(const std::function<void()>& work) {
  std::exception_ptr thrown;
  std::thread thread([&] {
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_one();
  });
  std::exception_ptr ours;  // of this thread: the other one ends all the same
  for (bool goes_on = true; goes_on;) {
    goes_on = wait_a_little();
    try {
      hear();
      pass_on();
    } catch (...) {
      interrupted_ = true;
      ours = std::current_exception();
    }
  }
  {
    const py::gil_scoped_release released;
    thread.join();
  }
  if (raised_) throw std::move(*raised_);
  if (ours != nullptr) std::rethrow_exception(ours);
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

void end_work() {
  all_ends = true;
  if (worked_in.load() != getpid()) return;  // the work under way, if any, is another process's
  // This thread's own would never end: it is called from within it.
  if (at_work.load() == std::this_thread::get_id() || within_segment()) return;
  const py::gil_scoped_release released;
  const std::lock_guard waits(one_at_a_time);
}

}  // namespace trainyard::python
