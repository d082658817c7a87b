#include "trainyard/runtime/compute_noise.hpp"

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

namespace trainyard {

void parse_compute_noise(std::string_view text, std::string_view what, ComputeNoiseRule& rule) {
  constexpr std::string_view name = "exponential:";
  constexpr double most = 1000.0;
  rule.constant = text == "memoryless" ? 0.0 : 1.0;
  rule.exponential = 1.0 - rule.constant;
  if (text == "none" || text == "memoryless") return;
  if (!text.starts_with(name)) {
    throw UsageError(
        fmt::format("{}: {} is not none, memoryless or exponential:SCALE, like 'exponential:0.3'",
                    what, echoed(text)));
  }
  const double scale = parse_number(text.substr(name.size()), what);
  if (scale < 0.0 || scale > most) {
    throw UsageError(fmt::format("{}: {} is not a scale from 0 to {}", what, echoed(text), most));
  }
  rule.exponential = scale;
}

std::string compute_noise_text(const ComputeNoiseRule& rule) {
  if (rule.constant == 0.0) return "memoryless";
  return rule.exponential == 0.0 ? "none" : fmt::format("exponential:{}", rule.exponential);
}

void parse_pause(std::string_view text, std::string_view what, ComputeNoiseRule& rule) {
  rule.pause_probability = 0.0;
  rule.pause = Duration{0};
  if (text == "none") return;
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) {
    throw UsageError(fmt::format("{}: {} is not none or PROBABILITY:DURATION, like '0.01:50ms'",
                                 what, echoed(text)));
  }
  const double probability = parse_number(text.substr(0, colon), what);
  if (probability < 0.0 || probability > 1.0) {
    throw UsageError(fmt::format("{}: {} is not a probability from 0 to 1", what,
                                 echoed(text.substr(0, colon))));
  }
  rule.pause = parse_duration(text.substr(colon + 1), what);
  rule.pause_probability = probability;
}

std::string pause_text(const ComputeNoiseRule& rule) {
  if (!rule.pauses()) return "none";
  return fmt::format("{}:{}", rule.pause_probability, exact_text(rule.pause));
}

Slowdown ComputeNoise::next() {
  if (!rule_.any()) return {};
  const double tail = random_.exponential();
  const bool pauses = random_.uniform() < rule_.pause_probability;
  return {.factor = rule_.constant + rule_.exponential * tail,
          .pause = pauses ? rule_.pause : Duration{0}};
}

}  // namespace trainyard
