// MPI as the runtime uses it: two communicators, so that what coordinates a run is never taken for
// what a scheme sends, and what is asked of MPI in one place.
//
// Threads: the main one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "trainyard/base/function_ref.hpp"
#include "trainyard/runtime/processes.hpp"

#include "runtime/mpi/control.hpp"
#include "runtime/mpi/shared_window.hpp"

namespace trainyard::mpi {

/// A message that is there, and not received yet. No other receive can take it.
struct Matched {
  MPI_Message message = MPI_MESSAGE_NULL;
  int from = 0, tag = 0;
  std::size_t bytes = 0;
};

/// The messages between ranks and the switch of an emulated network (emulation.hpp, clocks.hpp).
enum class Record : int { clock, posted, started };

class Connection {
 public:
  /// REQUIRES: MPI is initialised. Called by all.
  Connection();
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  const std::string& host(int rank) const { return hosts_.names[static_cast<std::size_t>(rank)]; }
  /// "host-a", "4 hosts".
  std::string hosts_text() const;
  /// Called by all: the first rank that says true; size(): none does.
  int first_of_all(bool says);
  /// Called by all: `number` becomes what it is in rank 0.
  void take_from_first(std::uint64_t& number);
  const Hosts& hosts() const { return hosts_; }
  int size_of_host() const { return size_of_host_; }
  int rank_on_host() const { return rank_on_host_; }
  /// Called by all of this host: the bytes of the first of them, for which the others sleep.
  std::vector<std::byte> from_first_of_host(std::vector<std::byte> bytes);
  /// More processes are on this host than it has cores.
  bool cores_are_shared() const { return cores_are_shared_; }
  MPI_Comm messages() const { return messages_; }
  /// For the one barrier that begins a run: a rank that fails before it never enters.
  MPI_Comm start() const { return start_; }
  /// Called by all, and waits for all: the first `ranks` processes are the ranks of a scheme, and
  /// of them the first `workers` its workers. One more is the switch of an emulated network.
  void divide(int workers, int ranks);
  /// Implements Processes::share_memory().
  std::vector<std::span<std::byte>> share_memory(std::span<const MemoryShare> shares);
  /// Before the processes come together, and after.
  void publish_memory() const {
    if (window_) window_->publish();
  }
  /// The window of share_memory(); nullptr where it gave none.
  const SharedWindow* window() const { return window_ ? &*window_ : nullptr; }
  /// REQUIRES: divide().
  int ranks() const { return ranks_; }
  bool has_switch() const { return size_ > ranks_; }
  bool is_switch() const { return rank_ == ranks_; }
  int switch_rank() const { return ranks_; }
  /// The communicator of the workers, the servers or the switch, whichever this process is one of.
  /// REQUIRES: divide().
  MPI_Comm workers() const { return workers_; }

  /// Returns at once; what is told is delivered in order. Who hears it sees what this process has
  /// written to shared memory before.
  void tell(int to, const Control& control);
  /// A word to this process from `from`, which may be MPI_ANY_SOURCE.
  struct Told {
    int from = 0;
    Control control{};
  };
  std::optional<Told> hear(int from);

  // The bytes that follow a word. A send waits until the other receives. If that other may be gone,
  // `meanwhile` is called, again and again.
  void send_bytes(int to, std::span<const std::byte> bytes);
  std::vector<std::byte> receive_bytes(int from, FunctionRef<void()> meanwhile);
  /// Any number of bytes. `came` is called after each piece of them.
  void send_in_pieces(int to, std::span<const std::byte> bytes);
  std::vector<std::byte> receive_in_pieces(int from, FunctionRef<void()> meanwhile,
                                           FunctionRef<void()> came);

  /// The next message of a scheme by `from`, which may be MPI_ANY_SOURCE, if one is there.
  std::optional<Matched> match(int from);
  // REQUIRES: as many bytes as the message has.
  /// Returns at once: the bytes are there when the request is done.
  void begin_to_receive(Matched& matched, std::span<std::byte> into, MPI_Request& request);
  void receive(Matched& matched, std::span<std::byte> into, FunctionRef<void()> meanwhile);

  // Small records of fixed size, those of a pair and a kind in order. REQUIRES: there is a switch.
  /// Returns at once, whatever the other does.
  void pass(int to, Record kind, std::span<const std::byte> record);
  /// One by `from`, which may be MPI_ANY_SOURCE, if it is there: by whom.
  std::optional<int> take(int from, Record kind, std::span<std::byte> record);
  /// Forgets what has come and nobody will read. True when nothing of one's own is on its way.
  bool drop_records();

  /// Gives way to whoever shares this core; `round` counts the rounds of one wait, from 0.
  void relax(std::uint64_t round) const;

 private:
  void gather_hosts();
  bool is_told() const;
  Matched await_bytes(int from, FunctionRef<void()> meanwhile);
  void finish(MPI_Message& message, std::span<std::byte> into, FunctionRef<void()> meanwhile);

  /// On its way.
  struct Passed {
    MPI_Request request = MPI_REQUEST_NULL;
    std::array<std::byte, 40> bytes{};
  };

  MPI_Comm messages_ = MPI_COMM_NULL, start_ = MPI_COMM_NULL, control_ = MPI_COMM_NULL,
           host_ = MPI_COMM_NULL, workers_ = MPI_COMM_NULL, emulation_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, ranks_ = 1, rank_on_host_ = 0, size_of_host_ = 1;
  Hosts hosts_;
  std::optional<SharedWindow> window_;
  std::uint64_t heard_ = 0;  // words, since the window is there
  bool cores_are_shared_ = false;
  std::deque<Passed> passed_;
};

/// The count of an MPI call. Throws RunError beyond what MPI counts: 2 GiB.
int count_of(std::size_t bytes);

}  // namespace trainyard::mpi
