#include "trainyard/report/status_line.hpp"

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/standard_streams.hpp"

#include "report/terminal.hpp"

namespace trainyard {

namespace {

/// A terminal that does not take it is no reason to end.
void write_quietly(int descriptor, const std::string& text) {
  [[maybe_unused]] const ssize_t count = write(descriptor, text.data(), text.size());
}

}  // namespace

StatusLine::StatusLine(int descriptor, std::chrono::milliseconds silent)
    : descriptor_(descriptor), silent_(silent) {
  if (isatty(descriptor) != 1) return;
  try {
    teller_ = std::jthread([this](const std::stop_token& stop) { tell(stop); });
  } catch (const std::system_error&) {
    return;  // no thread left
  }
}

StatusLine::~StatusLine() {
  if (!teller_.joinable()) return;
  teller_.request_stop();
  teller_.join();
}

void StatusLine::show(std::string what) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
}

void StatusLine::tell(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  bool told = false;
  std::chrono::milliseconds next = silent_;
  while (!changed_.wait_for(lock, stop, next, [&stop] { return stop.stop_requested(); })) {
    const auto elapsed = std::chrono::steady_clock::now() - began_;
    const std::string line = fmt::format(
        "{}  {} s", what_, std::chrono::duration_cast<std::chrono::seconds>(elapsed).count());
    write_quietly(descriptor_, erase_line + cut_to_terminal(descriptor_, printable(line)));
    told = true;
    next = std::chrono::seconds(1);
  }
  if (told) write_quietly(descriptor_, erase_line);
}

}  // namespace trainyard
