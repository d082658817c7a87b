#include "trainyard/base/event_queue.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "trainyard/base/random.hpp"

#include "support/catch.hpp"

using namespace trainyard;

namespace {

/// What an EventQueue is to do, as slowly as can be seen to be right.
class Agenda {
 public:
  void add(Time at, int event) { waiting_.emplace_back(at, event); }
  Time next() const {
    return waiting_.empty() ? Time::max()
                            : std::ranges::min(waiting_, {}, &std::pair<Time, int>::first).first;
  }
  /// The one added first among those of the earliest moment.
  int take() {
    const auto first = std::ranges::min_element(waiting_, {}, &std::pair<Time, int>::first);
    const int event = first->second;
    waiting_.erase(first);
    return event;
  }

 private:
  std::vector<std::pair<Time, int>> waiting_;  // in the order in which they were added
};

}  // namespace

TEST_CASE("events come by time, and those of one moment in the order in which they were added",
          "[base]") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, Purpose::scheme);
    EventQueue<int> queue;
    Agenda agenda;
    int event = 0;
    const auto add_from = [&](Time earliest) {
      const Time at =
          earliest + Time(static_cast<std::int64_t>(random.below(4)));  // few: long runs
      queue.add(at, event);
      agenda.add(at, event++);
    };
    CHECK(queue.next() == Time::max());
    while (event < 2000) {
      if (random.below(8) != 0) {
        add_from(Time{0});
        continue;
      }
      const Time until{static_cast<std::int64_t>(random.below(4))};
      queue.take_until(until, [&](int taken) {
        const Time now = agenda.next();
        REQUIRE((now <= until));
        REQUIRE(taken == agenda.take());
        if (random.below(3) == 0) add_from(now);  // also to the run that is being taken
      });
      REQUIRE(queue.next() == agenda.next());
      REQUIRE((queue.next() > until));
    }
  }
}
