// A request's tag says what it is: two bits of kind, one that says whether it ends the client's
// step, and two numbers of 30 bits, the first key within the shard and, of a pull, how many; of a
// list of keys, how many, and in place of the first one whether they come along. An answer's tag is
// the request's number among those of that client to that server, which both count.
#include "trainyard/collective/key_value.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "trainyard/base/error.hpp"
#include "trainyard/base/hash.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

enum class Kind : std::uint64_t { add, assign, pull, clock };

constexpr unsigned number_bits = 30;
constexpr std::uint64_t number_mask = (std::uint64_t{1} << number_bits) - 1;

struct Request {
  Kind kind = Kind::clock;
  bool ends_step = false;  // the clock advances, and the whole shard is pulled
  std::size_t first = 0, count = 0;

  std::uint64_t tag() const {
    return static_cast<std::uint64_t>(kind) << (2 * number_bits + 1) |
           static_cast<std::uint64_t>(ends_step) << (2 * number_bits) |
           static_cast<std::uint64_t>(first) << number_bits | static_cast<std::uint64_t>(count);
  }
  static Request from_tag(std::uint64_t tag) {
    return {.kind = static_cast<Kind>(tag >> (2 * number_bits + 1)),
            .ends_step = (tag >> (2 * number_bits) & 1U) != 0,
            .first = static_cast<std::size_t>(tag >> number_bits & number_mask),
            .count = static_cast<std::size_t>(tag & number_mask)};
  }
};

/// The first key of server `index`, by the rule of even_split().
std::size_t first_key(std::size_t keys, int index, int servers) {
  return keys * static_cast<std::size_t>(index) / static_cast<std::size_t>(servers);
}

}  // namespace

KeyValueClient::KeyValueClient(Communicator& comm, std::size_t keys)
    : comm_(comm),
      keys_(keys),
      requests_(static_cast<std::size_t>(comm.servers()), 0),
      listed_(requests_.size()) {
  require(comm.servers() > 0, "keys and values need a server");
  require(keys / requests_.size() < number_mask, "so many keys need more servers");
}

/// send(server's rank, first key within its shard, offset within the range, count) for each server
/// that holds some of the range; what it returns is where an answer's values go. Each client begins
/// with another server, so that not all send to the first one at once.
template <typename Send>
Timestamp KeyValueClient::request(std::size_t first, std::size_t count, const Send& send) {
  require(first <= keys_ && count <= keys_ - first, "a range of keys reaches beyond the last");
  const int servers = comm_.servers();
  for (int round = 0; round < servers; ++round) {
    const int k = (comm_.rank() + round) % servers;
    const std::size_t shard = first_key(keys_, k, servers);
    const std::size_t from = std::max(first, shard);
    const std::size_t to = std::min(first + count, first_key(keys_, k + 1, servers));
    if (from >= to) continue;
    const Vector into = send(comm_.server(k), from - shard, from - first, to - from);
    owed(k, into);
  }
  return next_++;
}

Timestamp KeyValueClient::push(std::size_t first, ConstVector values, PushMode mode) {
  const Kind kind = mode == PushMode::add ? Kind::add : Kind::assign;
  return request(first, values.size(),
                 [&](int server, std::size_t key, std::size_t offset, std::size_t count) {
                   comm_.send(server, values.subspan(offset, count),
                              Request{.kind = kind, .first = key}.tag());
                   return Vector{};
                 });
}

/// send(server, keys and values within its shard) for each server.
template <typename Send>
void KeyValueClient::for_each_list(std::span<const std::uint32_t> keys, ConstVector values,
                                   const Send& send) {
  require(keys.size() == values.size(), "a value for each key");
  require(keys.empty() || keys.back() < keys_, "a key is beyond the last");
  const int servers = comm_.servers();
  const auto below = [&](int server) {  // how many of the keys are before its shard
    return static_cast<std::size_t>(
        std::ranges::lower_bound(keys, first_key(keys_, server, servers)) - keys.begin());
  };
  for (int round = 0; round < servers; ++round) {
    const int k = (comm_.rank() + round) % servers;
    const std::size_t from = below(k), count = below(k + 1) - from;
    send(k, keys.subspan(from, count), values.subspan(from, count));
  }
}

