// Streaming DiLoCo (Douillard et al. 2025, Algorithm 2; catalogue §4.1): DiLoCo whose parameters
// are not sent all at once, nor waited for. They are cut into P fragments, of which one is sent
// every H/P steps, so that the link never has to carry more than a P-th at a time; and a worker
// goes on stepping for τ steps while its fragment is summed around the ring:
//   τ steps before the fragment's turn   Δ_i = x − x_i of the fragment; its all-reduce begins
//   at its turn                          v ← μ v + Δ,  x ← x − η (Δ + μ v), of the fragment
//                                        x_i ← (1 − α) x + α x_i
// so that what a worker did meanwhile is not lost, unless α = 0. α = 1 never hears of the others.
// The rule, with α as the share of the local model, is torchft's (local_sgd.py), to whose recorded
// trajectories a test holds it. P = 1, τ = 0, α = 0 is `diloco`.
//
// A fragment is one of P equal parts of the parameters in their order; the paper's are of whole
// layers, three neighbouring ones or every so manieth. The all-reduce is a ring
// (collective/concurrent_rings.hpp), since it has to go on while its workers compute. With --wire
// fp16 outer gradients travel in half the bytes.
//
// With --codec they are averaged instead by an all-to-all of the codec's messages that goes on just
// so (collective/concurrent_coded_mean.hpp): the paper's 4 bits are e3m0, which it adds up in full
// precision. All workers decode the same mean. Errors are kept as in coded-diloco, with
// --error-feedback on, which P = 1, τ = 0, α = 0 is: of each fragment its own. With identity, the
// fallback, nothing is encoded.
//
// At the run's end a ring that is under way stays so; encoded parts are waited for, so that a run
// in legs goes on as one in one piece does. Where a worker has gone meanwhile (--on-failure shrink)
// a fragment whose ring was under way goes back to its outer model when its turn comes, as with
// torchft after a commit that has failed; where one has come its turn passes.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/coded_all_reduce.hpp"
#include "trainyard/collective/concurrent_coded_mean.hpp"
#include "trainyard/collective/concurrent_rings.hpp"
#include "trainyard/runtime/listening_gradient.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/coded.hpp"
#include "scheme/fragment_schedule.hpp"
#include "scheme/gradient_wire.hpp"
#include "scheme/outer_model.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

Cast checked_replicas(const CastSetting& s) {
  (void)FragmentSchedule(s.hyperparameters);
  if (wire_of(s.hyperparameters) != Wire::float32 && !make_codec(s.codec)->is_identity()) {
    throw OptionError("wire", "fp16",
                      fmt::format("outer gradients travel as --codec {} has them; leave out one of "
                                  "the two",
                                  s.codec));
  }
  return cast::replicas(s);
}

/// The errors of the means that a worker owns, one after another: of each fragment a part.
class OwnErrors {
 public:
  OwnErrors(Worker& worker, int fragments) {
    const std::size_t dimension = worker.replica().size();
    begins_.push_back(0);
    for (int f = 0; f < fragments; ++f) {
      const std::size_t length =
          even_cut(dimension, f + 1, fragments) - even_cut(dimension, f, fragments);
      begins_.push_back(begins_.back() + own_part_length(worker.comm(), length));
    }
    all_ = worker.keep("error of the mean", begins_.back());
  }
  Vector of(int fragment) const {
    const auto index = static_cast<std::size_t>(fragment);
    return all_.subspan(begins_[index], begins_[index + 1] - begins_[index]);
  }

 private:
  std::vector<std::size_t> begins_;
  Vector all_;
};

/// The mean of a codec's messages with the ways of a fragment.
class CodedWays {
 public:
  CodedWays(Worker& worker, int fragments)
      : fragments_(fragments), coder_(worker.coder()), mean_(worker.comm(), coder_) {
    coder_.decode_as_it_is();
    if (worker.choice<ErrorFeedback>("error-feedback") == ErrorFeedback::off) return;
    error_ = worker.keep("error", worker.replica().size());
    own_errors_.emplace(worker, fragments);
  }
  CodedWays(const CodedWays&) = delete;  // the mean refers to the coder
  CodedWays& operator=(const CodedWays&) = delete;

