#include "trainyard/runtime/communicator.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include "trainyard/base/error.hpp"

#include "support/catch.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using test::setup_of;

namespace {

std::array<float, 1> number(float value) {
  return {value};
}

}  // namespace

TEST_CASE("messages of a pair keep their order, tag and payload", "[runtime]") {
  for (const auto& runtime : test::runtimes()) {
    CAPTURE(runtime.name);
    std::vector<float> values;
    std::vector<std::uint64_t> tags;
    runtime.run(setup_of(2), [&](Rank& rank) {
      rank.begin();
      for (int i = 0; i < 1000; ++i) {
        if (rank.rank() == 0) {
          rank.send(1, number(static_cast<float>(i)), static_cast<std::uint64_t>(i) * 7);
        } else {
          const Message message = rank.receive(0);
          values.push_back(message.floats()[0]);
          tags.push_back(message.tag());
        }
      }
    });
    REQUIRE(values.size() == 1000);
    for (std::size_t i = 0; i < values.size(); ++i) {
      CHECK(values[i] == static_cast<float>(i));
      CHECK(tags[i] == i * 7);
    }
  }
}

TEST_CASE("a message says what it carries, and is charged for its bytes", "[runtime]") {
  for (const auto& runtime : test::runtimes()) {
    CAPTURE(runtime.name);
    const std::array<std::byte, 3> code{std::byte{1}, std::byte{2}, std::byte{255}};
    const std::array<double, 2> pair{1.0, -2.0};
    std::vector<Payload> kinds;
    std::vector<std::byte> received;
    bool refused = false;
    const RuntimeReport report = runtime.run(setup_of(2), [&](Rank& rank) {
      rank.begin();
      if (rank.rank() == 0) {
        rank.send_encoded(1, code, 9);
        rank.send(1, std::span(pair));
        rank.send(1, number(3.0F));
        rank.send_control(1, 7);
        return;
      }
      {
        const Message encoded = rank.receive(0);
        kinds.push_back(encoded.payload());
        received.assign(encoded.bytes().begin(), encoded.bytes().end());
        try {
          (void)encoded.vector();
        } catch (const InternalError&) {
          refused = true;
        }
      }
      for (int i = 0; i < 3; ++i) kinds.push_back(rank.receive(0).payload());
    });
    CHECK(kinds ==
          std::vector{Payload::encoded, Payload::float64, Payload::float32, Payload::control});
    CHECK(received == std::vector(code.begin(), code.end()));
    CHECK(refused);
    CHECK(report.accounts[0].bytes_sent == 3 + 2 * sizeof(double) + sizeof(float));
    CHECK(report.accounts[0].messages_sent == 3);  // control traffic is free, and not counted
  }
}

TEST_CASE("a sender may change its buffer at once", "[runtime]") {
  for (const auto& runtime : test::runtimes()) {
    CAPTURE(runtime.name);
    float received = 0.0F;
    runtime.run(setup_of(2), [&](Rank& rank) {
      rank.begin();
      if (rank.rank() == 0) {
        auto buffer = number(5.0F);
        rank.send(1, buffer);
        buffer[0] = 6.0F;
      } else {
        received = rank.receive(0).floats()[0];
      }
    });
    CHECK(received == 5.0F);
  }
}

TEST_CASE("empty messages and messages of any size arrive", "[runtime]") {
  for (const auto& runtime : test::runtimes()) {
    CAPTURE(runtime.name);
    std::vector<std::size_t> sizes;
    runtime.run(setup_of(2), [&](Rank& rank) {
      rank.begin();
      for (const std::size_t size : {0U, 1U, 100000U, 3U}) {
        if (rank.rank() == 0) {
          const std::vector<std::byte> payload(size, std::byte{1});
          rank.send_encoded(1, payload);
        } else {
          sizes.push_back(rank.receive(0).bytes().size());
        }
      }
    });
    CHECK(sizes == std::vector<std::size_t>{0, 1, 100000, 3});
  }
}

