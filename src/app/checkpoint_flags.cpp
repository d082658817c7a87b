#include "app/checkpoint_flags.hpp"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"

#include "app/training_flags.hpp"

namespace trainyard::app {

namespace {

constexpr double most_seconds = 1e30;  // s; sums and products of them are still numbers

/// Seconds, in the units of parse_duration(), whose range a machine that runs for years between
/// failures is beyond: the clock's, 106 days.
double parse_seconds(const std::string& text, const std::string& name) {
  double number = 0.0;
  const char* end_of_text = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), end_of_text, number);
  if (error != std::errc{} || !std::isfinite(number) || !(number > 1.0)) {
    return to_seconds(parse_duration(text, name));
  }
  try {
    return number * to_seconds(parse_duration("1" + std::string(end, end_of_text), name));
  } catch (const UsageError&) {
    (void)parse_duration(text, name);  // throws, too, and says the text as it was typed
    throw;
  }
}

std::optional<double> seconds_of(const CLI::Option& flag, bool may_be_zero) {
  const std::string text = only_value(flag);
  if (flag.count() == 0) return std::nullopt;
  const double value = parse_seconds(text, flag.get_name());
  if (value > most_seconds || (value == 0.0 && !may_be_zero)) {
    throw UsageError(fmt::format("{}: {} is not {} and at most {} s", flag.get_name(), echoed(text),
                                 may_be_zero ? "0 or more" : "above 0", most_seconds));
  }
  return value;
}

}  // namespace

CheckpointFlags::CheckpointFlags(CLI::App& command, const std::string& in_steps) {
  checkpoint_ = add_value_flag(
      command, "checkpoint-time", "DURATION",
      "how often to write a checkpoint, where writing one takes so long, like 5min, and a failure "
      "loses what was computed since; " +
          in_steps);
  restart_ = add_value_flag(command, "restart-time", "DURATION",
                            "from a failure until the run goes on from its checkpoint [0]");
  mtbf_ = add_value_flag(command, "mtbf", "DURATION",
                         "mean time between failures of all machines together, like 24h");
  worker_mtbf_ = add_value_flag(command, "worker-mtbf", "DURATION",
                                "or of each of the --workers, of which any stops all");
  run_ = add_value_flag(command, "run-time", "DURATION",
                        "of the run without checkpoints and failures, like 500h");
}

bool CheckpointFlags::asked() const {
  return checkpoint_->count() > 0;
}

std::optional<WorkerFailures> CheckpointFlags::worker_failures(int workers) const {
  const std::optional<double> each_s = seconds_of(*worker_mtbf_, false);
  if (!each_s) return std::nullopt;
  return WorkerFailures{workers, *each_s};
}

CheckpointTask CheckpointFlags::task(int workers) const {
  const std::optional<double> mtbf_s = seconds_of(*mtbf_, false);
  const std::optional<WorkerFailures> each = worker_failures(workers);
  if (mtbf_s && each) {
    throw UsageError(
        "--worker-mtbf: --mtbf is given beside; either that of each worker or that of all "
        "together");
  }
  if (!mtbf_s && !each) {
    throw UsageError(
        "--checkpoint-time: how often something fails is missing: --mtbf, of all machines "
        "together, or --worker-mtbf, of each worker");
  }
  return {.checkpoint_s = seconds_of(*checkpoint_, true).value(),
          .restart_s = seconds_of(*restart_, true).value_or(0.0),
          .mtbf_s = mtbf_s ? *mtbf_s : mtbf_of_all(*each),
          .run_s = seconds_of(*run_, false)};
}

std::vector<const CLI::Option*> CheckpointFlags::flags() const {
  return {checkpoint_, restart_, mtbf_, worker_mtbf_, run_};
}

std::vector<std::string> CheckpointFlags::notes() const {
  std::vector<std::string> notes;
  for (const CLI::Option* flag : flags()) {
    (void)only_value(*flag);
    if (asked() || flag->count() == 0) continue;
    notes.push_back(
        fmt::format("note: {} has no effect: it is for --checkpoint-time", flag->get_name()));
  }
  return notes;
}

}  // namespace trainyard::app
