#include "trainyard/report/goal_text.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

/// Whole nanoseconds; of a time and not of a duration, so that roundings do not add up.
std::int64_t nanoseconds(Time time) {
  return (time.count() + 500) / 1000;
}

/// What a rank begins by itself: a message, or to compute until `until`.
struct Begun {
  Time at{0}, until{0};
  const Transfer* sent = nullptr;  // nullptr: it computes
};

/// In the order of a rank's time; what it computes is cut where it sends meanwhile.
std::vector<Begun> begun_by(int rank, const Trace& trace) {
  std::vector<Begun> begun;
  std::vector<Time> posts;
  for (const Transfer& message : trace.messages) {
    if (message.from != rank) continue;
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
    if (message.to == rank) received.push_back(&message);
  }
  std::ranges::stable_sort(received, {}, &Transfer::end);
  return received;
}

/// The lines of a rank.
class RankSchedule {
 public:
  RankSchedule(int rank, const Trace& trace)
      : now_(trace.from), received_(received_by(rank, trace)) {
    for (const Transfer* message : received_) {
      (void)line(
          fmt::format("recv {}b from {} tag {}", message->bytes, message->from, message->id));
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

  const std::string& text() const { return text_; }

 private:
  static constexpr int none = -1;

  /// Its label.
  int line(std::string_view what) {
    text_ += fmt::format("l{}: {}\n", lines_, what);
    return lines_++;
  }

  void require(int later, int earlier, std::string_view how = "requires") {
    if (earlier != none) text_ += fmt::format("l{} {} l{}\n", later, how, earlier);
  }

  /// A calc behind the last one, and behind what has arrived meanwhile.
  void compute(Time until) {
    const int label = line(fmt::format("calc {}", nanoseconds(until) - nanoseconds(now_)));
    require(label, anchor_);
    anchor_ = label;
    now_ = until;
  }

  /// The moment `at`, which is that of the last message that came, or of something that has no line
  /// of its own, which is waited for by a calc.
  void come_to(Time at) {
    const std::size_t first = arrived_;
    Time last = now_;
    for (; arrived_ < received_.size() && received_[arrived_]->end <= at; ++arrived_) {
      last = std::max(last, received_[arrived_]->end);
    }
    if (first == arrived_ && at == now_) return;
    now_ = last;
    compute(at);
    for (std::size_t i = first; i < arrived_; ++i) require(anchor_, static_cast<int>(i));
  }

  void send(const Transfer& message) {
    const int label =
        line(fmt::format("send {}b to {} tag {}", message.bytes, message.to, message.id));
    require(label, anchor_);
    require(label, sent_, "irequires");
    sent_ = label;
  }

  std::string text_;
  int lines_ = 0;
  int anchor_ = none, sent_ = none;              // the last calc, the last message sent
  Time now_;                                     // when the last calc has ended
  const std::vector<const Transfer*> received_;  // line i is that of the i-th
  std::size_t arrived_ = 0;                      // so many of them are behind `now_`
};

}  // namespace

std::string goal_text(const Timeline& timeline) {
  for (const Transfer& message : timeline.trace.messages) {
    if (message.bytes == 0 || message.end > message.posted) continue;
    throw UsageError(fmt::format(
        "--goal: a message from rank {} to rank {} takes no time here (servers on workers' "
        "machines, or a network without latency and with an infinite bandwidth), and a schedule "
        "has no order for what happens in one moment",
        message.from, message.to));
  }
  std::string text = fmt::format("num_ranks {}\n", timeline.names.size());
  for (std::size_t rank = 0; rank < timeline.names.size(); ++rank) {
    const RankSchedule schedule(static_cast<int>(rank), timeline.trace);
    text += fmt::format("\nrank {} {{\n{}}}\n", rank, schedule.text());
  }
  return text;
}

}  // namespace trainyard
