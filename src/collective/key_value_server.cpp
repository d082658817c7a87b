// The server's end.
#include <algorithm>
#include <cstring>
#include <optional>

#include "trainyard/base/error.hpp"
#include "trainyard/base/even_split.hpp"
#include "trainyard/base/hash.hpp"
#include "trainyard/collective/key_value.hpp"
#include "trainyard/model/kernels.hpp"

#include "collective/key_value_request.hpp"

namespace trainyard {

using key_value::Kind, key_value::Request;

namespace {

/// The server's view of one client.
struct Client {
  std::uint64_t clock = 0, requests = 0;
  std::uint64_t read_at = 0;            // changes in the values of its last pull
  std::vector<std::uint32_t> listed{};  // the keys of its last list
  bool asked_listed = false;            // the pull that ends its last step is of these
};

struct HeldPull {
  int client = 0;
  std::uint64_t number = 0, clock = 0;
  Request request{};
  bool by_keys = false;  // of the client's last list
};

class KeyValueServer {
 public:
  KeyValueServer(Communicator& comm, const StoreRanks& ranks, Vector shard, std::size_t first_key,
                 std::uint64_t bound, std::optional<ChangeRule> rule, Coder* coder,
                 const UnlistedRule* unlisted)
      : comm_(comm),
        first_client_(ranks.first_client),
        shard_(shard),
        bound_(bound),
        first_key_(first_key),
        rule_(rule),
        coder_(coder),
        unlisted_(unlisted),
        clients_(static_cast<std::size_t>(ranks.clients)) {}

  void handle(const Message& message) {
    const Request request = Request::from_tag(message.tag());
    const int from = message.from() - first_client_;
    Client& client = clients_[static_cast<std::size_t>(from)];
    if (request.kind == Kind::clock) {
      ++client.clock;
      answer_held();
      return;
    }
    const std::uint64_t number = client.requests++;
    client.asked_listed = false;
    if (request.kind != Kind::pull) take_in(from, message, request);
    if (request.ends_step) {
      ++client.clock;
      const Request whole{.kind = Kind::pull, .first = 0, .count = shard_.size()};
      held_.push_back({from, number, client.clock, whole, client.asked_listed});
    } else if (request.kind == Kind::pull) {
      held_.push_back({from, number, client.clock, request});
    } else {
      comm_.send_control(message.from(), number);
      return;
    }
    answer_held();
  }

 private:
  void take_in(int from, const Message& message, const Request& request) {
    if (request.listed) {
      add_listed(from, request, message.bytes());
      return;
    }
    const ConstVector values = message.payload() == Payload::encoded
                                   ? decoded(message.bytes(), request.count)
                                   : message.vector();
    if (request.kind == Kind::add) {
      add(from, request.first, values);
    } else {
      kernels::copy(values, shard_.subspan(request.first, values.size()));
    }
  }

