// The verbs of a rank that is a process, over a network that is emulated. A message is sent at
// once, and lies at its receiver until it has arrived as the switch says, which is a process of its
// own (switch_process.hpp).
//
// Threads: the main one.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "runtime/mpi/emulation.hpp"
#include "runtime/mpi/rank.hpp"

namespace trainyard::mpi {

class EmulatedRank final : public MpiRank {
 public:
  /// As the constructor of MpiRank. REQUIRES: there is a switch.
  EmulatedRank(Connection& connection, Member& member, Mail& mail, const RuntimeSetup& setup);

  void post(int to, std::span<const std::byte> bytes, Payload payload, std::uint64_t tag) override;
  void lend(int to, ConstVector payload) override { send(to, payload); }
  Message receive(int from) override;
  std::uint64_t receive_into(int from, Vector into) override;
  bool await_message() override;
  std::optional<Message> receive_any() override;
  std::optional<Message> poll(int from) override;
  std::optional<Message> poll_any() override;
  void barrier() override;
  void begin() override;

 private:
  /// A message whose bytes are here, or coming.
  struct Here {
    Mail::Coming coming;
    std::optional<Time> since{};  // all are here
  };
  /// The messages of one other rank, in order.
  struct Source {
    std::deque<Here> here;
    std::deque<Started> started;    // by the switch, of what is here or will be
    std::uint64_t unannounced = 0;  // taken before the switch has said so
  };
  /// The next message of a rank has arrived: it held the ports from `start` on, until `end`.
  struct Arrival {
    int from = 0;
    Time start{0}, end{0};
  };

  Source& source(int from) { return sources_[static_cast<std::size_t>(from)]; }
  void hear();
  std::optional<Arrival> arrived_from(int from);
  std::optional<Arrival> first_arrived();
  std::optional<Arrival> await_any();
  void charge_wait(Time since, const Arrival& arrived);
  Message take(const Arrival& arrival);

  std::vector<Source> sources_;
  std::uint64_t here_ = 0;  // messages of all sources
  // For barrier(): others may write here after this rank has given up.
  Time came_{0};
  std::vector<Time> arrivals_;
};

}  // namespace trainyard::mpi
