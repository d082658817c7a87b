// Vectors that workers read where they lie in one another's memory.
#include "trainyard/runtime/shown.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "trainyard/base/even_split.hpp"
#include "trainyard/runtime/group.hpp"
#include "trainyard/runtime/rank_wrapper.hpp"

#include "support/catch.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using test::setup_of;

namespace {

constexpr std::size_t length = 1000;

/// What a worker shows in a round, at each place.
float value_of(int worker, int round) {
  return static_cast<float>(1000 * round + worker);
}

/// Whether a worker read what all others showed in their own round, each with a part of its own.
bool all_are_right(Shown& shown, const Rank& rank, int round) {
  const int n = rank.workers();
  bool right = true;
  for (int worker = 0; worker < n; ++worker) {
    if (worker == rank.rank()) continue;
    const std::size_t first = even_cut(length, rank.rank(), n);
    const ConstVector read = shown.by(worker, first, even_cut(length, rank.rank() + 1, n) - first);
    right = right && std::ranges::all_of(read.floats(), [&](float value) {
              return value == value_of(worker, round);
            });
  }
  return right;
}

}  // namespace

TEST_CASE("workers read what the others show in step, in place and copied", "[runtime]") {
  for (const int n : {1, 2, 3, 5, 8}) {
    for (const bool shared : {true, false}) {
      CAPTURE(n, shared);
      RuntimeSetup setup = setup_of(n);
      setup.cores_are_shared = shared;
      std::vector<int> wrong(static_cast<std::size_t>(n), 0);
      run_wall(setup, [&](Rank& rank) {
        rank.begin();
        std::vector<float> vector(length);
        int& mine = wrong[static_cast<std::size_t>(rank.rank())];
        mine += rank.shows() ? 0 : 1;
        for (int round = 0; round < (shared ? 300 : 30); ++round) {
          // In place it may change when it has been hidden, as a copy at once.
          const bool copied = round % 3 != 0;
          Shown shown(rank);
          std::ranges::fill(vector, value_of(rank.rank(), round));
          shown.show(vector, copied ? Shown::copy : Shown::in_place, [](int) { return length; });
          if (copied) std::ranges::fill(vector, -1.0F);
          if (rank.rank() == round % n) std::this_thread::yield();
          mine += all_are_right(shown, rank, round) ? 0 : 1;
        }
      });
      CHECK(std::accumulate(wrong.begin(), wrong.end(), 0) == 0);
    }
  }
}

TEST_CASE("what is shown counts as messages to all others", "[runtime]") {
  constexpr int n = 3;
  const RuntimeReport report = run_wall(setup_of(n), [](Rank& rank) {
    rank.begin();
    const std::vector<float> vector(length, 1.0F);
    Shown shown(rank);
    shown.show(vector, Shown::in_place, [&](int worker) { return worker + 1U; });
    for (int worker = 0; worker < n; ++worker) {
      if (worker != rank.rank()) (void)shown.by(worker, 7, rank.rank() + 1U);
    }
  });
  for (int rank = 0; rank < n; ++rank) {
    const RankAccount& account = report.accounts[static_cast<std::size_t>(rank)];
    CHECK(account.messages_sent == n - 1);
    CHECK(account.bytes_sent == 4U * (1 + 2 + 3 - (rank + 1U)));
    CHECK(account.messages_received == n - 1);
    CHECK(account.bytes_received == 4U * (n - 1) * (rank + 1U));
  }
}

