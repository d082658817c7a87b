// A request's tag says what it is: two bits of kind, and two numbers of 31 bits, the first key
// within the shard and, of a pull, how many. An answer's tag is the request's number among those of
// that client to that server, which both count.
#include "trainyard/collective/key_value.hpp"

#include <algorithm>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

enum class Kind : std::uint64_t { add, assign, pull, clock };

constexpr unsigned number_bits = 31;
constexpr std::uint64_t number_mask = (std::uint64_t{1} << number_bits) - 1;

struct Request {
  Kind kind = Kind::clock;
  std::size_t first = 0, count = 0;

  std::uint64_t tag() const {
    return static_cast<std::uint64_t>(kind) << (2 * number_bits) |
           static_cast<std::uint64_t>(first) << number_bits | static_cast<std::uint64_t>(count);
  }
  static Request from_tag(std::uint64_t tag) {
    return {.kind = static_cast<Kind>(tag >> (2 * number_bits)),
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
    : comm_(comm), keys_(keys), requests_(static_cast<std::size_t>(comm.servers()), 0) {
  require(comm.servers() > 0, "keys and values need a server");
  require(keys / requests_.size() < number_mask / 2, "so many keys need more servers");
}

/// send(server's rank, first key within its shard, offset within the range, count) for each server
/// that holds some of the range; what it returns is where an answer's values go.
template <typename Send>
Timestamp KeyValueClient::request(std::size_t first, std::size_t count, const Send& send) {
  require(first <= keys_ && count <= keys_ - first, "a range of keys reaches beyond the last");
  const int servers = comm_.servers();
  for (int k = 0; k < servers; ++k) {
    const std::size_t shard = first_key(keys_, k, servers);
    const std::size_t from = std::max(first, shard);
    const std::size_t to = std::min(first + count, first_key(keys_, k + 1, servers));
    if (from >= to) continue;
    const Vector into = send(comm_.server(k), from - shard, from - first, to - from);
    open_.push_back({next_, k, requests_[static_cast<std::size_t>(k)]++, into});
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
};

struct HeldPull {
  int client = 0;
  std::uint64_t number = 0, clock = 0;
  Request request{};
};

class KeyValueServer {
 public:
  KeyValueServer(Communicator& comm, Vector shard, std::uint64_t bound)
      : comm_(comm),
        shard_(shard),
        bound_(bound),
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
    if (request.kind == Kind::pull) {
      held_.push_back({message.from(), number, client.clock, request});
      answer_held();
      return;
    }
    const ConstVector values = message.vector();
    const Vector changed = shard_.subspan(request.first, values.size());
    if (request.kind == Kind::add) {
      kernels::add(values, changed);
    } else {
      kernels::copy(values, changed);
    }
    comm_.send_control(message.from(), number);
  }

 private:
  void answer_held() {
    const std::uint64_t slowest = std::ranges::min_element(clients_, {}, &Client::clock)->clock;
    std::erase_if(held_, [&](const HeldPull& pull) {
      if (pull.clock > slowest && pull.clock - slowest > bound_) return false;
      comm_.send(pull.client, ConstVector(shard_.subspan(pull.request.first, pull.request.count)),
                 pull.number);
      return true;
    });
  }

  Communicator& comm_;
  Vector shard_;
  std::uint64_t bound_;
  std::vector<Client> clients_;
  std::vector<HeldPull> held_;
};

}  // namespace

void serve_key_values(Communicator& comm, Vector shard, std::size_t keys, std::uint64_t bound) {
  const int index = comm.rank() - comm.workers();
  require(shard.size() ==
              first_key(keys, index + 1, comm.servers()) - first_key(keys, index, comm.servers()),
          "a server holds its part of the keys");
  KeyValueServer server(comm, shard, bound);
  while (const auto message = comm.receive_any()) server.handle(*message);
}

}  // namespace trainyard
