#include "runtime/wall/arrivals.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include "support/catch.hpp"

using namespace trainyard;

namespace {

std::vector<int> senders(Arrivals& arrivals) {
  std::vector<int> from;
  for (const Arrivals::Arrival& arrival : arrivals.all()) from.push_back(arrival.from);
  return from;
}

}  // namespace

TEST_CASE("messages are found in the order of their arrival", "[runtime]") {
  Arrivals arrivals(4);
  CHECK(arrivals.all().empty());
  arrivals.announce(2, Time{10});
  arrivals.announce(0, Time{20});
  arrivals.announce(2, Time{30});
  REQUIRE(senders(arrivals) == std::vector{2, 0, 2});
  CHECK(arrivals.all()[1].end == Time{20});
  arrivals.take(2);
  CHECK(senders(arrivals) == std::vector{0, 2});
  arrivals.announce(1, Time{40});
  arrivals.take(0);
  arrivals.take(2);
  CHECK(senders(arrivals) == std::vector{1});
  arrivals.take(1);
  CHECK(arrivals.all().empty());
}

TEST_CASE("what was received from a certain rank is found no more", "[runtime]") {
  Arrivals arrivals(4);
  int end = 0;
  for (const int from : {3, 1, 3, 0, 1}) arrivals.announce(from, Time{++end});
  SECTION("taken before anyone looked") {
    arrivals.take(1);
    CHECK(senders(arrivals).front() == 3);
    arrivals.take(3);  // it was the first of all
    arrivals.take(3);
    CHECK(senders(arrivals) == std::vector{0, 1});
  }
  SECTION("taken from the middle") {
    REQUIRE(senders(arrivals).size() == 5);
    arrivals.take(1);
    arrivals.take(0);
    arrivals.take(3);
    arrivals.take(3);
    CHECK(senders(arrivals) == std::vector{1});
  }
}

TEST_CASE("a rank that only receives from certain others keeps no list", "[runtime]") {
  const bool one_lies_unread = GENERATE(false, true);
  Arrivals arrivals(3);
  if (one_lies_unread) arrivals.announce(2, Time{0});
  for (int i = 0; i < 100'000; ++i) {
    arrivals.announce(i % 2, Time{i});
    arrivals.take(i % 2);
  }
  CHECK(arrivals.kept() <= 512);
  CHECK(senders(arrivals).size() <= 512);
  if (one_lies_unread) arrivals.take(2);
  CHECK(arrivals.all().empty());
}

TEST_CASE("a rank finds each message once while others announce them", "[runtime]") {
  constexpr int messages = 20'000;
  Arrivals arrivals(3);
  // Two threads in turns, as those that work the switch.
  std::atomic<int> next{0};
  const auto announce = [&](int turn) {
    for (int i = turn; i < messages; i += 2) {
      while (next.load(std::memory_order_acquire) != i) std::this_thread::yield();
      arrivals.announce(i % 3, Time{i});
      next.store(i + 1, std::memory_order_release);
    }
  };
  std::jthread even(announce, 0), odd(announce, 1);
  int found = 0;
  while (found < messages) {
    const auto all = arrivals.all_announced();
    if (all.empty()) {
      std::this_thread::yield();
      continue;
    }
    const Arrivals::Arrival first = all.front();
    if (first.end != Time{found} || first.from != found % 3) break;
    arrivals.take(first.from);
    ++found;
  }
  CHECK(found == messages);
}

TEST_CASE("what arrives before something that was announced earlier is put in its place",
          "[runtime]") {
  Arrivals arrivals(4);
  arrivals.announce(0, Time{30});
  arrivals.announce(1, Time{10});
  REQUIRE(senders(arrivals) == std::vector{1, 0});
  arrivals.announce(2, Time{30});  // as late as one that is known: behind it
  arrivals.announce(3, Time{20});
  std::vector<int> from;
  for (const Arrivals::Arrival& arrival : arrivals.all_announced()) from.push_back(arrival.from);
  CHECK(from == std::vector{1, 3, 0, 2});
  arrivals.take(1);
  arrivals.announce(1, Time{5});  // what has been taken is behind
  arrivals.take(3);
  CHECK(arrivals.all_announced().front().from == 1);
}
