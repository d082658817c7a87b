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
// part. The worker passes that on with the shards of its next push, and when an epoch ends the
// first server tells the others, with empty messages. All servers have one rule: a push that is the
// last of its worker's part of epoch e is answered once e has ended, by this server's count of the
// ends, and every other push at once. That depends on the push alone and not on what overtook what:
//   No answer goes out early. Who begins an epoch after e has, from every server, an answer sent
//   after that server heard of the end of e; without the pushes to it that the notice has
//   overtaken. Nobody waits for ever. Say the first server never ended epoch e. The others come to
//   hear of all ends before it, and then a push makes its worker wait only if it is the last of a
//   part of e, at the first server as well. A worker is told "the last" after part − 1 minibatches
//   in e at most, so in the end each has left or waits; and when all who run wait, e ends.
// A minibatch that was begun in epoch e and comes after its end counts for the epoch that it comes
// in, and its worker goes on at once. With parts of one minibatch it so adds a second to that
// epoch: a server that has not heard of the end could not tell that it should wait.
//
// A worker's machine trains with several threads (§3.1.2), which share its model and step it
// without locks: --machine-threads T makes T neighbouring workers one machine, with one port. Each
// step of a thread is one of Hogwild on the machine's model, and is pushed as well; every
// --fetch-period steps of its own the thread fetches the servers' model, and that replaces the
// machine's, steps that are still on their way to the servers included: they come back with the
// next fetch. Pushes between fetches are answered without a model, also at the end of an epoch: who
// fetches more seldom than once an epoch may begin it with an older one. As in downpour, the steps
// on machines are plain, whatever the servers' optimizer is. With T = 1 a worker has its replica to
// itself; where it fetches in each step, nothing is left of its own steps. A gradient's staleness
// is counted from what its own thread has fetched.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/collective/parameter_server.hpp"

#include "scheme/machine_model.hpp"
#include "scheme/ps_activations.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

/// The place of a minibatch in the run: the tag of the first server's answers, and of the pushes
/// that follow (Push). A worker's first push follows none and has tag 0.
struct Place {
  std::uint64_t epoch = 0;
  bool last = false;  // of its worker's part

  std::uint64_t tag() const { return epoch << 1 | (last ? 1 : 0); }
  /// If a worker's part of an epoch is one minibatch, each minibatch is its last, also that of the
  /// first push.
  static Place from_tag(std::uint64_t tag, std::uint64_t part) {
    return {tag >> 1, part == 1 || (tag & 1) != 0};
  }
};

/// A push's tag.
struct Push {
  std::uint64_t place = 0;  // a Place's tag
  bool wants_model = true;

  std::uint64_t tag() const { return place << 1 | (wants_model ? 1 : 0); }
  static Push from_tag(std::uint64_t tag) { return {tag >> 1, (tag & 1) != 0}; }
};
constexpr std::uint64_t goodbye = UINT64_MAX;  // instead

/// The handling of pushes at every server: the rule above, the epochs that have ended by its count,
/// and the model that each worker read last.
class Shard {
 public:
  Shard(Server& server, ReadPush read)
      : server_(server),
        read_push_(read),
        part_(server.minibatches_of_worker()),
        read_(static_cast<std::size_t>(server.comm().workers()), 0),
        wants_model_(read_.size()),
        waits_for_(read_.size()) {}

  std::uint64_t epoch() const { return epoch_; }
  /// Workers that are not answered yet.
  std::int64_t waiting() const {
    return std::ranges::count_if(waits_for_, [](const auto& end) { return end.has_value(); });
  }

  /// Whether the push is to be answered at once.
  bool apply(const Message& push) {
    const auto worker = static_cast<std::size_t>(push.from());
    server_.record_staleness(read_[worker]);
    server_.apply(read_push_(push), 1);
    const Push pushed = Push::from_tag(push.tag());
    wants_model_[worker] = pushed.wants_model;
    const Place place = Place::from_tag(pushed.place, part_);
    if (place.last && place.epoch >= epoch_) waits_for_[worker] = place.epoch;
    return !waits_for_[worker];
  }
  void answer(int worker, std::uint64_t tag) {
    const auto w = static_cast<std::size_t>(worker);
    if (!wants_model_[w]) return server_.comm().send_control(worker, tag);
    read_[w] = server_.version();
    server_.comm().send(worker, server_.shard(), tag);
  }
  /// Calls release(worker) for all who have waited for that.
  template <typename Release>
  void end_epoch(const Release& release) {
    ++epoch_;
    for (std::size_t w = 0; w < waits_for_.size(); ++w) {
      if (!waits_for_[w] || *waits_for_[w] >= epoch_) continue;
      waits_for_[w].reset();
      release(static_cast<int>(w));
    }
  }

 private:
  Server& server_;
  ReadPush read_push_;
  std::uint64_t part_, epoch_ = 0;
  std::vector<std::uint64_t> read_;
  std::vector<bool> wants_model_;                        // with the push that is not answered yet
  std::vector<std::optional<std::uint64_t>> waits_for_;  // the end of that epoch
};

/// The first server's count of an epoch.
class Count {
 public:
  Count(int workers, std::uint64_t part, double share)
      : part_(part),
        needed_(static_cast<std::uint64_t>(
            std::ceil(share * static_cast<double>(part) * static_cast<double>(workers)))),
        done_(static_cast<std::size_t>(workers), 0),
        running_(workers) {}

