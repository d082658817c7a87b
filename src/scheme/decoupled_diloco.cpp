// Decoupled DiLoCo (Douillard et al. 2026; catalogue §4.1): Streaming DiLoCo over a syncer that
// does not wait for all. Learners take turns with the fragments of their models as in
// streaming-diloco, each at its own pace: they send their fragment, θ_m, and go on; whatever has
// come back by the fragment's turn, or comes later, is mixed in, θ_m ← (1 − α) Θ + α θ_m. The
// syncer waits for K of the M learners (--quorum) and then a grace for those who are nearly there,
// and merges what it has heard, each against the fragment as it is now:
//   Δ_m = Θ − θ_m,  Δ = merge of all Δ_m with weights w_m,
//   v ← μ v + Δ,  Θ ← Θ − η (Δ + μ v),
// which it sends to all learners. The weight is tokens times tokens a step; as all learners have
// minibatches of one size that is the steps since the learner last sent this fragment.
//
// How to merge (--merge): learners' ways are nearly orthogonal, and the mean of M orthogonal ways
// of length R is R/√M long. Radial-directional averaging, rda, keeps the lengths: of each tensor
//   Δ = (Σ w ‖Δ_m‖ / Σ w) φ(Σ w φ(Δ_m)),  φ(v) = v / ‖v‖, φ(0) = 0,
// and where the directions cancel, and with --merge mean everywhere, the weighted mean. (The paper
// merges tables of embeddings by the mean; no model here has one.)
//
// K = M without grace, --merge mean and equal learners is streaming-diloco, if messages take less
// than the delay. The grace is a time here; the paper derives it from the slack of its overlap.
//
// Nobody waits. A learner whose last fragment has not come to its syncer yet, which says so in a
// control message, lets the turn pass: on links slower than that, messages would pile up without
// end.
//
// A learner that is too slow for the quorum is heard in the next merge, of its newest fragment
// alone. With k servers each is the syncer of its shard, and fragments are parts of shards.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/fragment_schedule.hpp"
#include "scheme/merge_ways.hpp"
#include "scheme/outer_model.hpp"

namespace trainyard {

namespace {

enum class Merge { rda, mean };

/// A learner's side: fragments go out in turn, and merged ones are mixed in as they come.
class Learner {
 public:
  explicit Learner(Worker& worker)
      : worker_(worker),
        schedule_(FragmentSchedule::of(worker)),
        local_share_(worker.hyperparameter("local-share")),
        sent_at_(worker.keep_counts("sent at", static_cast<std::size_t>(schedule_.fragments()))),
        next_(worker.keep_counts("next fragment", 1).front()) {}

  /// After a step.
  void take_turns(std::uint64_t step) {
    if (schedule_.sends(fragment(), step)) {
      mix_in_what_came();
      if (under_way_ == 0) send(step + 1);
      is_sent_ = true;
    }
    if (schedule_.merges(fragment(), step)) {
      next_ = (next_ + 1) % fragment_count();
      is_sent_ = false;
    }
    if (!is_sent_) mix_in_what_came();
  }

 private:
  int fragment() const { return static_cast<int>(next_); }
  void send(std::uint64_t steps) {
    std::uint64_t& sent_at = sent_at_[next_];
    const std::uint64_t tag = (steps - sent_at) * fragment_count() + next_;
    sent_at = steps;
    Communicator& comm = worker_.comm();
    for_each_shard(comm, [&](int shard) {
      const ConstVector held = even_split(ConstVector(worker_.replica()), shard, comm.servers());
      comm.send(comm.server(shard), even_split(held, fragment(), schedule_.fragments()), tag);
      ++under_way_;
    });
  }
  void mix_in_what_came() {
    Communicator& comm = worker_.comm();
    while (const auto merged = comm.poll_any()) {
      if (merged->payload() == Payload::control) {
        --under_way_;
        continue;
      }
      const int shard = merged->from() - comm.workers();
      const Vector held = even_split(worker_.replica(), shard, comm.servers());
      const auto fragment = static_cast<int>(merged->tag());
      kernels::move_towards(1.0 - local_share_, merged->vector(),
                            even_split(held, fragment, schedule_.fragments()));
    }
  }
  std::uint64_t fragment_count() const { return static_cast<std::uint64_t>(schedule_.fragments()); }

