// Asynchronous within an epoch, together at its end: Project Adam's way of not waiting for the last
// (Chilimbi, Suzue, Apacible & Kalyanaraman, OSDI 2014, §3.2; catalogue §2.6). The server applies
// every gradient as it comes, as in ps-async. A worker that has done its minibatches of an epoch
// waits for the epoch to end, so that nobody runs an epoch ahead; and it ends when a share of all
// its minibatches is there, 75 % in the paper, at no loss of accuracy. Then all begin the next one.
// With the whole of it, each epoch lasts as long as the slowest worker takes for its part.
//
// Who was in the middle of its part goes on with its next rows: nothing is dropped, and a slow
// worker passes over its data less often than the others, not over the same first rows again.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "scheme/ps_async.hpp"

namespace trainyard {

namespace {

enum Tag : std::uint64_t { goodbye = UINT64_MAX };

/// The server's count of an epoch.
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
  bool part_is_done(int worker) const { return done_[static_cast<std::size_t>(worker)] >= part_; }
  void waits(int worker) { waiting_[static_cast<std::size_t>(worker)] = true; }
  void leaves() { --running_; }

  /// Enough is there; or nobody is left who could bring more, at the end of the run.
  bool ends() const {
    return all_done_ >= needed_ || std::count(waiting_.begin(), waiting_.end(), true) >= running_;
  }
  /// Calls release(worker) for all who wait, and begins the next epoch.
  template <typename Release>
  void begin_next(const Release& release) {
    for (std::size_t w = 0; w < done_.size(); ++w) {
      if (waiting_[w]) release(static_cast<int>(w));
      waiting_[w] = false;
      done_[w] = 0;
    }
    all_done_ = 0;
  }

 private:
  std::uint64_t part_, needed_;
  std::vector<std::uint64_t> done_;  // by each worker
  std::uint64_t all_done_ = 0;
  std::vector<bool> waiting_;
  int running_;
};

void work(Worker& worker) {
  ps_async_worker(worker);
  worker.comm().send(worker.comm().server(0), worker.replica().first(0), goodbye);
}

void serve(Server& server) {
  Communicator& comm = server.comm();
  Epoch epoch(comm.workers(), server.minibatches_of_worker(), server.hyperparameter("epoch-share"));
  const auto answer = [&](int worker) { comm.send(worker, server.shard(), server.version()); };
  while (const auto gradient = comm.receive_any()) {
    const int worker = gradient->from();
    if (gradient->tag() == goodbye) {
      epoch.leaves();
    } else {
      server.record_staleness(gradient->tag());
      server.apply(gradient->vector(), 1);
      epoch.count(worker);
      if (epoch.part_is_done(worker)) {
        epoch.waits(worker);
      } else {
        answer(worker);
      }
    }
    if (epoch.ends()) epoch.begin_next(answer);
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
          .one_server = true,
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
