#include "trainyard/study/risen_again.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "trainyard/study/same_runs.hpp"

namespace trainyard {

namespace {

constexpr double least_rise = 0.05;  // of the way

bool has_risen(const RunResult& result) {
  const Summary& s = result.summary;
  if (!s.target_loss || !s.seconds_to_target || s.diverged || result.metrics.empty()) return false;
  const double way = result.metrics.front().train_loss - *s.target_loss;
  return result.metrics.back().train_loss - *s.target_loss > least_rise * std::max(0.0, way);
}

}  // namespace

std::vector<RisenAgain> risen_again(std::span<const RunResult> results) {
  std::vector<RisenAgain> all;
  for (const RunResult* each : without_repeats(results)) {
    const RunResult& result = *each;
    const std::string name = own_name(result);
    auto found = std::ranges::find(all, name, &RisenAgain::name);
    if (found == all.end()) found = all.insert(found, {.name = name});
    ++found->of;
    if (!has_risen(result)) continue;
    ++found->runs;
    found->target_loss = *result.summary.target_loss;
    found->end_loss += result.metrics.back().train_loss;
  }
  std::erase_if(all, [](const RisenAgain& one) { return one.runs == 0; });
  for (RisenAgain& one : all) one.end_loss /= static_cast<double>(one.runs);
  return all;
}

std::string text_of(const RisenAgain& risen) {
  const std::string seeds = risen.of == 1 ? ""
                            : risen.runs == risen.of
                                ? ", on average over its seeds"
                                : fmt::format(" with {} of {} seeds", risen.runs, risen.of);
  return fmt::format("to a training loss of {:.4g} at its end{}; the target is {:.4g}",
                     risen.end_loss, seeds, risen.target_loss);
}

}  // namespace trainyard