  Worker& worker_;
  const FragmentSchedule schedule_;
  const double local_share_;                // α
  const std::span<std::uint64_t> sent_at_;  // of each fragment, in steps
  std::uint64_t& next_;                     // fragment
  bool is_sent_ = false;                    // it, or it was passed over, and its turn is not yet
  int under_way_ = 0;                       // parts of the last one that no syncer has yet
};

void work(Worker& worker) {
  Learner learner(worker);
  while (worker.next_step()) {
    worker.descend();
    learner.take_turns(worker.step());
  }
}

/// What learners have sent of one fragment since it was merged, at most one message of each.
class Heard {
 public:
  explicit Heard(int learners) : of_learner_(static_cast<std::size_t>(learners)) {}

  void take(Message message) {
    auto& slot = of_learner_[static_cast<std::size_t>(message.from())];
    if (!slot) ++count_;
    slot.emplace(std::move(message));
  }
  int count() const { return count_; }
  void clear() {
    for (auto& slot : of_learner_) slot.reset();
    count_ = 0;
  }
  /// `deal` with each, in the order of the ranks.
  template <typename Deal>
  void for_each(const Deal& deal) const {
    for (const auto& slot : of_learner_) {
      if (slot) deal(*slot);
    }
  }

 private:
  std::vector<std::optional<Message>> of_learner_;
  int count_ = 0;
};

class Syncer {
 public:
  explicit Syncer(Server& server)
      : server_(server),
        fragments_(static_cast<int>(server.hyperparameter("fragments"))),
        quorum_(static_cast<int>(server.hyperparameter("quorum"))),
        grace_(seconds(server.hyperparameter("grace"))),
        merge_(static_cast<Merge>(static_cast<int>(server.hyperparameter("merge")))),
        outer_(server),

        merged_(server.shard().scalar(), largest_part(server.shard().size(), fragments_)),
        way_(server.shard().scalar(), merged_.size()) {
    for (int fragment = 0; fragment < fragments_; ++fragment) {
      heard_.emplace_back(server.comm().workers());
    }
  }

  void serve() {
    while (auto message = server_.comm().receive_any()) {
      take(std::move(*message));
      while (const auto fragment = complete()) {
        if (grace_ > Duration{0}) {
          server_.stand_still_until(server_.now() + grace_);
          while (auto late = server_.comm().poll_any()) take(std::move(*late));
        }
        merge(*fragment);
      }
    }
  }

 private:
  Heard& heard(int fragment) { return heard_[static_cast<std::size_t>(fragment)]; }

  void take(Message message) {
    const auto fragment = message.tag() % static_cast<std::uint64_t>(fragments_);
    server_.comm().send_control(message.from(), message.tag());
    heard(static_cast<int>(fragment)).take(std::move(message));
  }
  /// A fragment that enough learners have sent.
  std::optional<int> complete() {
    for (int fragment = 0; fragment < fragments_; ++fragment) {
      if (heard(fragment).count() >= quorum_) return fragment;
    }
    return {};
  }
  void merge(int fragment) {
    const std::size_t first = even_cut(server_.shard().size(), fragment, fragments_);
    const std::size_t size = even_split(server_.shard(), fragment, fragments_).size();
    const Heard& all = heard(fragment);
    for_each_tensor(first, size, [&](std::size_t at, std::size_t count) {
      const auto ways = [&](TakeWay take) {
        all.for_each([&](const Message& from) {
          const Vector way = way_.view().subspan(0, count);
          outer_.way_to(from.vector().subspan(at, count), way, first + at);
          take(static_cast<double>(steps_of(from)), way);
        });
      };
      const auto merge_by = merge_ == Merge::rda ? radial_directional_average : weighted_mean;
      merge_by(ways, merged_.view().subspan(at, count));
    });
    finish(fragment, first, merged_.view().subspan(0, size));
  }
  /// The outer step, and everybody's answer.
  void finish(int fragment, std::size_t first, ConstVector merged) {
    std::uint64_t steps = 0;
    heard(fragment).for_each([&](const Message& from) { steps += steps_of(from); });
    heard(fragment).clear();
    outer_.step(merged, 1.0, first);
    server_.count_update(steps / static_cast<std::uint64_t>(fragments_));
    for_each_worker(server_.comm(), [&](int learner) {
      server_.comm().send(learner, outer_.part(first, merged.size()),
                          static_cast<std::uint64_t>(fragment));
    });
  }

