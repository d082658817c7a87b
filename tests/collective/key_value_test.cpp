#include "trainyard/collective/key_value.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string_view>
#include <vector>

#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/proxies.hpp"

#include "support/catch.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using test::setup_of;

namespace {

constexpr std::size_t keys = 103;  // divisible by no number of servers here

/// Runs `client` on n workers and serves `values`.
void with_store(const test::Runtime& runtime, int n, int k, std::vector<float>& values,
                std::uint64_t bound, const Network& network,
                const std::function<void(Rank&, KeyValueClient&)>& client) {
  runtime.run(setup_of(n, k, network), [&](Rank& rank) {
    rank.begin();
    if (rank.rank() < n) {
      KeyValueClient store(rank, keys);
      client(rank, store);
      return;
    }
    serve_key_values(rank, even_split(Vector(std::span(values)), rank.rank() - n, k), keys, bound);
  });
}

std::vector<float> filled(std::size_t count, float value) {
  return std::vector<float>(count, value);
}

const Network slow{.latency = std::chrono::microseconds(30), .bytes_per_second = 1e8};

}  // namespace

TEST_CASE("pushes add or assign on any range, whichever servers hold it", "[collective]") {
  for (const auto& runtime : test::runtimes()) {
    for (const int k : {1, 2, 5}) {
      for (std::size_t first = 0; first <= keys; first += 17) {
        for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{30}}) {
          if (first + count > keys) continue;
          CAPTURE(runtime.name, k, first, count);
          std::vector<float> values(keys);
          std::iota(values.begin(), values.end(), 1.0F);
          std::vector<float> expected = values;
          for (std::size_t j = first; j < first + count; ++j) expected[j] = 4.0F + 0.5F;
          std::vector<float> pulled(count, -1.0F);
          with_store(runtime, 1, k, values, unbounded, {}, [&](Rank&, KeyValueClient& store) {
            store.push(first, filled(count, 4.0F), PushMode::assign);
            store.push(first, filled(count, 0.5F));
            store.wait(store.pull(first, pulled));
          });
          CHECK(values == expected);
          CHECK(pulled == filled(count, 4.5F));
        }
      }
    }
  }
}

TEST_CASE("a pull sees what its client has pushed, pushes to disjoint ranges commute",
          "[collective]") {
  constexpr int n = 4;
  for (const auto& runtime : test::runtimes()) {
    for (const Network& network : {Network{}, slow}) {
      CAPTURE(runtime.name, network.latency.count());
      std::vector<float> values(keys, 0.0F);
      std::vector<std::vector<float>> own(n);
      with_store(runtime, n, 3, values, unbounded, network, [&](Rank& rank, KeyValueClient& store) {
        const auto index = static_cast<std::size_t>(rank.rank());
        const std::size_t first = 25 * index;
        std::vector<float>& seen = own[index];
        seen.resize(25);
        for (int round = 0; round < 50; ++round) {
          store.push(first, filled(25, static_cast<float>(index + 1)));
          store.wait(store.pull(first, seen));
          if (seen != filled(25, static_cast<float>((index + 1) * (round + 1U)))) return;
        }
      });
      for (std::size_t w = 0; w < n; ++w) {
        CHECK(own[w] == filled(25, 50.0F * static_cast<float>(w + 1)));
        for (std::size_t j = 25 * w; j < 25 * w + 25; ++j) {
          CHECK(values[j] == 50.0F * static_cast<float>(w + 1));
        }
      }
      CHECK(values.back() == 0.0F);
    }
  }
}

TEST_CASE("additions of all clients to the same keys are all there", "[collective]") {
  for (const auto& runtime : test::runtimes()) {
    CAPTURE(runtime.name);
    std::vector<float> values(keys, 0.0F);
    with_store(runtime, 5, 2, values, unbounded, {}, [&](Rank&, KeyValueClient& store) {
      Timestamp last = 0;
      for (int round = 0; round < 40; ++round) last = store.push(10, filled(80, 1.0F));
      store.wait(last);
    });
    for (std::size_t j = 0; j < keys; ++j) CHECK(values[j] == (j >= 10 && j < 90 ? 200.0F : 0.0F));
  }
}