/// That server owes an answer to what was sent to it last.
void KeyValueClient::owed(int server, Vector into) {
  open_.push_back({next_, server, requests_[static_cast<std::size_t>(server)]++, into});
}

Timestamp KeyValueClient::push_listed(std::span<const std::uint32_t> keys, ConstVector values) {
  for_each_list(keys, values, [&](int k, std::span<const std::uint32_t> its, ConstVector numbers) {
    if (its.empty()) return;
    send_listed(k, its, numbers, false);
    owed(k, {});
  });
  return next_++;
}

Timestamp KeyValueClient::exchange_listed(std::span<const std::uint32_t> keys, ConstVector values,
                                          Vector into) {
  require(into.size() == keys_, "all keys are pulled");
  const int servers = comm_.servers();
  for_each_list(keys, values, [&](int k, std::span<const std::uint32_t> its, ConstVector numbers) {
    const std::size_t first = first_key(keys_, k, servers);
    const std::size_t count = first_key(keys_, k + 1, servers) - first;
    if (its.empty()) {
      comm_.send_control(comm_.server(k), Request{.kind = Kind::pull, .ends_step = true}.tag());
    } else {
      send_listed(k, its, numbers, true);
    }
    owed(k, into.subspan(first, count));
  });
  return next_++;
}

Timestamp KeyValueClient::exchange(ConstVector values, Vector into) {
  require(values.size() == keys_ && into.size() == keys_, "all keys are pushed and pulled");
  return request(0, keys_, [&](int server, std::size_t key, std::size_t offset, std::size_t count) {
    comm_.send(server, values.subspan(offset, count),
               Request{.kind = Kind::add, .ends_step = true, .first = key}.tag());
    return into.subspan(offset, count);
  });
}

void KeyValueClient::send_listed(int server, std::span<const std::uint32_t> keys,
                                 ConstVector values, bool ends_step) {
  auto& last = listed_[static_cast<std::size_t>(server)];
  const bool is_new = !std::ranges::equal(keys, last);
  const std::span<const std::byte> numbers = values.bytes();
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
  comm_.send_encoded(comm_.server(server), wire_,
                     Request{.kind = Kind::add,
                             .ends_step = ends_step,
                             .first = is_new ? 1U : 0U,
                             .count = keys.size()}
                         .tag());
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
  const Message answer = comm_.receive(comm_.server(server));
  const auto open = std::ranges::find_if(open_, [&](const Open& each) {
    return each.server == server && each.number == answer.tag();
  });
  if (open->into.size() > 0) answer.copy_to(open->into);
  open_.erase(open);
}

void KeyValueClient::advance_clock() {
  for (int k = 0; k < comm_.servers(); ++k) {
    comm_.send_control(comm_.server(k), Request{.kind = Kind::clock}.tag());
  }
}

namespace {

/// The server's view of one client.
struct Client {
  std::uint64_t clock = 0, requests = 0;
  std::uint64_t read_at = 0;            // changes in the values of its last pull
  std::vector<std::uint32_t> listed{};  // the keys of its last list
};

struct HeldPull {
  int client = 0;
  std::uint64_t number = 0, clock = 0;
  Request request{};
};

class KeyValueServer {
 public:
  KeyValueServer(Communicator& comm, Vector shard, std::size_t first_key, std::uint64_t bound,
                 std::optional<ChangeRule> rule)
      : comm_(comm),
        shard_(shard),
        bound_(bound),
        first_key_(first_key),
        rule_(rule),
        clients_(static_cast<std::size_t>(comm.workers())) {}

  void handle(const Message& message) {
    const Request request = Request::from_tag(message.tag());
    Client& client = clients_[static_cast<std::size_t>(message.from())];
    if (request.kind == Kind::clock) {
      ++client.clock;
      answer_held();
      return;
    }
    const std::uint64_t number = client.requests++;
    if (request.kind != Kind::pull) take_in(message, request);
    if (request.ends_step) {
      ++client.clock;
      const Request whole{.kind = Kind::pull, .first = 0, .count = shard_.size()};
      held_.push_back({message.from(), number, client.clock, whole});
    } else if (request.kind == Kind::pull) {
      held_.push_back({message.from(), number, client.clock, request});
    } else {
      comm_.send_control(message.from(), number);
      return;
    }
    answer_held();
  }

