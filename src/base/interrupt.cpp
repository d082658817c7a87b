#include "trainyard/base/interrupt.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <initializer_list>
#include <string_view>
#include <thread>
#include <utility>

#include <unistd.h>

namespace trainyard {

namespace {

constexpr int exit_status = 130;
constexpr std::int64_t same_interrupt_ns = 500'000'000;

// All of them are touched by signal handlers, which no lock may stop.
std::atomic<bool> keep{false};
std::atomic<bool> noted{false};
std::atomic<std::int64_t> first_ns{0};  // when the first one came; 0: none has
std::atomic<int> waiting{0};            // InterruptsWait that exist
std::atomic<int> ending{0};             // handlers that end the program, unless they find one
std::atomic<bool> put_off{false};       // one of them found one
using Paths = std::vector<std::filesystem::path>;
std::array<std::atomic<const Paths*>, 256> unfinished{};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free &&
              std::atomic<const Paths*>::is_always_lock_free);

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// Calls nothing that a signal handler may not.
[[noreturn]] void end_at_once() {
  // The last ones first: what was made later may lie within what was made before.
  for (auto entry = unfinished.rbegin(); entry != unfinished.rend(); ++entry) {
    const Paths* paths = entry->load(std::memory_order_acquire);
    if (paths == nullptr) continue;
    for (const std::filesystem::path& path : *paths) {
      if (unlink(path.c_str()) != 0) rmdir(path.c_str());
    }
  }
  constexpr std::string_view message = "trainyard: interrupted\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, message.data(), message.size());
  _exit(exit_status);
}

/// Ends the program, unless somebody has it wait, who then does it.
void end_when_nobody_waits() {
  // Sequentially consistent, here and in InterruptsWait: of a handler and a thread that begins to
  // wait at the same time, one at least sees the other.
  do {
    ending.fetch_add(1);
    if (waiting.load() == 0) end_at_once();
    put_off.store(true);
    ending.fetch_sub(1);
    // The last one may have looked just before it was put off.
  } while (waiting.load() == 0 && put_off.exchange(false));
}

extern "C" void on_interrupt(int /*signal*/) {
  const int error = errno;
  const std::int64_t now = monotonic_ns();
  std::int64_t first = 0;
  // relaxed, all of them: each is read for itself, and nothing is published with it.
  const bool is_first = first_ns.compare_exchange_strong(first, now, std::memory_order_relaxed);
  const bool keeps = keep.load(std::memory_order_relaxed);
  if (!keeps || (!is_first && now - first >= same_interrupt_ns)) end_when_nobody_waits();
  if (keeps) noted.store(true, std::memory_order_relaxed);
  errno = error;
}

void ignore(int signal) {
  std::signal(signal, SIG_IGN);
}

}  // namespace

void watch_signals() {
  ignore(SIGPIPE);
  ignore(SIGXFSZ);
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;  // a read or write that was under way goes on
  sigfillset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (signal == SIGHUP && before.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
}

void keep_results_when_interrupted() {
  keep.store(true, std::memory_order_relaxed);
}

void note_interrupt() {
  noted.store(true, std::memory_order_relaxed);
}

const std::atomic<bool>& interrupt_flag() {
  return noted;
}

InterruptsWait::InterruptsWait() {
  waiting.fetch_add(1);
  while (ending.load() > 0) std::this_thread::yield();  // it ends, or sees that this waits
}

InterruptsWait::~InterruptsWait() {
  if (waiting.fetch_sub(1) == 1 && put_off.exchange(false)) end_when_nobody_waits();
}

Unfinished::Unfinished(Paths paths) : paths_(std::move(paths)), place_(unfinished.size()) {
  const InterruptsWait wait;
  for (std::size_t i = 0; i < unfinished.size(); ++i) {
    const Paths* none = nullptr;
    // release: what it points to is there before it is.
    if (unfinished[i].compare_exchange_strong(none, &paths_, std::memory_order_release)) {
      place_ = i;
      return;
    }
  }
}

Unfinished::~Unfinished() {
  const InterruptsWait wait;  // so that nobody reads the paths while they go
  if (place_ < unfinished.size()) unfinished[place_].store(nullptr, std::memory_order_release);
}

}  // namespace trainyard
