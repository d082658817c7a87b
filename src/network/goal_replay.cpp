#include <algorithm>
#include <queue>
#include <tuple>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/network/goal_schedule.hpp"
#include "trainyard/network/switch.hpp"

namespace trainyard {

namespace {

using Kind = GoalOperation::Kind;

/// An operation of a rank. Its cookie in the switch is its place in a list of all.
struct Place {
  std::size_t rank = 0, index = 0;

  friend bool operator<(const Place& a, const Place& b) {
    return std::tie(a.rank, a.index) < std::tie(b.rank, b.index);
  }
  friend bool operator>(const Place& a, const Place& b) { return b < a; }
};

/// Events and the switch take turns: all that ends in a moment, what begins by that, and then what
/// starts on the network, which may arrive in the same moment.
class Replaying {
 public:
  Replaying(const GoalSchedule& schedule, const Network& network)
      : schedule_(schedule), switch_(network, static_cast<int>(schedule.ranks.size())) {
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
      const auto& operations = schedule.ranks[rank];
      replay_.operations.emplace_back(operations.size());
      waits_for_.emplace_back(operations.size(), 0);
      waited_for_.emplace_back(operations.size());
      arrivals_.emplace_back(operations.size(), Time{-1});
      for (std::size_t i = 0; i < operations.size(); ++i) {
        for (const std::size_t earlier : operations[i].after) wait(rank, i, earlier, true);
        for (const std::size_t earlier : operations[i].beside) wait(rank, i, earlier, false);
        if (waits_for_[rank][i] == 0) ready_.push({rank, i});
      }
    }
    computes_until_.resize(schedule.ranks.size(), Time{0});
    computes_next_.resize(schedule.ranks.size());
  }

  GoalReplay result() {
    Time now{0};
    begin_ready(now);
    for (;;) {
      const Time event = ends_.empty() ? Time::max() : std::get<0>(ends_.top());
      now = std::min(event, switch_.next_event());
      if (now == Time::max()) break;
      while (!ends_.empty() && std::get<0>(ends_.top()) == now) {
        const auto [at, place] = ends_.top();
        ends_.pop();
        end(place, at);
      }
      begin_ready(now);
      switch_.advance(now, [&](const Transfer& transfer) { started(transfer); });
    }
    refuse_deadlock();
    return std::move(replay_);
  }

 private:
  struct Waiting {
    std::size_t index = 0;
    bool for_end = true;  // or for its beginning
  };

  const GoalOperation& operation(Place place) const {
    return schedule_.ranks[place.rank][place.index];
  }
  GoalTimes& times(Place place) { return replay_.operations[place.rank][place.index]; }

  void wait(std::size_t rank, std::size_t later, std::size_t earlier, bool for_end) {
    ++waits_for_[rank][later];
    waited_for_[rank][earlier].push_back({later, for_end});
  }

  /// The lower rank first, and of a rank the line that is first.
  void begin_ready(Time now) {
    while (!ready_.empty()) {
      const Place place = ready_.top();
      ready_.pop();
      const GoalOperation& it = operation(place);
      if (it.kind == Kind::calc) {
        computes_next_[place.rank].push(place.index);
        compute_next(place.rank, now);
        continue;
      }
      begin(place, now);
      if (it.kind == Kind::send) {
        posted_.push_back(place);
        replay_.messages.emplace_back();
        (void)switch_.post(static_cast<int>(place.rank), it.peer, it.bytes, now);
        finish(place, now);
      } else if (const Time arrival = arrivals_[place.rank][place.index]; arrival >= Time{0}) {
        finish(place, now);
      }
    }
  }

  /// A rank computes one thing at a time, those that could begin first at first.
  void compute_next(std::size_t rank, Time now) {
    while (computes_until_[rank] <= now && !computes_next_[rank].empty()) {
      const Place place{rank, computes_next_[rank].front()};
      computes_next_[rank].pop();
      begin(place, now);
      const Time until = checked_sum(now, operation(place).length);
      computes_until_[rank] = until;
      if (until == now) {
        finish(place, now);
      } else {
        ends_.emplace(until, place);
      }
    }
  }

