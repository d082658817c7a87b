#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/run/figures.hpp"

#include "run/figure_text.hpp"
#include "run/lines.hpp"
#include "run/remarks.hpp"

namespace trainyard {

namespace {

constexpr double diverged_beyond = 1000.0;  // times the first loss, or 1 where that is less

/// Empty where all rows were taken.
std::string sampled_noise_note(const Summary& summary) {
  const auto rows = summary.gradient_noise.rows;
  if (!rows || *rows >= summary.rows) return "";
  return fmt::format(
      "note: σ², diversity and noise scale are estimates from {} of the {} rows, the same at every "
      "evaluation; ς² is from all",
      *rows, summary.rows);
}

}  // namespace

namespace {

std::string remedy(int liars) {
  if (liars == 0) return "a smaller --lr may help";
  return fmt::format(
      "{} may have brought it there (--byzantine), and another --aggregate, or a "
      "scheme with a rule for liars, may help",
      counted(liars, "liar"));
}

}  // namespace

std::optional<std::string> divergence_note(std::span<const Metrics> metrics, int liars) {
  const Metrics& last = metrics.back();
  if (last.train_loss <= diverged_beyond * std::max(1.0, metrics.front().train_loss)) {
    return std::nullopt;
  }
  return fmt::format("warning: diverged: after {} the training loss is {}{}; {}",
                     counted(fmt::format("{:.6g}", last.step), "step"), loss_text(last.train_loss),
                     std::isfinite(last.train_loss) ? ", more than 1000 times the first" : "",
                     remedy(liars));
}

std::optional<std::string> risen_note(std::span<const Metrics> metrics, int liars) {
  const double first = metrics.front().train_loss, last = metrics.back().train_loss;
  constexpr double least = 1e-3;  // of the first; less is a start where nothing is to be gained
  if (!(last > (1.0 + least) * first) || divergence_note(metrics)) return std::nullopt;
  return fmt::format(
      "warning: the training loss ended at {:.6g}, higher than where it began, {:.6g}; {}", last,
      first, remedy(liars));
}

std::string missing_look_note(const Metrics& last, double steps) {
  return fmt::format(
      "warning: evaluating this model takes long, so the losses are those after step {:.6g}, and "
      "the model is that after step {:.6g}",
      last.step, steps);
}

std::optional<std::string> trace_end_note(const Trace& trace) {
  if (trace.cut) {
    return fmt::format(
        "note: the trace ends at {}, where it holds {}; --trace-steps A:B chooses other steps",
        human_duration(to_seconds(trace.until)), counted(trace.messages.size(), "message"));
  }
  if (trace.until > trace.from) return std::nullopt;
  return "note: the trace is empty: no step of --trace-steps was taken";
}

namespace {

/// How many of the weights that --l1 is for it has made 0.
void remark_on_zeros(const Plan& plan, ConstVector model, const Remark& remark) {
  const AbsolutePenalty penalty = plan.model->absolute_penalty();
  std::size_t weights = 0, zeros = 0;
  for (const auto [first, count] : penalty.weights) {
    const ConstVector some = model.subspan(first, count);
    weights += count;
    zeros += with_scalar(some.scalar(), [&]<typename T>(T) {
      return static_cast<std::size_t>(std::ranges::count(some.as<T>(), T{0}));
    });
  }
  if (weights == 0) return;
  remark(fmt::format("note: {} of the {} that --l1 is for {} exactly 0 in the model", zeros,
                     counted(weights, "weight"), zeros == 1 ? "is" : "are"));
}

}  // namespace

void remark_end(const Plan& plan, const Summary& summary, ConstVector model, bool listens,
                const Remark& remark) {
  if (is_stretched(summary)) {
    remark(
        fmt::format("warning: computing took {:.2f} times as long as on cores of its own: threads "
                    "shared them, with each other or with others'",
                    *summary.compute_stretch));
  }
  const std::string sample = sampled_noise_note(summary);
  if (!sample.empty()) remark(sample);
  remark_on_lines(plan, summary, remark);
  remark_on_slices(plan, remark);
  remark_on_zeros(plan, model, remark);
  if (plan.cast.model != ModelHome::shared) return;
  // Takes a while, which is not there where a process is lost.
  if (listens && !summary.interrupted) {
    remark_whether_sharing_pays(plan.configuration, *plan.model, plan.data->train, summary, remark);
  }
  remark_ends_of_range(plan.cast, model, remark);
}

}  // namespace trainyard
