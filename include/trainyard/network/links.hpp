// The network as each pair of ranks sees it.
//
// Threads: one at a time for one object, from whose streams of random numbers passages draw.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/network/network.hpp"

namespace trainyard {

/// What one message takes on its way.
struct Passage {
  Duration latency{0};   // α of its link, jitter included
  Duration transfer{0};  // βb
};

/// The streams of a link are numbered from · 2^16 + to.
inline constexpr int most_ranks_with_jitter = 65536;

/// Memory: linear in the ranks, in the links named one by one, and with jitter in the links used.
class Links {
 public:
  Links(const Network& network, int workers, int servers);

  int ranks() const { return ranks_; }

  /// Without jitter.
  Link between(int from, int to) const;

  /// Of the next message of that link: draws from the link's stream of random numbers, so the k-th
  /// message of a link has the same jitter whatever else the network carries.
  Passage passage_of_next(int from, int to, std::uint64_t bytes);

 private:
  Duration draw_jitter(int from, int to);
  const Passage& passage_of(const Link& link, std::uint64_t bytes);

  Jitter rule_;
  std::uint64_t seed_;
  bool charge_control_;
  int ranks_;
  Link inside_, outside_;           // of a rack
  std::vector<std::int32_t> rack_;  // a rank; empty when there is one
  std::unordered_map<std::uint64_t, Link> named_;
  std::unordered_map<std::uint64_t, RandomStream> jitter_;
  // Most messages are as long as the one before: this saves a division and a rounding for each.
  struct {
    Link link{};
    std::uint64_t bytes = 0;
    Passage passage{};
  } last_;
};

}  // namespace trainyard
