#include "runtime/mpi/rank.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/runtime/mpi.hpp"

#include "runtime/accounting.hpp"
#include "runtime/serving.hpp"

namespace trainyard::mpi {

namespace {

/// Shorter ones are copied: MPI copies them anyway, and the copy need not be waited for.
constexpr std::size_t least_loan = std::size_t{16} << 10U;
constexpr Duration longest_sleep = std::chrono::microseconds(200);
/// An all-reduce that not all have entered comes to a halt within a message time or two.
constexpr std::chrono::milliseconds until_stalled{200};

}  // namespace

MpiRank::MpiRank(Connection& connection, Member& member, Mail& mail, const RuntimeSetup& setup)
    : Rank(connection.rank(), setup.workers, setup.servers, setup.network),
      connection_(connection),
      member_(member),
      mail_(mail),
      links_(setup.network, setup.workers, setup.servers, setup.hosts),
      setup_(setup) {}

void MpiRank::count_sent_to(int to, std::size_t bytes) {
  require(to >= 0 && to < size() && to != rank(), "a message goes to another rank");
  count_sent(member_.account(), setup_.network, links_, rank(), to, bytes);
}

void MpiRank::post(int to, std::span<const std::byte> bytes, Payload payload, std::uint64_t tag) {
  count_sent_to(to, bytes.size());
  mail_.send(to, bytes, payload, tag);
}

void MpiRank::lend(int to, ConstVector payload) {
  if (payload.bytes().size() < least_loan) {
    send(to, payload);
    return;
  }
  count_sent_to(to, payload.bytes().size());
  mail_.lend(to, payload.bytes(), payload_of(payload.scalar()));
}

/// Also where this rank fails: what was lent is read from memory that goes with it. The others end
/// their programs then, and receive what is left (Mail::drain()); so does this one, as another may
/// have lent to it and wait in the same place.
void MpiRank::reclaim(bool in_distress) noexcept {
  if (mail_.is_reclaimed()) return;
  const Time since = now();
  try {
    if (in_distress && !member_.is_given_up()) member_.tell(Word::fails);
    for (std::uint64_t round = 0; !mail_.is_reclaimed(); ++round) {
      member_.listen_now_and_then(round);
      if (in_distress) drain_as_far_as_it_fits();
      connection_.relax(round);
    }
  } catch (const RankLost&) {
    // A rank that is gone reads nothing any more, and the next verb that waits or computes throws
    // it again.
    return;
  }
  charge_blocked(member_.account(), since, now(), Time::max(), Time::max());
}

/// Messages that do not fit now will fit when this rank's program has given its memory back.
void MpiRank::drain_as_far_as_it_fits() {
  try {
    mail_.drain();
  } catch (const std::bad_alloc&) {
    return;
  }
}

Matched MpiRank::await_from(int from) {
  require(from >= 0 && from < size() && from != rank(), "a message comes from another rank");
  std::optional<Matched> matched;
  member_.await([&] {
    matched = mail_.match(from);
    return matched.has_value() || mail_.has_ended(from);
  });
  if (matched) return *matched;
  throw_hang(from);
}

void MpiRank::throw_hang(int from) const {
  throw InternalError(fmt::format(
      "the run hangs: rank {} waits for a message from rank {}, which has ended", rank(), from));
}

Message MpiRank::receive(int from) {
  return counted(mail_.take(await_from(from)));
}

std::uint64_t MpiRank::receive_into(int from, Vector into) {
  const Matched matched = await_from(from);
  count_received_from(from, into.bytes().size());
  return mail_.take_into(matched, into);
}

Message MpiRank::counted(Message message) {
  count_received_from(message.from(), message.bytes().size());
  return message;
}

void MpiRank::count_received_from(int from, std::size_t bytes) {
  count_received(member_.account(), setup_.network, links_, from, rank(), bytes);
}

/// Every worker has ended: as in `wall`, a server may then take what is there, and ends.
bool MpiRank::nobody_sends() const {
  return mail_.workers_ended(workers()) == workers();
}

bool MpiRank::await_message() {
  member_.attend();
  member_.await([&] { return mail_.has_any() || nobody_sends(); });
  return mail_.has_any();
}

std::optional<Message> MpiRank::receive_any() {
  if (!await_message()) return std::nullopt;
  return counted(mail_.take(*mail_.match(MPI_ANY_SOURCE)));
}

std::optional<Message> MpiRank::poll(int from) {
  member_.attend();
  const auto matched = mail_.match(from);
  if (!matched) return std::nullopt;
  return counted(mail_.take(*matched));
}

std::optional<Message> MpiRank::poll_any() {
  return poll(MPI_ANY_SOURCE);
}

void MpiRank::barrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(connection_.workers(), &request);
  finish(request);
}