  /// Valid until the next call.
  ConstVector decoded(std::span<const std::byte> wire, std::size_t count) {
    require(coder_ != nullptr, "encoded values need a coder");
    if (decoded_.empty()) decoded_ = VectorBuffer(shard_.scalar(), shard_.size());
    const Vector values = decoded_.view().first(count);
    kernels::set_to_zero(values);
    coder_->decode_add(1.0, wire, values);
    return values;
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

  /// values[key] ← what(that, its number), for each of the keys.
  template <typename What>
  void for_each_value(const std::vector<std::uint32_t>& keys, std::span<const std::byte> numbers,
                      Vector values, const What& what) {
    with_scalar(shard_.scalar(), [&]<typename T>(T) {
      const std::span<T> all = values.as<T>();
      for (std::size_t i = 0; i < keys.size(); ++i) {
        T number{};
        std::memcpy(&number, numbers.data() + i * sizeof(T), sizeof(T));
        T& value = all[keys[i] - first_key_];
        value = what(value, number);
      }
    });
  }
  void add_values(const std::vector<std::uint32_t>& keys, std::span<const std::byte> numbers,
                  Vector sum) {
    for_each_value(keys, numbers, sum, [](auto value, auto number) { return value + number; });
  }
  void put_values(const std::vector<std::uint32_t>& keys, std::span<const std::byte> numbers,
                  Vector values) {
    for_each_value(keys, numbers, values, [](auto, auto number) { return number; });
  }

  void add_listed(int from, const Request& request, std::span<const std::byte> wire) {
    Client& client = clients_[static_cast<std::size_t>(from)];
    std::uint64_t print = 0;
    std::memcpy(&print, wire.data(), sizeof print);
    wire = wire.subspan(sizeof print);
    if (request.comes_along()) {
      client.listed.resize(request.count);
      std::memcpy(client.listed.data(), wire.data(), request.count * sizeof(std::uint32_t));
      wire = wire.subspan(request.count * sizeof(std::uint32_t));
    }
    require(print == fingerprint(std::as_bytes(std::span(client.listed))),
            "a client and its server know the same keys");
    std::span<const std::byte> asked;
    if (request.asked()) {
      asked = wire.first(*request.asked() * sizeof(std::uint32_t));
      wire = wire.subspan(asked.size());
    }
    if (coder_ != nullptr && request.count > 0) wire = decoded(wire, request.count).bytes();
    if (unlisted_ == nullptr) {
      add_values(client.listed, wire, rule_ ? zeroed_change() : shard_);
    } else {
      const Vector change = zeroed_change();
      unlisted_->fill(from, unlisted_->read[static_cast<std::size_t>(from)], change);
      put_values(client.listed, wire, change);
    }
    if (rule_) obey_rule(from, change_.view());
    if (!request.asked()) return;
    client.asked_listed = true;
    client.listed.resize(*request.asked());
    if (!asked.empty()) std::memcpy(client.listed.data(), asked.data(), asked.size());
  }

  /// The values of its last list. Valid until the next call.
  ConstVector gathered(const Client& client) {
    if (gathered_.empty()) gathered_ = VectorBuffer(shard_.scalar(), shard_.size());
    with_scalar(shard_.scalar(), [&]<typename T>(T) {
      const std::span<const T> values = ConstVector(shard_).as<T>();
      const std::span<T> into = gathered_.view().as<T>();
      for (std::size_t i = 0; i < client.listed.size(); ++i) {
        into[i] = values[client.listed[i] - first_key_];
      }
    });
    return gathered_.view().first(client.listed.size());
  }

  void answer_held() {
    const std::uint64_t slowest = std::ranges::min_element(clients_, {}, &Client::clock)->clock;
    std::optional<Request> encoded;  // the range that was encoded last
    std::span<const std::byte> wire;
    std::erase_if(held_, [&](const HeldPull& pull) {
      if (pull.clock > slowest && pull.clock - slowest > bound_) return false;
      const ConstVector values = pull.by_keys
                                     ? gathered(clients_[static_cast<std::size_t>(pull.client)])
                                     : shard_.subspan(pull.request.first, pull.request.count);
      if (pull.by_keys) encoded.reset();
      if (coder_ == nullptr || values.empty()) {
        comm_.send(first_client_ + pull.client, values, pull.number);
      } else {
        if (!encoded || !encoded->same_range(pull.request)) wire = coder_->encode(values);
        if (!pull.by_keys) encoded = pull.request;
        comm_.send_encoded(first_client_ + pull.client, wire, pull.number);
      }
      clients_[static_cast<std::size_t>(pull.client)].read_at = changes_;
      if (unlisted_ != nullptr) {
        kernels::copy(shard_, unlisted_->read[static_cast<std::size_t>(pull.client)]);
      }
      return true;
    });
  }

  Communicator& comm_;
  int first_client_;
  Vector shard_;
  std::uint64_t bound_;
  std::size_t first_key_;
  std::optional<ChangeRule> rule_;
  Coder* coder_;
  const UnlistedRule* unlisted_;
  std::uint64_t changes_ = 0;                 // by the rule
  VectorBuffer change_, decoded_, gathered_;  // of the shard's size, empty at first
  std::vector<Client> clients_;
  std::vector<HeldPull> held_;
};

}  // namespace

namespace {

void serve_by(Communicator& comm, Vector shard, std::size_t keys, std::uint64_t bound,
              std::optional<ChangeRule> rule, Coder* coder, int proxies,
              const UnlistedRule* unlisted) {
  const StoreRanks ranks(comm, proxies);
  const int index = comm.rank() - ranks.first_server;
  const std::size_t first = even_cut(keys, index, ranks.servers);
  require(shard.size() == even_cut(keys, index + 1, ranks.servers) - first,
          "a server holds its part of the keys");
  KeyValueServer server(comm, ranks, shard, first, bound, rule, coder, unlisted);
  while (const auto message = comm.receive_any()) server.handle(*message);
}

}  // namespace

void serve_key_values(Communicator& comm, Vector shard, std::size_t keys, std::uint64_t bound,
                      Coder* coder, int proxies) {
  serve_by(comm, shard, keys, bound, std::nullopt, coder, proxies, nullptr);
}

void serve_key_values(Communicator& comm, Vector shard, std::size_t keys, std::uint64_t bound,
                      ChangeRule rule, Coder* coder, int proxies, const UnlistedRule* unlisted) {
  serve_by(comm, shard, keys, bound, rule, coder, proxies, unlisted);
}

}  // namespace trainyard
