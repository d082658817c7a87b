// Asynchronous within an epoch, together at its end: Project Adam's way of not waiting for the last
// (Chilimbi, Suzue, Apacible & Kalyanaraman, OSDI 2014, §3.2; catalogue §2.6). The server applies
// every gradient as it comes, as in ps-async. A worker that has done its minibatches of an epoch
// waits for the epoch to end, so that nobody runs an epoch ahead; and it ends when a share of all
// its minibatches is there, 75 % in the paper, at no loss of accuracy. Then all begin the next one.
// With the whole of it, each epoch lasts as long as the slowest worker takes for its part.
//
// Who was in the middle of its part goes on with its next rows: nothing is dropped, and a slow
// worker passes over its data less often than the others, not over the same first rows again.
//
// With k servers the first one counts for all, as they hear the workers in different orders: with
// its answer it says which epoch it is and whether the next minibatch is the last of the worker's
// part. The worker passes that on with the shards of its next push, so that every server keeps who
// waits waiting; and when an epoch ends the first server tells the others, with empty messages. A
// worker begins an epoch with every shard as it is after the end of the one before.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/collective/parameter_server.hpp"

#include "scheme/ps_async.hpp"

namespace trainyard {

namespace {

/// The tag of the first server's answers, and of the pushes that follow.
struct Place {
  std::uint64_t epoch = 0;
  bool last = false;  // of its worker's part

  std::uint64_t tag() const { return epoch << 1 | (last ? 1 : 0); }
  static Place from_tag(std::uint64_t tag) { return {tag >> 1, (tag & 1) != 0}; }
};
constexpr std::uint64_t goodbye = UINT64_MAX;  // instead

/// The first server's count of an epoch.
class Epoch {
 public:
  Epoch(int workers, std::uint64_t part, double share)
      : part_(part),
        needed_(static_cast<std::uint64_t>(
            std::ceil(share * static_cast<double>(part) * static_cast<double>(workers)))),
        done_(static_cast<std::size_t>(workers), 0),
        waiting_(done_.size(), false),
        running_(workers) {}

  void count(int worker) {
    ++done_[static_cast<std::size_t>(worker)];
    ++all_done_;
  }
  bool part_is_done(int worker) const { return left_of_part(worker) == 0; }
  /// What its worker is told with an answer.
  Place place_of_next(int worker) const { return {number_, left_of_part(worker) == 1}; }
  void waits(int worker) { waiting_[static_cast<std::size_t>(worker)] = true; }
  void leaves() { --running_; }

  /// Enough is there; or nobody is left who could bring more, at the end of the run.
  bool ends() const {
    return all_done_ >= needed_ || std::count(waiting_.begin(), waiting_.end(), true) >= running_;
  }
  /// Calls release(worker) for all who wait, and begins the next epoch.
  template <typename Release>
  void begin_next(const Release& release) {
    ++number_;
    all_done_ = 0;
    std::ranges::fill(done_, 0);
    for (std::size_t w = 0; w < done_.size(); ++w) {
      if (waiting_[w]) release(static_cast<int>(w));
      waiting_[w] = false;
    }
  }

 private:
  std::uint64_t left_of_part(int worker) const {
    return part_ - std::min(part_, done_[static_cast<std::size_t>(worker)]);
  }

  std::uint64_t part_, needed_;
  std::vector<std::uint64_t> done_;  // by each worker
  std::uint64_t all_done_ = 0, number_ = 0;
  std::vector<bool> waiting_;
  int running_;
};

void work(Worker& worker) {
  Communicator& comm = worker.comm();
  std::vector<std::uint64_t> tags(static_cast<std::size_t>(comm.servers()), 0);
  while (worker.next_step()) {
    push(comm, worker.compute_gradient(), tags);
    pull(comm, worker.replica(), tags);
    std::ranges::fill(tags, tags.front());
  }
  comm.send(comm.server(0), worker.replica().first(0), goodbye);
}

/// What every server does with a push, and the model that each worker read last.
class Shard {
 public:
  explicit Shard(Server& server)
      : server_(server), read_(static_cast<std::size_t>(server.comm().workers()), 0) {}

  void apply(const Message& gradient) {
    server_.record_staleness(read_[static_cast<std::size_t>(gradient.from())]);
    server_.apply(gradient.vector(), 1);
  }
  void answer(int worker, std::uint64_t tag) {
    read_[static_cast<std::size_t>(worker)] = server_.version();
    server_.comm().send(worker, server_.shard(), tag);
  }

 private:
  Server& server_;
  std::vector<std::uint64_t> read_;
};

void serve_first(Server& server) {
  Communicator& comm = server.comm();
  Epoch epoch(comm.workers(), server.minibatches_of_worker(), server.hyperparameter("epoch-share"));
  Shard shard(server);
  const auto answer = [&](int worker) { shard.answer(worker, epoch.place_of_next(worker).tag()); };
  while (const auto message = comm.receive_any()) {
    const int worker = message->from();
    if (message->tag() == goodbye) {
      epoch.leaves();
    } else {
      shard.apply(*message);
      epoch.count(worker);
      if (epoch.part_is_done(worker)) {
        epoch.waits(worker);
      } else {
        answer(worker);
      }
    }
    if (!epoch.ends()) continue;
    for (int k = 1; k < comm.servers(); ++k) comm.send(comm.server(k), Vector());
    epoch.begin_next(answer);
  }
}

void serve_other(Server& server) {
  Communicator& comm = server.comm();
  Shard shard(server);
  const bool always_last = server.minibatches_of_worker() == 1;
  // Who waits for the end of an epoch, and of which.
  std::vector<std::optional<std::uint64_t>> waits_for(static_cast<std::size_t>(comm.workers()));
  std::uint64_t epoch = 0;
  while (const auto message = comm.receive_any()) {
    const int from = message->from();
    if (from >= comm.workers()) {  // the first server: an epoch has ended
      ++epoch;
      for (int w = 0; w < comm.workers(); ++w) {
        auto& each = waits_for[static_cast<std::size_t>(w)];
        if (!each || *each >= epoch) continue;
        each.reset();
        shard.answer(w, 0);
      }
      continue;
    }
    shard.apply(*message);
    const Place place = Place::from_tag(message->tag());
    // Of an epoch that has ended meanwhile it was not the last: the first server does not wait.
    if (always_last || (place.last && place.epoch >= epoch)) {
      waits_for[static_cast<std::size_t>(from)] = std::max(place.epoch, epoch);
    } else {
      shard.answer(from, 0);
    }
  }
}

void serve(Server& server) {
  if (server.comm().rank() == server.comm().server(0)) {
    serve_first(server);
  } else {
    serve_other(server);
  }
}

}  // namespace

Scheme ps_async_epochs_scheme() {
  return {.name = "ps-async-epochs",
          .summary = "ps-async whose workers begin each epoch together, when --epoch-share is done",
          .step = "γ × each gradient: as ps-async",
          .time = "as ps-async, and the wait at the end of an epoch",
          .rate = "as ps-async",
          .source = "Chilimbi et al. 2014; catalogue 2.6",
          .family = SchemeFamily::bounded,
          .pace = Pace::free,
          .by_data = true,
          .home = ModelHome::servers,
          .hyperparameters = {{.name = "epoch-share",
                               .argument = "S",
                               .help = "of an epoch's minibatches that end it",
                               .fallback = 0.75,
                               .low = 0.01,
                               .high = 1.0}},
          .worker = work,
          .server = serve};
}

}  // namespace trainyard
