#include "report/rank_schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

/// What a rank begins by itself: a message, or to compute until `until`.
struct Begun {
  Time at{0}, until{0};
  const Transfer* sent = nullptr;  // nullptr: it computes
};

/// It arrives when it starts, before latency: no schedule's network knows such.
bool is_free(const Transfer& message) {
  return message.bytes == 0 && message.end == message.start;
}

/// In the order of a rank's time; what it computes is cut where it sends meanwhile.
std::vector<Begun> begun_by(int rank, const Trace& trace) {
  std::vector<Begun> begun;
  std::vector<Time> posts;
  for (const Transfer& message : trace.messages) {
    if (message.from != rank || is_free(message)) continue;
    begun.push_back({message.posted, message.posted, &message});
    posts.push_back(message.posted);
  }
  std::ranges::sort(posts);
  if (static_cast<std::size_t>(rank) < trace.spans.size()) {
    for (const TracedSpan& span : trace.spans[static_cast<std::size_t>(rank)]) {
      if (span.activity != Activity::compute) continue;
      Time from = span.from;
      for (auto post = std::ranges::upper_bound(posts, from);
           post != posts.end() && *post < span.until; ++post) {
        if (*post == from) continue;
        begun.push_back({from, *post});
        from = *post;
      }
      begun.push_back({from, span.until});
    }
  }
  // Of the same moment messages come first: computing goes on after them.
  std::ranges::stable_sort(begun, [](const Begun& a, const Begun& b) {
    return a.at != b.at ? a.at < b.at : a.sent != nullptr && b.sent == nullptr;
  });
  return begun;
}

std::vector<const Transfer*> received_by(int rank, const Trace& trace) {
  std::vector<const Transfer*> received;
  for (const Transfer& message : trace.messages) {
    if (message.to == rank && !is_free(message)) received.push_back(&message);
  }
  std::ranges::stable_sort(received, {}, &Transfer::end);
  return received;
}

/// Gathers the tasks of a rank.
class RankSchedule {
 public:
  RankSchedule(int rank, const Trace& trace)
      : now_(trace.from), received_(received_by(rank, trace)) {
    for (const Transfer* message : received_) {
      tasks_.push_back({.kind = ScheduledTask::Kind::receive, .message = message});
    }
    for (const Begun& begun : begun_by(rank, trace)) {
      come_to(begun.at);
      if (begun.sent != nullptr) {
        send(*begun.sent);
      } else {
        compute(begun.until);
      }
    }
  }

  std::vector<ScheduledTask> take() { return std::move(tasks_); }

 private:
  int add(ScheduledTask task) {
    if (anchor_ != ScheduledTask::none) task.after.push_back(anchor_);
    tasks_.push_back(std::move(task));
    return static_cast<int>(tasks_.size()) - 1;
  }

  /// Behind what it computed last, and what has arrived meanwhile.
  void compute(Time until) {
    anchor_ = add({.kind = ScheduledTask::Kind::compute, .from = now_, .until = until});
    now_ = until;
  }

  /// The moment `at`, which is that of the last message that came, or of something that has no task
  /// of its own, which is waited for by computing.
  void come_to(Time at) {
    const std::size_t first = arrived_;
    Time last = now_;
    for (; arrived_ < received_.size() && received_[arrived_]->end <= at; ++arrived_) {
      last = std::max(last, received_[arrived_]->end);
    }
    if (first == arrived_ && at == now_) return;
    now_ = last;
    compute(at);
    std::vector<int>& after = tasks_.back().after;
    for (std::size_t i = first; i < arrived_; ++i) after.push_back(static_cast<int>(i));
  }

  void send(const Transfer& message) {
    sent_ = add({.kind = ScheduledTask::Kind::send, .message = &message, .behind = sent_});
  }

  std::vector<ScheduledTask> tasks_;
  int anchor_ = ScheduledTask::none, sent_ = ScheduledTask::none;  // computed and sent last
  Time now_;                                     // when what was computed last has ended
  const std::vector<const Transfer*> received_;  // task i receives the i-th
  std::size_t arrived_ = 0;                      // so many of them are behind `now_`
};

}  // namespace

std::vector<ScheduledTask> rank_schedule(int rank, const Trace& trace) {
  return RankSchedule(rank, trace).take();
}

void check_messages(const Trace& trace, std::string_view flag) {
  for (const Transfer& message : trace.messages) {
    if (message.lost) {
      throw UsageError(fmt::format(
          "{}: a message from rank {} to rank {} is lost for good, and in a schedule all arrive",
          flag, message.from, message.to));
    }
    if (message.bytes == 0 || message.end > message.posted) continue;
    throw UsageError(fmt::format(
        "{}: a message from rank {} to rank {} takes no time here (servers on workers' "
        "machines, or a network without latency and with an infinite bandwidth), and a schedule "
        "has no order for what happens in one moment",
        flag, message.from, message.to));
  }
}

}  // namespace trainyard
