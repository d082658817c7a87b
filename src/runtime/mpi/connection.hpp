// MPI as the runtime uses it: two communicators, so that what coordinates a run is never taken for
// what a scheme sends, and what is asked of MPI in one place.
//
// Threads: the main one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "trainyard/base/function_ref.hpp"

#include "runtime/mpi/control.hpp"

namespace trainyard::mpi {

/// A message that is there, and not received yet. No other receive can take it.
struct Matched {
  MPI_Message message = MPI_MESSAGE_NULL;
  int from = 0, tag = 0;
  std::size_t bytes = 0;
};

class Connection {
 public:
  /// REQUIRES: MPI is initialised. Called by all.
  Connection();
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  const std::string& host(int rank) const { return hosts_[static_cast<std::size_t>(rank)]; }
  /// "host-a", "4 hosts".
  std::string hosts_text() const;
  /// Called by all: the first rank that says true; size(): none does.
  int first_of_all(bool says);
  /// Called by all: `number` becomes what it is in rank 0.
  void take_from_first(std::uint64_t& number);
  int size_of_host() const { return size_of_host_; }
  int rank_on_host() const { return rank_on_host_; }
  /// Called by all of this host: the bytes of the first of them, for which the others sleep.
  std::vector<std::byte> from_first_of_host(std::vector<std::byte> bytes);
  /// More processes are on this host than it has cores.
  bool cores_are_shared() const { return cores_are_shared_; }
  MPI_Comm messages() const { return messages_; }
  /// Called by all, and waits for all: the first ranks, so many, are workers.
  void divide(int workers);
  /// Of the workers, or of the servers: whichever this process is one of. REQUIRES: divide().
  MPI_Comm workers() const { return workers_; }

  /// Returns at once; what is told is delivered in order.
  void tell(int to, const Control& control);
  /// What has been told to this process by `from`, which may be MPI_ANY_SOURCE.
  struct Told {
    int from = 0;
    Control control{};
  };
  std::optional<Told> hear(int from);

  // What follows a word. A send waits until the other receives. Where that other may be gone,
  // `meanwhile` is called, again and again.
  void send_bytes(int to, std::span<const std::byte> bytes);
  std::vector<std::byte> receive_bytes(int from, FunctionRef<void()> meanwhile);

  /// The next message of a scheme by `from`, which may be MPI_ANY_SOURCE, if one is there.
  std::optional<Matched> match(int from);
  /// REQUIRES: as many bytes as the message has.
  void receive(Matched& matched, std::span<std::byte> into, FunctionRef<void()> meanwhile);

  /// Gives way to whoever shares this core; `round` counts the rounds of one wait, from 0.
  void relax(std::uint64_t round) const;

 private:
  void gather_hosts();
  void finish(MPI_Message& message, std::span<std::byte> into, FunctionRef<void()> meanwhile);

  MPI_Comm messages_ = MPI_COMM_NULL, control_ = MPI_COMM_NULL, host_ = MPI_COMM_NULL,
           workers_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, rank_on_host_ = 0, size_of_host_ = 1;
  std::vector<std::string> hosts_;
  bool cores_are_shared_ = false;
};

/// The count of an MPI call. Throws RunError beyond what MPI counts: 2 GiB.
int count_of(std::size_t bytes);

}  // namespace trainyard::mpi
