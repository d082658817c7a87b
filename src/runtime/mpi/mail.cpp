#include "runtime/mpi/mail.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "trainyard/base/error.hpp"

namespace trainyard::mpi {

namespace {

// MPI's tag, of which MPICH has 28 bits: two for the payload, one for a tag in front of the bytes,
// and the tag where it fits into the others.
constexpr int in_front = 4, shift = 3;
constexpr std::uint64_t too_large = std::uint64_t{1} << (28 - shift - 1);
constexpr int end_tag = in_front | (1 << shift);

bool fits(std::uint64_t tag) {
  return tag < too_large;
}

int tag_of(Payload payload, std::uint64_t tag) {
  const int kind = static_cast<int>(payload);
  return fits(tag) ? kind | (static_cast<int>(tag) << shift) : kind | in_front;
}

Label label_of(int tag) {
  return {static_cast<Payload>(tag & 3), static_cast<std::uint64_t>(tag >> shift),
          (tag & in_front) != 0};
}

}  // namespace

std::span<std::byte> Mail::room_in(AlignedBuffer<std::byte>& storage, std::size_t bytes) {
  if (bytes > storage.size()) storage = AlignedBuffer<std::byte>(bytes);
  return storage.span().first(bytes);
}

void Mail::send(int to, std::span<const std::byte> bytes, Payload payload, std::uint64_t tag) {
  recycle();
  if (to_send_in_.empty()) to_send_in_.push_back(std::make_unique<Outgoing>());
  std::unique_ptr<Outgoing> out = std::move(to_send_in_.back());
  to_send_in_.pop_back();
  const std::size_t front = fits(tag) ? 0 : sizeof tag;
  const auto room = room_in(out->storage, front + bytes.size());
  if (front != 0) std::memcpy(room.data(), &tag, sizeof tag);
  if (!bytes.empty()) std::memcpy(room.data() + front, bytes.data(), bytes.size());
  MPI_Isend(room.data(), count_of(room.size()), MPI_BYTE, to, tag_of(payload, tag),
            connection_.messages(), &out->request);
  on_their_way_.push_back(std::move(out));
}

/// They mostly leave in the order in which they were posted; one that does not keeps those behind
/// it from being used again only until there are many.
void Mail::recycle() {
  constexpr std::size_t many = 64;
  const auto has_left = [](const std::unique_ptr<Outgoing>& out) {
    int done = 0;
    MPI_Test(&out->request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  };
  while (!on_their_way_.empty() && has_left(on_their_way_.front())) {
    to_send_in_.push_back(std::move(on_their_way_.front()));
    on_their_way_.pop_front();
  }
  if (on_their_way_.size() < many || on_their_way_.size() % many != 0) return;
  std::deque<std::unique_ptr<Outgoing>> left;
  for (auto& out : on_their_way_) {
    if (has_left(out)) {
      to_send_in_.push_back(std::move(out));
    } else {
      left.push_back(std::move(out));
    }
  }
  on_their_way_ = std::move(left);
}

void Mail::lend(int to, std::span<const std::byte> bytes, Payload payload) {
  lent_.push_back(MPI_REQUEST_NULL);
  MPI_Isend(bytes.data(), count_of(bytes.size()), MPI_BYTE, to, tag_of(payload, 0),
            connection_.messages(), &lent_.back());
}

bool Mail::is_reclaimed() {
  if (lent_.empty()) return true;
  int all = 0;
  MPI_Testall(static_cast<int>(lent_.size()), lent_.data(), &all, MPI_STATUSES_IGNORE);
  if (all != 0) lent_.clear();
  return all != 0;
}

void Mail::tell_end() {
  for (int r = 0; r < connection_.ranks(); ++r) {
    if (r == connection_.rank()) continue;
    // No bytes: it leaves at once.
    MPI_Send(nullptr, 0, MPI_BYTE, r, end_tag, connection_.messages());
  }
  ended_[static_cast<std::size_t>(connection_.rank())] = true;
}

std::optional<Matched> Mail::match(int from) {
  if (seen_ && (from == MPI_ANY_SOURCE || seen_->from == from)) {
    return std::exchange(seen_, std::nullopt);
  }
  while (auto matched = connection_.match(from)) {
    if (matched->tag != end_tag) return matched;
    receive(*matched, {});
    ended_[static_cast<std::size_t>(matched->from)] = true;
  }
  return std::nullopt;
}

bool Mail::has_any() {
  if (!seen_) seen_ = match(MPI_ANY_SOURCE);
  return seen_.has_value();
}

int Mail::workers_ended(int workers) const {
  return static_cast<int>(std::count(ended_.begin(), ended_.begin() + workers, true));
}

Message Mail::take(Matched matched) {
  Incoming& in = room_for(matched);
  receive(matched, in.storage.span().first(matched.bytes));
  return message_in(in, matched);
}

Mail::Coming Mail::begin_to_take(Matched matched) {
  Incoming& in = room_for(matched);
  Coming coming{.matched = matched, .delivery = &in};
  connection_.begin_to_receive(coming.matched, in.storage.span().first(matched.bytes),
                               coming.request);
  return coming;
}

bool Mail::is_here(Coming& coming) {
  int done = 0;
  MPI_Test(&coming.request, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

Message Mail::take(const Coming& coming) {
  return message_in(static_cast<Incoming&>(*coming.delivery), coming.matched);
}

std::uint64_t Mail::take_into(Matched matched, Vector into) {
  const Label label = label_of(matched.tag);
  if (label.tag_is_in_front) {
    const Message message = take(matched);
    message.copy_to(into);
    return message.tag();
  }
  require(label.payload == payload_of(into.scalar()) && matched.bytes == into.bytes().size(),
          "a message is received into as much as was sent, in its precision");
  receive(matched,
          std::as_writable_bytes(std::span(static_cast<std::byte*>(into.data()), matched.bytes)));
  return label.tag;
}

Mail::Incoming& Mail::room_for(const Matched& matched) {
  if (to_receive_in_.empty()) {
    incoming_.push_back(std::make_unique<Incoming>());
    to_receive_in_.push_back(incoming_.back().get());
  }
  Incoming& in = *to_receive_in_.back();
  try {
    (void)room_in(in.storage, matched.bytes);
  } catch (const std::bad_alloc&) {
    if (!seen_) seen_ = matched;  // its sender waits until drain() has it
    throw;
  }
  to_receive_in_.pop_back();
  return in;
}

/// Whose bytes are in its storage.
Message Mail::message_in(Incoming& in, const Matched& matched) {
  const Label label = label_of(matched.tag);
  const std::size_t front = label.tag_is_in_front ? sizeof label.tag : 0;
  in.from = matched.from;
  in.payload = label.payload;
  in.tag = label.tag;
  if (front != 0) std::memcpy(&in.tag, in.storage.data(), sizeof in.tag);
  in.data = in.storage.data() + front;
  in.size = matched.bytes - front;
  in.lost = false;
  return {&in, this};
}

/// The rest of a message whose sender is gone never comes; a rank that waits for it still answers.
void Mail::receive(Matched& matched, std::span<std::byte> into) {
  connection_.receive(matched, into, [this] { member_.listen_if_interrupted(); });
}

void Mail::give_back(Delivery* delivery) {
  to_receive_in_.push_back(static_cast<Incoming*>(delivery));
}

bool Mail::drain() {
  while (auto matched = match(MPI_ANY_SOURCE)) take(*matched);
  recycle();
  return on_their_way_.empty() && is_reclaimed();
}

}  // namespace trainyard::mpi
