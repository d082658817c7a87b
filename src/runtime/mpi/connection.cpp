#include "runtime/mpi/connection.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <sched.h>

#include "trainyard/base/error.hpp"
#include "trainyard/hardware/processor_quota.hpp"

namespace trainyard::mpi {

namespace {

constexpr int word_tag = 0, bytes_tag = 1;
/// A process that shares its core gives it away after so many looks, 0.1 µs each.
constexpr std::uint64_t rounds_of_spinning = 20;
/// What a message holds has an end, 2 GiB, and a receiver is to notice when no more comes.
constexpr std::size_t bytes_of_piece = std::size_t{1} << 20U;

Matched matched_of(MPI_Message message, const MPI_Status& status) {
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  return {message, status.MPI_SOURCE, status.MPI_TAG, static_cast<std::size_t>(bytes)};
}

}  // namespace

int count_of(std::size_t bytes) {
  if (bytes > INT_MAX) {
    throw RunError(fmt::format("a message of {} bytes is more than MPI counts (2^31 - 1)", bytes));
  }
  return static_cast<int>(bytes);
}

Connection::Connection() {
  MPI_Comm_dup(MPI_COMM_WORLD, &messages_);
  MPI_Comm_dup(MPI_COMM_WORLD, &start_);
  MPI_Comm_dup(MPI_COMM_WORLD, &control_);
  MPI_Comm_rank(messages_, &rank_);
  MPI_Comm_size(messages_, &size_);
  ranks_ = size_;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host_);
  MPI_Comm_rank(host_, &rank_on_host_);
  MPI_Comm_size(host_, &size_of_host_);
  gather_hosts();
  cores_are_shared_ = !has_core_for_each(
      size_of_host_, static_cast<int>(std::thread::hardware_concurrency()), processor_quota());
}

Connection::~Connection() {
  window_.reset();  // by its communicator, which goes below
  for (MPI_Comm* made : {&workers_, &emulation_}) {
    if (*made != MPI_COMM_NULL) MPI_Comm_free(made);
  }
  MPI_Comm_free(&host_);
  MPI_Comm_free(&control_);
  MPI_Comm_free(&start_);
  MPI_Comm_free(&messages_);
}

void Connection::divide(int workers, int ranks) {
  require(ranks == size_ || ranks == size_ - 1, "processes are ranks, or the switch");
  ranks_ = ranks;
  if (has_switch() && emulation_ == MPI_COMM_NULL) MPI_Comm_dup(MPI_COMM_WORLD, &emulation_);
  if (workers_ != MPI_COMM_NULL) MPI_Comm_free(&workers_);
  MPI_Comm_split(messages_, rank_ < workers ? 0 : rank_ < ranks ? 1 : 2, rank_, &workers_);
}

void Connection::gather_hosts() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  std::vector<char> all(name.size() * static_cast<std::size_t>(size_));
  MPI_Allgather(name.data(), count_of(name.size()), MPI_CHAR, all.data(), count_of(name.size()),
                MPI_CHAR, control_);
  for (int r = 0; r < size_; ++r) {
    hosts_.names.emplace_back(all.data() + name.size() * static_cast<std::size_t>(r));
  }
  int first = rank_;
  MPI_Bcast(&first, 1, MPI_INT, 0, host_);
  hosts_.firsts.resize(static_cast<std::size_t>(size_));
  MPI_Allgather(&first, 1, MPI_INT, hosts_.firsts.data(), 1, MPI_INT, control_);
}

std::vector<std::span<std::byte>> Connection::share_memory(std::span<const MemoryShare> shares) {
  window_.reset();
  if (shares.empty()) return {};
  heard_ = 0;
  window_.emplace(host_, hosts_, rank_, shares);
  return window_->shares();
}

std::string Connection::hosts_text() const {
  const std::set<std::string> different(hosts_.names.begin(), hosts_.names.end());
  return different.size() == 1 ? hosts_.names.front() : fmt::format("{} hosts", different.size());
}

int Connection::first_of_all(bool says) {
  const int own = says ? rank_ : size_;
  int first = size_;
  MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, control_);
  return first;
}

void Connection::take_from_first(std::uint64_t& number) {
  MPI_Bcast(&number, 1, MPI_UINT64_T, 0, control_);
}

/// A blocking broadcast would spin for as long as the first one reads, on the cores it reads with.
std::vector<std::byte> Connection::from_first_of_host(std::vector<std::byte> bytes) {
  const auto broadcast = [&](void* data, std::size_t size) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(data, count_of(size), MPI_BYTE, 0, host_, &request);
    int done = 0;
    for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); done == 0;
         MPI_Test(&request, &done, MPI_STATUS_IGNORE)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);  // is over
  };
  std::uint64_t size = bytes.size();
  broadcast(&size, sizeof size);
  bytes.resize(size);
  if (size > 0) broadcast(bytes.data(), bytes.size());
  return bytes;
}

void Connection::tell(int to, const Control& control) {
  publish_memory();
  // 72 bytes are sent eagerly: it returns at once.
  MPI_Send(&control, sizeof control, MPI_BYTE, to, word_tag, control_);
  if (window_ && window_->counts_words()) window_->count_word_to(to);
}

/// Whether a word may be on its way to this process. Who shares a model asks at every step, of 100
/// ns, and MPI takes as long to say no.
bool Connection::is_told() const {
  return !window_ || !window_->counts_words() || window_->words_to_this() != heard_;
}

