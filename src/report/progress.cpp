#include "trainyard/report/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace trainyard {

namespace {

constexpr const char* erase_line = "\r\033[K";

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
}

void Progress::evaluated(const Metrics& metrics) {
  if (quiet_) return;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began_;
  const double done = last_step_ > 0.0 ? metrics.step / last_step_ : 0.0;
  const double rate = static_cast<double>(metrics.samples) / std::max(elapsed.count(), 1e-9);
  std::string line = fmt::format("{:<12} epoch {:>7.2f}  loss {:.6f}", scheme_, metrics.epoch,
                                 metrics.train_loss);
  if (metrics.test_accuracy) line += fmt::format("  accuracy {:.4f}", *metrics.test_accuracy);
  line += fmt::format("  clock {}", human_duration(metrics.seconds));
  if (metrics.step > 0.0) line += fmt::format("  {}samples/s", human_count(rate));
  if (done > 0.0 && done < 1.0) {
    line += fmt::format("  {} left", human_duration(elapsed.count() * (1.0 - done) / done));
  }
  if (live_) {
    fmt::print(stderr, "{}{}", erase_line, line);
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
  fmt::print(stderr, "{:<12} done: loss {:.6f} after {:.4g} epochs{}\n", scheme_,
             result.summary.train_loss, result.summary.epochs, how);
}

}  // namespace trainyard
