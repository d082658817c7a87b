// The client's end.
#include "trainyard/collective/key_value.hpp"

#include <algorithm>
#include <cstring>

#include "trainyard/base/error.hpp"
#include "trainyard/base/even_split.hpp"
#include "trainyard/base/hash.hpp"
#include "trainyard/model/kernels.hpp"

#include "collective/key_value_request.hpp"

namespace trainyard {

using key_value::Kind, key_value::number_mask, key_value::Request;

namespace {

std::byte* put(std::byte* at, std::span<const std::byte> bytes) {
  if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
  return at + bytes.size();
}

/// into[i] ← values[keys[i]].
void gather(std::span<const std::uint32_t> keys, ConstVector values, Vector into) {
  with_scalar(values.scalar(), [&]<typename T>(T) {
    const std::span<const T> from = values.as<T>();
    const std::span<T> to = into.as<T>();
    for (std::size_t i = 0; i < keys.size(); ++i) to[i] = from[keys[i]];
  });
}

}  // namespace

KeyValueClient::KeyValueClient(Communicator& comm, std::size_t keys, Coder* coder, int proxies)
    : comm_(comm),
      ranks_(comm, proxies),
      keys_(keys),
      coder_(coder),
      requests_(static_cast<std::size_t>(std::max(0, ranks_.servers)), 0),
      listed_(requests_.size()) {
  require(ranks_.servers > 0, "keys and values need a server");
  require(keys / requests_.size() < number_mask, "so many keys need more servers");
}

/// send(server's rank, first key within its shard, offset within the range, count) for each server
/// that holds some of the range; what it returns is where an answer's values go. Each client begins
/// with another server, so that not all send to the first one at once.
template <typename Send>
Timestamp KeyValueClient::request(std::size_t first, std::size_t count, const Send& send) {
  require(first <= keys_ && count <= keys_ - first, "a range of keys reaches beyond the last");
  const int servers = ranks_.servers, index = comm_.rank() - ranks_.first_client;
  for (int round = 0; round < servers; ++round) {
    const int k = (index + round) % servers;
    const std::size_t shard = even_cut(keys_, k, servers);
    const std::size_t from = std::max(first, shard);
    const std::size_t to = std::min(first + count, even_cut(keys_, k + 1, servers));
    if (from >= to) continue;
    const Vector into = send(rank_of(k), from - shard, from - first, to - from);
    owed(k, into);
  }
  return next_++;
}

Timestamp KeyValueClient::push(std::size_t first, ConstVector values, PushMode mode) {
  const Kind kind = mode == PushMode::add ? Kind::add : Kind::assign;
  return request(first, values.size(),
                 [&](int server, std::size_t key, std::size_t offset, std::size_t count) {
                   send_values(server, values.subspan(offset, count),
                               Request{.kind = kind, .first = key, .count = count}.tag());
                   return Vector{};
                 });
}

void KeyValueClient::send_values(int server, ConstVector values, std::uint64_t tag) {
  if (coder_ == nullptr) {
    comm_.send(server, values, tag);
  } else {
    comm_.send_encoded(server, coder_->encode(values), tag);
  }
}

/// send(server, the first of the keys within its shard, how many are) for each server.
template <typename Send>
void KeyValueClient::for_each_list(std::span<const std::uint32_t> keys, const Send& send) {
  require(keys.empty() || keys.back() < keys_, "a key is beyond the last");
  const int servers = ranks_.servers, index = comm_.rank() - ranks_.first_client;
  for (int round = 0; round < servers; ++round) {
    const int k = (index + round) % servers;
    const auto own = of_server(keys, k);
    send(k, static_cast<std::size_t>(own.data() - keys.data()), own.size());
  }
}

/// The keys that the server holds.
std::span<const std::uint32_t> KeyValueClient::of_server(std::span<const std::uint32_t> keys,
                                                         int server) const {
  const auto below = [&](int k) {
    return std::ranges::lower_bound(keys, even_cut(keys_, k, ranks_.servers));
  };
  return {below(server), below(server + 1)};
}

/// The server owes an answer to what was sent to it last.
void KeyValueClient::owed(int server, Vector into, bool by_keys) {
  open_.push_back({next_, server, requests_[static_cast<std::size_t>(server)]++, into, by_keys});
}

Timestamp KeyValueClient::push_listed(std::span<const std::uint32_t> keys, ConstVector values) {
  require(keys.size() == values.size(), "a value for each key");
  for_each_list(keys, [&](int k, std::size_t from, std::size_t count) {
    if (count == 0) return;
    send_listed(k, keys.subspan(from, count), values.subspan(from, count), {}, false);
    owed(k, {});
  });
  return next_++;
}

Timestamp KeyValueClient::exchange_listed(std::span<const std::uint32_t> keys, ConstVector values,
                                          Vector into, Vector left_out) {
  require(keys.size() == values.size(), "a value for each key");
  require(into.size() == keys_, "all keys are pulled");
  require(left_out.empty() || left_out.size() == values.size(), "what is left out of each value");
  const int servers = ranks_.servers;
  for_each_list(keys, [&](int k, std::size_t from, std::size_t count) {
    if (count == 0) {
      comm_.send_control(rank_of(k), Request{.kind = Kind::pull, .ends_step = true}.tag());
    } else {
      send_listed(k, keys.subspan(from, count), values.subspan(from, count),
                  left_out.empty() ? Vector{} : left_out.subspan(from, count), true);
    }
    const std::size_t first = even_cut(keys_, k, servers);
    owed(k, into.subspan(first, even_cut(keys_, k + 1, servers) - first));
  });
  return next_++;
}

Timestamp KeyValueClient::exchange(ConstVector values, Vector into) {
  require(values.size() == keys_ && into.size() == keys_, "all keys are pushed and pulled");
  return request(0, keys_, [&](int server, std::size_t key, std::size_t offset, std::size_t count) {
    send_values(server, values.subspan(offset, count),
                Request{.kind = Kind::add, .ends_step = true, .first = key, .count = count}.tag());
    return into.subspan(offset, count);
  });
}

void KeyValueClient::send_listed(int server, std::span<const std::uint32_t> keys,
                                 ConstVector values, Vector left_out, bool ends_step) {
  auto& last = listed_[static_cast<std::size_t>(server)];
  const bool is_new = !std::ranges::equal(keys, last);
  if (!left_out.empty()) kernels::set_to_zero(left_out);
  std::span<const std::byte> numbers = values.bytes();
  if (coder_ != nullptr) {
    numbers = left_out.empty() ? coder_->encode(values) : coder_->encode(values, left_out);
  }
  const std::size_t key_bytes = is_new ? keys.size_bytes() : 0;
  wire_.resize(sizeof(std::uint64_t) + key_bytes + numbers.size());
  const std::uint64_t print = fingerprint(std::as_bytes(keys));
  std::memcpy(wire_.data(), &print, sizeof print);
  std::byte* next = wire_.data() + sizeof print;
  if (is_new) {
    std::memcpy(next, keys.data(), key_bytes);
    last.assign(keys.begin(), keys.end());
  }
  std::memcpy(next + key_bytes, numbers.data(), numbers.size());
  comm_.send_encoded(rank_of(server), wire_,
                     Request{.kind = Kind::add,
                             .ends_step = ends_step,
                             .listed = true,
                             .first = Request::list(is_new, {}),
                             .count = keys.size()}
                         .tag());
}

/// The values of the keys, and of which others the pull is that ends the step.
void KeyValueClient::send_asking(int server, std::span<const std::uint32_t> keys,
                                 ConstVector values, std::span<const std::uint32_t> asked) {
  auto& last = listed_[static_cast<std::size_t>(server)];
  const bool is_new = !std::ranges::equal(keys, last);
  const std::span<const std::byte> numbers =
      coder_ == nullptr || values.empty() ? values.bytes() : coder_->encode(values);
  const std::uint64_t print = fingerprint(std::as_bytes(keys));
  const std::size_t key_bytes = is_new ? keys.size_bytes() : 0;
  wire_.resize(sizeof print + key_bytes + asked.size_bytes() + numbers.size());
  std::byte* at = put(wire_.data(), std::as_bytes(std::span(&print, 1)));
  if (is_new) at = put(at, std::as_bytes(keys));
  at = put(at, std::as_bytes(asked));
  put(at, numbers);
  last.assign(asked.begin(), asked.end());
  comm_.send_encoded(rank_of(server), wire_,
                     Request{.kind = Kind::add,
                             .ends_step = true,
                             .listed = true,
                             .first = Request::list(is_new, asked.size()),
                             .count = keys.size()}
                         .tag());
}

Timestamp KeyValueClient::exchange_keys(std::span<const std::uint32_t> keys, ConstVector values,
                                        std::span<const std::uint32_t> asked, Vector into) {
  require(values.size() == keys_ && into.size() == keys_, "as many values as there are keys");
  if (gathered_.empty()) gathered_ = VectorBuffer(values.scalar(), keys_);
  const Vector all = gathered_.view();
  gather(keys, values, all);
  for_each_list(keys, [&](int k, std::size_t from, std::size_t count) {
    const std::size_t first = even_cut(keys_, k, ranks_.servers);
    const std::size_t size = even_cut(keys_, k + 1, ranks_.servers) - first;
    const auto own = keys.subspan(from, count), wanted = of_server(asked, k);
    const bool is_known = std::ranges::equal(own, listed_[static_cast<std::size_t>(k)]);
    const bool asks_keys = 2 * wanted.size() < size;
    if (asks_keys) {
      send_asking(k, own, all.subspan(from, count), wanted);
    } else if (count > 0 && (is_known || 2 * count < size)) {
      send_listed(k, own, all.subspan(from, count), {}, true);
    } else {
      send_values(rank_of(k), values.subspan(first, size),
                  Request{.kind = Kind::add, .ends_step = true, .first = 0, .count = size}.tag());
    }
    owed(k, into.subspan(first, size), asks_keys);
  });
  return next_++;
}

Timestamp KeyValueClient::pull(std::size_t first, Vector into) {
  return request(first, into.size(),
                 [&](int server, std::size_t key, std::size_t offset, std::size_t count) {
                   comm_.send(server, ConstVector(into.subspan(0, 0)),
                              Request{.kind = Kind::pull, .first = key, .count = count}.tag());
                   return into.subspan(offset, count);
                 });
}

void KeyValueClient::wait(Timestamp timestamp) {
  while (true) {
    const auto open = std::ranges::find(open_, timestamp, &Open::timestamp);
    if (open == open_.end()) return;
    settle(open->server);
  }
}

/// Takes the next answer of that server, whichever request it belongs to.
void KeyValueClient::settle(int server) {
  const Message answer = comm_.receive(rank_of(server));
  const auto open = std::ranges::find_if(open_, [&](const Open& each) {
    return each.server == server && each.number == answer.tag();
  });
  const Vector into = open->into;
  const bool by_keys = open->by_keys;
  open_.erase(open);
  if (into.empty()) return;
  if (by_keys) {
    settle_keys(server, answer, into);
    return;
  }
  if (answer.payload() == Payload::encoded) {
    require(coder_ != nullptr, "encoded values need a coder");
    kernels::set_to_zero(into);
    coder_->decode_add(1.0, answer.bytes(), into);
  } else {
    answer.copy_to(into);
  }
}

/// `into`: that server's part.
void KeyValueClient::settle_keys(int server, const Message& answer, Vector into) {
  const std::vector<std::uint32_t>& keys = listed_[static_cast<std::size_t>(server)];
  ConstVector values;
  if (answer.payload() == Payload::encoded) {
    require(coder_ != nullptr, "encoded values need a coder");
    const Vector decoded = gathered_.view().first(keys.size());
    kernels::set_to_zero(decoded);
    coder_->decode_add(1.0, answer.bytes(), decoded);
    values = decoded;
  } else {
    values = answer.vector();
  }
  require(values.size() == keys.size(), "a value for each key that was asked for");
  const std::size_t first = even_cut(keys_, server, ranks_.servers);
  const std::size_t number = bytes_of(into.scalar());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::memcpy(into.data() + (keys[i] - first) * number, values.data() + i * number, number);
  }
}

void KeyValueClient::advance_clock() {
  for (int k = 0; k < ranks_.servers; ++k) {
    comm_.send_control(rank_of(k), Request{.kind = Kind::clock}.tag());
  }
}

}  // namespace trainyard