  void add(int worker) {
    ++done_[static_cast<std::size_t>(worker)];
    ++all_done_;
  }
  bool next_is_last(int worker) const {
    return done_[static_cast<std::size_t>(worker)] + 1 >= part_;
  }
  void leaves() { --running_; }
  /// Enough is there; or nobody is left who could bring more, at the end of the run.
  bool ends(std::int64_t waiting) const { return all_done_ >= needed_ || waiting >= running_; }
  void begin_next() {
    all_done_ = 0;
    std::ranges::fill(done_, 0);
  }

 private:
  std::uint64_t part_, needed_;
  std::vector<std::uint64_t> done_;  // by each worker
  std::uint64_t all_done_ = 0;
  std::int64_t running_;
};

void serve_first(Server& server, ReadPush read) {
  Communicator& comm = server.comm();
  Count count(comm.workers(), server.minibatches_of_worker(), server.hyperparameter("epoch-share"));
  Shard shard(server, read);
  const auto answer = [&](int worker) {
    shard.answer(worker, Place{shard.epoch(), count.next_is_last(worker)}.tag());
  };
  while (const auto message = comm.receive_any()) {
    const int worker = message->from();
    if (message->tag() == goodbye) {
      count.leaves();
    } else {
      count.add(worker);
      if (shard.apply(*message)) answer(worker);
    }
    if (!count.ends(shard.waiting())) continue;
    for (int k = 1; k < comm.servers(); ++k) comm.send(comm.server(k), Vector());
    count.begin_next();
    shard.end_epoch(answer);
  }
}

void serve_other(Server& server, ReadPush read) {
  Communicator& comm = server.comm();
  Shard shard(server, read);
  const auto answer = [&](int worker) { shard.answer(worker, 0); };
  while (const auto message = comm.receive_any()) {
    const int from = message->from();
    if (from >= comm.workers()) {  // the first server: an epoch has ended
      shard.end_epoch(answer);
    } else if (shard.apply(*message)) {
      answer(from);
    }
  }
}

/// Takes the answers that bring no model. Returns the first server's tag.
std::uint64_t await_answers(Communicator& comm) {
  std::uint64_t first = 0;
  for_each_shard(comm, [&](int shard) {
    const std::uint64_t tag = comm.receive(comm.server(shard)).tag();
    if (shard == 0) first = tag;
  });
  return first;
}

void steps(Worker& worker, PushStep push_step) {
  Communicator& comm = worker.comm();
  const auto fetch_period = static_cast<std::uint64_t>(worker.hyperparameter("fetch-period"));
  MachineModel model(worker);
  std::vector<std::uint64_t> tags(static_cast<std::size_t>(comm.servers()), 0);
  std::uint64_t place = 0;
  while (worker.next_step()) {
    const bool fetches = (worker.step() + 1) % fetch_period == 0;  // for the next step
    std::ranges::fill(tags, Push{.place = place, .wants_model = fetches}.tag());
    model.read();
    const ConstVector gradient = push_step(tags);
    if (!fetches || model.is_shared()) model.descend(gradient);
    if (fetches) {
      pull(comm, worker.replica(), tags);
      model.replace();
      place = tags.front();
    } else {
      place = await_answers(comm);
    }
  }
  comm.send(comm.server(0), worker.replica().first(0), goodbye);
}

void serve_shard(Server& server, ReadPush read) {
  const bool first = server.comm().rank() == server.comm().server(0);
  (first ? serve_first : serve_other)(server, read);
}

enum class Pushed { gradients, activations };

void work(Worker& worker) {
  if (worker.choice<Pushed>("push") == Pushed::activations) {
    return ps_activations_work(worker, steps);
  }
  steps(worker, [&](std::span<const std::uint64_t> tags) { return push_gradient(worker, tags); });
}

void serve(Server& server) {
  if (static_cast<Pushed>(static_cast<int>(server.hyperparameter("push"))) == Pushed::activations) {
    return ps_activations_serve(server, serve_shard);
  }
  serve_shard(server, [](const Message& gradient) { return gradient.vector(); });
}

}  // namespace

Scheme ps_async_epochs_scheme() {
  return {
      .name = "ps-async-epochs",
      .summary = "ps-async whose workers begin each epoch together, when --epoch-share is done",
      .step = "γ × each gradient: as ps-async",
      .cost = {.formula = "as ps-async, and the wait at the end of an epoch",
               .rate = "as ps-async"},
      .source = "Chilimbi et al. 2014; catalogue 2.6",
      .family = SchemeFamily::bounded,
      .order = {.pace = Pace::free,
                .rhythm = Rhythm::by_data,
                .no_checkpoint = "has its servers count who has come how far in an epoch",
                .outlives_worker = true},
      .cast = cast::servers_of_machines,
      .optimizers = {.no_l1 =
                         "steps along gradients by itself between fetches, with an optimizer on "
                         "its servers alone",
                     .no_clip_norm =
                         "may push activations, of which its servers make the gradient"},
      .hyperparameters =
          {{.name = "epoch-share",
            .argument = "S",
            .help = "of an epoch's minibatches that end it",
            .fallback = 0.75,
            .low = 0.01,
            .high = 1.0},
           {.name = "push",
            .argument = "gradients|activations",
            .help = "what of fully connected layers: gradients, or what ps-activations pushes",
            .choices = {"gradients", "activations"}},
           fetch_period_info,
           machine_threads_info},
      .worker = work,
      .server = serve};
}

}  // namespace trainyard