  ConcurrentCodedMean& mean() { return mean_; }
  const ConcurrentCodedMean& mean() const { return mean_; }
  void start(int fragment, Vector way) {
    if (!own_errors_) return mean_.start(way, {}, {});
    mean_.start(way, even_split(error_, fragment, fragments_), own_errors_->of(fragment));
  }

 private:
  const int fragments_;
  Coder coder_;
  ConcurrentCodedMean mean_;
  Vector error_;
  std::optional<OwnErrors> own_errors_;
};

/// How the ways of a fragment are brought together while workers go on: around a ring, or encoded.
class Meeting {
 public:
  Meeting(Worker& worker, int fragments)
      : workers_(worker.comm().workers()), wire_(worker), rings_(worker.comm(), wire_.codec()) {
    if (!worker.ingredient<Codec>("codec").is_identity()) coded_.emplace(worker, fragments);
  }

  bool is_encoded() const { return coded_.has_value(); }
  bool is_under_way() const {
    return coded_ ? coded_->mean().is_under_way() : rings_.under_way() > 0;
  }
  void start(int fragment, Vector way) {
    if (coded_) return coded_->start(fragment, way);
    wire_.round(way);
    rings_.start(0, way);
  }
  void take(Message& message) { coded_ ? coded_->mean().take(message) : rings_.take(message); }
  /// The gradient during which messages were taken is there.
  void settle() {
    if (coded_) coded_->mean().settle();
  }
  void finish() { coded_ ? coded_->mean().finish() : rings_.finish(); }
  /// Of what a way has become when it is done, for the mean.
  double share() const { return coded_ ? 1.0 : 1.0 / workers_; }

 private:
  const int workers_;
  GradientWire wire_;
  ConcurrentRings rings_;
  std::optional<CodedWays> coded_;
};

/// A worker's fragments, one after another.
class Fragments {
 public:
  explicit Fragments(Worker& worker)
      : worker_(worker),
        schedule_(FragmentSchedule::of(worker)),
        local_share_(worker.hyperparameter("local-share")),
        outer_(worker),
        meeting_(worker, schedule_.fragments()),
        way_(worker.keep("sum of ways",
                         largest_part(worker.replica().size(), schedule_.fragments()))),
        next_(worker.keep_counts("turn", 2)[0]),
        sent_with_(worker.keep_counts("turn", 2)[1]) {
    if (sent_with_ > workers()) sent_with_ = failed;
  }

  bool is_under_way() const { return meeting_.is_under_way(); }
  void take(Message& message) { meeting_.take(message); }
  void settle() { meeting_.settle(); }

  /// After a step: sends the fragment whose turn comes, and takes in what has come back of it.
  void take_turns(std::uint64_t step) {
    if (schedule_.sends(fragment(), step)) send();
    if (schedule_.merges(fragment(), step)) merge();
  }

  /// At a run's end, or a leg's. A ring is not waited for, and is of no use to the next leg at all
  /// workers: of some it is done. What is encoded is.
  void rest() {
    if (meeting_.is_encoded()) meeting_.finish();
  }

 private:
  void send() {
    outer_.way_to(replica(), way(), first());
    meeting_.start(fragment(), way());
    sent_with_ = workers();
    is_of_this_leg_ = true;
  }
  void merge() {
    if (is_of_this_leg_ || (sent_with_ > 0 && meeting_.is_encoded())) {
      take_in();
    } else if (sent_with_ == failed) {
      kernels::copy(outer_.part(first(), replica().size()), replica());
    }
    sent_with_ = 0;
    is_of_this_leg_ = false;
    next_ = (next_ + 1) % static_cast<std::uint64_t>(schedule_.fragments());
  }
  void take_in() {
    meeting_.finish();
    outer_.step(way(), meeting_.share(), first());
    const ConstVector merged = outer_.part(first(), way().size());
    if (local_share_ == 0.0) {
      kernels::copy(merged, replica());  // to the bit, for all workers alike
    } else {
      kernels::move_towards(1.0 - local_share_, merged, replica());
    }
  }