TEST_CASE("with clocks a pull waits for all that is older than the bound, and for no more",
          "[collective]") {
  constexpr int n = 3;
  constexpr int rounds = 20;
  for (const auto& runtime : test::runtimes()) {
    for (const std::uint64_t bound : {std::uint64_t{0}, std::uint64_t{2}, unbounded}) {
      CAPTURE(runtime.name, bound);
      std::vector<float> values(keys, 0.0F);
      std::vector<float> least(n, 1e9F);
      Time first_ended{0};
      with_store(runtime, n, 2, values, bound, slow, [&](Rank& rank, KeyValueClient& store) {
        std::vector<float> seen(keys);
        for (int clock = 0; clock < rounds; ++clock) {
          store.wait(store.pull(0, seen));
          // Of each round below clock − bound every client's 1 is in, and all of its own.
          const int due = bound == unbounded ? 0 : std::max(0, clock - static_cast<int>(bound));
          const auto must = static_cast<float>(n * due + (clock - due));
          float& worst = least[static_cast<std::size_t>(rank.rank())];
          for (const float value : seen) worst = std::min(worst, value - must);
          const ComputeCost cost{.simulated = std::chrono::milliseconds(rank.rank() == 1 ? 4 : 1),
                                 .pause = std::chrono::milliseconds(rank.rank() == 1 ? 4 : 0)};
          rank.compute(cost, [] {});
          store.push(0, filled(keys, 1.0F));
          store.advance_clock();
        }
        if (rank.rank() == 0) first_ended = rank.now();
      });
      for (const float above : least) CHECK(above >= 0.0F);
      if (std::string_view(runtime.name) == "wall") continue;
      // The slow one takes 4 ms a round; the others wait for it, or do not.
      CHECK((to_seconds(first_ended) > 0.06) == (bound != unbounded));
    }
  }
}

TEST_CASE("a waiting pull does not hold up what its client asks for later", "[collective]") {
  std::vector<float> values(keys, 1.0F);
  for (const auto& runtime : test::runtimes()) {
    CAPTURE(runtime.name);
    float late = 0.0F;
    with_store(runtime, 2, 1, values, 0, {}, [&](Rank& rank, KeyValueClient& store) {
      if (rank.rank() == 0) {
        std::vector<float> all(keys);
        store.advance_clock();
        const Timestamp pulled = store.pull(0, all);
        store.wait(store.push(0, filled(1, 7.0F), PushMode::assign));  // done while that one waits
        rank.send_control(1, 0);
        store.wait(pulled);
        late = all.front();
      } else {
        static_cast<void>(rank.receive(0));
        store.wait(store.push(0, filled(1, 1.0F)));
        store.advance_clock();
      }
    });
    CHECK(late == 8.0F);
  }
}

TEST_CASE("a range beyond the keys is refused", "[collective]") {
  std::vector<float> values(keys, 0.0F);
  CHECK_THROWS_WITH(
      with_store(test::runtimes().front(), 1, 1, values, unbounded, {},
                 [&](Rank&, KeyValueClient& store) { store.push(keys - 1, filled(2, 1.0F)); }),
      ContainsSubstring("beyond the last"));
}

TEST_CASE("a listed push adds to its keys and nothing else", "[collective]") {
  for (const auto& runtime : test::runtimes()) {
    for (const int k : {1, 2, 5}) {
      CAPTURE(runtime.name, k);
      std::vector<float> values = filled(keys, 1.0F);
      std::vector<float> expected = values;
      const std::vector<std::uint32_t> listed{0, 3, 20, 21, 50, 102};
      with_store(runtime, 2, k, values, unbounded, slow, [&](Rank& rank, KeyValueClient& store) {
        for (int round = 0; round < 3; ++round) {
          const float each = static_cast<float>(rank.rank() + 1);
          store.wait(store.push_listed(listed, filled(listed.size(), each)));
        }
      });
      for (const std::uint32_t key : listed) expected[key] = 1.0F + 3 * (1.0F + 2.0F);
      CHECK(values == expected);
    }
  }
}

