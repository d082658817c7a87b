// Ranks that share a machine's ports, under both runtimes: what the trace says of every message.
#include <algorithm>
#include <map>
#include <thread>
#include <vector>

#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/runtime/trace.hpp"

#include "support/catch.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using test::setup_of;

namespace {

constexpr int workers = 3;
constexpr std::size_t length = 300;

struct Exchanged {
  RuntimeReport report;
  Trace trace;
  std::vector<std::vector<float>> vectors;
};

/// Three synchronous exchanges: workers push and pull, the servers on their machines add up.
/// hosts[s]: the worker on whose machine server s runs.
Exchanged exchange(const test::Runtime& runtime, PortMode ports, const std::vector<int>& hosts) {
  const auto servers = static_cast<int>(hosts.size());
  TraceRecorder recorder({.first = 0, .last = 1});
  RuntimeSetup setup = setup_of(
      workers, servers,
      {.latency = std::chrono::microseconds(200), .bytes_per_second = 1e6, .ports = ports});
  for (int w = 0; w < workers; ++w) setup.hosts.push_back(w);
  setup.hosts.insert(setup.hosts.end(), hosts.begin(), hosts.end());
  setup.recorder = &recorder;
  Exchanged result;
  result.vectors.assign(workers, std::vector<float>(length, 1.0F));
  result.report = runtime.run(setup, [&](Rank& rank) {
    rank.begin();
    if (rank.rank() < workers) {
      auto& vector = result.vectors[static_cast<std::size_t>(rank.rank())];
      for (int round = 0; round < 3; ++round) {
        push(rank, vector);
        pull(rank, vector);
      }
      return;
    }
    std::vector<float> whole(length);
    const auto sum = even_split(std::span(whole), rank.rank() - workers, servers);
    while (rank.await_message()) {
      std::ranges::fill(sum, 0.0F);
      sum_pushes(rank, sum);
      answer_all(rank, sum);
    }
  });
  result.trace = recorder.take();
  return result;
}

/// No two of these overlap.
bool apart(std::vector<TimeSpan> holds) {
  std::ranges::sort(holds, {}, &TimeSpan::from);
  for (std::size_t i = 1; i < holds.size(); ++i) {
    if (holds[i].from < holds[i - 1].until) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("under both runtimes ranks on one machine take turns at its ports", "[runtime]") {
  for (const auto& runtime : test::runtimes()) {
    for (const PortMode ports : {PortMode::circuit, PortMode::cutthrough}) {
      for (const std::vector<int>& hosts :
           {std::vector{0, 1, 2}, std::vector{0}, std::vector{1, 1, 0, 2, 2}}) {
        CAPTURE(runtime.name, port_mode_text(ports), hosts);
        const Exchanged result = exchange(runtime, ports, hosts);
        for (const auto& vector : result.vectors) {
          REQUIRE(vector == std::vector<float>(length, 27.0F));
        }
        const auto machine = [&](int rank) {
          return rank < workers ? rank : hosts[static_cast<std::size_t>(rank - workers)];
        };
        std::map<int, std::vector<TimeSpan>> sending, receiving;
        std::uint64_t bytes = 0, messages = 0, sent = 0, received = 0, counted = 0;
        for (const Transfer& message : result.trace.messages) {
          if (machine(message.from) == machine(message.to)) {
            CHECK(message.start == message.posted);
            CHECK(message.end == message.posted);
            continue;
          }
          const Duration transfer = seconds(static_cast<double>(message.bytes) / 1e6);
          CHECK(message.end - message.start == std::chrono::microseconds(200) + transfer);
          sending[machine(message.from)].push_back(send_port_hold(message, ports));
          receiving[machine(message.to)].push_back(receive_port_hold(message, ports));
          bytes += message.bytes;
          ++messages;
        }
        for (const auto& [port, holds] : sending) CHECK(apart(holds));
        for (const auto& [port, holds] : receiving) CHECK(apart(holds));
        for (const RankAccount& account : result.report.accounts) {
          sent += account.bytes_sent;
          received += account.bytes_received;
          counted += account.messages_sent;
        }
        CHECK(sent == bytes);
        CHECK(received == bytes);
        CHECK(counted == messages);
      }
    }
  }
}

TEST_CASE("what a rank's own machine sends is received before what is still under way",
          "[runtime]") {
  // Worker 1's message to server 0 takes 300 ms and starts first; worker 0's, from the same
  // machine, is there at once.
  for (const auto& runtime : test::runtimes()) {
    CAPTURE(runtime.name);
    std::vector<int> order;
    RuntimeSetup setup = setup_of(2, 1, {.latency = std::chrono::milliseconds(300)});
    setup.hosts = {0, 1, 0};
    runtime.run(setup, [&](Rank& rank) {
      rank.begin();
      const std::vector<float> number{1.0F};
      if (rank.rank() == 1) {
        rank.send(2, number);
      } else if (rank.rank() == 0) {
        rank.compute({.simulated = std::chrono::milliseconds(2)},
                     [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
        rank.send(2, number);
      } else {
        while (const auto message = rank.receive_any()) order.push_back(message->from());
      }
    });
    CHECK(order == std::vector{0, 1});
  }
}
