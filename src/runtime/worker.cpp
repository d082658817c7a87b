#include "trainyard/runtime/worker.hpp"

#include <functional>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/model/holding.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/model/layered_model.hpp"
#include "trainyard/runtime/trace.hpp"

#include "runtime/leg_counts.hpp"

namespace trainyard {

namespace {

constexpr std::string_view rounds_name = "rounds";

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

/// Where `part` begins in the replica that it is a part of; 0 of another vector.
std::size_t place_in(ConstVector replica, ConstVector part) {
  const std::less_equal<> before;  // of any two addresses
  const std::byte* const end = replica.data() + replica.bytes().size();
  if (!before(replica.data(), part.data()) || before(end, part.data())) return 0;
  return static_cast<std::size_t>(part.data() - replica.data()) / bytes_of(replica.scalar());
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
  RunState& state = context.state;
  const std::string name = fmt::format("coder {}", state.next_coder(rank.rank()));
  const RandomStream fresh(context.seed, Purpose::codec, static_cast<std::uint32_t>(index));
  RandomStream sampling = fresh;
  sampling.jump_to(1);  // another part of it
  return Coder({.rank = rank,
                .codec = codec,
                .time = context.coding_time,
                .slowdown = index < context.slowdown.size() ? context.slowdown[index] : 1.0,
                .tensors = context.model.tensors(),
                .need = context.codec_need,
                .random = state.stream(rank.rank(), name, fresh),
                .sampling = state.stream(rank.rank(), name + " samples", sampling),
                .next_sample = state.count(rank.rank(), name + " next sample"),
                .account = state.coding_of(rank.rank()),
                .scheme = context.scheme,
                .step = step});
}

namespace {

/// The update of serial SGD on a whole replica that touches only a row's coordinates; nullptr where
/// there is none, or a minibatch has several rows.
const Model::SparseUpdate* sparse_update_of(const RunContext& context, std::size_t rows,
                                            std::size_t held) {
  const bool is_shared = context.state.layout().home == ModelHome::shared;
  const bool holds_all = held == context.model.dimension();
  const OptimizerOptions& optimizer = context.optimizer;
  if (is_shared || !holds_all || !optimizer.plain() || rows != 1) return nullptr;
  if (optimizer.clip_norm != 0.0) return nullptr;  // it is known when the gradient is
  return context.model.sparse_update();
}

}  // namespace

Worker::Worker(Rank& rank, const RunContext& context, std::span<const int> shares)
    : rank_(rank),
      context_(context),
      team_(context.pacer.team()),
      held_(context.state.layout().count_of(rank.rank())),
      constant_step_(context.optimizer.constant_step()),
      bare_step_(context.optimizer.plain() && context.optimizer.clip_norm == 0.0 &&
                 context.model.absolute_penalty().l1 == 0.0),
      sparse_(sparse_update_of(context, context.batch * shares.size(), held_)),
      minibatches_(rank, context, shares),
      random_(context.state.stream(rank.rank(), "own",
                                   RandomStream(context.seed, Purpose::scheme,
                                                static_cast<std::uint32_t>(rank.rank()) + 1))) {
  done_ = context.state.count(rank.rank(), steps_name);
  rounds_ = context.state.count(rank.rank(), rounds_name);
  if (sparse_ != nullptr) residuals_ = AlignedBuffer<float>(sparse_->residual_count(1));
  const ModelLayout& layout = context.state.layout();
  if (SharedModels* const shared = context.state.shared()) {
    shared->enter(rank.rank(),
                  context.state.first_shared(rank.rank(), context.initial_model).floats(),
                  {layout.shared_format, context.hot});
  }
  if (layout.home == ModelHome::shared) return;
  VectorBuffer together;
  replica_ = context.state.keep_model(
      rank.rank(), held_of(context.initial_model, layout.held_by(rank.rank()), together));
  gradient_ = VectorBuffer::zeroed(context.model.scalar(), held_);
}

/// The next leg goes on from there.
Worker::~Worker() {
  context_.state.count(rank_.rank(), rounds_name) = rounds_;
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

const MixingRow& Worker::next_round(std::optional<int> node) {
  const Topology& topology = context_.ingredient<Topology>("topology");
  if (!begun_ && topology.period() > 1) {
    throw_forgotten(
        context_.scheme, ".graphs",
        "its program asks for its neighbours before the first step, which a graph that "
        "varies has not; it needs .graphs = {.range = GraphRange::static_symmetric}, or to call "
        "next_round() in each round");
  }
  return topology.row(rounds_++, node.value_or(rank_.rank()));
}

void Worker::throw_wrong_home(const char* asked_for) const {
  const char* why = "needs a replica and does not go with cast::shared";
  if (context_.state.layout().home != ModelHome::shared) {
    why = held_ == context_.model.dimension()
              ? "needs cast::shared"
              : "needs the whole model, of which .holds gives a worker a part";
  }
  throw UsageError(fmt::format("scheme '{}': .cast: its program calls {}, which {}",
                               context_.scheme, asked_for, why));
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

double Worker::step_size() const {
  if (constant_step_) return context_.optimizer.lr;
  return context_.optimizer.step_size(context_.epochs(minibatches_before()));
}

void Worker::take_gradient(ConstVector model, Batch batch, double weight) {
  context_.model.gradient(model, batch, gradient_.view(), workspace_);
  const double most = context_.optimizer.clip_norm;
  if (most != 0.0) kernels::clip_norm(most, gradient_.view());
  if (weight != 1.0) kernels::scale(weight, gradient_.view());
}

Vector Worker::compute_gradient() {
  needs_whole("compute_gradient()");
  batch_ = minibatches_.next();
  const double weight = minibatches_.loss_weight();
  rank_.compute(minibatches_.costs().of_next(), [&] { take_gradient(replica_, batch_, weight); });
  return gradient_.view();
}

double Worker::minibatch_loss() {
  needs_whole("minibatch_loss()");
  const Tally tally = context_.model.evaluate(replica_, batch_, workspace_);
  return tally.loss_sum / static_cast<double>(tally.rows) + context_.model.penalty(replica_);
}

void Worker::apply_to(Vector model, ConstVector gradient, double scale, double stretch) {
  if (replica_.empty()) throw_wrong_home("apply()");
  optimizer_for(place_in(replica_, model), model.size())
      .apply(model, gradient, epochs(), scale, stretch);
}

Optimizer& Worker::optimizer_for(std::size_t first, std::size_t numbers) {
  if (!optimizer_) {
    const AbsolutePenalty held = penalty_within(context_.model.absolute_penalty(), holding());
    optimizer_.emplace(
        context_.optimizer, [&](std::string_view name) { return keep(name, numbers); },
        keep_counts("optimizer.t", 1).front(), penalty_within(held, {first, numbers}),
        matrices_within(context_.stepped_matrices(holding()), {first, numbers}));
  }
  return *optimizer_;
}

Vector Worker::compute_weighed_mean() {
  if (!weighed_) weighed_.emplace(*this);
  const std::size_t shares = minibatches_.shares();
  const std::vector<double> alike(shares, 1.0 / static_cast<double>(shares));
  return weighed_->compute(alike, done_);
}

void Worker::descend() {
  if (sparse_ != nullptr) {
    const Batch row = minibatches_.next();
    const double step_size = this->step_size() * minibatches_.loss_weight();
    const std::span<float> parameters = replica_.floats();
    rank_.compute(minibatches_.costs().of_next(),
                  [&] { sparse_->read(parameters, row, residuals_.span()); });
    sparse_->write(parameters, row, residuals_.span(), static_cast<float>(step_size));
    return;
  }
  needs_whole("descend()");
  // Of several workers' minibatches each is clipped by itself, as by those workers.
  const bool clips = context_.optimizer.clip_norm != 0.0 && minibatches_.shares() > 1;
  if (minibatches_.shares_weigh() || clips) {
    apply(compute_weighed_mean());
    return;
  }
  if (!bare_step_) {
    apply(compute_gradient());
    return;
  }
  const Batch batch = minibatches_.next();
  const double step_size = this->step_size() * minibatches_.loss_weight();
  rank_.compute(minibatches_.costs().of_next(),
                [&] { context_.model.descend(replica_, batch, step_size, workspace_); });
}

void Worker::remark(std::string text) {
  if (rank_.rank() == 0) context_.state.remark(0, std::move(text));
}

}  // namespace trainyard
