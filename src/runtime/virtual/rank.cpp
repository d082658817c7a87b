// The verbs of a rank under simulated time.
#include <algorithm>
#include <utility>

#include "trainyard/base/error.hpp"
#include "trainyard/runtime/trace.hpp"

#include "runtime/accounting.hpp"
#include "runtime/virtual/world.hpp"

namespace trainyard {

VirtualRank::VirtualRank(VirtualWorld& world, int rank, const std::function<void(Rank&)>& program)
    : Rank(rank, world.setup_.workers, world.setup_.servers, world.setup_.network),
      world_(world),
      fiber_(
          [this, &program] {
            try {
              program(*this);
            } catch (const RunAborted&) {
              // Another rank failed, and its failure is the one to report.
            }
          },
          world.home_, world.stacks_.at(static_cast<std::size_t>(rank)),
          static_cast<std::size_t>(rank)) {}

[[gnu::flatten]] void VirtualRank::post(int to, std::span<const std::byte> bytes, Payload payload,
                                        std::uint64_t tag) {
  require(to >= 0 && to < size() && to != rank(), "a message goes to another rank");
  Envelope* envelope = world_.take_envelope();
  envelope->from = rank();
  envelope->to = to;
  envelope->tag = tag;
  envelope->payload = payload;
  envelope->fill(bytes);
  count_sent(account_, world_.setup_.network, world_.switch_.links(), rank(), to, bytes.size());
  world_.post(envelope);
}

Envelope* VirtualRank::counted(Envelope* envelope) {
  if (envelope != nullptr) {
    count_received(account_, world_.setup_.network, world_.switch_.links(), envelope->from, rank(),
                   envelope->size);
  }
  return envelope;
}

/// The oldest message that has arrived from that rank, or from anyone; nullptr when there is none.
Envelope* VirtualRank::take(int from) {
  return counted(from == anybody ? arrived_.take_oldest() : arrived_.take_oldest_from(from));
}

/// Blocks until another rank does what this one waits for.
void VirtualRank::block(const char* on) {
  const Time since = world_.now_;
  blocked_on_ = on;
  world_.leave(*this);
  if (!world_.aborted_) return;
  charge(since, Time::max(), Time::max());
  throw RunAborted{};
}

/// It is at its own work meanwhile.
void VirtualRank::work_until_woken(const char* on) {
  blocked_on_ = on;
  world_.leave(*this);
  if (world_.aborted_) throw RunAborted{};
}

/// It was blocked until now, for a message that held the ports over [start, end].
void VirtualRank::charge(Time since, Time start, Time end) {
  charge_blocked(account_, since, world_.now_, start, end);
  if (TraceRecorder* recorder = world_.setup_.recorder) {
    recorder->blocked(rank(), since, world_.now_, start, end);
  }
}

[[gnu::flatten]] Message VirtualRank::receive(int from) {
  require(from >= 0 && from < size() && from != rank(), "a message comes from another rank");
  Envelope* envelope = take(from);
  if (envelope == nullptr) {
    const Time since = world_.now_;
    waits_for_ = from;
    block("a message");
    envelope = counted(handed_over_);
    charge(since, envelope->start, envelope->end);
  }
  return {envelope, &world_};
}

bool VirtualRank::await_message() {
  if (arrived_.oldest() != nullptr) return true;
  const Time since = world_.now_;
  waits_for_ = anybody;
  block("a message");
  if (arrived_.oldest() == nullptr) {
    charge(since, Time::max(), Time::max());
    return false;
  }
  charge(since, arrived_.oldest()->start, arrived_.oldest()->end);
  return true;
}

std::optional<Message> VirtualRank::receive_any() {
  if (!await_message()) return std::nullopt;
  return Message(take(anybody), &world_);
}

std::optional<Message> VirtualRank::poll(int from) {
  Envelope* envelope = take(from);
  if (envelope == nullptr) return std::nullopt;
  return Message(envelope, &world_);
}

std::optional<Message> VirtualRank::poll_any() {
  return poll(anybody);
}

void VirtualRank::barrier() {
  const Time since = world_.now_;
  world_.meet_at_barrier(rank());
  block("the others at a barrier");
  charge(since, Time::max(), Time::max());
}

void VirtualRank::begin() {
  world_.meet(world_.at_begin_, size(), rank());
  block("the others to begin");
}

Time VirtualRank::now() {
  return world_.now_;
}

void VirtualRank::begin_work(FunctionRef<void()> work, Time ends) {
  task_due_ = ends;
  task_.start(work);
}

/// On the thread's own stack (see stand_still()).
void VirtualRank::finish_work() {
  task_due_ = Time::max();
  task_.finish();
}

void VirtualRank::compute(const ComputeCost& cost, FunctionRef<void()> work) {
  // Before the task is started: what throws here must not leave a task behind that works on this
  // stack.
  const Time ends = checked_sum(checked_sum(world_.now_, cost.simulated), cost.pause);
  if (cost.reads_shared) {
    work();
  } else {
    begin_work(work, ends);
  }
  world_.wake(ends, rank());
  work_until_woken("the end of its computation");
}

bool VirtualRank::compute_serving(const ComputeCost& cost, FunctionRef<void()> work,
                                  FunctionRef<bool(Message&)> serve) {
  const Time ends = checked_sum(checked_sum(world_.now_, cost.simulated), cost.pause);
  begin_work(work, ends);
  world_.wake(ends, rank());
  bool goes_on = true;
  try {
    do {
      while (goes_on && world_.now_ < ends) {
        auto message = poll_any();
        if (!message) break;
        goes_on = serve(*message);
      }
      if (!goes_on) break;
      waits_for_ = anybody;
      work_until_woken("the end of its computation, or a message");
      waits_for_ = nobody;
    } while (world_.now_ < ends);
  } catch (...) {
    finish_work();  // it works on this stack
    throw;
  }
  if (!goes_on) {
    world_.forget_wake(rank());
    finish_work();
  }
  return goes_on;
}

void VirtualRank::stand_still(FunctionRef<void()> inspect) {
  // Done by the scheduler, on the thread's own large stack: evaluation uses oneTBB, and a wait
  // inside oneTBB may pile other tasks on top of the stack it is called on.
  world_.inspection_ = &inspect;
  fiber_.go_to(world_.home_);
  if (world_.aborted_) throw RunAborted{};
}

void VirtualRank::end_at(Time when) {
  world_.ends_at_ = std::min(when, world_.setup_.ends_at);
}

RankAccount VirtualRank::traffic_of_all() const {
  return total_traffic(world_.accounts());
}

}  // namespace trainyard
