// The verbs of a rank that is a process, over the network that there is. EmulatedRank
// (emulated_rank.hpp) has those that an emulated one changes.
//
// Threads: the main one.
#pragma once

#include <optional>
#include <span>

#include "trainyard/base/error.hpp"
#include "trainyard/network/links.hpp"
#include "trainyard/runtime/rank.hpp"

#include "runtime/mpi/mail.hpp"
#include "runtime/mpi/member.hpp"

namespace trainyard::mpi {

class MpiRank : public Rank {
 public:
  /// All outlive it. Called by all.
  MpiRank(Connection& connection, Member& member, Mail& mail, const RuntimeSetup& setup);

  void post(int to, std::span<const std::byte> bytes, Payload payload, std::uint64_t tag) override;
  void lend(int to, ConstVector payload) override;
  void reclaim(bool in_distress) noexcept override;
  Message receive(int from) override;
  std::uint64_t receive_into(int from, Vector into) override;
  bool await_message() override;
  std::optional<Message> receive_any() override;
  std::optional<Message> poll(int from) override;
  std::optional<Message> poll_any() override;
  void barrier() override;
  /// See mpi_all_reduce_sum().
  void all_reduce_sum(Vector vector);
  bool is_emulated() const { return connection_.has_switch(); }

  void begin() override;
  Time now() override { return member_.now(); }
  Duration blocked() const override { return member_.account().transfer + member_.account().wait; }
  void compute(const ComputeCost& cost, FunctionRef<void()> work) override;
  bool compute_serving(const ComputeCost& cost, FunctionRef<void()> work,
                       FunctionRef<bool(Message&)> serve) override;
  /// Inspects this process alone: the memory of others is out of reach.
  void stand_still(FunctionRef<void()> inspect) override { inspect(); }
  RankAccount traffic_of_all() const override;
  void end_at(Time) override { throw InternalError("processes end together, by the coordinator"); }

 protected:
  Message counted(Message message);
  void enter_start();
  /// What it has done in other legs.
  RankAccount account_before() const;
  void finish(MPI_Request& request);
  void sleep_until(Time moment);
  bool nobody_sends() const;
  void count_sent_to(int to, std::size_t bytes);
  [[noreturn]] void throw_hang(int from) const;

  Connection& connection_;
  Member& member_;
  Mail& mail_;
  const Links links_;

 private:
  void drain_as_far_as_it_fits();
  Matched await_from(int from);
  void count_received_from(int from, std::size_t bytes);
  void let_stall(MPI_Request request) const;

  const RuntimeSetup& setup_;
};

}  // namespace trainyard::mpi
