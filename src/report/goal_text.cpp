#include "trainyard/report/goal_text.hpp"

#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "report/rank_schedule.hpp"

namespace trainyard {

namespace {

/// Whole nanoseconds; of a time and not of a duration, so that roundings do not add up.
std::int64_t nanoseconds(Time time) {
  return (time.count() + 500) / 1000;
}

std::string text_of(const ScheduledTask& task) {
  using Kind = ScheduledTask::Kind;
  if (task.kind == Kind::compute) {
    return fmt::format("calc {}", nanoseconds(task.until) - nanoseconds(task.from));
  }
  const Transfer& message = *task.message;
  return task.kind == Kind::receive
             ? fmt::format("recv {}b from {} tag {}", message.bytes, message.from, message.id)
             : fmt::format("send {}b to {} tag {}", message.bytes, message.to, message.id);
}

std::string lines_of(const std::vector<ScheduledTask>& tasks) {
  std::string text;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    text += fmt::format("l{}: {}\n", i, text_of(tasks[i]));
    for (const int before : tasks[i].after) text += fmt::format("l{} requires l{}\n", i, before);
    if (tasks[i].behind != ScheduledTask::none) {
      text += fmt::format("l{} irequires l{}\n", i, tasks[i].behind);
    }
  }
  return text;
}

}  // namespace

std::string goal_text(const Timeline& timeline) {
  check_messages(timeline.trace, "--goal");
  std::string text = fmt::format("num_ranks {}\n", timeline.names.size());
  for (std::size_t rank = 0; rank < timeline.names.size(); ++rank) {
    text += fmt::format("\nrank {} {{\n{}}}\n", rank,
                        lines_of(rank_schedule(static_cast<int>(rank), timeline.trace)));
  }
  return text;
}

}  // namespace trainyard
