// What collectives and schemes send, without the arithmetic, as an MPI program for SimGrid:
//   smpirun … skeletons NAME WORKERS SERVERS NUMBERS STEPS COMPUTE_SECONDS at-once|one-by-one
//
// A step computes for so long and exchanges a vector of NUMBERS floats, as NAME does it. Each
// worker prints when its first step was over and when its last one was, in simulated seconds.
//
// at-once: what a rank has to send in one go is all under way together, and shares its port;
// started with a platform whose messages leave as they are sent. one-by-one: a rank sends one
// message at a time and waits until it has arrived; started with one whose messages wait for their
// receiver. So each port carries one message at a time, as in a switch of circuits.
//
// Who sends what to whom is written down here anew, from docs/catalogue.md §1 to §4, so that a
// mistake in the library's schedules shows as well as one in its switch.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <mpi.h>
#include <smpi/smpi.h>

namespace {

constexpr double host_flops = 1e9;  // as in the platform of simgrid.py
constexpr long envelope = 16;       // bytes that SMPI counts on top of each message: left out here

/// A message to or from `peer`.
struct Message {
  int peer;
  long numbers;
};
using Messages = std::vector<Message>;

/// Numbers [first, first + count) of the vector.
struct Range {
  long first, count;
};

Range part(Range whole, int index, int parts) {
  const long begin = whole.count * index / parts, end = whole.count * (index + 1) / parts;
  return {whole.first + begin, end - begin};
}

struct Ranks {
  int rank = 0, workers = 0, servers = 0;
  long numbers = 0;
  bool at_once = false;
  std::vector<char> outgoing, incoming;

  bool is_worker() const { return rank < workers; }
  int server(int index) const { return workers + index; }
  Range whole() const { return {0, numbers}; }

