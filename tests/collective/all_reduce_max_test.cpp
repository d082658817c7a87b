#include "trainyard/collective/all_reduce_max.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "trainyard/runtime/rank.hpp"

#include "support/catch.hpp"

using namespace trainyard;

TEST_CASE("everybody gets the greatest numbers, in as many rounds as it says", "[collective]") {
  for (const int n : {1, 2, 3, 4, 5, 7, 8, 13}) {
    for (const bool threads : {false, true}) {
      std::mt19937 random(static_cast<unsigned>(n));
      std::vector<std::vector<float>> values(static_cast<std::size_t>(n));
      std::vector<float> expected(20, -std::numeric_limits<float>::infinity());
      for (std::vector<float>& of_rank : values) {
        for (std::size_t j = 0; j < expected.size(); ++j) {
          of_rank.push_back(static_cast<float>(static_cast<int>(random() % 2001) - 1000));
          if (j == 7) of_rank.back() = -std::numeric_limits<float>::infinity();
          expected[j] = std::max(expected[j], of_rank.back());
        }
      }
      RuntimeSetup setup;
      setup.workers = n;
      setup.network.latency = std::chrono::microseconds(30);
      setup.network.bytes_per_second = 1e7;
      const auto program = [&](Rank& rank) {
        rank.begin();
        all_reduce_max(rank, values[static_cast<std::size_t>(rank.rank())]);
      };
      const RuntimeReport report = threads ? run_wall(setup, program) : run_virtual(setup, program);
      CAPTURE(n, threads);
      for (const std::vector<float>& of_rank : values) CHECK(of_rank == expected);
      if (threads) continue;
      CHECK(report.elapsed == all_reduce_max_time(n, 20, FloatMessages{setup.network}));
      CHECK((n == 1) == (report.elapsed == Duration{0}));
    }
  }
}
