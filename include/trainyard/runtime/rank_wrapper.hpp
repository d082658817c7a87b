// A rank that passes everything on to another one. What stands between a program and its rank
// derives from it and overrides what it changes: a fault on the way of a message, a count.
//
//   class Deaf final : public RankWrapper {
//     using RankWrapper::RankWrapper;
//     std::optional<Message> poll_any() override { return {}; }
//   };
//
// A run is given it by RunHooks::wrap. Sending is post(), whatever the message carries, and lend().
//
// Threads: as of the rank inside, whose thread alone calls it.
#pragma once

#include "trainyard/runtime/rank.hpp"

namespace trainyard {

class RankWrapper : public Rank {
 public:
  /// `inside` outlives it.
  explicit RankWrapper(Rank& inside) : RankWrapper(inside, inside.servers()) {}

  Message receive(int from) override { return inside_.receive(from); }
  std::uint64_t receive_into(int from, Vector into) override {
    return inside_.receive_into(from, into);
  }
  void receive_add(int from, Vector sum) override { inside_.receive_add(from, sum); }
  bool await_message() override { return inside_.await_message(); }
  std::optional<Message> receive_any() override { return inside_.receive_any(); }
  std::optional<Message> poll(int from) override { return inside_.poll(from); }
  std::optional<Message> poll_any() override { return inside_.poll_any(); }
  void lend(int to, ConstVector payload) override { inside_.lend(to, payload); }
  void reclaim(bool in_distress) noexcept override { inside_.reclaim(in_distress); }
  void barrier() override { inside_.barrier(); }

  void begin() override { inside_.begin(); }
  Time now() override { return inside_.now(); }
  Duration blocked() const override { return inside_.blocked(); }
  void compute(const ComputeCost& cost, FunctionRef<void()> work) override {
    inside_.compute(cost, work);
  }
  bool compute_serving(const ComputeCost& cost, FunctionRef<void()> work,
                       FunctionRef<bool(Message&)> serve) override {
    return inside_.compute_serving(cost, work, serve);
  }
  void stand_still(FunctionRef<void()> inspect) override { inside_.stand_still(inspect); }
  RankAccount traffic_of_all() const override { return inside_.traffic_of_all(); }
  void end_at(Time when) override { inside_.end_at(when); }

 protected:
  /// The program knows only the first `servers` of the servers.
  RankWrapper(Rank& inside, int servers)
      : RankWrapper(inside, inside.rank(), inside.workers(), servers) {}
  /// The program knows the ranks by other numbers.
  RankWrapper(Rank& inside, int rank, int workers, int servers)
      : Rank(rank, workers, servers, inside.network()), inside_(inside) {}

  void post(int to, std::span<const std::byte> bytes, Payload payload, std::uint64_t tag) override {
    Communicator& inside = inside_;
    inside.post(to, bytes, payload, tag);
  }

 private:
  Rank& inside_;
};

}  // namespace trainyard
