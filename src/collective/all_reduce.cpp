#include "trainyard/collective/all_reduce.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/even_split.hpp"
#include "trainyard/base/named_table.hpp"
#include "trainyard/collective/own_all_reduce.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

int log2_up(int n) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(n - 1)));
}
int log2_down(int n) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(n))) - 1;
}

/// Ranks beyond the largest power of two fold in first and get the result last.
Duration folding(int n, std::size_t length, MessageTime message) {
  return std::has_single_bit(static_cast<unsigned>(n)) ? Duration{0} : 2 * message(length);
}

int no_servers(int /*workers*/, int /*wanted*/) {
  return 0;
}
int one_server(int /*workers*/, int /*wanted*/) {
  return 1;
}
int shards(int workers, int wanted) {
  return std::min(workers, wanted);
}
int proxies_and_root(int workers, int wanted) {
  return std::min(workers, wanted) + 1;
}

Duration ring_time(int n, int /*k*/, std::size_t length, MessageTime message) {
  return 2 * (n - 1) * message(largest_part(length, n));
}

/// The largest part of a group is the last to be summed there, and its parts the last of all. Where
/// some parts are shorter by a number that takes long, who has one may be so far ahead that a part
/// it gathers holds up another's sum, for less than its own message.
Duration hierarchical_ring_time(int n, int k, std::size_t length, MessageTime message) {
  if (length < static_cast<std::size_t>(n)) return ring_time(n, k, length, message);
  const int members = workers_of_group(n), groups = n / members;
  const std::size_t part = largest_part(length, members);
  return 2 * (members - 1) * message(part) + 2 * (groups - 1) * message(largest_part(part, groups));
}

Duration ring_unpartitioned_time(int n, int /*k*/, std::size_t length, MessageTime message) {
  return 2 * (n - 1) * message(length);
}

Duration tree_time(int n, int /*k*/, std::size_t length, MessageTime message) {
  return 2 * log2_up(n) * message(length);
}

/// The root stands in the tree, too.
Duration tree_root_time(int n, int k, std::size_t length, MessageTime message) {
  return tree_time(n + 1, k, length, message);
}

Duration recursive_doubling_time(int n, int /*k*/, std::size_t length, MessageTime message) {
  return log2_down(n) * message(length) + folding(n, length, message);
}

Duration rabenseifner_time(int n, int /*k*/, std::size_t length, MessageTime message) {
  Duration time = folding(n, length, message);
  for (int parts = 2; parts <= n; parts *= 2) {
    time += 2 * message(largest_part(length, parts));
  }
  return time;
}

Duration parameter_server_time(int n, int k, std::size_t length, MessageTime message) {
  return 2 * n * message(largest_part(length, shards(n, k)));
}

Duration single_server_time(int n, int /*k*/, std::size_t length, MessageTime message) {
  return 2 * n * message(length);
}

/// g workers a group in G groups: 2g + 2G messages, less one where the groups are not all of one
/// size, because then the smaller ones report to the root while the larger are still collecting.
Duration hierarchical_time(int n, int k, std::size_t length, MessageTime message) {
  const int groups = std::min(n, k);
  const int members = (n + groups - 1) / groups;
  return (2 * members + 2 * groups - (n % groups == 0 ? 0 : 1)) * message(length);
}

