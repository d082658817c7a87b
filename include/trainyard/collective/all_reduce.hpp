// All-reduce: afterwards every worker holds the same bits, the sum or the mean over the workers.
// There are many ways; each is one file and one row of the table. They differ in how many latencies
// they pay, how often they send the vector, and whether ranks of their own (roots, shards, proxies)
// help.
//
//   all_reduce_mean(worker.comm(), gradient, collective_of(worker));
//
// Threads: every rank it speaks of calls it, each on its own thread or fiber, and it returns
// when this rank's part is done. If another rank fails, the call is unwound and does not return;
// if another never calls it, the run ends with an InternalError that says who waits for whom.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/network/network.hpp"
#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

struct AllReduce {
  std::string name;     // as typed after --collective
  std::string summary;  // who sends what to whom
  std::string time;     // its closed form, as text
  std::string source;

  /// A worker's part: called by all workers at the same point, with equal lengths.
  void (*sum)(Communicator& comm, Vector vector) = nullptr;
  /// The part of ranks that do nothing else, round after round until no worker is left; nullptr
  /// when there are none.
  void (*serve)(Communicator& comm, Scalar scalar, std::size_t length) = nullptr;

  /// Number of such ranks for n workers when k are asked for (--servers).
  int (*servers)(int workers, int wanted) = nullptr;

  /// How long it takes from lock-step over circuit ports, for vectors of `length` numbers whose
  /// parts take as long as `message` says: exact, uneven parts included (catalogue §1.2). For k as
  /// above.
  Duration (*duration)(int workers, int wanted, std::size_t length, MessageTime message) = nullptr;
};

/// The visible table.
const std::vector<AllReduce>& all_reduces();
/// Throws UsageError for an unknown name.
const AllReduce& find_all_reduce(std::string_view name);

/// How the run's all-reduce is done; a Worker or a Server asks. Throws UsageError where the
/// scheme's row takes no "collective".
template <typename Participant>
const AllReduce& collective_of(const Participant& participant) {
  return participant.template ingredient<AllReduce>("collective");
}

void all_reduce_sum(Communicator& comm, Vector vector, const AllReduce& how);
/// The sum times 1/n, taken on every worker alike: the bits stay equal.
void all_reduce_mean(Communicator& comm, Vector vector, const AllReduce& how);

// The workers' and servers' parts, one file for each way.
void ring_sum(Communicator& comm, Vector vector);
/// Workers of a group where all-reduces go by groups of equal size: the largest divisor of n that
/// is not above √n.
int workers_of_group(int workers);
void hierarchical_ring_sum(Communicator& comm, Vector vector);
void ring_unpartitioned_sum(Communicator& comm, Vector vector);
void tree_sum(Communicator& comm, Vector vector);
void tree_root_sum(Communicator& comm, Vector vector);
void tree_root_serve(Communicator& comm, Scalar scalar, std::size_t length);
void recursive_doubling_sum(Communicator& comm, Vector vector);
void rabenseifner_sum(Communicator& comm, Vector vector);
void parameter_server_sum(Communicator& comm, Vector vector);
void parameter_server_serve(Communicator& comm, Scalar scalar, std::size_t length);
void colocated_servers_sum(Communicator& comm, Vector vector);
void hierarchical_sum(Communicator& comm, Vector vector);
void hierarchical_serve(Communicator& comm, Scalar scalar, std::size_t length);
void by_size_sum(Communicator& comm, Vector vector);
Duration by_size_time(int workers, int wanted, std::size_t length, MessageTime message);

}  // namespace trainyard
