// The network as each pair of ranks sees it.
//
// Threads: one at a time for one object, from whose streams of random numbers passages draw.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/network/network.hpp"

namespace trainyard {

/// The times that one message takes on its way.
struct Passage {
  Duration latency{0};   // α of its link, jitter included
  Duration transfer{0};  // βb, and what is waited for where tries are lost
  bool lost = false;     // for good
};

/// The send port and the receive port that a message holds.
struct PortPair {
  int send = 0, receive = 0;
};

/// Instead of a worker's: the machine is the server's alone.
inline constexpr int own_machine = std::numeric_limits<int>::max();

/// The streams of a link are numbered from · 2^16 + to.
inline constexpr int most_ranks_with_jitter = 65536;

/// Memory: linear in the ranks, in the links named one by one, and with jitter or losses in the
/// links used.
class Links {
 public:
  /// hosts[r]: the worker on whose machine rank r runs, a worker too, or own_machine; empty: each
  /// has a machine of its own.
  Links(const Network& network, int workers, int servers, std::span<const int> hosts = {});

  int ranks() const { return ranks_; }

  /// Whether both run on one machine. What they send each other takes no time, whatever the table
  /// of links says, and is no traffic of the network.
  bool within_machine(int from, int to) const {
    return !machine_.empty() && port(from) == port(to);
  }
  /// The ports of a message, out of ports() in each direction. A machine has one, and if ranks
  /// share machines another one inside, so that traffic within a machine waits for nothing that
  /// leaves it.
  PortPair ports_of(int from, int to) const {
    if (machine_.empty()) return {from, to};
    const int send = port(from), receive = port(to);
    return send == receive ? PortPair{inside_of(send), inside_of(send)} : PortPair{send, receive};
  }
  int ports() const { return machine_.empty() ? ranks_ : 2 * workers_ + own_machines_; }

  /// Without jitter.
  Link between(int from, int to) const;

  /// The passage of the next message of that link, which is posted at `now`. Draws from the link's
  /// streams of random numbers, so the k-th message of a link has the same jitter, and is lost as
  /// often, whatever else the network carries.
  Passage passage_of_next(int from, int to, std::uint64_t bytes, Time now) {
    if (uniform_ && bytes == last_.bytes) return last_.passage;
    return next_passage_of(from, to, bytes, now);
  }

  /// How much longer it takes a message that has its ports at `at` where there is no network then
  /// between its ranks (PartitionFault): until the first try after the sides are joined.
  Duration cut_wait(int from, int to, std::uint64_t bytes, Time at) {
    return faults_.partitions.empty() ? Duration{0} : wait_for_joining(from, to, bytes, at);
  }
  /// The same in its passage. Where no try is made again it is lost instead.
  void meet_cut(int from, int to, std::uint64_t bytes, Time at, Passage& passage) {
    if (!faults_.partitions.empty()) cross_cut(from, to, bytes, at, passage);
  }

  /// Tries that were lost so far, of all messages; of those of which none is made again, messages.
  std::uint64_t tries_lost() const { return tries_lost_; }

 private:
  /// A link as messages find it that may be lost.
  struct LossyLink {
    RandomStream random;
    std::optional<bool> bad{};  // of a chain; empty before the first try
  };

  int port(int rank) const { return machine_[static_cast<std::size_t>(rank)]; }
  int inside_of(int machine) const { return workers_ + machine; }
  bool on_workers_machine(int rank) const {
    return (machine_.empty() ? rank : port(rank)) < workers_;
  }
  Link link_between(int from, int to) const;
  Passage next_passage_of(int from, int to, std::uint64_t bytes, Time now);
  Duration draw_jitter(int from, int to);
  double slowness(int from, int to, Time now) const;
  void draw_losses(int from, int to, Time now, Passage& passage);
  void cross_cut(int from, int to, std::uint64_t bytes, Time at, Passage& passage);
  Duration wait_for_joining(int from, int to, std::uint64_t bytes, Time at);
  bool is_on_network(int from, int to, std::uint64_t bytes) const;
  Duration until_joined(int from, int to, Time now) const;
  void time_out(Duration& waited, Duration& timeout);
  static bool is_lost(const LossRule& rule, LossyLink& link);
  const Passage& passage_of(const Link& link, std::uint64_t bytes);

  Jitter rule_;
  Faults faults_;
  std::uint64_t seed_;
  bool charge_control_;
  int ranks_, workers_;
  std::vector<std::int32_t> machine_;  // a rank; empty when each has its own
  int own_machines_ = 0;               // behind those of workers and the ports inside them
  Link inside_, outside_;              // of a rack; without what their ports say
  bool unequal_ports_;
  double port_, worker_up_, worker_down_;  // 1/β of each, where they are unequal
  std::vector<std::int32_t> rack_;         // a rank; empty when there is one
  std::unordered_map<std::uint64_t, Link> named_;
  std::unordered_map<std::uint64_t, RandomStream> jitter_;
  std::unordered_map<std::uint64_t, LossyLink> lossy_;
  std::uint64_t tries_lost_ = 0;
  bool uniform_ = false;  // a message's passage depends on its bytes alone
  // Most messages are as long as the one before: this saves a division and a rounding for each.
  struct {
    Link link{};
    std::uint64_t bytes = 0;
    Passage passage{};
  } last_;
};

}  // namespace trainyard
