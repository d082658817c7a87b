// Memory that the processes of a host share: a window of MPI_Win_allocate_shared, of which each
// process has a segment. It begins with a line of counts, and behind that are the shares that are
// the process's own.
//
// Other processes' segments are read and written by load and store. No epoch ever ends: the window
// is locked for all, once, and who publishes what it has written, or goes by what another has
// published, says so (MPI_Win_sync).
//
// Threads: the main one of each process, at the same time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mpi.h>

#include "trainyard/runtime/processes.hpp"

namespace trainyard::mpi {

class SharedWindow {
 public:
  /// Called by all of `host`, of which this process is `rank` of all. Throws RunError where MPI has
  /// no such memory; of OpenMPI the others then wait for ever.
  SharedWindow(MPI_Comm host, const Hosts& hosts, int rank, std::span<const MemoryShare> shares);
  /// Called by all.
  ~SharedWindow();
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;

  /// The bytes of each share; empty where its owner is on another host.
  const std::vector<std::span<std::byte>>& shares() const { return shares_; }
  void publish() const { MPI_Win_sync(window_); }

  // relaxed, all of them: counts that publish nothing.
  /// This process has done so many steps.
  void count_steps(std::uint64_t done) const { own_->steps.store(done, std::memory_order_relaxed); }
  /// All of this host together have.
  std::uint64_t steps_of_all() const;

  /// All processes are on this host, and so count the words (control.hpp) that they tell.
  bool counts_words() const { return counts_.size() == processes_; }
  void count_word_to(int process) const {
    counts_[static_cast<std::size_t>(process)]->words.fetch_add(1, std::memory_order_relaxed);
  }
  std::uint64_t words_to_this() const { return own_->words.load(std::memory_order_relaxed); }

 private:
  /// The counts of a process, in its first line.
  struct Counts {
    std::atomic<std::uint64_t> steps{0}, words{0};
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);  // and so among processes

  void find_shares(const Hosts& hosts, int rank, std::span<const MemoryShare> shares);

  MPI_Win window_ = MPI_WIN_NULL;
  std::size_t processes_;        // of all hosts
  std::vector<Counts*> counts_;  // of each of this host
  Counts* own_ = nullptr;
  std::vector<std::span<std::byte>> shares_;
};

}  // namespace trainyard::mpi