  void begin(Place place, Time now) {
    times(place).begun = now;
    release(place, false);
  }

  /// A calc, or a message on its way to a receive.
  void end(Place place, Time now) {
    if (operation(place).kind == Kind::receive && times(place).begun < Time{0}) {
      arrivals_[place.rank][place.index] = now;  // before it was asked for
      return;
    }
    finish(place, now);
    if (operation(place).kind == Kind::calc) compute_next(place.rank, now);
  }

  void finish(Place place, Time now) {
    times(place).ended = now;
    replay_.until = std::max(replay_.until, now);
    release(place, true);
  }

  void release(Place place, bool by_end) {
    for (const Waiting& waiting : waited_for_[place.rank][place.index]) {
      if (waiting.for_end != by_end) continue;
      if (--waits_for_[place.rank][waiting.index] == 0) ready_.push({place.rank, waiting.index});
    }
  }

  void started(const Transfer& transfer) {
    replay_.messages[transfer.id] = transfer;
    const Place sent = posted_[transfer.id];
    const GoalOperation& send = operation(sent);
    replay_.until = std::max(replay_.until, transfer.end);
    ends_.emplace(transfer.end, Place{static_cast<std::size_t>(send.peer), send.match});
  }

  std::string name_of(Place place) const {
    const GoalOperation& it = operation(place);
    return it.label.empty() ? fmt::format("line {}", it.line)
                            : fmt::format("{} (line {})", it.label, it.line);
  }

  /// What is at fault is something that never began, and waits for nothing that ended.
  void refuse_deadlock() const {
    for (std::size_t rank = 0; rank < schedule_.ranks.size(); ++rank) {
      for (std::size_t i = 0; i < schedule_.ranks[rank].size(); ++i) {
        const GoalTimes& its = replay_.operations[rank][i];
        if (its.ended >= Time{0}) continue;
        throw UsageError(fmt::format("{}: nothing goes on after {}: {}", schedule_.name,
                                     human_duration(to_seconds(replay_.until)),
                                     why_stuck({rank, i})));
      }
    }
  }

  std::string why_stuck(Place place) const {
    const GoalOperation& it = operation(place);
    std::string text = fmt::format("rank {}'s {} ", place.rank, name_of(place));
    if (replay_.operations[place.rank][place.index].begun >= Time{0}) {  // it receives
      const Place sender{static_cast<std::size_t>(it.peer), it.match};
      return text + fmt::format("waits for a message that rank {}'s {} has not sent", sender.rank,
                                name_of(sender));
    }
    const auto waits = [&](const std::vector<std::size_t>& all, bool for_end) {
      return std::ranges::find_if(all, [&](std::size_t i) {
        const GoalTimes& its = replay_.operations[place.rank][i];
        return (for_end ? its.ended : its.begun) < Time{0};
      });
    };
    const auto after = waits(it.after, true);
    const bool for_end = after != it.after.end();
    const std::size_t other = for_end ? *after : *waits(it.beside, false);
    return text + fmt::format("waits until its {} has {}", name_of({place.rank, other}),
                              for_end ? "ended" : "begun");
  }

  const GoalSchedule& schedule_;
  Switch switch_;
  GoalReplay replay_;
  std::vector<std::vector<int>> waits_for_;  // by rank and operation: so many others
  std::vector<std::vector<std::vector<Waiting>>> waited_for_;
  std::vector<std::vector<Time>> arrivals_;  // of receives that had not begun then
  std::priority_queue<Place, std::vector<Place>, std::greater<>> ready_;
  std::priority_queue<std::tuple<Time, Place>, std::vector<std::tuple<Time, Place>>, std::greater<>>
      ends_;
  std::vector<Place> posted_;  // by the message's number
  std::vector<Time> computes_until_;
  std::vector<std::queue<std::size_t>> computes_next_;
};

}  // namespace

GoalReplay replay(const GoalSchedule& schedule, const Network& network) {
  return Replaying(schedule, network).result();
}

}  // namespace trainyard
