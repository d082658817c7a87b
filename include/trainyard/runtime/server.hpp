// A parameter server's view of a run: one contiguous shard of the model and the optimizer that goes
// with it.
//
// Threads: a server belongs to its rank. Waiting calls are unwound when another rank fails.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/runtime/optimizer.hpp"
#include "trainyard/runtime/rank.hpp"
#include "trainyard/runtime/worker.hpp"

namespace trainyard {

class RobustMean;  // runtime/robust_mean.hpp
class ShardPart;   // runtime/shard_part.hpp

class Server {
 public:
  /// Server `index` of k owns parameters [index·d/k, (index+1)·d/k); the proxies before them (first
  /// context.proxies of rank.servers()) own none.
  Server(Rank& rank, const RunContext& context);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// This server's shard of the model.
  Vector shard() const { return shard_; }
  /// State that the scheme carries from one update to the next beside the shard; as Worker::keep().
  Vector keep(std::string_view name, const Beginning& begins,
              std::optional<Scalar> precision = {}) {
    return context_.state.keep(rank_.rank(), name, begins, precision);
  }
  std::span<std::uint64_t> keep_counts(std::string_view name, std::size_t length) {
    return context_.state.counts(rank_.rank(), name, length);
  }
  /// A buffer of the shard's size, for a sum of gradients; zeroed by the call.
  Vector zeroed_sum();

  /// One optimizer step of the shard with the gradient `scale` · gradient, which speaks for
  /// `minibatches` minibatches, and `stretch` times as long as γ says; the version goes up by one.
  void apply(ConstVector gradient, std::uint64_t minibatches, double scale = 1.0,
             double stretch = 1.0);

  /// An update of the shard by a rule of the scheme's own, which speaks for so many minibatches:
  /// the version goes up by one.
  void count_update(std::uint64_t minibatches = 0) {
    minibatches_ += minibatches;
    ++version_;
  }

  /// As apply(), and ends a step: for schemes whose pace the servers set.
  void close_step(ConstVector gradient, std::uint64_t minibatches, double scale);
  /// Whether this server has steps left to close.
  bool has_steps_left() const { return version_ < context_.pacer.last_step(); }

  /// γ of the next update, > 0 (lr_schedule.hpp).
  double step_size() const { return context_.optimizer.step_size(context_.epochs(minibatches_)); }
  /// Minibatches that a worker takes in a pass over the data, its part of them, rounded up.
  std::uint64_t minibatches_of_worker() const;
  /// In how many portions workers take all training rows (ListeningGradient), and
  /// what part of the rows each of them is.
  std::size_t portions() const { return context_.portions(); }
  double portion_share(std::size_t number) const;
  /// Which of the model's parameters is the shard's first one.
  std::size_t first_parameter() const;
  /// Whether there is a regulariser.
  bool is_regularised() const { return context_.model.regulariser().l2 != 0.0; }
  /// gradient ← what that worker's compute_gradient() at a model whose shard here is `read` has
  /// where none of its rows touches it: λ · read, times the weight of its share. REQUIRES: keys,
  /// which only linear models have; both are of the shard's size.
  void set_to_untouched(int worker, ConstVector read, Vector gradient) const;
  /// γ of a worker's own step, as Worker::step_size().
  double step_size_of_worker(std::uint64_t step) const {
    return context_.optimizer.step_size(context_.epochs(step * context_.minibatches_of_step));
  }
  /// Rows of a worker's minibatch.
  std::size_t batch() const { return context_.batch; }
  /// The shape of the workers' gradients.
  GradientShape gradient_shape() const { return context_.gradient_shape(); }
  /// Number of updates applied so far.
  std::uint64_t version() const { return version_; }
  /// A gradient taken at that version is about to be applied: it is so many updates old.
  std::uint64_t record_staleness(std::uint64_t version_read);

  Communicator& comm() { return rank_; }
  /// The time since the run began.
  Time now() { return rank_.now(); }
  /// Does nothing until then, where that is to come. What arrives meanwhile is there afterwards.
  void stand_still_until(Time at) {
    const Time present = now();
    if (at > present) rank_.compute({.pause = at - present}, [] {});
  }
  /// The same as Worker::coder(). A server encodes one vector a step, so these count its steps.
  Coder coder(const Codec* own = nullptr) {
    return make_coder(rank_, context_, own != nullptr ? *own : ingredient<Codec>("codec"),
                      context_.state.coding_of(rank_.rank()).vectors);
  }
  /// The starting point of every model of the run.
  ConstVector initial_model() const { return context_.initial_model; }
  /// Number of parameters of the whole model.
  std::size_t dimension() const { return context_.model.dimension(); }
  /// The run's value of a hyperparameter. Throws UsageError for one that the scheme's row does not
  /// name.
  double hyperparameter(std::string_view name) const { return context_.its_hyperparameter(name); }
  /// The run's component of a kind. Throws UsageError where the scheme's row does not take it.
  template <typename Component>
  const Component& ingredient(std::string_view kind) const {
    return context_.ingredient<Component>(kind);
  }

 private:
  friend class RobustMean;  // takes time
  friend class ShardPart;   // applies to some of the shard as apply() does to all of it
  Optimizer& optimizer();

  Rank& rank_;
  const RunContext& context_;
  Vector shard_;
  VectorBuffer sum_;
  std::optional<Optimizer> optimizer_;  // once it has stepped: a collective's servers never do
  std::uint64_t version_, minibatches_;
};

}  // namespace trainyard
