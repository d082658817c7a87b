#include "trainyard/runtime/group.hpp"

#include <atomic>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/collective/all_reduce.hpp"

#include "support/catch.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using test::setup_of;

namespace {

using Vectors = std::vector<std::vector<float>>;

/// Numbers whose sums depend on the order in which they are added up.
Vectors uneven(std::size_t ranks, std::size_t length) {
  Vectors vectors(ranks, std::vector<float>(length));
  for (std::size_t w = 0; w < ranks; ++w) {
    for (std::size_t j = 0; j < length; ++j) {
      vectors[w][j] = 1.0F / static_cast<float>(1 + (7 * w + 3 * j) % 13);
    }
  }
  return vectors;
}

/// Of rank r, with as many groups as there are, whose members lie apart.
std::vector<int> members_beside(int rank, int ranks, int groups) {
  std::vector<int> members;
  for (int member = rank % groups; member < ranks; member += groups) members.push_back(member);
  return members;
}

}  // namespace

TEST_CASE("groups that add up at the same time have the bits of as many workers alone",
          "[runtime]") {
  constexpr int groups = 3, ranks = 12, of_group = ranks / groups;
  constexpr std::size_t length = 23;
  for (const auto& runtime : test::runtimes()) {
    for (const AllReduce& way : all_reduces()) {
      if (way.servers(of_group, 1) > 0) continue;
      CAPTURE(runtime.name, way.name);
      const Vectors start = uneven(ranks, length);
      Vectors together = start;
      runtime.run(setup_of(ranks), [&](Rank& rank) {
        rank.begin();
        GroupCommunicator group(rank, members_beside(rank.rank(), ranks, groups));
        way.sum(group, std::span<float>(together[static_cast<std::size_t>(rank.rank())]));
      });
      for (std::size_t g = 0; g < groups; ++g) {
        Vectors alone;
        for (std::size_t member = 0; member < of_group; ++member) {
          alone.push_back(start[g + groups * member]);
        }
        run_virtual(setup_of(of_group), [&](Rank& rank) {
          rank.begin();
          way.sum(rank, std::span<float>(alone[static_cast<std::size_t>(rank.rank())]));
        });
        for (std::size_t member = 0; member < of_group; ++member) {
          CHECK(together[g + groups * member] == alone[member]);
        }
      }
    }
  }
}

TEST_CASE("an all-reduce of groups takes as long as one of so many workers", "[runtime]") {
  const Network slow{.latency = seconds(1.5), .bytes_per_second = 4.0 * 24 / 5.0};
  Vectors vectors = uneven(12, 24);
  const RuntimeReport report = run_virtual(setup_of(12, 0, slow), [&](Rank& rank) {
    rank.begin();
    GroupCommunicator group(rank, members_beside(rank.rank(), 12, 3));
    ring_sum(group, std::span<float>(vectors[static_cast<std::size_t>(rank.rank())]));
  });
  CHECK(to_seconds(report.elapsed) == Approx(2 * 3 * (1.5 + 5.0 / 4)).epsilon(1e-9));
}

TEST_CASE("a barrier of a group waits for its members and for nobody else", "[runtime]") {
  for (const auto& runtime : test::runtimes()) {
    for (const int of_group : {1, 2, 3, 5, 6}) {
      CAPTURE(runtime.name, of_group);
      std::atomic<int> before{0}, seen_too_few{0}, strangers_done{0};
      runtime.run(setup_of(of_group + 1), [&](Rank& rank) {
        rank.begin();
        if (rank.rank() == of_group) {  // of no group: goes its way, and ends
          ++strangers_done;
          return;
        }
        std::vector<int> members;
        for (int member = 0; member < of_group; ++member) members.push_back(member);
        GroupCommunicator group(rank, members);
        for (int round = 1; round <= 20; ++round) {
          // Each is late at another time.
          const int late = (3 * rank.rank() + round) % of_group;
          rank.compute({.simulated = std::chrono::microseconds(100 * late)}, [] {});
          ++before;
          group.barrier();
          if (before < round * of_group) ++seen_too_few;
          group.barrier();
        }
      });
      CHECK(before == 20 * of_group);
      CHECK(seen_too_few == 0);
      CHECK(strangers_done == 1);
    }
  }
}

TEST_CASE("a group is of workers that are told apart and speaks for one of them", "[runtime]") {
  const auto made_of = [](std::vector<int> members) {
    run_virtual(setup_of(3, 1), [&](Rank& rank) {
      rank.begin();
      if (rank.rank() == 1) GroupCommunicator(rank, members);
    });
  };
  CHECK_NOTHROW(made_of({2, 1}));
  CHECK_THROWS_WITH(made_of({0, 2}), "rank 1 is not of the group that it speaks to");
  CHECK_THROWS_WITH(made_of({1, 3}), "a group has rank 3; workers are 0 to 2");
  CHECK_THROWS_WITH(made_of({1, -1}), "a group has rank -1; workers are 0 to 2");
  CHECK_THROWS_WITH(made_of({1, 2, 2}), "a group has rank 2 twice");
  run_virtual(setup_of(3), [&](Rank& rank) {
    rank.begin();
    if (rank.rank() == 2) rank.send(1, std::vector<float>{4.0F}, 9);
    if (rank.rank() != 1) return;
    GroupCommunicator group(rank, {2, 1});
    REQUIRE(group.rank() == 1);
    REQUIRE(group.workers() == 2);
    REQUIRE(group.servers() == 0);
    const Message message = group.receive(0);
    REQUIRE(message.from() == group.outside(0));
    REQUIRE(message.tag() == 9);
    REQUIRE_THROWS_AS(group.receive_any(), InternalError);
    REQUIRE_THROWS_AS(group.poll_any(), InternalError);
    REQUIRE_THROWS_AS(group.await_message(), InternalError);
    REQUIRE_FALSE(group.poll(0));
  });
}
