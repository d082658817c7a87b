// How workers on threads show one another vectors (runtime/shown.hpp).
//
// A worker that comes to stage s shows entries[s mod 2] of its board, and has read all that was
// shown at earlier stages. So whoever has seen all others at stage s may write what it showed at
// s − 1: the other entry, the other copy, which are those of s + 1. One line of each worker is all
// that is waited for, and nobody acknowledges what it has read but by its next stage.
#include <cstring>

#include "trainyard/base/error.hpp"
#include "trainyard/runtime/shown.hpp"

#include "runtime/accounting.hpp"
#include "runtime/wall/world.hpp"

namespace trainyard {

bool WallRank::shows() const {
  return world_.perfect_;
}

bool WallRank::has_come_to(int worker, std::uint64_t stage) const {
  const Board& board = world_.ranks_[static_cast<std::size_t>(worker)]->board_;
  // acquire: what it shows was written before, and what others showed was read before.
  return board.stage.load(std::memory_order_acquire) >= stage;
}

void WallRank::come_to(std::uint64_t stage) {
  // release: pairs with has_come_to().
  board_.stage.store(stage, std::memory_order_release);
  for (int worker = 0; worker < workers(); ++worker) {
    if (worker != rank()) world_.ranks_[static_cast<std::size_t>(worker)]->ring();
  }
}

void WallRank::show(ConstVector vector, bool copied, NumbersFor numbers_for) {
  // relaxed: its own.
  const std::uint64_t stage = board_.stage.load(std::memory_order_relaxed) + 1;
  ConstVector& entry = board_.entries[stage % 2];
  entry = vector;
  if (copied) {
    const std::span<const std::byte> bytes = vector.bytes();
    require(bytes.size() <= Shown::most_copied, "a copy that is shown is short");
    if (copies_.empty()) copies_ = AlignedBuffer<std::byte>(2 * Shown::most_copied);
    std::byte* const copy = copies_.span().data() + stage % 2 * Shown::most_copied;
    if (!bytes.empty()) std::memcpy(copy, bytes.data(), bytes.size());
    entry = {vector.scalar(), copy, vector.size()};
  }
  shows_in_place_ = !copied;
  const auto count = [&] {
    for (int worker = 0; worker < workers(); ++worker) {
      if (worker == rank()) continue;
      const std::size_t bytes = numbers_for(worker) * bytes_of(vector.scalar());
      count_sent(account_, world_.setup_.network, world_.network_.links(), rank(), worker, bytes);
      if (world_.setup_.recorder != nullptr) record_at_once(worker, bytes);
    }
  };
  // Before it is read, where somebody draws it; else meanwhile.
  const bool is_recorded = world_.setup_.recorder != nullptr;
  if (is_recorded) count();
  come_to(stage);
  gets_on();
  if (!is_recorded) count();
}

ConstVector WallRank::shown_by(int worker, std::size_t first, std::size_t count) {
  // relaxed: its own.
  const std::uint64_t stage = board_.stage.load(std::memory_order_relaxed);
  if (!has_come_to(worker, stage)) {
    const Time since = blocked_from_now();
    wait_until([&] { return has_come_to(worker, stage); }, "what another worker shows", worker);
    charge(since, Time::max(), Time::max());
  }
  const ConstVector whole =
      world_.ranks_[static_cast<std::size_t>(worker)]->board_.entries[stage % 2];
  require(first + count <= whole.size(), "a worker reads what another shows: lengths differ");
  count_received(account_, world_.setup_.network, world_.network_.links(), worker, rank(),
                 count * bytes_of(whole.scalar()));
  return whole.subspan(first, count);
}

/// As with loans, a run that is over ends the wait only when who reads has noticed too. In distress
/// it shows nothing more, so that nobody reads an entry of long ago, and waits even where it showed
/// a copy last: of what it showed in place before, somebody may be reading until he is as far.
void WallRank::hide(bool in_distress) noexcept {
  if (in_distress) give_up();
  if (!shows_in_place_ && !in_distress) return;
  // relaxed: its own.
  std::uint64_t stage = board_.stage.load(std::memory_order_relaxed);
  if (shows_in_place_) ++stage;
  shows_in_place_ = false;
  if (!in_distress) come_to(stage);
  for (int worker = 0; worker < workers(); ++worker) {
    if (worker == rank()) continue;
    const WallRank& other = *world_.ranks_[static_cast<std::size_t>(worker)];
    // acquire: all its reading happened before.
    const auto has_read = [&] {
      return has_come_to(worker, stage) || other.gave_up_.load(std::memory_order_acquire) ||
             other.finished_.load(std::memory_order_acquire);
    };
    if (has_read()) continue;
    if (in_distress) {  // its account was closed when it was
      await_reader(has_read, "another worker to read what it shows", worker);
      continue;
    }
    const Time since = blocked_from_now();
    await_reader(has_read, "another worker to read what it shows", worker);
    charge(since, Time::max(), Time::max());
  }
}

}  // namespace trainyard
