// The switch of an emulated network as processes share it: a process of its own, beyond the ranks.
//
// Senders tell it what they post and when, and it tells each receiver when the message arrives; the
// messages themselves do not pass it. It works the same logical switch that the other runtimes
// work (network/switch.hpp), so two ports are held together and queues are first come, first
// served, whoever else computes: had each pair to agree between themselves on when both their
// ports are free, a message would start only when both processes happen to look up.
//
// What is posted is known here a message's real time later, 1 µs within a host, and when it arrives
// is known there another one later. Times are those of the posting, so an arrival is late by
// neither, unless the message takes less than both together. What was posted earlier than something
// that has happened is posted when that happened, and by how much that was later is kept.
//
// Threads: the main one of that process.
#pragma once

#include <vector>

#include "trainyard/network/switch.hpp"

#include "runtime/mpi/emulation.hpp"
#include "runtime/mpi/member.hpp"

namespace trainyard::mpi {

class SwitchProcess {
 public:
  /// All outlive it.
  SwitchProcess(Connection& connection, Member& member, const RuntimeSetup& setup);
  /// Until all ranks have ended.
  void run();

 private:
  void start();
  bool hear();
  void let_happen_until(Time present);
  void announce(const Transfer& transfer);

  Connection& connection_;
  Member& member_;
  const Begun& begun_;
  Switch switch_;
  Time worked_at_{0};  // what happened last, or was posted last
  std::vector<Posted> batch_;
};

}  // namespace trainyard::mpi
