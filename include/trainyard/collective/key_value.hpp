// Keys and values on servers, as in Li et al. (OSDI 2014; catalogue §2.2): the keys are 0 .. d−1,
// server s of k holds the values of [s·d/k, (s+1)·d/k), and a client pushes and pulls contiguous
// ranges. Every call is a message to each server that holds some of the range; it returns at once
// with a timestamp to wait for.
//
//   KeyValueClient store(comm, dimension);                 // a worker
//   const Timestamp pushed = store.push(first, gradient);  // values += gradient
//   const Timestamp pulled = store.pull(first, model);
//   ...                                                    // computes meanwhile
//   store.wait(pulled);                                    // `model` is there
//
//   serve_key_values(comm, shard, dimension, bound);       // a server
//
// A server handles the requests of one client in the order in which they were made, so a pull sees
// all that its client has pushed before. Pushes of different clients are applied as they come:
// those to disjoint ranges commute, and so do additions, up to rounding.
//
// Clocks bound how far clients drift apart: a client's clock says how often it has called
// advance_clock(), and a pull at clock t is answered when all that anybody has pushed at a clock
// below t − τ is in the values. τ = 0 is bulk-synchronous, τ = unbounded asynchronous. What comes
// after a pull that waits, from the same client, is handled meanwhile.
//
// A push may list its keys instead of naming a range (push_listed()); then they are on the wire, 32
// bits each, behind a fingerprint of the list in 64 bits. Key caching (Li et al., §5.1): a server
// keeps the last list of each client, and to one that comes again only its fingerprint is sent.
//
// A client that knows which keys it needs next asks for these with its push (exchange_keys()); the
// list that it asks for is the one that the server remembers, so that the next push of the same
// keys costs its values and 64 bits.
//
// With a coder at each end values are encoded, those that are pushed and those that are pulled: a
// push's by its client, message by message, an answer's by the server, once for all pulls of a
// range that it answers at once. Keys and fingerprints stay as they are. So a list of the same keys
// costs its encoded values and 64 bits.
//
// Clients are the workers, and all servers hold keys: k of them. Where the first G servers are
// proxies of groups (collective/proxies.hpp) and both ends are told so, the proxies are the
// clients, and the servers behind them hold the keys.
//
// Requests, answers without values and clocks are messages of no bytes: free, unless control
// traffic is charged. Threads: a client is its rank's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/base/function_ref.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/runtime/coder.hpp"
#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

enum class PushMode { add, assign };

/// The ranks of a store, those of its clients and those of the servers that hold keys: the workers
/// and all servers, or behind proxies these and the other servers.
struct StoreRanks {
  int first_client = 0, clients = 0;
  int first_server = 0, servers = 0;

  StoreRanks(const Communicator& comm, int proxies)
      : first_client(proxies == 0 ? 0 : comm.workers()),
        clients(proxies == 0 ? comm.workers() : proxies),
        first_server(comm.server(proxies)),
        servers(comm.servers() - proxies) {}
};

/// The number of a client's request, from 0.
using Timestamp = std::uint64_t;

class KeyValueClient {
 public:
  /// `keys`: d. `coder`, which outlives it, encodes values; nullptr: they go as they are. REQUIRES:
  /// at least one server that holds keys; d < 2^30 · k; the servers have a coder of the same codec,
  /// or none either, and are told the same number of proxies. With a coder, what sends values
  /// throws NotFinite, and what waits MalformedMessage.
  KeyValueClient(Communicator& comm, std::size_t keys, Coder* coder = nullptr, int proxies = 0);

  /// The values of [first, first + |values|) are changed. `values` may be changed after the call.
  /// REQUIRES: the range lies within the keys; the servers' values are of that precision.
  Timestamp push(std::size_t first, ConstVector values, PushMode mode = PushMode::add);

  /// values[i] is added to the value of keys[i]. Servers that hold none of the keys get no message.
  /// REQUIRES: keys in increasing order, below d; as above.
  Timestamp push_listed(std::span<const std::uint32_t> keys, ConstVector values);

  /// `into` receives the values of [first, first + |into|); it is not to be touched until wait().
  /// REQUIRES: as above.
  Timestamp pull(std::size_t first, Vector into);

