#include "base/interrupt.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <initializer_list>
#include <string_view>

#include <unistd.h>

namespace trainyard {

namespace {

constexpr int exit_status = 130;
constexpr std::int64_t same_interrupt_ns = 500'000'000;

// All of them are touched by signal handlers, which no lock may stop.
std::atomic<bool> keep{false};
std::atomic<bool> noted{false};
std::atomic<std::int64_t> first_ns{0};  // when the first one came; 0: none has
std::atomic<const char*> unfinished_file{nullptr};
static_assert(std::atomic<bool>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free &&
              std::atomic<const char*>::is_always_lock_free);

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// Calls nothing that a signal handler may not.
[[noreturn]] void end_at_once() {
  if (const char* file = unfinished_file.load(std::memory_order_acquire)) unlink(file);
  constexpr std::string_view message = "trainyard: interrupted\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, message.data(), message.size());
  _exit(exit_status);
}

extern "C" void on_interrupt(int /*signal*/) {
  const int error = errno;
  const std::int64_t now = monotonic_ns();
  std::int64_t first = 0;
  // relaxed, all of them: each is read for itself, and nothing is published with it.
  const bool is_first = first_ns.compare_exchange_strong(first, now, std::memory_order_relaxed);
  if (!keep.load(std::memory_order_relaxed)) end_at_once();
  if (!is_first && now - first >= same_interrupt_ns) end_at_once();
  noted.store(true, std::memory_order_relaxed);
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

void remove_when_interrupted(const char* file) {
  unfinished_file.store(file, std::memory_order_release);
}

}  // namespace trainyard
