#include "trainyard/runtime/lr_schedule.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"

namespace trainyard {

namespace {

// In the order of LrSchedule::Kind.
constexpr std::array<std::string_view, 5> schedule_names{"constant", "inverse-time", "step",
                                                         "cosine", "inverse-sqrt"};

[[noreturn]] void refuse(std::string_view what, std::string_view text) {
  throw UsageError(fmt::format(
      "{}: {} is not constant, inverse-time, inverse-sqrt, cosine or step:EVERY:FACTOR with both "
      "above 0, "
      "like 'step:30:0.1' for a tenth after every 30 epochs",
      what, echoed(text)));
}

}  // namespace

LrSchedule parse_lr_schedule(std::string_view text, std::string_view what) {
  const auto colon = text.find(':');
  const auto* name = std::ranges::find(schedule_names, text.substr(0, colon));
  if (name == schedule_names.end()) refuse(what, text);
  LrSchedule schedule{.kind = static_cast<LrSchedule::Kind>(name - schedule_names.begin())};
  const bool has_arguments = colon != std::string_view::npos;
  if (has_arguments != (schedule.kind == LrSchedule::Kind::step)) refuse(what, text);
  if (!has_arguments) return schedule;
  const std::string_view arguments = text.substr(colon + 1);
  const auto second = arguments.find(':');
  if (second == std::string_view::npos) refuse(what, text);
  schedule.every = parse_number(arguments.substr(0, second), what);
  schedule.factor = parse_number(arguments.substr(second + 1), what);
  if (!(schedule.every > 0.0 && schedule.factor > 0.0)) refuse(what, text);
  return schedule;
}

std::string lr_schedule_text(const LrSchedule& schedule) {
  const std::string_view name = schedule_names[static_cast<std::size_t>(schedule.kind)];
  if (schedule.kind != LrSchedule::Kind::step) return std::string(name);
  return fmt::format("{}:{}:{}", name, schedule.every, schedule.factor);
}

}  // namespace trainyard