TEST_CASE("a server hears from everyone and ends when nothing can come", "[runtime]") {
  for (const auto& runtime : test::runtimes()) {
    for (const double latency : {0.0, 1e-4}) {
      CAPTURE(runtime.name, latency);
      std::vector<int> heard(5, 0);
      runtime.run(setup_of(5, 1, {.latency = seconds(latency)}), [&](Rank& rank) {
        rank.begin();
        if (rank.rank() < rank.workers()) {
          for (int i = 0; i < 20; ++i) rank.send(rank.server(0), number(1.0F));
          return;
        }
        while (const auto message = rank.receive_any()) {
          ++heard[static_cast<std::size_t>(message->from())];
        }
      });
      CHECK(heard == std::vector<int>(5, 20));
    }
  }
}

TEST_CASE("a message can be received into place, and its length must be right", "[runtime]") {
  for (const auto& runtime : test::runtimes()) {
    for (const double latency : {0.0, 1e-4}) {
      CAPTURE(runtime.name, latency);
      std::vector<float> place(4, 0.0F);
      std::uint64_t tag = 0;
      const auto program = [&](Rank& rank) {
        const std::vector<float> numbers{1.0F, 2.0F};
        rank.begin();
        if (rank.rank() == 0) {
          rank.send(1, numbers, 17);
          rank.send(1, numbers);
        } else {
          tag = rank.receive_into(0, std::span(place).subspan(1, 2));
          (void)rank.receive_into(0, place);
        }
      };
      CHECK_THROWS_WITH(runtime.run(setup_of(2, 0, {.latency = seconds(latency)}), program),
                        ContainsSubstring("as much as was sent"));
      CHECK(place == std::vector<float>{0.0F, 1.0F, 2.0F, 0.0F});
      CHECK(tag == 17);
    }
  }
}

TEST_CASE("stretched computing is measured on threads, and there is none when simulated",
          "[runtime]") {
  for (const auto& runtime : test::runtimes()) {
    CAPTURE(runtime.name);
    const auto stretch_of = [&](const std::function<void(Rank&)>& program) {
      return runtime.run(setup_of(2), program).compute_stretch;
    };
    const auto computing = [](Rank& rank) {
      rank.begin();
      std::atomic<int> work{0};
      rank.compute({.simulated = seconds(1e-3), .slowdown = 1.0}, [&] {
        while (work.fetch_add(1) < 10000) {
        }
      });
    };
    if (runtime.run == run_virtual) {
      CHECK_FALSE(stretch_of(computing).has_value());
      continue;
    }
    REQUIRE(stretch_of(computing).has_value());
    CHECK(*stretch_of(computing) >= 1.0);
    // It stands still, which takes no processor time.
    const auto stalled = [](Rank& rank) {
      rank.begin();
      rank.compute({}, [] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); });
    };
    CHECK(*stretch_of(stalled) > 2.0);
    // What a leg follows is not stretched computing of its own: a clock of 10^6 s over
    // milliseconds.
    RuntimeSetup second = setup_of(2);
    second.begun.at = seconds(1e6);
    CHECK(*runtime.run(second, computing).compute_stretch < 1e6);
  }
}

TEST_CASE("poll takes only what has arrived", "[runtime]") {
  for (const auto& runtime : test::runtimes()) {
    CAPTURE(runtime.name);
    bool early = true;
    Time looked{0};
    bool late = false;
    runtime.run(setup_of(2, 0, {.latency = seconds(0.02)}), [&](Rank& rank) {
      rank.begin();
      if (rank.rank() == 0) {
        rank.send(1, number(1.0F));
        (void)rank.receive(1);
      } else {
        early = rank.poll(0).has_value();
        looked = rank.now();
        rank.compute({.simulated = seconds(0.01), .slowdown = 1.0}, [] {});
        rank.send(0, number(1.0F));  // takes 20 ms, the other's message has arrived by then
        rank.send(0, number(1.0F));
        // On a busy machine the other may send late.
        while (!late && rank.now() < seconds(60)) {
          rank.compute({.simulated = seconds(0.001), .slowdown = 1.0}, [] {});
          late = rank.poll(0).has_value();
        }
      }
    });
    if (looked < seconds(0.02)) CHECK_FALSE(early);
    CHECK(late);
  }
}

