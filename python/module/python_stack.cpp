#include "module/python_stack.hpp"

#include <exception>
#include <map>
#include <memory>
#include <utility>

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <pybind11/pybind11.h>

namespace trainyard::python {

namespace {

namespace context = boost::context;

// As much as a thread's own; only pages that are touched are backed.
constexpr std::size_t stack_bytes = std::size_t{8} << 20U;

class Stack {
 public:
  Stack() : allocator_(stack_bytes), stack_(allocator_.allocate()) {}
  ~Stack() { allocator_.deallocate(stack_); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  void call(const std::function<void()>& segment) {
    std::exception_ptr thrown;
    context::fiber beside(std::allocator_arg, context::preallocated(stack_.sp, stack_.size, stack_),
                          Kept{}, [&](context::fiber&& caller) {
                            try {
                              segment();
                            } catch (...) {
                              thrown = std::current_exception();
                            }
                            return std::move(caller);
                          });
    beside = std::move(beside).resume();
    if (thrown != nullptr) std::rethrow_exception(thrown);
  }

 private:
  /// The stack stays for the next segment.
  struct Kept {
    void deallocate(context::stack_context& /*stack*/) noexcept {}
  };
  context::protected_fixedsize_stack allocator_;
  context::stack_context stack_;
};

/// The interpreter's state of this thread, which else would be made for each segment anew.
class ThreadState {
 public:
  ThreadState() : before_(PyGILState_Ensure()), saved_(PyEval_SaveThread()) {}
  /// A thread of a pool may outlive the interpreter, which then has taken its state along.
  ~ThreadState() {
    if (Py_IsInitialized() == 0) return;
    PyEval_RestoreThread(saved_);
    PyGILState_Release(before_);
  }
  ThreadState(const ThreadState&) = delete;
  ThreadState& operator=(const ThreadState&) = delete;

 private:
  PyGILState_STATE before_;
  PyThreadState* saved_;
};

struct OfThread {
  ThreadState state;
  Stack stack;
};

thread_local bool is_within = false;

/// Of the threads that are within a segment, as Python counts them, and whether they were
/// interrupted. With the interpreter's lock.
std::map<unsigned long, bool> segments;

struct Within {
  Within() : thread(PyThread_get_thread_ident()) {
    is_within = true;
    segments.emplace(thread, false);
  }
  ~Within() {
    // An interrupt that comes too late would be raised in whatever the thread does next.
    if (segments.at(thread)) PyThreadState_SetAsyncExc(thread, nullptr);
    segments.erase(thread);
    is_within = false;
  }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;

  const unsigned long thread;
};

}  // namespace

// Not in line, so that no address of a thread's variable is kept from before a fiber's switch.
[[gnu::noinline]] void with_python(const std::function<void()>& segment) {
  if (PyGILState_Check() != 0) return segment();
  thread_local OfThread here;
  here.stack.call([&] {
    const pybind11::gil_scoped_acquire held;
    const Within within;
    segment();
  });
}

bool within_segment() {
  return is_within;
}

void interrupt_segments() {
  for (auto& [thread, is_interrupted] : segments) {
    is_interrupted = true;
    PyThreadState_SetAsyncExc(thread, PyExc_KeyboardInterrupt);
  }
}

}  // namespace trainyard::python