  std::uint64_t workers() const { return static_cast<std::uint64_t>(worker_.comm().workers()); }
  int fragment() const { return static_cast<int>(next_); }
  std::size_t first() {
    return even_cut(worker_.replica().size(), fragment(), schedule_.fragments());
  }
  Vector replica() { return even_split(worker_.replica(), fragment(), schedule_.fragments()); }
  Vector way() { return way_.subspan(0, replica().size()); }

  /// Somebody has gone before it was summed; whoever comes back in the meantime changes nothing.
  static constexpr std::uint64_t failed = std::numeric_limits<std::uint64_t>::max();

  Worker& worker_;
  const FragmentSchedule schedule_;
  const double local_share_;  // α
  OuterModel outer_;
  Meeting meeting_;
  const Vector way_;     // of the fragment whose turn it is, over all workers where they have met
  std::uint64_t& next_;  // that fragment
  std::uint64_t& sent_with_;  // so many workers from then on, 0 before
  bool is_of_this_leg_ = false;
};

void work(Worker& worker) {
  Fragments fragments(worker);
  ListeningGradient gradients(worker);
  while (worker.next_step()) {
    if (fragments.is_under_way()) {
      const Vector gradient = gradients.compute([&](Message& message) { fragments.take(message); });
      fragments.settle();
      worker.apply(gradient);
    } else {
      worker.descend();
    }
    fragments.take_turns(worker.step());
  }
  fragments.rest();
}

/// Encoded parts of a fragment, each worker's own.
std::optional<Duration> coded_step_time(const StepSetting& s, const FragmentSchedule& schedule) {
  StepSetting of_fragment = s;
  of_fragment.parameters = even_cut(s.parameters, 1, schedule.fragments());
  if (schedule.merges(0, 0)) return coded_parts_time(of_fragment);
  const bool codes = schedule.sends(0, 0) && (s.coding.encode + s.coding.decode).count() > 0;
  return codes ? std::nullopt : std::optional(s.compute);
}

std::optional<Duration> step_time(const StepSetting& s) {
  const FragmentSchedule schedule(s.hyperparameters);
  if (!s.codec().is_identity()) return coded_step_time(s, schedule);
  if (!schedule.merges(0, 0)) return s.compute;
  const Wire wire = wire_of(s.hyperparameters);
  const auto message = [&](std::size_t numbers) { return wire_message(s, wire, numbers); };
  const std::size_t first = even_cut(s.parameters, 1, schedule.fragments());
  return s.compute + find_all_reduce("ring").duration(s.workers, s.servers, first, message);
}

}  // namespace

Scheme streaming_diloco_scheme() {
  return {
      .name = "streaming-diloco",
      .summary =
          "diloco by fragments that take turns, each summed around a ring, or averaged encoded, "
          "while workers go on",
      .step =
          "γ × own gradient; a fragment every τ/P steps η × the mean way of the workers, "
          "and momentum",
      .cost = {.formula = "c, while rings of t/P, or 2(n-1)m of a fragment's encoded parts, take "
                          "less than the steps of the delay",
               .rate = "as local-sgd",
               .time = step_time},
      .source = "Douillard et al. 2025, Algorithm 2; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .order = {.members_may_change = true, .rows_by_speed = RowsBySpeed::replicas},
      .cast = checked_replicas,
      .takes = {"codec"},
      .messages = {.codec_optional = true},
      .optimizers = {.no_l1 = "steps along a mean way with momentum, which moves weights off 0"},
      .hyperparameters = {period_info, fragments_info, fragment_delay_info, local_share_info,
                          outer_lr_info, outer_momentum_info, outer_optimizer_info, wire_info(),
                          error_feedback_info},
      .worker = work};
}

}  // namespace trainyard