TEST_CASE("an exchange is a push and a clock and a pull in one message", "[collective]") {
  for (const auto& runtime : test::runtimes()) {
    for (const int k : {1, 2, 5}) {
      for (const bool listed : {false, true}) {
        CAPTURE(runtime.name, k, listed);
        constexpr int n = 3;
        std::vector<float> values = filled(keys, 0.0F);
        std::vector<std::vector<float>> pulled(n, std::vector<float>(keys));
        bool as_expected = true;
        with_store(runtime, n, k, values, 0, slow, [&](Rank& rank, KeyValueClient& store) {
          auto& own = pulled[static_cast<std::size_t>(rank.rank())];
          const std::vector<std::uint32_t> some{0, 1, 102};
          for (int step = 1; step <= 4; ++step) {
            if (listed) {
              store.wait(store.exchange_listed(some, filled(3, 1.0F), own));
            } else {
              store.wait(store.exchange(filled(keys, 1.0F), own));
            }
            // Without delay all are in step, so each sees what all have pushed and nothing more.
            std::vector<float> expected =
                filled(keys, listed ? 0.0F : static_cast<float>(n * step));
            for (const std::uint32_t key : some) expected[key] = static_cast<float>(n * step);
            if (own != expected) as_expected = false;
          }
        });
        CHECK(as_expected);
      }
    }
  }
}

TEST_CASE("a list of keys goes over the wire once while it stays the same", "[collective]") {
  const auto bytes_of = [](const std::vector<std::vector<std::uint32_t>>& lists, int k) {
    std::vector<float> values = filled(keys, 0.0F);
    const auto report = run_virtual(setup_of(1, k), [&](Rank& rank) {
      rank.begin();
      if (rank.rank() == 0) {
        KeyValueClient store(rank, keys);
        for (const auto& list : lists)
          store.wait(store.push_listed(list, filled(list.size(), 1.0F)));
        return;
      }
      serve_key_values(rank, even_split(Vector(std::span(values)), rank.rank() - 1, k), keys);
    });
    return report.accounts[0].bytes_sent;
  };
  using List = std::vector<std::uint32_t>;
  // A fingerprint of 8 bytes, 4 bytes a key where it is sent, 4 bytes a value.
  CHECK(bytes_of({{1, 2, 3}}, 1) == 8 + 3 * 4 + 3 * 4);
  CHECK(bytes_of({{1, 2, 3}, {1, 2, 3}}, 1) == 8 + 3 * 4 + 3 * 4 + 8 + 3 * 4);
  CHECK(bytes_of({{1, 2, 3}, {1, 2}}, 1) == 8 + 3 * 8 + 8 + 2 * 8);
  CHECK(bytes_of({{1}, {2}, {1}}, 1) == 3 * (8 + 8));
  CHECK(bytes_of({List{}}, 1) == 0);
  // Keys 0 to 50 lie on server 0, 51 to 102 on server 1, each with a list of its own.
  CHECK(bytes_of({{50, 51}, {50, 52}}, 2) == (8 + 8) + (8 + 8) + (8 + 4) + (8 + 8));
}

TEST_CASE("a server's own rule is told what was pushed and how old it is", "[collective]") {
  struct Seen {
    int client;
    std::uint64_t read_at;
    std::vector<float> change;
  };
  std::vector<Seen> seen;
  std::vector<float> values = filled(4, 10.0F);
  run_virtual(setup_of(1, 1), [&](Rank& rank) {
    rank.begin();
    if (rank.rank() == 0) {
      KeyValueClient store(rank, 4);
      std::vector<float> pulled(4);
      store.push(0, filled(4, 1.0F));
      store.push(1, filled(2, 2.0F));
      store.wait(store.pull(0, pulled));
      CHECK(pulled == std::vector<float>{9.0F, 7.0F, 7.0F, 9.0F});
      store.push_listed(std::vector<std::uint32_t>{3}, filled(1, 4.0F));
      store.wait(store.push(0, filled(4, 5.0F), PushMode::assign));
      return;
    }
    const auto subtract = [&](const PushedChange& pushed) {
      const auto change = pushed.change.floats();
      seen.push_back({pushed.client, pushed.read_at, {change.begin(), change.end()}});
      for (std::size_t j = 0; j < 4; ++j) values[j] -= change[j];
    };
    serve_key_values(rank, Vector(std::span(values)), 4, unbounded, subtract);
  });
  REQUIRE(seen.size() == 3);
  CHECK(seen[0].change == filled(4, 1.0F));
  CHECK(seen[1].change == std::vector<float>{0.0F, 2.0F, 2.0F, 0.0F});
  CHECK(seen[2].change == std::vector<float>{0.0F, 0.0F, 0.0F, 4.0F});
  CHECK(seen[0].read_at == 0);
  CHECK(seen[1].read_at == 0);
  CHECK(seen[2].read_at == 2);
  CHECK(values == filled(4, 5.0F));
}