  static int bytes(Message m) {
    const long length = m.numbers * static_cast<long>(sizeof(float)) - envelope;
    if (length < 0) {
      std::fprintf(stderr, "skeletons: a message of %ld floats: at least 4\n", m.numbers);
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return static_cast<int>(length);
  }
  void send(Message m) { MPI_Send(outgoing.data(), bytes(m), MPI_BYTE, m.peer, 0, MPI_COMM_WORLD); }
  int receive(Message m) {
    MPI_Status status;
    MPI_Recv(incoming.data(), bytes(m), MPI_BYTE, m.peer, 0, MPI_COMM_WORLD, &status);
    return status.MPI_SOURCE;
  }
  /// One by one, the i-th is sent while the i-th is received.
  void exchange(const Messages& to, const Messages& from) {
    if (at_once) {
      for (const Message& m : to) send(m);
      for (const Message& m : from) receive(m);
      return;
    }
    for (std::size_t i = 0; i < std::max(to.size(), from.size()); ++i) {
      MPI_Request sent = MPI_REQUEST_NULL;
      if (i < to.size()) {
        MPI_Isend(outgoing.data(), bytes(to[i]), MPI_BYTE, to[i].peer, 0, MPI_COMM_WORLD, &sent);
      }
      if (i < from.size()) receive(from[i]);
      MPI_Wait(&sent, MPI_STATUS_IGNORE);
    }
  }
};

// All-reduces without servers.

/// A circle of workers, `stride` ranks apart.
struct Circle {
  int size, place, first, stride;
  int at(int of) const { return first + (of % size + size) % size * stride; }
};

/// Half an all-reduce: begins with the part of that index and goes on to the one before it.
void around(Ranks& r, Circle c, Range range, int index) {
  for (int step = 0; step + 1 < c.size; ++step) {
    const Range sent = part(range, ((index - step) % c.size + c.size) % c.size, c.size);
    const Range received = part(range, ((index - step - 1) % c.size + c.size) % c.size, c.size);
    r.exchange({{c.at(c.place + 1), sent.count}}, {{c.at(c.place - 1), received.count}});
  }
}

void ring(Ranks& r) {
  const Circle all{r.workers, r.rank, 0, 1};
  around(r, all, r.whole(), all.place - 1 + all.size);
  around(r, all, r.whole(), all.place);
}

void hierarchical_ring(Ranks& r) {
  int members = 1;
  for (int g = 2; g * g <= r.workers; ++g) {
    if (r.workers % g == 0) members = g;
  }
  const int groups = r.workers / members, group = r.rank / members, member = r.rank % members;
  const Circle inside{members, member, group * members, 1}, between{groups, group, member, members};
  const Range own = part(r.whole(), member, members);
  around(r, inside, r.whole(), member - 1 + members);
  around(r, between, own, group - 1 + groups);
  around(r, between, own, group);
  around(r, inside, r.whole(), member);
}

void ring_unpartitioned(Ranks& r) {
  const int n = r.workers;
  const Message next{(r.rank + 1) % n, r.numbers}, previous{(r.rank + n - 1) % n, r.numbers};
  if (r.rank > 0) r.receive(previous);
  r.send(next);
  if (r.rank < n - 1) r.receive(previous);
  if (r.rank < n - 2) r.send(next);
}

/// Over places 0 … places − 1, of which this rank has `place` and that of rank p is p + shift.
void tree(Ranks& r, int places, int place, int shift) {
  const auto at = [&](int of) {
    return Message{of - shift < 0 ? r.server(0) : of - shift, r.numbers};
  };
  int reach = 1;
  for (; reach < places && (place & reach) == 0; reach *= 2) {
    if (place + reach < places) r.receive(at(place + reach));
  }
  if (place != 0) {
    r.send(at(place - reach));
    r.receive(at(place - reach));
  }
  for (reach /= 2; reach >= 1; reach /= 2) {
    if (place + reach < places) r.send(at(place + reach));
  }
}

/// What r ranks beyond a power of two do before and after the others: hand in, and get the result.
template <typename Rest>
void folded(Ranks& r, Rest rest) {
  int active = 1;
  while (2 * active <= r.workers) active *= 2;
  const int other = r.rank < active ? r.rank + active : r.rank - active;
  if (r.rank >= active) {
    r.send({other, r.numbers});
    r.receive({other, r.numbers});
    return;
  }
  if (other < r.workers) r.receive({other, r.numbers});
  rest(active);
  if (other < r.workers) r.send({other, r.numbers});
}

void recursive_doubling(Ranks& r) {
  folded(r, [&](int active) {
    for (int distance = 1; distance < active; distance *= 2) {
      const Message partner{r.rank ^ distance, r.numbers};
      r.exchange({partner}, {partner});
    }
  });
}

void rabenseifner(Ranks& r) {
  folded(r, [&](int active) {
    std::vector<Range> halved{r.whole()};
    for (int distance = active / 2; distance >= 1; distance /= 2) {
      const Range range = halved.back();
      const Range lower{range.first, range.count / 2};
      const Range upper{range.first + lower.count, range.count - lower.count};
      const bool keeps_lower = (r.rank & distance) == 0;
      const Range kept = keeps_lower ? lower : upper, sent = keeps_lower ? upper : lower;
      r.exchange({{r.rank ^ distance, sent.count}}, {{r.rank ^ distance, kept.count}});
      halved.push_back(kept);
    }
    for (int distance = 1; distance < active; distance *= 2) {
      const Range kept = halved.back();
      halved.pop_back();
      const long other = halved.back().count - kept.count;
      r.exchange({{r.rank ^ distance, kept.count}}, {{r.rank ^ distance, other}});
    }
  });
}

void ps_colocated(Ranks& r) {
  const int n = r.workers;
  const long own = part(r.whole(), r.rank, n).count;
  Messages to, from, sums_to, sums_from;
  for (int round = 1; round < n; ++round) {
    const int owner = (r.rank + round) % n, source = (r.rank + n - round) % n;
    to.push_back({owner, part(r.whole(), owner, n).count});
    from.push_back({source, own});
    sums_to.push_back({owner, own});
    sums_from.push_back({source, part(r.whole(), source, n).count});
  }
  r.exchange(to, from);
  r.exchange(sums_to, sums_from);
}

// Servers. In round t worker w deals with shard w + t modulo the larger number of both.

void push_and_pull(Ranks& r) {
  const int rounds = std::max(r.workers, r.servers);
  Messages peers;
  for (int round = 0; round < rounds; ++round) {
    const int index = r.is_worker() ? r.rank : r.rank - r.workers;
    const int other = (r.is_worker() ? index + round : index - round + rounds) % rounds;
    if (other >= (r.is_worker() ? r.servers : r.workers)) continue;
    const int shard = r.is_worker() ? other : index;
    peers.push_back(
        {r.is_worker() ? r.server(other) : other, part(r.whole(), shard, r.servers).count});
  }
  r.exchange(r.is_worker() ? peers : Messages{}, r.is_worker() ? Messages{} : peers);
  r.exchange(r.is_worker() ? Messages{} : peers, r.is_worker() ? peers : Messages{});
}

/// Groups of neighbouring ranks with a server each; the last server is the root.
void hierarchical(Ranks& r) {
  const int groups = r.servers - 1;
  const auto first = [&](int group) { return r.workers * group / groups; };
  Messages below;
  int above = r.server(groups);
  if (r.is_worker()) {
    int group = 0;
    while (first(group + 1) <= r.rank) ++group;
    above = r.server(group);
  } else if (r.rank == r.server(groups)) {
    for (int group = 0; group < groups; ++group) below.push_back({r.server(group), r.numbers});
    above = -1;
  } else {
    const int group = r.rank - r.workers;
    for (int w = first(group); w < first(group + 1); ++w) below.push_back({w, r.numbers});
  }
  for (const Message& m : below) r.receive(m);
  if (above >= 0) {
    r.send({above, r.numbers});
    r.receive({above, r.numbers});
  }
  for (const Message& m : below) r.send(m);
}

// Gossip: offsets of a round; to the rank behind by each of them, from the one ahead.

std::vector<int> offsets(const std::string& topology, int n, int step) {
  std::vector<int> found;
  if (topology == "ring") found = n == 2 ? std::vector<int>{1} : std::vector<int>{1, n - 1};
  for (int hop = 1; topology != "ring" && hop < n; hop *= 2) found.push_back(hop);
  if (topology == "one-peer-exp") found = {found[static_cast<std::size_t>(step) % found.size()]};
  return found;
}

void gossip(Ranks& r, const std::string& topology, int step) {
  Messages to, from;
  for (const int offset : offsets(topology, r.workers, step)) {
    to.push_back({(r.rank - offset + r.workers) % r.workers, r.numbers});
    from.push_back({(r.rank + offset) % r.workers, r.numbers});
  }
  r.exchange(to, from);
}

/// One step of any of them; false where there is none of that name.
bool exchange(Ranks& r, const std::string& name, int step) {
  if (name == "ring") return ring(r), true;
  if (name == "ring-unpartitioned") return ring_unpartitioned(r), true;
  if (name == "hierarchical-ring") return hierarchical_ring(r), true;
  if (name == "tree") return tree(r, r.workers, r.rank, 0), true;
  if (name == "tree-root") {
    return tree(r, r.workers + 1, r.is_worker() ? r.rank + 1 : 0, 1), true;
  }
  if (name == "recursive-doubling") return recursive_doubling(r), true;
  if (name == "rabenseifner") return rabenseifner(r), true;
  if (name == "ps-colocated") return ps_colocated(r), true;
  if (name == "ps" || name == "ps-sharded") return push_and_pull(r), true;
  if (name == "hierarchical") return hierarchical(r), true;
  if (name.rfind("gossip:", 0) == 0) return gossip(r, name.substr(7), step), true;
  return false;
}

/// Answers each push the moment it is there, without waiting for the others'.
void serve_asynchronously(Ranks& r, long pushes) {
  for (long push = 0; push < pushes; ++push) {
    const int worker = r.receive({MPI_ANY_SOURCE, r.numbers});
    r.send({worker, r.numbers});
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 8) {
    std::fprintf(stderr, "skeletons NAME WORKERS SERVERS NUMBERS STEPS COMPUTE_SECONDS WAY\n");
    return 2;
  }
  Ranks r;
  MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
  const std::string name = argv[1];
  r.workers = std::atoi(argv[2]);
  r.servers = std::atoi(argv[3]);
  r.numbers = std::atol(argv[4]);
  const int steps = std::atoi(argv[5]);
  const double compute = std::atof(argv[6]);
  r.at_once = std::strcmp(argv[7], "at-once") == 0;
  r.outgoing.resize(sizeof(float) * static_cast<std::size_t>(r.numbers));
  r.incoming.resize(r.outgoing.size());

  const double begin = MPI_Wtime();
  double ended[2] = {0.0, 0.0};  // the first step, the last one
  if (name == "ps-async" && !r.is_worker()) {
    serve_asynchronously(r, static_cast<long>(r.workers) * steps);
  } else {
    for (int step = 0; step < steps; ++step) {
      if (r.is_worker() && compute > 0.0) smpi_execute_flops(compute * host_flops);
      if (name == "ps-async") {
        r.send({r.server(0), r.numbers});
        r.receive({r.server(0), r.numbers});
      } else if (!exchange(r, name, step)) {
        std::fprintf(stderr, "skeletons: no '%s'\n", name.c_str());
        return 2;
      }
      if (!r.is_worker()) continue;
      ended[1] = MPI_Wtime() - begin;
      if (step == 0) ended[0] = ended[1];
    }
  }
  // Not collected by a message: from a server that is done early it would be in the others' way.
  if (r.is_worker()) std::printf("%.15g %.15g\n", ended[0], ended[1]);
  MPI_Finalize();
  return 0;
}