  std::uint64_t steps_of(const Message& from) const {
    return from.tag() / static_cast<std::uint64_t>(fragments_);
  }
  /// Calls deal(at, count) with the part of each tensor that lies in the `size` numbers of the
  /// shard from `first` on, `at` counted from there.
  template <typename Deal>
  void for_each_tensor(std::size_t first, std::size_t size, const Deal& deal) {
    const std::size_t begin = server_.first_parameter() + first, end = begin + size;
    std::size_t of_tensor = 0;
    for (const TensorShape& tensor : tensors_) {
      const std::size_t from = std::max(begin, of_tensor);
      of_tensor += tensor.size();
      const std::size_t to = std::min(end, of_tensor);
      if (from < to) deal(from - begin, to - from);
    }
  }

  Server& server_;
  const int fragments_, quorum_;
  const Duration grace_;
  const Merge merge_;
  const std::vector<TensorShape> tensors_ = server_.gradient_shape().tensors;
  OuterModel outer_;
  std::vector<Heard> heard_;  // of each fragment
  VectorBuffer merged_, way_;
};

void serve(Server& server) {
  Syncer(server).serve();
}

Cast checked_servers(const CastSetting& s) {
  (void)FragmentSchedule(s.hyperparameters);
  const double quorum = hyperparameter(s.hyperparameters, "quorum");
  if (quorum > s.workers) {
    throw OptionError("quorum", fmt::format("{}", quorum),
                      fmt::format("there are {} workers; expected at most that", s.workers));
  }
  return cast::servers(s);
}

std::vector<HyperparameterInfo> hyperparameters() {
  return {period_info,
          fragments_info,
          fragment_delay_info,
          local_share_info,
          outer_lr_info,
          outer_momentum_info,
          outer_optimizer_info,
          {.name = "quorum",
           .argument = "K",
           .help = "workers whose fragments are there before it is merged; half of them",
           .fallback = 1,
           .low = 1,
           .high = 1e6,
           .whole = true,
           .run_fallback = [](int workers, const Hyperparameters&) -> double {
             const int half = (workers + 1) / 2;
             return half;
           }},
          {.name = "grace",
           .argument = "TIME",
           .help = "for which the others are waited for once there is a quorum",
           .low = 0.0,
           .high = 3600.0,
           .unit = Unit::seconds},
          {.name = "merge",
           .argument = "rda|mean",
           .help = "how workers' ways are merged: mean length and mean direction, or their mean",
           .choices = {"rda", "mean"}}};
}

}  // namespace

Scheme decoupled_diloco_scheme() {
  return {
      .name = "decoupled-diloco",
      .summary = "streaming-diloco over a server that merges a fragment when a quorum has sent it",
      .step =
          "γ × own gradient; a fragment every τ/P steps η × the merged ways of a quorum, and "
          "momentum",
      .cost = {.formula = "c, while messages take less than the steps between two turns",
               .rate = "as local-sgd, with staleness"},
      .source = "Douillard et al. 2026; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .order = {.pace = Pace::free, .outlives_worker = true},
      .cast = checked_servers,
      .optimizers = {.no_l1 = "has a server's model that moves along ways, with momentum: nobody "
                              "would shrink it"},
      .hyperparameters = hyperparameters(),
      .worker = work,
      .server = serve};
}

}  // namespace trainyard
