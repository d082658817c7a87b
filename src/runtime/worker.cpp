#include "trainyard/runtime/worker.hpp"

#include <cmath>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/data/split_file.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/model/layered_model.hpp"
#include "trainyard/runtime/data_server.hpp"
#include "trainyard/runtime/trace.hpp"

namespace trainyard {

namespace {

[[noreturn]] void throw_forgotten(std::string_view scheme, const char* field, const char* why) {
  throw UsageError(fmt::format("scheme '{}': {}: {}", scheme, field, why));
}

/// The held parameters of a model, one range behind the other; `place` is where several are put
/// together.
ConstVector held_of(ConstVector model, const Holding& holding, VectorBuffer& place) {
  const auto part = [&](const ParameterRange& range) {
    return model.subspan(range.first, range.count);
  };
  if (holding.ranges.size() == 1) return part(holding.ranges.front());
  place = VectorBuffer(model.scalar(), holding.count());
  std::size_t done = 0;
  for (const ParameterRange& range : holding.ranges) {
    kernels::copy(part(range), place.view().subspan(done, range.count));
    done += range.count;
  }
  return place.view();
}

}  // namespace

void RunContext::throw_not_taken(std::string_view kind) const {
  throw UsageError(
      fmt::format("scheme '{}': .takes: its program asks for a {}, which needs .takes = {{\"{}\"}}",
                  scheme, kind, kind));
}

double RunContext::its_hyperparameter(std::string_view name) const {
  try {
    return trainyard::hyperparameter(hyperparameters, name);
  } catch (const UnnamedHyperparameter& error) {
    throw UsageError(fmt::format("scheme '{}': {}", scheme, error.what()));
  }
}

Coder make_coder(Rank& rank, const RunContext& context, const Codec& codec,
                 const std::uint64_t& step) {
  const auto index = static_cast<std::size_t>(rank.rank());
  return Coder({.rank = rank,
                .codec = codec,
                .time = context.coding_time,
                .slowdown = index < context.slowdown.size() ? context.slowdown[index] : 1.0,
                .tensors = context.model.tensors(),
                .need = context.codec_need,
                .seed = context.seed,
                .account = context.state.coding_of(rank.rank()),
                .scheme = context.scheme,
                .step = step});
}

Worker::Worker(Rank& rank, const RunContext& context, std::span<const int> shares)
    : rank_(rank),
      context_(context),
      team_(context.pacer.team()),
      held_(context.state.layout().count_of(rank.rank())),
      holds_all_(held_ == context.model.dimension()),
      noisy_(context.compute_noise.any()),
      constant_step_(context.optimizer.constant_step()),
      sparse_(context.hot != nullptr      ? context.hot->update.get()
              : context.optimizer.plain() ? context.model.sparse_update()
                                          : nullptr),
      random_(context.seed, Purpose::scheme, static_cast<std::uint32_t>(rank.rank()) + 1),
      rounding_(
          RandomStream(context.seed, Purpose::rounding, static_cast<std::uint32_t>(rank.rank()))
              .next_u32()) {
  shares_.reserve(shares.size());  // streams keep references
  const bool stands_for_all = rank.workers() < context.workers;
  for (const int w : shares) {
    shares_.push_back(copy_rows(context.train, context.parts[static_cast<std::size_t>(w)]));
    streams_.emplace_back(
        shares_.back(), context.batch, context.drawing,
        RandomStream(context.seed, Purpose::minibatch, static_cast<std::uint32_t>(w)));
    if (!stands_for_all && !noises_.empty()) continue;
    noises_.emplace_back(context.compute_noise, context.seed,
                         static_cast<std::uint32_t>(stands_for_all ? w : rank.rank()));
  }
  if (!context.loss_weights.empty()) {
    for (const int w : shares)
      weights_.push_back(context.loss_weights[static_cast<std::size_t>(w)]);
    if (shares.size() == 1) weight_ = weights_.front();
  }
  if (streams_.size() == 1 && !context.data_server) own_stream_ = &streams_.front();
  next_numbers_.assign(shares.size(), 0);
  const std::size_t rows = context.batch * shares.size();
  single_row_ = rows == 1;
  if (sparse_ != nullptr) residuals_ = AlignedBuffer<float>(sparse_->residual_count(rows));
  const std::size_t dimension = context.model.dimension();
  if (context.state.shared() != nullptr) lay_out_shared();
  if (context.state.layout().home != ModelHome::shared) {
    VectorBuffer together;
    const Holding holding = context.state.layout().held_by(rank.rank());
    replica_ =
        context.state.keep_model(rank.rank(), held_of(context.initial_model, holding, together));
    gradient_ = VectorBuffer::zeroed(context.model.scalar(), held_);
    return;
  }
  if (context.hot != nullptr) {
    for (Dataset& share : shares_) context.hot->renumber(share, rank.rank());
    steps_to_visit_ = context.hot->steps_of_visit;
    others_then_.assign(context.hot->blocks.size(), 0);
  }
  if (sparse_ == nullptr) {
    read_copy_ = AlignedBuffer<float>::zeroed(dimension);
    gradient_ = VectorBuffer::zeroed(context.model.scalar(), dimension);
  }
}

void Worker::lay_out_shared() {
  SharedModels& shared = *context_.state.shared();
  group_ = shared.group_of(rank_.rank());
  shared.enter(rank_.rank(), context_.initial_model.floats(),
               {context_.state.layout().shared_format, context_.hot});
}

bool Worker::next_step() {
  if (begun_) ++done_;
  begun_ = team_ == 1 ? context_.pacer.next_step(rank_, done_) : begins_with_team();
  if (begun_ && context_.recorder != nullptr) context_.recorder->step_begins(rank_.now());
  return begun_;
}

/// One asks for all: where each asked for itself, the run's last minibatches might be enough for
/// some of a team, who would wait for the others for ever.
bool Worker::begins_with_team() {
  Pacing& pacing = context_.pacer;
  const int own = rank_.rank(), first = own - own % team_;
  if (own != first) {
    const bool goes_on = rank_.receive(first).tag() != 0;
    pacing.follow(own, done_, goes_on);
    return goes_on;
  }
  const bool goes_on = pacing.next_step(rank_, done_);
  for (int other = first + 1; other < first + team_; ++other) {
    rank_.send_control(other, goes_on ? 1 : 0);
  }
  return goes_on;
}

const MixingRow& Worker::next_round() {
  const Topology& topology = context_.ingredient<Topology>("topology");
  if (!begun_ && topology.period() > 1) {
    throw_forgotten(
        context_.scheme, ".graphs",
        "its program asks for its neighbours before the first step, which a graph that "
        "varies has not; it needs .graphs = {.range = GraphRange::static_symmetric}, or to call "
        "next_round() in each round");
  }
  return topology.row(rounds_++, rank_.rank());
}

void Worker::throw_wrong_home(const char* asked_for) const {
  const char* why = "needs a replica and does not go with cast::shared";
  if (context_.state.layout().home != ModelHome::shared) {
    why = holds_all_ ? "needs cast::shared"
                     : "needs the whole model, of which .holds gives a worker a part";
  }
  throw UsageError(fmt::format("scheme '{}': .cast: its program calls {}, which {}",
                               context_.scheme, asked_for, why));
}

/// Once they are there.
Batch Worker::fetched(Batch rows) {
  if (context_.data_server) fetch_rows(rank_, *context_.data_server, rows);
  return rows;
}

void Worker::draw_cost() {
  const double slowdown = context_.slowdown[static_cast<std::size_t>(rank_.rank())];
  double factors = 0.0;
  Duration pause{0};
  for (std::size_t share = 0; share < streams_.size(); ++share) {
    const Slowdown random = noises_[share % noises_.size()].next();
    factors += slowdown * random.factor;
    pause = checked_sum(pause, random.pause);
  }
  cost_ = ComputeCost{.simulated = scaled(context_.minibatch_time, factors),
                      .slowdown = factors / static_cast<double>(streams_.size()),
                      .pause = pause};
}

ComputeCost Worker::cost_of(double minibatches, const Slowdown& noise) const {
  const double slowdown = context_.slowdown[static_cast<std::size_t>(rank_.rank())] * noise.factor;
  return {.simulated = scaled(context_.minibatch_time, minibatches * slowdown),
          .slowdown = slowdown,
          .pause = noise.pause};
}

const LayeredModel& Worker::layers() const {
  const LayeredModel* const layered = context_.model.layered();
  if (layered == nullptr) {
    throw UsageError(fmt::format(
        "scheme '{}': its program asks for layers, which the model does not have; mlp:H1,H2,… has "
        "layers",
        context_.scheme));
  }
  return *layered;
}

Stage Worker::stage() const {
  const Holding held = context_.state.layout().held_by(rank_.rank());
  require(held.ranges.size() == 1, "a stage has its parameters in a row");
  return layers().stage_of(held.ranges.front());
}

double Worker::epochs() const {
  return context_.epochs(done_ * context_.minibatches_of_step);
}

/// The step size when all workers together have taken so many minibatches.
double Worker::step_size_after(std::uint64_t minibatches) const {
  if (constant_step_) return context_.optimizer.lr;
  return context_.optimizer.step_size(context_.epochs(minibatches));
}

double Worker::step_size() const {
  return step_size_after(done_ * context_.minibatches_of_step);
}

void Worker::sit_out() {
  context_.pacer.sit_out(rank_.rank());
}

void Worker::take_gradient(ConstVector model, Batch batch, double weight) {
  context_.model.gradient(model, batch, gradient_.view(), workspace_);
  if (weight != 1.0) kernels::scale(weight, gradient_.view());
}

Vector Worker::compute_gradient() {
  needs_whole("compute_gradient()");
  require(weights_.size() < 2, "shares that weigh differently are combined");
  batch_ = next_minibatch();
  rank_.compute(cost_of_next(false), [&] { take_gradient(replica_, batch_, weight_); });
  return gradient_.view();
}

/// At the replica as it is now. False when `serve` said so.
bool Worker::compute_serving(Batch batch, const ComputeCost& cost, double weight,
                             FunctionRef<bool(Message&)> serve) {
  needs_whole("compute_gradient()");
  if (read_at_.empty()) read_at_ = VectorBuffer(replica_.scalar(), replica_.size());
  kernels::copy(replica_, read_at_.view());
  batch_ = batch;
  return rank_.compute_serving(
      cost, [&] { take_gradient(read_at_.view(), batch_, weight); }, serve);
}

Vector Worker::compute_gradient_serving(FunctionRef<void(const Message&)> serve) {
  const Batch batch = next_minibatch();
  compute_serving(batch, cost_of_next(false), weight_, [&](const Message& message) {
    serve(message);
    return true;
  });
  return gradient_.view();
}

std::optional<Vector> Worker::compute_unless(Batch batch, const ComputeCost& cost, double weight,
                                             FunctionRef<void(const Message&)> take) {
  const bool done = compute_serving(batch, cost, weight, [&](const Message& message) {
    take(message);
    return false;
  });
  if (!done) return std::nullopt;
  return gradient_.view();
}

std::optional<Vector> Worker::compute_gradient_unless(FunctionRef<void(const Message&)> take) {
  const Batch batch = next_minibatch();
  return compute_unless(batch, cost_of_next(false), weight_, take);
}

/// Once: every batch of a run has the same portions.
void Worker::check_portion(std::size_t number) {
  checked_portions_.resize(context_.portions());
  if (checked_portions_[number]) return;
  check_rows(context_.train, portion_.first, portion_.count);
  checked_portions_[number] = true;
}

std::optional<Vector> Worker::compute_portion_unless(std::size_t number,
                                                     FunctionRef<void(const Message&)> take) {
  require(number < context_.portions(), "a portion is one of those that there are");
  portion_ = context_.portion(number);
  if (!context_.train.unchecked_file.empty()) check_portion(number);
  return compute_unless(fetched({&portion_, 1}), cost_of_next(false), 1.0, take);
}

void Worker::compute(double minibatches, FunctionRef<void()> work) {
  compute(minibatches, {}, work);
}

void Worker::compute(double minibatches, const Slowdown& noise, FunctionRef<void()> work) {
  require(minibatches >= 0.0, "arithmetic takes no negative time");
  rank_.compute(cost_of(minibatches, noise), work);
}

void Worker::code(Duration of_a_number, FunctionRef<void()> work) {
  const double slowdown = context_.slowdown[static_cast<std::size_t>(rank_.rank())];
  const double times = static_cast<double>(held_) * slowdown;
  const Time began = rank_.now();
  rank_.compute({.simulated = scaled(of_a_number, times), .slowdown = slowdown}, work);
  context_.state.coding_of(rank_.rank()).time += rank_.now() - began;
}

void Worker::compute_on_minibatch(FunctionRef<void(Batch)> work) {
  if (!weights_.empty()) {
    throw OptionError("weights", share_weights_text(ShareWeights::rows),
                      fmt::format("{} computes no gradient as such, and weighs nothing by itself",
                                  context_.scheme));
  }
  batch_ = next_minibatch();
  rank_.compute(cost_of_next(false), [&] { work(batch_); });
}

double Worker::minibatch_loss() {
  needs_whole("minibatch_loss()");
  const Tally tally = context_.model.evaluate(replica_, batch_, workspace_);
  return tally.loss_sum / static_cast<double>(tally.rows) + context_.model.penalty(replica_);
}

void Worker::apply(ConstVector gradient, double scale) {
  apply_to(replica_, gradient, scale);
}

void Worker::apply_to(Vector model, ConstVector gradient, double scale) {
  needs_replica("apply()");
  optimizer_for(model.size()).apply(model, gradient, epochs(), scale);
}

Optimizer& Worker::optimizer_for(std::size_t numbers) {
  if (!optimizer_) {
    optimizer_.emplace(context_.optimizer,
                       [&](std::string_view name) { return keep(name, numbers); });
  }
  return *optimizer_;
}

void Worker::descend() {
  needs_whole("descend()");
  if (weights_.size() > 1) {
    apply(compute_weighed_mean());
    return;
  }
  if (!context_.optimizer.plain()) {
    apply(compute_gradient());
    return;
  }
  const Batch batch = next_minibatch();
  const double step_size = this->step_size() * weight_;
  if (sparse_ != nullptr && single_row_) {
    const std::span<float> parameters = replica_.floats();
    rank_.compute(cost_of_next(false),
                  [&] { sparse_->read(parameters, batch, residuals_.span()); });
    sparse_->write(parameters, batch, residuals_.span(), static_cast<float>(step_size));
  } else {
    rank_.compute(cost_of_next(false),
                  [&] { context_.model.descend(replica_, batch, step_size, workspace_); });
  }
}

void Worker::record_coding(std::size_t plain_bytes, std::size_t encoded_bytes) {
  CodingAccount& account = context_.state.coding_of(rank_.rank());
  account.plain_bytes += plain_bytes;
  account.encoded_bytes += encoded_bytes;
}

void Worker::remark(std::string text) {
  if (rank_.rank() == 0) context_.state.remark(0, std::move(text));
}

}  // namespace trainyard
