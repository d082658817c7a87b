// What handing a message from one thread to another costs: the wall runtime's channel, and beside
// it Boost.Lockfree's queue of one producer and one consumer, in turns within the same row.
//
// Both hand over the same envelopes, into which the sender copies the message and from which the
// receiver adds it up, and use them again. The channel has the news on the envelope itself. The
// queue takes pointers to envelopes, and a second one takes them back.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>
#include <boost/lockfree/spsc_queue.hpp>

#include "trainyard/hardware/machine.hpp"

#include "runtime/wall/channel.hpp"

namespace trainyard {
namespace {

using benchmark::State;

constexpr std::size_t capacity = 256;

class OurChannel {
 public:
  void send(std::span<const std::byte> bytes) {
    wait_for([&] { return channel_.take_envelope() != nullptr; });
    channel_.take_envelope()->fill(bytes);
    channel_.push();
  }
  template <typename Read>
  void receive(const Read& read) {
    wait_for([&] { return channel_.front() != nullptr; });
    Envelope& envelope = *channel_.front();
    read(envelope);
    channel_.pop();
    envelope.delivered.store(false, std::memory_order_release);  // release: it has been read
  }

  template <typename Ready>
  static void wait_for(const Ready& ready) {
    for (int round = 1; !ready(); ++round) {
      if (round % 4096 == 0) std::this_thread::yield();  // the other one may have no core
    }
  }

 private:
  Channel channel_{capacity};
};

class TwoQueues {
 public:
  void send(std::span<const std::byte> bytes) {
    Envelope* envelope = nullptr;
    if (!back_.pop(envelope)) {
      if (owned_.size() < capacity) {
        owned_.push_back(std::make_unique<Envelope>());
        envelope = owned_.back().get();
      } else {
        OurChannel::wait_for([&] { return back_.pop(envelope); });
      }
    }
    envelope->fill(bytes);
    OurChannel::wait_for([&] { return there_.push(envelope); });
  }
  template <typename Read>
  void receive(const Read& read) {
    Envelope* envelope = nullptr;
    OurChannel::wait_for([&] { return there_.pop(envelope); });
    read(*envelope);
    back_.push(envelope);  // has room for all there are
  }

 private:
  using Queue = boost::lockfree::spsc_queue<Envelope*, boost::lockfree::capacity<capacity>>;
  std::vector<std::unique_ptr<Envelope>> owned_;  // the sender's
  Queue there_, back_;
};

std::uint64_t sum_of(const Envelope& envelope) {
  std::uint64_t sum = 0;
  for (const std::byte byte : std::span(envelope.data, envelope.size)) {
    sum += std::to_integer<std::uint64_t>(byte);
  }
  return sum;
}

void pin_to(const std::vector<int>& units, std::size_t rank) {
  if (rank < units.size()) pin_this_thread(units[rank]);
}

/// Nanoseconds a message, from one thread to another; the other way as well if `answered`.
template <typename Line>
double nanoseconds_each(std::size_t bytes, int messages, bool answered) {
  static const std::vector<int> units = place_ranks(this_machine(), 2, Placement::compact);
  Line there, back;
  std::uint64_t sum = 0;
  const std::vector<std::byte> message(bytes, std::byte{1});
  std::jthread receiver([&] {
    pin_to(units, 1);
    for (int i = 0; i < messages; ++i) {
      there.receive([&](const Envelope& envelope) { sum += sum_of(envelope); });
      if (answered) back.send(message);
    }
  });
  std::chrono::steady_clock::time_point began, ended;
  std::jthread sender([&] {
    pin_to(units, 0);
    began = std::chrono::steady_clock::now();
    for (int i = 0; i < messages; ++i) {
      there.send(message);
      if (answered) back.receive([](const Envelope& envelope) { (void)sum_of(envelope); });
    }
  });
  sender.join();
  receiver.join();
  ended = std::chrono::steady_clock::now();
  require(sum == bytes * static_cast<std::uint64_t>(messages), "every message has arrived");
  return std::chrono::duration<double, std::nano>(ended - began).count() / messages /
         (answered ? 2 : 1);
}

/// The least of all turns of each.
void channel_and_spsc_queue(State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const bool answered = state.range(1) != 0;
  double ours = std::numeric_limits<double>::max(), boost = ours;
  for ([[maybe_unused]] auto _ : state) {
    ours = std::min(ours, nanoseconds_each<OurChannel>(bytes, 50'000, answered));
    boost = std::min(boost, nanoseconds_each<TwoQueues>(bytes, 50'000, answered));
  }
  state.counters["channel ns"] = ours;
  state.counters["boost ns"] = boost;
}
BENCHMARK(channel_and_spsc_queue)
    ->ArgNames({"bytes", "answered"})
    ->ArgsProduct({{8, 64, 1024, 16384}, {0, 1}})
    ->Iterations(15)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trainyard