 private:
  void take_in(const Message& message, const Request& request) {
    if (message.payload() == Payload::encoded) {
      add_listed(message.from(), request, message.bytes());
    } else if (request.kind == Kind::add) {
      add(message.from(), request.first, message.vector());
    } else {
      kernels::copy(message.vector(), shard_.subspan(request.first, message.vector().size()));
    }
  }

  void add(int from, std::size_t first, ConstVector values) {
    if (!rule_) {
      kernels::add(values, shard_.subspan(first, values.size()));
    } else if (values.size() == shard_.size()) {
      obey_rule(from, values);
    } else {
      kernels::copy(values, zeroed_change().subspan(first, values.size()));
      obey_rule(from, change_.view());
    }
  }

  /// Valid until the next call.
  Vector zeroed_change() {
    if (change_.empty()) change_ = VectorBuffer(shard_.scalar(), shard_.size());
    kernels::set_to_zero(change_.view());
    return change_.view();
  }

  void obey_rule(int from, ConstVector change) {
    (*rule_)({from, clients_[static_cast<std::size_t>(from)].read_at, change});
    ++changes_;
  }

  void add_listed(int from, const Request& request, std::span<const std::byte> wire) {
    Client& client = clients_[static_cast<std::size_t>(from)];
    std::uint64_t print = 0;
    std::memcpy(&print, wire.data(), sizeof print);
    wire = wire.subspan(sizeof print);
    if (request.first != 0) {
      client.listed.resize(request.count);
      std::memcpy(client.listed.data(), wire.data(), request.count * sizeof(std::uint32_t));
      wire = wire.subspan(request.count * sizeof(std::uint32_t));
    }
    require(print == fingerprint(std::as_bytes(std::span(client.listed))),
            "a client and its server know the same keys");
    const Vector sum = rule_ ? zeroed_change() : shard_;
    with_scalar(shard_.scalar(), [&]<typename T>(T) {
      const std::span<T> values = sum.as<T>();
      for (std::size_t i = 0; i < request.count; ++i) {
        T change{};
        std::memcpy(&change, wire.data() + i * sizeof(T), sizeof(T));
        values[client.listed[i] - first_key_] += change;
      }
    });
    if (rule_) obey_rule(from, change_.view());
  }

  void answer_held() {
    const std::uint64_t slowest = std::ranges::min_element(clients_, {}, &Client::clock)->clock;
    std::erase_if(held_, [&](const HeldPull& pull) {
      if (pull.clock > slowest && pull.clock - slowest > bound_) return false;
      comm_.send(pull.client, ConstVector(shard_.subspan(pull.request.first, pull.request.count)),
                 pull.number);
      clients_[static_cast<std::size_t>(pull.client)].read_at = changes_;
      return true;
    });
  }

  Communicator& comm_;
  Vector shard_;
  std::uint64_t bound_;
  std::size_t first_key_;
  std::optional<ChangeRule> rule_;
  std::uint64_t changes_ = 0;  // by the rule
  VectorBuffer change_;        // of the shard's size, empty at first
  std::vector<Client> clients_;
  std::vector<HeldPull> held_;
};

}  // namespace

namespace {

void serve_by(Communicator& comm, Vector shard, std::size_t keys, std::uint64_t bound,
              std::optional<ChangeRule> rule) {
  const int index = comm.rank() - comm.workers();
  require(shard.size() ==
              first_key(keys, index + 1, comm.servers()) - first_key(keys, index, comm.servers()),
          "a server holds its part of the keys");
  KeyValueServer server(comm, shard, first_key(keys, index, comm.servers()), bound, rule);
  while (const auto message = comm.receive_any()) server.handle(*message);
}

}  // namespace

void serve_key_values(Communicator& comm, Vector shard, std::size_t keys, std::uint64_t bound) {
  serve_by(comm, shard, keys, bound, std::nullopt);
}

void serve_key_values(Communicator& comm, Vector shard, std::size_t keys, std::uint64_t bound,
                      ChangeRule rule) {
  serve_by(comm, shard, keys, bound, rule);
}

}  // namespace trainyard
