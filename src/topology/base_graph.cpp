// Base-B graphs (Takezawa et al., "Beyond exponential graph: communication-efficient topologies for
// decentralized learning via finite-time convergence", NeurIPS 2023, where B is k + 1; catalogue
// §4.3). With at most k = B − 1 messages a rank and round they average exactly in at most
// 2 log_B n + 2 rounds, for every number of ranks. Every W is symmetric and doubly stochastic.
// Exact only from the first round of the cycle on.
//
// Three constructions, one from the other:
//   hyper-hypercube  n has only factors ≤ B. Ranks as numbers of mixed radix; round l averages
//   those
//                    that differ in digit l only.
//   simple           other n are written in base B, and the ranks cut into a block for each digit.
//                    Blocks average inside; then every rank of the smaller blocks mixes with one
//                    rank of each sub-block of the largest, by weights that give each sub-block the
//                    mean of all; then likewise the second block and those after it, and so on,
//                    while blocks that are done average inside their sub-blocks.
//   base             n = p q, p with factors ≤ B only: simple on q ranks in p groups, then a
//                    hyper-hypercube across the groups. Simple on n where that takes fewer rounds.
#include <algorithm>
#include <numeric>

#include "trainyard/topology/topology.hpp"

namespace trainyard {

namespace {

using Ranks = std::vector<int>;
using Round = std::vector<MixingEdge>;
using Rounds = std::vector<Round>;

int count(const Ranks& ranks) {
  return static_cast<int>(ranks.size());
}

int at(const Ranks& ranks, int place) {
  return ranks[static_cast<std::size_t>(place)];
}

Ranks slice(const Ranks& ranks, int first, int size) {
  return {ranks.begin() + first, ranks.begin() + first + size};
}

void average(const Ranks& ranks, Round& round) {
  for (const int to : ranks) {
    for (const int from : ranks) {
      if (to != from) round.push_back({to, from, 1.0 / count(ranks)});
    }
  }
}

/// The largest divisor of `size` that has only factors ≤ base.
int smooth_part(int size, int base) {
  int rest = size;
  for (int f = base; f >= 2; --f) {
    while (rest % f == 0) rest /= f;
  }
  return size / rest;
}

/// A number with factors ≤ base only as a product of few, ascending.
std::vector<int> factors_of(int size, int base) {
  std::vector<int> factors;
  for (int f = base; f >= 2; --f) {
    for (; size % f == 0; size /= f) factors.push_back(f);
  }
  std::ranges::sort(factors);
  return factors;
}

/// Round `index` of the hyper-hypercube of `ranks`; after the last one it starts again.
void hyper_hypercube_round(const Ranks& ranks, int base, int index, Round& round) {
  const std::vector<int> factors = factors_of(count(ranks), base);
  if (factors.empty()) return;  // a single rank
  const auto digit = static_cast<std::size_t>(index) % factors.size();
  const auto place = factors.begin() + static_cast<std::ptrdiff_t>(digit);
  const int stride = std::accumulate(factors.begin(), place, 1, std::multiplies<>());
  for (int first = 0; first < count(ranks); ++first) {
    if (first / stride % *place != 0) continue;
    Ranks group;
    for (int d = 0; d < *place; ++d) group.push_back(at(ranks, first + d * stride));
    average(group, round);
  }
}

Rounds hyper_hypercube(const Ranks& ranks, int base) {
  Rounds rounds(factors_of(count(ranks), base).size());
  for (std::size_t l = 0; l < rounds.size(); ++l) {
    hyper_hypercube_round(ranks, base, static_cast<int>(l), rounds[l]);
  }
  return rounds;
}

/// One digit a · base^p of n.
struct Block {
  Ranks ranks;
  std::vector<Ranks> sub_blocks;  // a of them, of base^p ranks
};

std::vector<Block> blocks_of(const Ranks& ranks, int base) {
  int power = 1;
  while (power <= count(ranks) / base) power *= base;
  std::vector<Block> blocks;
  int first = 0;
  for (; power >= 1; power /= base) {
    const int digit = (count(ranks) - first) / power;
    if (digit == 0) continue;
    Block block{slice(ranks, first, digit * power), {}};
    for (int a = 0; a < digit; ++a) {
      block.sub_blocks.push_back(slice(ranks, first + a * power, power));
    }
    blocks.push_back(std::move(block));
    first += digit * power;
  }
  return blocks;
}

/// Every rank of the blocks after `giver` mixes with one of each sub-block of it, so that the mean
/// of each sub-block becomes the mean of all these blocks. Within a block all hold the same by
/// then; so it does not matter that those of the giver who are left over average among themselves.
void exchange(const std::vector<Block>& blocks, std::size_t giver, int base, Round& round) {
  std::vector<Ranks> unused = blocks[giver].sub_blocks;
  int all = 0;
  for (std::size_t l = giver; l < blocks.size(); ++l) all += count(blocks[l].ranks);
  const double share = static_cast<double>(count(blocks[giver].ranks)) / all;
  const double weight = share / static_cast<double>(unused.size());
  for (std::size_t l = blocks.size() - 1; l > giver; --l) {
    for (const int rank : blocks[l].ranks) {
      for (Ranks& sub_block : unused) {
        round.push_back({rank, sub_block.back(), weight});
        round.push_back({sub_block.back(), rank, weight});
        sub_block.pop_back();
      }
    }
  }
  Ranks idle;
  for (const Ranks& sub_block : unused) idle.insert(idle.end(), sub_block.begin(), sub_block.end());
  for (int first = 0; first < count(idle); first += base) {
    average(slice(idle, first, std::min(base, count(idle) - first)), round);
  }
}

Rounds simple(const Ranks& ranks, int base) {
  if (smooth_part(count(ranks), base) == count(ranks)) return hyper_hypercube(ranks, base);
  const std::vector<Block> blocks = blocks_of(ranks, base);
  const std::size_t first_phase = factors_of(count(blocks.front().ranks), base).size();
  const std::size_t inside = factors_of(count(blocks.front().sub_blocks.front()), base)
                                 .size();  // sub-block of the largest
  Rounds rounds(first_phase + 1 + inside);
  for (std::size_t r = 0; r < first_phase; ++r) {
    for (const Block& block : blocks) {
      hyper_hypercube_round(block.ranks, base, static_cast<int>(r), rounds[r]);
    }
  }
  const std::size_t last = blocks.size() - 1;
  for (std::size_t t = 0; t <= inside; ++t) {
    Round& round = rounds[first_phase + t];
    if (t < last) exchange(blocks, t, base, round);
    for (std::size_t l = 0; l < blocks.size(); ++l) {
      const std::size_t done = std::min(l + 1, last);  // the round after its last exchange
      if (t < done) continue;
      const int index = static_cast<int>(t - done);
      if (l == last) {  // all its ranks hold the mean of all already
        hyper_hypercube_round(blocks[l].ranks, base, index, round);
        continue;
      }
      for (const Ranks& sub_block : blocks[l].sub_blocks) {
        hyper_hypercube_round(sub_block, base, index, round);
      }
    }
  }
  return rounds;
}

Rounds composed(const Ranks& ranks, int base) {
  const int groups = smooth_part(count(ranks), base);
  const int size = count(ranks) / groups;
  Rounds rounds;
  for (int g = 0; g < groups; ++g) {
    const Rounds inside = simple(slice(ranks, g * size, size), base);
    rounds.resize(inside.size());
    for (std::size_t r = 0; r < inside.size(); ++r) {
      rounds[r].insert(rounds[r].end(), inside[r].begin(), inside[r].end());
    }
  }
  const std::size_t before = rounds.size();
  rounds.resize(before + factors_of(groups, base).size());
  for (int place = 0; place < size; ++place) {
    Ranks across;
    for (int g = 0; g < groups; ++g) across.push_back(at(ranks, g * size + place));
    const Rounds outside = hyper_hypercube(across, base);
    for (std::size_t r = 0; r < outside.size(); ++r) {
      rounds[before + r].insert(rounds[before + r].end(), outside[r].begin(), outside[r].end());
    }
  }
  return rounds;
}

Topology make(const TopologyRequest& request, bool may_compose) {
  const int base = static_cast<int>(request.number.value_or(2));
  Ranks ranks(static_cast<std::size_t>(request.ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  Rounds rounds = simple(ranks, base);
  if (may_compose) {
    Rounds other = composed(ranks, base);
    if (other.size() <= rounds.size()) rounds = std::move(other);
  }
  if (rounds.empty()) rounds.emplace_back();  // one rank
  Topology topology;
  for (const Round& round : rounds)
    topology.matrices.push_back(mixing_matrix(request.ranks, round));
  return topology;
}

}  // namespace

TopologyInfo base_topology() {
  return {
      .name = "base",
      .argument = "B",
      .summary = "at most B - 1 peers a round [1]: exact in about 2 log_B n rounds, for every n",
      .low = 2,
      .high = 4096,
      .make = [](const TopologyRequest& request) { return make(request, true); }};
}

TopologyInfo simple_base_topology() {
  return {.name = "simple-base",
          .argument = "B",
          .summary = "the same by the paper's simpler construction, sometimes with more rounds",
          .low = 2,
          .high = 4096,
          .make = [](const TopologyRequest& request) { return make(request, false); }};
}

}  // namespace trainyard