TEST_CASE("workers show where they share memory and no message takes time", "[runtime]") {
  run_virtual(setup_of(2), [](Rank& rank) {
    rank.begin();
    CHECK_FALSE(rank.shows());
    CHECK_THROWS_WITH(rank.show({}, true, [](int) { return std::size_t{0}; }),
                      ContainsSubstring("only where shows() says so"));
    CHECK_THROWS_WITH(rank.shown_by(1 - rank.rank(), 0, 0),
                      ContainsSubstring("only where shows() says so"));
  });
  // What stands between a program and its rank, and a group, see messages alone.
  std::array<std::array<bool, 4>, 2> shows{};
  run_wall(setup_of(2, 0, {.latency = std::chrono::microseconds(1)}),
           [&](Rank& rank) { shows[static_cast<std::size_t>(rank.rank())][0] = rank.shows(); });
  run_wall(setup_of(2), [&](Rank& rank) {
    auto& found = shows[static_cast<std::size_t>(rank.rank())];
    found[1] = rank.shows();
    found[2] = RankWrapper(rank).shows();
    found[3] = GroupCommunicator(rank, {0, 1}).shows();
  });
  for (const auto& found : shows) CHECK(found == std::array{false, true, false, false});
}

TEST_CASE("a failure while vectors are shown ends the run", "[runtime]") {
  for (const auto way : {Shown::in_place, Shown::copy}) {
    for (const int failing : {0, 1, 2}) {
      CAPTURE(static_cast<bool>(way), failing);
      CHECK_THROWS_WITH(run_wall(setup_of(3),
                                 [&](Rank& rank) {
                                   rank.begin();
                                   const std::vector<float> vector(length);
                                   for (int round = 0; round < 3; ++round) {
                                     Shown shown(rank);
                                     shown.show(vector, way, [](int) { return length; });
                                     if (round == 1 && rank.rank() == failing) {
                                       throw std::runtime_error("broke");
                                     }
                                     (void)all_are_right(shown, rank, round);
                                   }
                                 }),
                        "broke");
    }
  }
}

TEST_CASE("memory that was shown is read to the end of a run that fails", "[runtime]") {
  // Under AddressSanitizer: vectors are the program's own, and two are shown one after another.
  for (const auto second : {Shown::in_place, Shown::copy}) {
    for (const int failing : {0, 1, 2}) {
      for (const bool between : {false, true}) {
        CAPTURE(static_cast<bool>(second), failing, between);
        CHECK_THROWS_WITH(run_wall(setup_of(3),
                                   [&](Rank& rank) {
                                     rank.begin();
                                     const auto numbers = [](int) { return length; };
                                     for (int round = 0; round < 4; ++round) {
                                       const std::vector<float> vector(
                                           length, value_of(rank.rank(), round));
                                       Shown shown(rank);
                                       shown.show(vector, Shown::in_place, numbers);
                                       (void)all_are_right(shown, rank, round);
                                       const bool fails = round == 2 && rank.rank() == failing;
                                       if (fails && between) throw std::runtime_error("broke");
                                       shown.show(vector, second, numbers);
                                       if (fails) throw std::runtime_error("broke");
                                       (void)all_are_right(shown, rank, round);
                                     }
                                   }),
                          "broke");
      }
    }
  }
}

TEST_CASE("a worker that never shows is a hang, and is named", "[runtime]") {
  RuntimeSetup setup = setup_of(3);
  setup.hang_patience = std::chrono::milliseconds(300);
  CHECK_THROWS_WITH(
      run_wall(setup,
               [](Rank& rank) {
                 rank.begin();
                 if (rank.rank() == 2) return;
                 const std::vector<float> vector(length);
                 Shown shown(rank);
                 shown.show(vector, Shown::in_place, [](int) { return length; });
                 (void)shown.by(2, 0, 1);
               }),
      ContainsSubstring("the run hangs") && ContainsSubstring("what another worker shows"));
}

TEST_CASE("of what is shown no more is read than there is", "[runtime]") {
  CHECK_THROWS_WITH(run_wall(setup_of(2),
                             [](Rank& rank) {
                               rank.begin();
                               const std::vector<float> vector(length);
                               Shown shown(rank);
                               shown.show(vector, Shown::copy, [](int) { return length; });
                               (void)shown.by(1 - rank.rank(), 1, length);
                             }),
                    ContainsSubstring("lengths differ"));
}