std::vector<AllReduce> published_ways() {
  return {
      {"ring", "n parts around the ring, once to be summed, once to be spread", "2(n-1)(α + t/n)",
       "Patarasuk & Yuan 2009", ring_sum, nullptr, no_servers, ring_time},
      {"ring-unpartitioned", "the whole vector around the ring, twice; one message under way",
       "2(n-1)(α + t)", "catalogue 1.2", ring_unpartitioned_sum, nullptr, no_servers,
       ring_unpartitioned_time},
      {"tree", "reduce up a binomial tree, broadcast down", "2⌈log2 n⌉(α + t)", "catalogue 1.2",
       tree_sum, nullptr, no_servers, tree_time},
      {"tree-root", "tree with a dedicated root: n + 1 ranks stand in it", "2⌈log2(n+1)⌉(α + t)",
       "Iandola et al. 2016; catalogue 7", tree_root_sum, tree_root_serve, one_server,
       tree_root_time},
      {"hierarchical-ring",
       "g parts around a ring in each of G groups, each part around a ring between the groups",
       "2(g-1)(α + t/g) + 2(G-1)(α + t/n), g the largest divisor of n up to √n, G = n/g",
       "Sergeev & Del Balso 2018", hierarchical_ring_sum, nullptr, no_servers,
       hierarchical_ring_time},
      {"recursive-doubling", "exchange with the rank at distance 1, 2, 4, …",
       "log2 n (α + t); n no power of two: ⌊log2 n⌋ + 2 messages", "Thakur et al. 2005",
       recursive_doubling_sum, nullptr, no_servers, recursive_doubling_time},
      {"rabenseifner", "recursive halving, then recursive doubling",
       "2 log2 n α + 2(1 - 1/n)t; n no power of two: + 2(α + t)", "Rabenseifner 2004",
       rabenseifner_sum, nullptr, no_servers, rabenseifner_time},
      {"ps", "all to one dedicated root and back", "2n(α + t)", "catalogue 1.2",
       parameter_server_sum, parameter_server_serve, one_server, single_server_time},
      {"ps-sharded", "to k dedicated servers, each with a shard (--servers, at most n)",
       "2n(α + t/k)", "Li et al. 2014", parameter_server_sum, parameter_server_serve, shards,
       parameter_server_time},
      {"ps-colocated", "every worker is the server of one part", "2(n-1)(α + t/n)", "catalogue 1.2",
       colocated_servers_sum, nullptr, no_servers, ring_time},
      {"hierarchical", "groups with a dedicated proxy each, one dedicated root (--servers: groups)",
       "2(n/G + G)(α + t)", "catalogue 1.2, 2.9", hierarchical_sum, hierarchical_serve,
       proxies_and_root, hierarchical_time},
      {"by-size",
       "tree for short vectors, ring for long ones: what takes less on this network; where that "
       "takes no time all to all for short ones, then ps-colocated",
       "min(2⌈log2 n⌉(α + t), 2(n-1)(α + t/n))", "Thakur et al. 2005; catalogue 3", by_size_sum,
       nullptr, no_servers, by_size_time},
  };
}

struct Table {
  std::vector<AllReduce> rows = published_ways();
  std::size_t published = rows.size();  // the first ones
  std::vector<std::string> of_all_workers{};
  std::atomic<bool> read{false};
};

Table& table() {
  static Table all;
  return all;
}

}  // namespace

const std::vector<AllReduce>& all_reduces() {
  Table& all = table();
  all.read.store(true, std::memory_order_relaxed);  // only main() asks for it, before threads are
  return all.rows;
}

void add_all_reduce(AllReduce way, SpeaksTo whom) {
  Table& all = table();
  if (all.read.load(std::memory_order_relaxed)) {
    throw UsageError(
        fmt::format("collective '{}': add_all_reduce() comes too late, as the table of collectives "
                    "was read before; call it first in main()",
                    way.name));
  }
  if (whom == SpeaksTo::all_workers) all.of_all_workers.push_back(way.name);
  all.rows.push_back(std::move(way));
}

bool is_published(const AllReduce& way) {
  const std::span rows(table().rows.data(), table().published);
  return std::ranges::count(rows, way.name, &AllReduce::name) > 0;
}

SpeaksTo speaks_to(std::string_view name) {
  const bool all = std::ranges::count(table().of_all_workers, name) > 0;
  return all ? SpeaksTo::all_workers : SpeaksTo::groups;
}

const AllReduce& find_all_reduce(std::string_view name) {
  return find_named(all_reduces(), name, "collective");
}

void all_reduce_sum(Communicator& comm, Vector vector, const AllReduce& how) {
  how.sum(comm, vector);
}

void all_reduce_mean(Communicator& comm, Vector vector, const AllReduce& how) {
  how.sum(comm, vector);
  kernels::scale(1.0 / comm.workers(), vector);
}

}  // namespace trainyard
