#include "web/question_queue.hpp"

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"

namespace trainyard {

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

bool stays() {
  return false;
}

/// Computes until it is interrupted.
void endless(const std::atomic<bool>& interrupted, bool /*alone*/) {
  // relaxed: only read for itself.
  while (!interrupted.load(std::memory_order_relaxed)) std::this_thread::sleep_for(milliseconds(1));
}

void nothing(const std::atomic<bool>& /*interrupted*/, bool /*alone*/) {}

/// Questions asked one after the other, each from a thread of its own, while another one computes.
class Row {
 public:
  explicit Row(const QueueLimits& limits) : queue_(limits) {}

  /// Returns when it waits, or has ended. Names what it does when its turn comes.
  void ask(const std::string& client, std::uint64_t number) {
    auto asked = std::make_unique<Asked>();
    Asked& one = *asked;
    asked_.push_back(std::move(asked));
    threads_.emplace_back([this, &one, client, number] {
      const auto gone = [&one] {  // called: somebody looks after it, so it stands in the row
        one.is_there = true;
        return false;
      };
      one.end = queue_.ask(client, number, gone, [&](const std::atomic<bool>&, bool) {
        const std::lock_guard lock(mutex_);
        answered_.push_back(client + std::to_string(number));
      });
      one.is_there = true;
    });
    while (!one.is_there) std::this_thread::yield();
  }

  template <typename Action>
  void while_one_computes(const Action& action) {
    CHECK(queue_.ask("", 0, stays, [&](const std::atomic<bool>&, bool) { action(); }) ==
          QuestionEnd::answered);
    threads_.clear();
  }
  /// When nothing computes any more.
  const std::vector<std::string>& answered() const { return answered_; }
  std::vector<QuestionEnd> ends() const {
    std::vector<QuestionEnd> all;
    for (const auto& one : asked_) all.push_back(one->end);
    return all;
  }

 private:
  struct Asked {
    std::atomic<bool> is_there{false};
    QuestionEnd end{};
  };
  QuestionQueue queue_;
  std::mutex mutex_;
  std::vector<std::string> answered_;
  std::vector<std::unique_ptr<Asked>> asked_;
  std::vector<std::jthread> threads_;
};

}  // namespace

TEST_CASE("a newer question of a client ends its older one", "[web]") {
  QuestionQueue queue({.at_once = 2, .budget = hours(1)});
  std::latch begun(1);
  QuestionEnd older{}, newer{};
  {
    const std::jthread first([&] {
      older = queue.ask("a", 1, stays, [&](const std::atomic<bool>& interrupted, bool alone) {
        begun.count_down();
        endless(interrupted, alone);
      });
    });
    begun.wait();
    newer = queue.ask("a", 2, stays, nothing);
  }
  CHECK(older == QuestionEnd::superseded);
  CHECK(newer == QuestionEnd::answered);
}

TEST_CASE("an older question that comes late is superseded at once", "[web]") {
  QuestionQueue queue({.at_once = 2, .budget = hours(1)});
  QuestionEnd late{};
  const QuestionEnd first =
      queue.ask("a", 7, stays, [&](const std::atomic<bool>& interrupted, bool) {
        late = queue.ask("a", 6, stays, nothing);
        CHECK(!interrupted);
      });
  CHECK(first == QuestionEnd::answered);
  CHECK(late == QuestionEnd::superseded);
}

TEST_CASE("clients do not end each other's questions and those without a name none", "[web]") {
  QuestionQueue queue({.at_once = 4, .budget = hours(1)});
  for (const std::string outer : {"a", ""}) {
    const QuestionEnd end =
        queue.ask(outer, 1, stays, [&](const std::atomic<bool>& interrupted, bool alone) {
          CHECK(alone);
          bool inner_alone = true;
          CHECK(queue.ask("b", 9, stays, [&](const std::atomic<bool>&, bool is) {
            inner_alone = is;
          }) == QuestionEnd::answered);
          CHECK(!inner_alone);
          CHECK(queue.ask("", 9, stays, nothing) == QuestionEnd::answered);
          CHECK(!interrupted);
        });
    CHECK(end == QuestionEnd::answered);
  }
}

TEST_CASE("a newer question takes the place of the one that waits", "[web]") {
  Row row({.at_once = 1, .budget = hours(1)});
  row.while_one_computes([&] {
    row.ask("a", 1);
    row.ask("b", 1);
    row.ask("a", 2);
    row.ask("c", 1);
    row.ask("a", 3);
  });
  CHECK(row.answered() == std::vector<std::string>{"a3", "b1", "c1"});
  CHECK(row.ends() == std::vector{QuestionEnd::superseded, QuestionEnd::answered,
                                  QuestionEnd::superseded, QuestionEnd::answered,
                                  QuestionEnd::answered});
}

TEST_CASE("too many that wait are told that it is busy", "[web]") {
  Row row({.at_once = 1, .waiting = 2, .budget = hours(1)});
  row.while_one_computes([&] {
    row.ask("a", 1);
    row.ask("b", 1);
    row.ask("c", 1);
    row.ask("b", 2);  // who waits already takes no more room
  });
  CHECK(row.answered() == std::vector<std::string>{"a1", "b2"});
  CHECK(row.ends() == std::vector{QuestionEnd::answered, QuestionEnd::superseded, QuestionEnd::busy,
                                  QuestionEnd::answered});
}

TEST_CASE("clients without a name leave places for those that have one", "[web]") {
  Row row({.at_once = 1, .waiting = 4, .anonymous = 2, .budget = hours(1)});
  row.while_one_computes([&] {
    for (std::uint64_t i = 1; i <= 4; ++i) row.ask("", i);
    row.ask("a", 1);
    row.ask("b", 1);
    row.ask("c", 1);
  });
  CHECK(row.answered() == std::vector<std::string>{"1", "2", "a1", "b1"});
  CHECK(row.ends() == std::vector{QuestionEnd::answered, QuestionEnd::answered, QuestionEnd::busy,
                                  QuestionEnd::busy, QuestionEnd::answered, QuestionEnd::answered,
                                  QuestionEnd::busy});
}

TEST_CASE("a question ends with its budget and with its listener", "[web]") {
  QuestionQueue queue({.at_once = 1, .budget = milliseconds(1)});
  CHECK(queue.ask("a", 1, stays, endless) == QuestionEnd::answered);
  QuestionQueue patient({.at_once = 1, .budget = hours(1)});
  CHECK(patient.ask(
            "a", 1, [] { return true; }, endless) == QuestionEnd::gone);
  QuestionEnd waited{};
  CHECK(patient.ask("a", 1, stays, [&](const std::atomic<bool>&, bool) {
    // Would wait for itself, if nobody noticed that its client has gone.
    waited = patient.ask(
        "b", 1, [] { return true; }, nothing);
  }) == QuestionEnd::answered);
  CHECK(waited == QuestionEnd::gone);
}

TEST_CASE("what an answer throws goes through and leaves no trace", "[web]") {
  QuestionQueue queue({.at_once = 1, .budget = hours(1)});
  for (int i = 0; i < 2; ++i) {
    CHECK_THROWS_AS(
        queue.ask("a", 1, stays, [](const std::atomic<bool>&, bool) { throw std::string("no"); }),
        std::string);
  }
  CHECK(queue.ask("a", 1, stays, nothing) == QuestionEnd::answered);
}

}  // namespace trainyard
