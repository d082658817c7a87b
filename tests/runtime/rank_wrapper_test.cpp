// A wrapper changes nothing, whatever the scheme and the clock, until it overrides something.
#include "trainyard/runtime/rank_wrapper.hpp"

#include <atomic>
#include <memory>

#include "trainyard/scheme/scheme.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"

using namespace trainyard;

namespace {

/// Counts what is sent through it.
class Counting final : public RankWrapper {
 public:
  Counting(Rank& inside, std::atomic<std::uint64_t>& messages)
      : RankWrapper(inside), messages_(messages) {}

  void lend(int to, ConstVector payload) override {
    ++messages_;
    RankWrapper::lend(to, payload);
  }

 private:
  void post(int to, std::span<const std::byte> bytes, Payload payload, std::uint64_t tag) override {
    ++messages_;
    RankWrapper::post(to, bytes, payload, tag);
  }

  std::atomic<std::uint64_t>& messages_;
};

/// Everything it sends is all zeros.
class Muffled final : public RankWrapper {
 public:
  using RankWrapper::RankWrapper;

 private:
  void post(int to, std::span<const std::byte> bytes, Payload payload, std::uint64_t tag) override {
    const std::vector<std::byte> zeros(bytes.size());
    RankWrapper::post(to, zeros, payload, tag);
  }
};

}  // namespace

TEST_CASE("a wrapped rank does what a bare one does", "[runtime]") {
  for (const Scheme& scheme : schemes()) {
    CAPTURE(scheme.name);
    Configuration c = small_configuration(scheme.name);
    c.network.latency = std::chrono::microseconds(20);
    std::atomic<std::uint64_t> messages{0};
    RunHooks hooks;
    hooks.wrap = [&](Rank& rank) { return std::make_unique<Counting>(rank, messages); };
    const RunResult bare = run_small(c), wrapped = run_small(c, hooks);
    CHECK(wrapped.summary.model_hash == bare.summary.model_hash);
    CHECK(wrapped.summary.seconds == bare.summary.seconds);
    CHECK(wrapped.summary.bytes_sent == bare.summary.bytes_sent);
    // Messages without bytes are counted only by the wrapper.
    CHECK(messages >= bare.summary.messages);
  }
}

TEST_CASE("a wrapper stands between a program and its messages", "[runtime]") {
  for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
    CAPTURE(time == TimeMode::wall);
    Configuration c = small_configuration("gossip");
    c.time = time;
    RunHooks hooks;
    hooks.wrap = [](Rank& rank) { return std::make_unique<Muffled>(rank); };
    const RunResult bare = run_small(c), muffled = run_small(c, hooks);
    CHECK(muffled.summary.messages == bare.summary.messages);
    CHECK(muffled.summary.model_hash != bare.summary.model_hash);
    // A worker keeps a third of itself on a ring, and hears nothing.
    CHECK(muffled.summary.train_loss > bare.summary.train_loss);
  }
}