void MpiRank::finish(MPI_Request& request) {
  member_.await([&] {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
}

/// Polled, so that this rank still stands still and still learns of a failure: one that has ended
/// would keep a blocking call for ever.
void MpiRank::all_reduce_sum(Vector vector) {
  if (workers() == 1) return;
  member_.attend();
  const std::size_t bytes = vector.bytes().size();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, vector.data(), count_of(vector.size()),
                 vector.scalar() == Scalar::float32 ? MPI_FLOAT : MPI_DOUBLE, MPI_SUM,
                 connection_.workers(), &request);
  RankAccount& account = member_.account();
  ++account.messages_sent;
  account.bytes_sent += bytes;
  try {
    finish(request);
  } catch (const RunAborted&) {
    let_stall(request);
    throw;
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);  // is over
  ++account.messages_received;
  account.bytes_received += bytes;
}

/// Lets an all-reduce stall that a failed rank will never enter. It cannot be cancelled, and
/// whatever of the others' parts still comes is written into the vector, which goes with this
/// rank's program.
void MpiRank::let_stall(MPI_Request request) const {
  const auto until = std::chrono::steady_clock::now() + until_stalled;
  for (std::uint64_t round = 0; std::chrono::steady_clock::now() < until; ++round) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    connection_.relax(round);
  }
}

/// Waits for all processes.
void MpiRank::enter_start() {
  connection_.publish_memory();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(connection_.start(), &request);
  finish(request);
  connection_.publish_memory();
}

RankAccount MpiRank::account_before() const {
  const auto& accounts = setup_.begun.accounts;
  return accounts.empty() ? RankAccount{} : accounts[static_cast<std::size_t>(rank())];
}

void MpiRank::begin() {
  enter_start();
  member_.account() = account_before();
  member_.start_clock(began_ns(setup_.begun));
}

void MpiRank::compute(const ComputeCost& cost, FunctionRef<void()> work) {
  member_.attend();
  const Time began = now();
  work();
  if (cost.slowdown <= 1.0 && cost.pause.count() == 0) return;
  sleep_until(checked_sum(checked_sum(began, scaled(now() - began, cost.slowdown)), cost.pause));
}

bool MpiRank::compute_serving(const ComputeCost& cost, FunctionRef<void()> work,
                              FunctionRef<bool(Message&)> serve) {
  return compute_then_serve(
      *this, cost, work, serve, longest_sleep, [this](Time moment) { sleep_until(moment); },
      [this] { return member_.is_interrupted(); });
}

/// Computing, as far as anybody is told: a straggler, or a pause.
void MpiRank::sleep_until(Time moment) {
  while (true) {
    member_.attend();
    const Duration left = moment - now();
    if (left <= Duration::zero() || member_.is_interrupted()) return;
    std::this_thread::sleep_for(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::min(left, longest_sleep)));
  }
}

RankAccount MpiRank::traffic_of_all() const {
  return total_traffic({member_.account()});
}

}  // namespace trainyard::mpi

namespace trainyard {

void mpi_all_reduce_sum(Communicator& comm, Vector vector) {
  auto* rank = dynamic_cast<mpi::MpiRank*>(&comm);
  if (rank == nullptr) {
    throw UsageError(
        "the MPI library's all-reduce is one of all workers, and this is one of a group of them");
  }
  if (rank->is_emulated()) {
    throw UsageError("the MPI library's all-reduce does not go over the network that is emulated");
  }
  rank->all_reduce_sum(vector);
}

}  // namespace trainyard