  /// A step in one message to each server: push() of a value for each key, advance_clock(), and
  /// pull() of all of them, which has that timestamp. Asked for one by one, a clock and a pull wait
  /// behind others' pushes at the server's port. REQUIRES: both are of size d; as above.
  Timestamp exchange(ConstVector values, Vector into);
  /// As exchange(), with push_listed(). `left_out`, if it is given, receives values − C(values),
  /// what a coder leaves out of the push: 0 without one. REQUIRES: it is as long as `values`.
  Timestamp exchange_listed(std::span<const std::uint32_t> keys, ConstVector values, Vector into,
                            Vector left_out = {});

  /// As exchange(), where only those of `values` matter that belong to `keys`, and only those of
  /// `asked` are pulled, into their places: in each server's part in whichever way is shorter, by a
  /// list of keys or all of it. What was asked for is the list that the server remembers.
  Timestamp exchange_keys(std::span<const std::uint32_t> keys, ConstVector values,
                          std::span<const std::uint32_t> asked, Vector into);

  /// Returns when that request, and with it every earlier one to the same servers that is not a
  /// pull still held back by the bound, has been carried out.
  void wait(Timestamp timestamp);

  /// One more step is done: everything pushed from now on belongs to the next clock.
  void advance_clock();

 private:
  /// The answer that a server owes.
  struct Open {
    Timestamp timestamp = 0;
    int server = 0;
    std::uint64_t number = 0;  // of the request, among those to that server
    Vector into{};             // of a pull
    bool by_keys = false;      // of the last list
  };

  int rank_of(int server) const { return ranks_.first_server + server; }
  void send_values(int server, ConstVector values, std::uint64_t tag);
  void send_listed(int server, std::span<const std::uint32_t> keys, ConstVector values,
                   Vector left_out, bool ends_step);
  void send_asking(int server, std::span<const std::uint32_t> keys, ConstVector values,
                   std::span<const std::uint32_t> asked);
  template <typename Send>
  void for_each_list(std::span<const std::uint32_t> keys, const Send& send);
  std::span<const std::uint32_t> of_server(std::span<const std::uint32_t> keys, int server) const;
  void owed(int server, Vector into, bool by_keys = false);
  template <typename Send>
  Timestamp request(std::size_t first, std::size_t count, const Send& send);
  void settle(int server);
  void settle_keys(int server, const Message& answer, Vector into);

  Communicator& comm_;
  StoreRanks ranks_;
  std::size_t keys_;
  Coder* coder_;
  Timestamp next_ = 0;
  std::vector<std::uint64_t> requests_;  // to each server
  std::vector<Open> open_;
  std::vector<std::vector<std::uint32_t>> listed_;  // to each server, the keys of the last list
  std::vector<std::byte> wire_;
  VectorBuffer gathered_;  // of the keys' size, empty at first
};

/// The bound with which nobody waits.
inline constexpr std::uint64_t unbounded = std::numeric_limits<std::uint64_t>::max();

/// A client's push with PushMode::add, listed or not, as a server's own rule sees it.
struct PushedChange {
  int client = 0;             // from 0: a worker's rank, or which proxy it is
  std::uint64_t read_at = 0;  // changes that were in the values which that client has pulled last
  ConstVector change;         // of the shard's size, 0 where nothing was pushed
};
/// A function of the user's on the server (Li et al., §3.5), instead of adding: it changes the
/// shard.
using ChangeRule = FunctionRef<void(const PushedChange&)>;

/// For clients that go by keys (exchange_keys()), where a change is not 0 at other keys: its values
/// there.
struct UnlistedRule {
  /// change ← what is pushed by a client that has read that, where it lists nothing. All are of the
  /// shard's size.
  FunctionRef<void(int client, ConstVector read, Vector change)> fill;
  /// [clients]: what each has read, as it is to begin with; kept up to date by the server.
  std::vector<Vector> read;
};

/// A server's program, until no worker is left: holds `shard`, even_split(…, index, k) of the
/// values, where index counts the servers that hold keys. `coder` and `proxies`: as clients have
/// them. Throws NotFinite and MalformedMessage with a coder.
void serve_key_values(Communicator& comm, Vector shard, std::size_t keys,
                      std::uint64_t bound = unbounded, Coder* coder = nullptr, int proxies = 0);
/// serve_key_values() with a rule for what is added.
void serve_key_values(Communicator& comm, Vector shard, std::size_t keys, std::uint64_t bound,
                      ChangeRule rule, Coder* coder = nullptr, int proxies = 0,
                      const UnlistedRule* unlisted = nullptr);

}  // namespace trainyard
