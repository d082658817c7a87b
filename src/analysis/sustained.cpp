#include "analysis/sustained.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

constexpr std::uint64_t least_steps = 40;    // where all goes by step numbers: half of them lead in
constexpr std::uint64_t least_counted = 24;  // a round number of periods
constexpr std::uint64_t batches = 16;        // whose means tell how far off the mean of all is
constexpr std::uint64_t batches_before = 4;  // lead in
constexpr std::uint64_t least_of_batch = 16;  // steps
constexpr std::uint64_t grows = 4;            // from one run to the next
/// In the longest run: some half a second. Work is floats computed with, and a step of a worker or
/// a message is worth a microsecond, in which there are so many.
constexpr double most_work = 7.5e8;
constexpr double floats_an_event = 1500.0;
constexpr double close_enough = 0.003;  // of the step
/// Quantiles of Student's distribution, two-sided for 998 of 1000 cases, with 1, 2, … degrees of
/// freedom.
constexpr std::array<double, 15> quantiles{318.3, 22.33, 10.21, 7.173, 5.893, 5.208, 4.785, 4.501,
                                           4.297, 4.144, 4.025, 3.930, 3.852, 3.787, 3.733};
constexpr std::uint64_t draws = 8;

std::uint64_t whole_cycles(std::uint64_t steps, std::uint64_t cycle) {
  return cycle * ((steps + cycle - 1) / cycle);
}

/// The difference between two marks.
struct Stretch {
  double clock_ps, steps, minibatches, messages, bytes;

  Stretch(const StepMark& from, const StepMark& to)
      : clock_ps(to.clock_ps - from.clock_ps),
        steps(to.steps - from.steps),
        minibatches(static_cast<double>(to.minibatches - from.minibatches)),
        messages(static_cast<double>(to.messages - from.messages)),
        bytes(static_cast<double>(to.bytes - from.bytes)) {}
  double step_s() const { return clock_ps * 1e-12 / steps; }
};

Sustained of_stretch(const Stretch& stretch, double numbers) {
  return {.step_s = stretch.step_s(),
          .minibatches = stretch.minibatches / stretch.steps,
          .messages = stretch.messages / stretch.steps,
          .bytes = stretch.bytes / stretch.steps * numbers};
}

/// Whether the run stands at `later` as at `earlier`, and came there as `last` came from `before`.
bool alike(const StepMark& earlier, const StepMark& later, const StepMark& before,
           const StepMark& last) {
  return later.phase == earlier.phase && later.at - earlier.at == last.at - before.at &&
         later.steps - earlier.steps == last.steps - before.steps &&
         later.minibatches - earlier.minibatches == last.minibatches - before.minibatches &&
         later.messages - earlier.messages == last.messages - before.messages &&
         later.bytes - earlier.bytes == last.bytes - before.bytes &&
         later.received - earlier.received == last.received - before.received;
}

/// After how many marks the second half of them repeats itself, twice at least. What was under way
/// must have arrived meanwhile, or what it brings about is not seen.
std::optional<std::size_t> period_of(std::span<const StepMark> marks) {
  if (marks.size() < 4) return std::nullopt;
  const std::size_t last = marks.size() - 1, half = marks.size() / 2;
  const std::uint64_t arrived = marks[last].received - marks[half].received;
  if (arrived < marks[half].under_way()) return std::nullopt;
  for (std::size_t period = 1; half + 2 * period <= last + 1; ++period) {
    std::size_t at = last;
    while (at >= half + period &&
           alike(marks[at - period], marks[at], marks[last - period], marks[last])) {
      --at;
    }
    if (at < half + period) return period;
  }
  return std::nullopt;
}

/// So many steps fewer, at the same phase.
RunLength shortened(RunLength length, double steps, int workers) {
  length.steps -= static_cast<std::uint64_t>(steps);
  length.minibatches -= static_cast<std::uint64_t>(std::llround(steps * workers));
  return length;
}

RunLength of_steps(std::uint64_t steps, int workers, std::uint64_t draw = 0) {
  return {steps, steps * static_cast<std::uint64_t>(workers), draw};
}

/// Nobody waits for what is sent, and it is more than the network carries: at the run's end all of
/// it is still to come.
double with_backlog(const SteadyQuestion& question, std::uint64_t steps, double fewer,
                    double end_s) {
  const RunLength length = of_steps(steps, question.workers);
  return (end_s - question.play(shortened(length, fewer, question.workers)).end_s) / fewer;
}

Sustained between_equal_phases(const SteadyQuestion& question, const PlayedRun& run,
                               std::uint64_t steps, std::size_t period) {
  const std::span<const StepMark> marks = run.marks;
  const StepMark &from = marks[marks.size() - 1 - period], &to = marks.back();
  Stretch stretch(from, to);
  stretch.clock_ps = static_cast<double>((to.at - from.at).count());
  Sustained found = of_stretch(stretch, run.numbers);
  if (to.under_way() > from.under_way()) {
    const std::size_t periods = marks.size() / 2 / period;
    const double fewer = stretch.steps * static_cast<double>(periods);
    found.step_s = std::max(found.step_s, with_backlog(question, steps, fewer, run.end_s));
  }
  const auto workers = static_cast<std::uint64_t>(question.workers);
  const auto of_period = static_cast<std::uint64_t>(std::llround(stretch.steps * question.workers));
  const std::uint64_t whole = std::lcm(of_period, workers) / workers;
  found.before = static_cast<std::uint64_t>(std::ceil(marks[marks.size() / 2].steps));
  found.counted = whole_cycles(least_counted, whole);
  return found;
}