TEST_CASE("nobody leaves a barrier before the last has come", "[runtime]") {
  for (const auto& runtime : test::runtimes()) {
    CAPTURE(runtime.name);
    std::atomic<int> entered{0};
    std::atomic<bool> left_early{false};
    runtime.run(setup_of(5), [&](Rank& rank) {
      rank.begin();
      for (int round = 1; round <= 50; ++round) {
        rank.compute({.simulated = seconds(0.001 * rank.rank()), .slowdown = 1.0}, [] {});
        ++entered;
        rank.barrier();
        if (entered < 5 * round) left_early = true;
      }
    });
    CHECK_FALSE(left_early);
  }
}

TEST_CASE("the first failure of a rank ends the run and comes out", "[runtime]") {
  for (const auto& runtime : test::runtimes()) {
    CAPTURE(runtime.name);
    CHECK_THROWS_WITH(runtime.run(setup_of(4, 1),
                                  [](Rank& rank) {
                                    rank.begin();
                                    if (rank.rank() == 2) throw std::runtime_error("rank 2 broke");
                                    if (rank.rank() < 4) (void)rank.receive(2);
                                    while (rank.receive_any()) {
                                    }
                                  }),
                      "rank 2 broke");
  }
}

TEST_CASE("an exception of a computation comes out", "[runtime]") {
  for (const auto& runtime : test::runtimes()) {
    CAPTURE(runtime.name);
    CHECK_THROWS_WITH(runtime.run(setup_of(2),
                                  [](Rank& rank) {
                                    rank.begin();
                                    rank.compute({},
                                                 [] { throw std::runtime_error("no gradient"); });
                                  }),
                      "no gradient");
  }
}

TEST_CASE("a deadlock is reported with who waits for whom", "[runtime]") {
  for (const auto& runtime : test::runtimes()) {
    CAPTURE(runtime.name);
    RuntimeSetup setup = setup_of(2);
    setup.hang_patience = std::chrono::milliseconds(300);
    CHECK_THROWS_WITH(runtime.run(setup,
                                  [](Rank& rank) {
                                    rank.begin();
                                    (void)rank.receive(1 - rank.rank());
                                  }),
                      ContainsSubstring("rank 0 waits for a message from rank 1") &&
                          ContainsSubstring("rank 1 waits for a message from rank 0"));
  }
}

TEST_CASE("standing still: one looks, nobody runs, the clock does not move", "[runtime]") {
  for (const auto& runtime : test::runtimes()) {
    CAPTURE(runtime.name);
    constexpr int workers = 4;
    std::vector<std::uint64_t> counters(workers * 16, 0);  // plain memory, written by each rank
    std::atomic<int> looks{0};
    bool changed = false;
    Duration moved{0};
    runtime.run(setup_of(workers), [&](Rank& rank) {
      rank.begin();
      for (int step = 0; step < 200; ++step) {
        rank.compute({.simulated = seconds(1e-6), .slowdown = 1.0}, [] {});
        ++counters[static_cast<std::size_t>(rank.rank()) * 16];
        if (step % 50 != rank.rank()) continue;
        rank.stand_still([&] {
          const auto before = counters;
          const Time began = rank.now();
          for (int spin = 0; spin < 100000; ++spin) looks.fetch_add(0);
          changed = changed || before != counters;
          if (runtime.run == run_virtual) moved += rank.now() - began;
          ++looks;
        });
      }
    });
    CHECK(looks == workers * 4);
    CHECK_FALSE(changed);
    CHECK(moved == Duration{0});
  }
}
