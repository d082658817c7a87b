#include "trainyard/report/progress.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/echoed.hpp"
#include "trainyard/base/standard_streams.hpp"

#include "report/terminal.hpp"

namespace trainyard {

namespace {

/// Without the sign with which NaN is otherwise printed, "-nan".
double unsigned_nan(double loss) {
  return std::isnan(loss) ? std::numeric_limits<double>::quiet_NaN() : loss;
}

}  // namespace

Progress::Progress(const ProgressOptions& options)
    : options_(options), live_(isatty(STDERR_FILENO) == 1 && !options.every_evaluation) {}

void Progress::remark(const std::string& text) {
  if (options_.quiet && !is_note(text)) return;
  const bool one_of_several = options_.count != nullptr && options_.count->all > 1;
  tell((one_of_several && is_note(text) ? with_name(text, name_) : text) + "\n");
}

/// Lines of text; on a terminal the first is written over the line that shows how far it is.
void Progress::tell(const std::string& text) const {
  live_ ? say_over_line(text) : say(text);
}

void Progress::begin(std::string name, const Configuration& resolved) {
  name_ = std::move(name);
  began_ = std::chrono::steady_clock::now();
  last_step_ = resolved.steps ? static_cast<double>(*resolved.steps) : 0.0;
  last_second_ = resolved.seconds ? to_seconds(*resolved.seconds) : 0.0;
  may_end_earlier_ = has_target(resolved);
}

double Progress::fraction_done(const Metrics& metrics) const {
  const double of_steps = last_step_ > 0.0 ? metrics.step / last_step_ : 0.0;
  const double of_seconds = last_second_ > 0.0 ? metrics.seconds / last_second_ : 0.0;
  return std::max(of_steps, of_seconds);
}

std::string Progress::line_of(const Metrics& metrics) const {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began_;
  std::string line = fmt::format("{:<12} epoch {:>7.2f}  loss {:.6g}", name_, metrics.epoch,
                                 unsigned_nan(metrics.train_loss));
  if (metrics.test_accuracy) line += fmt::format("  accuracy {:.4f}", *metrics.test_accuracy);
  if (metrics.validation_accuracy) {
    line += fmt::format("  on validation rows {:.4f}", *metrics.validation_accuracy);
  }
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
  if (options_.quiet) return;
  if (options_.every_evaluation) {
    say(line_of(metrics) + "\n");
  } else if (live_ && options_.alone) {
    say_over_line(cut_to_terminal(STDERR_FILENO, printable(line_of(metrics))));
  }
}

void Progress::end(const RunResult& result) {
  if (options_.quiet) return;
  const char* how = result.summary.diverged      ? ", diverged"
                    : result.summary.interrupted ? ", interrupted"
                    : result.summary.crashed     ? ", ended by a crash"
                                                 : "";
  const Summary& s = result.summary;
  const std::string kept = s.kept_epoch ? fmt::format(" of epoch {:.4g}", *s.kept_epoch) : "";
  const std::string line =
      fmt::format("{:<12} done: loss {:.6g}{} after {}{}\n", name_, unsigned_nan(s.train_loss),
                  kept, counted(fmt::format("{:.4g}", s.epochs), "epoch"), how);
  if (options_.count == nullptr || options_.count->all < 2) return tell(line);
  RunCount& count = *options_.count;
  const std::lock_guard lock(count.mutex);
  const std::string all = fmt::to_string(count.all);
  tell(fmt::format("{:>{}} of {}  {}", ++count.ended, all.size(), all, line));
}

}  // namespace trainyard