/// How far off the mean of these is, in 998 of 1000 cases. Where each is like the one before it
/// they are worth fewer. REQUIRES: two to sixteen of them.
double error_of_mean(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0.0, products = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double apart = values[i] - mean;
    squares += apart * apart;
    if (i > 0) products += apart * (values[i - 1] - mean);
  }
  constexpr double rounding = 1e-24;  // of values, squared
  if (squares <= rounding * count * mean * mean) return 0.0;
  constexpr double most_alike = 0.8;
  const double alike = std::clamp(products / squares, 0.0, most_alike);
  const double variance = squares / (count - 1.0) * (1.0 + alike) / (1.0 - alike);
  return quantiles[values.size() - 2] * std::sqrt(variance / count);
}

/// The mean over batches of marks, whole cycles each where they are that long.
Sustained over_batches(const PlayedRun& run, std::uint64_t cycle) {
  const std::span<const StepMark> marks = run.marks;
  require(marks.size() > 3, "a run is long enough for its mean");
  const std::size_t lead = marks.size() > 2 * batches_before ? batches_before : 0;
  const std::size_t count = std::min<std::size_t>(batches, marks.size() - 1 - lead);
  const std::size_t marks_a_cycle = std::max<std::uint64_t>(1, cycle / run.stride);
  std::size_t batch = (marks.size() - 1) / (count + lead);
  if (batch >= marks_a_cycle) batch -= batch % marks_a_cycle;
  const std::size_t first = marks.size() - 1 - count * batch;
  Sustained found = of_stretch({marks[first], marks.back()}, run.numbers);
  std::vector<double> means;
  for (std::size_t i = 0; i < count; ++i) {
    means.push_back(Stretch(marks[first + i * batch], marks[first + (i + 1) * batch]).step_s());
  }
  // At its beginning and end the workers' phases differ, by a step at most.
  found.error_s = error_of_mean(means) + found.step_s / (marks.back().steps - marks[first].steps);
  found.before = static_cast<std::uint64_t>(marks[first].steps);
  found.counted = static_cast<std::uint64_t>(marks.back().steps - marks[first].steps);
  return found;
}

/// Whether ever more is under way: the means of four quarters rise, by a twentieth of what is sent
/// meanwhile.
bool piles_up(std::span<const StepMark> marks) {
  const std::size_t quarter = marks.size() / 4;
  if (quarter == 0) return false;
  std::array<double, 4> means{};
  for (std::size_t i = 0; i < 4 * quarter; ++i) {
    means[i / quarter] += static_cast<double>(marks[i].under_way()) / static_cast<double>(quarter);
  }
  const auto sent = static_cast<double>(marks[3 * quarter].messages - marks[0].messages);
  return std::ranges::is_sorted(means) && means[3] - means[0] > 0.05 * sent;
}

/// The work that so many steps take, if they are like those of that run.
double work_of(std::uint64_t steps, const PlayedRun& run, int workers) {
  const StepMark& last = run.marks.back();
  const double messages_a_step = static_cast<double>(last.messages) / std::max(1.0, last.steps);
  return static_cast<double>(steps) * (floats_an_event * (workers + messages_a_step) + run.floats);
}

/// Does what with_backlog() does, for runs that depend on random draws.
void add_backlog(const SteadyQuestion& question, const PlayedRun& run, std::uint64_t steps,
                 Sustained& found) {
  while (work_of(2 * draws * steps, run, question.workers) <= most_work) steps *= 2;
  const std::uint64_t half = steps / 2;
  std::array<double, draws> means{};
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    const double all = question.play(of_steps(steps, question.workers, draw)).end_s;
    const double before = question.play(of_steps(half, question.workers, draw)).end_s;
    means[draw] = (all - before) / static_cast<double>(steps - half);
  }
  const double mean = std::accumulate(means.begin(), means.end(), 0.0) / draws;
  if (mean <= found.step_s) return;
  found.step_s = mean;
  found.error_s = error_of_mean(means);
  found.before = half;
  found.counted = steps - half;
}

bool goes_on(const PlayedRun& run, std::uint64_t steps, int workers) {
  return run.marks.empty() || work_of(grows * steps, run, workers) <= most_work;
}

Sustained by_chance(const SteadyQuestion& question) {
  std::uint64_t steps = steps_played(question.cycle, true);
  while (true) {
    const PlayedRun run = question.play(of_steps(steps, question.workers));
    Sustained found = over_batches(run, question.cycle);
    if (piles_up(run.marks)) {
      add_backlog(question, run, steps, found);
      return found;
    }
    const bool close = found.error_s <= close_enough * found.step_s;
    if (close || !goes_on(run, steps, question.workers)) return found;
    steps *= grows;
  }
}

}  // namespace

std::uint64_t steps_played(std::uint64_t cycle, bool by_chance) {
  if (!by_chance) return std::max(least_steps, 4 * cycle);
  return (batches + batches_before) * whole_cycles(least_of_batch, cycle) + 1;
}

Sustained find_sustained(const SteadyQuestion& question) {
  if (question.by_chance) return by_chance(question);
  std::uint64_t steps = steps_played(question.cycle, false);
  while (true) {
    const PlayedRun run = question.play(of_steps(steps, question.workers));
    if (const auto period = period_of(run.marks)) {
      return between_equal_phases(question, run, steps, *period);
    }
    if (!goes_on(run, steps, question.workers)) return over_batches(run, question.cycle);
    steps *= grows;
  }
}

}  // namespace trainyard