std::optional<Connection::Told> Connection::hear(int from) {
  if (!is_told()) return std::nullopt;
  int there = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  MPI_Improbe(from, word_tag, control_, &there, &message, &status);
  if (there == 0) return std::nullopt;
  Told told{.from = status.MPI_SOURCE};
  MPI_Mrecv(&told.control, sizeof told.control, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  ++heard_;
  publish_memory();
  return told;
}

void Connection::send_bytes(int to, std::span<const std::byte> bytes) {
  MPI_Send(bytes.data(), count_of(bytes.size()), MPI_BYTE, to, bytes_tag, control_);
}

Matched Connection::await_bytes(int from, FunctionRef<void()> meanwhile) {
  int there = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  for (std::uint64_t round = 0;; ++round) {
    MPI_Improbe(from, bytes_tag, control_, &there, &message, &status);
    if (there != 0) return matched_of(message, status);
    meanwhile();
    relax(round);
  }
}

std::vector<std::byte> Connection::receive_bytes(int from, FunctionRef<void()> meanwhile) {
  Matched matched = await_bytes(from, meanwhile);
  std::vector<std::byte> bytes(matched.bytes);
  finish(matched.message, bytes, meanwhile);
  return bytes;
}

/// The first piece says how many bytes follow.
void Connection::send_in_pieces(int to, std::span<const std::byte> bytes) {
  const std::uint64_t size = bytes.size();
  send_bytes(to, std::as_bytes(std::span(&size, 1)));
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), bytes_of_piece));
    send_bytes(to, piece);
    bytes = bytes.subspan(piece.size());
  }
}

std::vector<std::byte> Connection::receive_in_pieces(int from, FunctionRef<void()> meanwhile,
                                                     FunctionRef<void()> came) {
  const auto receive_piece = [&](std::span<std::byte> into) {
    Matched matched = await_bytes(from, meanwhile);
    receive(matched, into, meanwhile);
    came();
  };
  std::uint64_t size = 0;
  receive_piece(std::as_writable_bytes(std::span(&size, 1)));
  std::vector<std::byte> bytes(size);
  std::span<std::byte> left(bytes);
  while (!left.empty()) {
    const auto piece = left.first(std::min(left.size(), bytes_of_piece));
    receive_piece(piece);
    left = left.subspan(piece.size());
  }
  return bytes;
}

std::optional<Matched> Connection::match(int from) {
  int there = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  MPI_Improbe(from, MPI_ANY_TAG, messages_, &there, &message, &status);
  if (there == 0) return std::nullopt;
  return matched_of(message, status);
}

void Connection::begin_to_receive(Matched& matched, std::span<std::byte> into,
                                  MPI_Request& request) {
  require(into.size() == matched.bytes, "a message is received into as much as was sent");
  MPI_Imrecv(into.data(), count_of(into.size()), MPI_BYTE, &matched.message, &request);
}

void Connection::receive(Matched& matched, std::span<std::byte> into,
                         FunctionRef<void()> meanwhile) {
  require(into.size() == matched.bytes, "a message is received into as much as was sent");
  finish(matched.message, into, meanwhile);
}

/// A blocking receive would never return where the sender is killed on the way: of a long message
/// the first part alone is there when it is matched.
void Connection::finish(MPI_Message& message, std::span<std::byte> into,
                        FunctionRef<void()> meanwhile) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Imrecv(into.data(), count_of(into.size()), MPI_BYTE, &message, &request);
  int done = 0;
  for (std::uint64_t round = 0;; ++round) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    meanwhile();
    relax(round);
  }
}

void Connection::pass(int to, Record kind, std::span<const std::byte> record) {
  const auto has_left = [](Passed& one) {
    int done = 0;
    MPI_Test(&one.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  };
  while (!passed_.empty() && has_left(passed_.front())) passed_.pop_front();
  passed_.push_back({});
  auto& bytes = passed_.back().bytes;
  require(record.size() <= bytes.size(), "a record is a few words");
  std::ranges::copy(record, bytes.begin());
  // Not MPI_Send: to one that computes, OpenMPI lets 80 wait, and then the sender.
  MPI_Isend(bytes.data(), count_of(record.size()), MPI_BYTE, to, static_cast<int>(kind), emulation_,
            &passed_.back().request);
}  // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): the next call tests it

bool Connection::drop_records() {
  if (!has_switch()) return true;
  int there = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  while (true) {
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, emulation_, &there, &message, &status);
    if (there == 0) break;
    std::array<std::byte, sizeof(Passed::bytes)> unread;
    MPI_Mrecv(unread.data(), unread.size(), MPI_BYTE, &message, MPI_STATUS_IGNORE);
  }
  return std::ranges::all_of(passed_, [](Passed& one) {
    int done = 0;
    MPI_Test(&one.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
}

std::optional<int> Connection::take(int from, Record kind, std::span<std::byte> record) {
  int there = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  MPI_Improbe(from, static_cast<int>(kind), emulation_, &there, &message, &status);
  if (there == 0) return std::nullopt;
  MPI_Mrecv(record.data(), count_of(record.size()), MPI_BYTE, &message, MPI_STATUS_IGNORE);
  return status.MPI_SOURCE;
}

void Connection::relax(std::uint64_t round) const {
  if (cores_are_shared_ && round >= rounds_of_spinning) sched_yield();
}

}  // namespace trainyard::mpi