// Of 5 workers and 2 proxies the first group has workers 0 and 1. Group g adds g + 1 for each of
// its members, four times.
TEST_CASE("where the first servers are proxies, these are a store's clients", "[collective]") {
  constexpr int n = 5, groups = 2, rounds = 4;
  for (const auto& runtime : test::runtimes()) {
    for (const int k : {1, 2, 5}) {
      for (const bool listed : {false, true}) {
        CAPTURE(runtime.name, k, listed);
        std::vector<float> values = filled(keys, 0.0F);
        std::vector<std::vector<float>> got(n, filled(keys, -1.0F));
        std::vector<std::vector<int>> clients(static_cast<std::size_t>(k));
        std::vector<std::uint32_t> all(keys);
        std::iota(all.begin(), all.end(), 0U);
        runtime.run(setup_of(n, groups + k, slow), [&](Rank& rank) {
          rank.begin();
          if (rank.rank() < n) {
            const float mine = rank.rank() < 2 ? 1.0F : 2.0F;
            const std::vector<float> values_of_mine = filled(keys, mine);
            for (int round = 0; round < rounds; ++round) {
              exchange_with_proxy(rank, values_of_mine, got[static_cast<std::size_t>(rank.rank())],
                                  groups);
            }
            return;
          }
          const int index = rank.rank() - n - groups;
          if (index >= 0) {
            const Vector shard = even_split(Vector(std::span(values)), index, k);
            const auto rule = [&](const PushedChange& pushed) {
              clients[static_cast<std::size_t>(index)].push_back(pushed.client);
              for (std::size_t j = 0; j < shard.size(); ++j) {
                shard.floats()[j] += pushed.change.floats()[j];
              }
            };
            serve_key_values(rank, shard, keys, 0, rule, nullptr, groups);
            return;
          }
          KeyValueClient store(rank, keys, nullptr, groups);
          std::vector<float> sum(keys), pulled(keys);
          while (rank.await_message()) {
            std::ranges::fill(sum, 0.0F);
            sum_members(rank, sum, groups);
            store.wait(listed ? store.exchange_listed(all, sum, pulled)
                              : store.exchange(sum, pulled));
            answer_members(rank, pulled, groups);
          }
        });
        CHECK(values == filled(keys, rounds * (2 * 1.0F + 3 * 2.0F)));
        for (const auto& each : got) CHECK(each == values);
        for (const auto& each : clients) {
          CHECK(std::ranges::count(each, 0) == rounds);
          CHECK(std::ranges::count(each, 1) == rounds);
        }
      }
    }
  }
}

TEST_CASE("neighbours form groups that differ by one member at most", "[collective]") {
  for (int n = 1; n <= 12; ++n) {
    std::vector<int> workers(static_cast<std::size_t>(n));
    std::iota(workers.begin(), workers.end(), 0);
    for (int groups = 1; groups <= n; ++groups) {
      for (int g = 0; g < groups; ++g) {
        CAPTURE(n, groups, g);
        const auto members = even_split(std::span(workers), g, groups);
        CHECK(group_size(n, g, groups) == static_cast<int>(members.size()));
        CHECK(group_size(n, g, groups) >= n / groups);
        CHECK(group_size(n, g, groups) <= (n + groups - 1) / groups);
      }
    }
  }
}
