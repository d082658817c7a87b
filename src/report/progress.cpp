#include "trainyard/report/progress.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace trainyard {

namespace {

constexpr const char* erase_line = "\r\033[K";

/// As much of `line` as the terminal shows on one line: what wraps cannot be erased.
std::string cut_to_terminal(const std::string& line) {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return line;
  std::size_t columns = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool begins_character = (static_cast<unsigned char>(line[i]) & 0xC0U) != 0x80U;
    if (begins_character && ++columns == size.ws_col) return line.substr(0, i);
  }
  return line;
}

}  // namespace

Progress::Progress(bool quiet) : quiet_(quiet), live_(isatty(STDERR_FILENO) == 1) {}

void Progress::remark(const std::string& text) {
  // Warnings are heard even when quiet.
  if (quiet_ && !text.starts_with("warning")) return;
  fmt::print(stderr, "{}\n", text);
}

void Progress::begin(const Configuration& resolved) {
  scheme_ = resolved.scheme;
  began_ = std::chrono::steady_clock::now();
  last_step_ = resolved.steps ? static_cast<double>(*resolved.steps) : 0.0;
  last_second_ = resolved.seconds ? to_seconds(*resolved.seconds) : 0.0;
  may_end_earlier_ = resolved.target_loss.has_value();
}

double Progress::fraction_done(const Metrics& metrics) const {
  const double of_steps = last_step_ > 0.0 ? metrics.step / last_step_ : 0.0;
  const double of_seconds = last_second_ > 0.0 ? metrics.seconds / last_second_ : 0.0;
  return std::max(of_steps, of_seconds);
}

std::string Progress::line_of(const Metrics& metrics) const {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began_;
  std::string line =
      fmt::format("{:<12} epoch {:>7.2f}  loss {:.6g}", scheme_, metrics.epoch, metrics.train_loss);
  if (metrics.test_accuracy) line += fmt::format("  accuracy {:.4f}", *metrics.test_accuracy);
  line += fmt::format("  clock {}", human_duration(metrics.seconds));
  if (metrics.step > 0.0) {
    const double rate = static_cast<double>(metrics.samples) / std::max(elapsed.count(), 1e-9);
    line += fmt::format("  {} samples/s", human_count(rate));
  }
  const double done = fraction_done(metrics);
  if (done > 0.0 && done < 1.0) {
    const double left = elapsed.count() * (1.0 - done) / done;
    line += fmt::format("  {}{} left", may_end_earlier_ ? "at most " : "", human_duration(left));
  }
  return line;
}

void Progress::evaluated(const Metrics& metrics) {
  if (quiet_) return;
  const std::string line = line_of(metrics);
  if (live_) {
    fmt::print(stderr, "{}{}", erase_line, cut_to_terminal(line));
    std::fflush(stderr);
  } else {
    fmt::print(stderr, "{}\n", line);
  }
}

void Progress::end(const RunResult& result) {
  if (quiet_) return;
  if (live_) fmt::print(stderr, "{}", erase_line);
  const char* how = result.summary.diverged      ? ", diverged"
                    : result.summary.interrupted ? ", interrupted"
                                                 : "";
  fmt::print(stderr, "{:<12} done: loss {:.6g} after {:.4g} epochs{}\n", scheme_,
             result.summary.train_loss, result.summary.epochs, how);
}

}  // namespace trainyard
