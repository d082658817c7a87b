// CHOCO-SGD (Koloskova, Stich & Jaggi, ICML 2019, Algorithm 2; catalogue §5). Every worker has a
// public copy x̂ of its model, which all neighbours can follow because it moves by what is sent:
//   X⁺ = X − γG(X);  Q = C(X⁺ − X̂);  X̂ ← X̂ + Q;  X ← X⁺ + γ_c (W − I) X̂.
// Gossip acts on the public copies alone, so it preserves the mean of the models whatever C leaves
// out, and what is encoded vanishes as models settle. Any codec will do that leaves less than it
// keeps, if γ_c (--consensus-rate) is small enough.
//
// The authors' deep-learning code has another order (--choco-order mix-first): it mixes with the X̂
// of the step before, and encodes X − X̂ afterwards. Then messages may be under way while the next
// gradient is computed, and here they are: they are taken just before the models are mixed.
//
// X̂ begins as the model that all start from, and not as 0, for nobody has to be told that. A worker
// keeps its own x̂ and its row of WX̂: no copies of each neighbour's.
#include "trainyard/collective/coded_exchange.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/coded.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

enum class Order { encode_first, mix_first };

/// A worker's knowledge of the public copies.
class PublicCopies {
 public:
  PublicCopies(Worker& worker, const MixingRow& row)
      : comm_(worker.comm()),
        row_(row),
        coder_(worker.coder()),
        own_(worker.keep("public copy", worker.initial_model())),
        mixed_(worker.keep("mixed public copies", worker.initial_model())),
        move_(own_.scalar(), own_.size()) {}

  /// q = C(x − x̂);  x̂ ← x̂ + q;  all neighbours are sent q.
  void follow(ConstVector model) {
    kernels::copy(model, move_.view());
    kernels::axpy(-1.0, own_, move_.view());
    const std::span<const std::byte> wire = coder_.encode(move_.view());
    send_coded_to_neighbours(comm_, row_, wire);
    coder_.decode_add(1.0, wire, own_);
    coder_.decode_add(row_.self_weight, wire, mixed_);
  }
  /// Takes what the neighbours have sent.
  void hear() { add_coded_of_neighbours(comm_, coder_, row_, 1.0, mixed_); }

  /// x ← x + γ_c Σ_j (W − I)_ij x̂_j
  void mix_into(double rate, Vector model) const {
    kernels::add_difference(rate, mixed_, own_, model);
  }

 private:
  Communicator& comm_;
  const MixingRow& row_;
  Coder coder_;
  Vector own_, mixed_;
  VectorBuffer move_;
};

void work(Worker& worker) {
  PublicCopies copies(worker, worker.next_round());
  const double rate = worker.hyperparameter("consensus-rate");
  const bool mix_first = worker.choice<Order>("choco-order") == Order::mix_first;
  bool is_under_way = false;  // what the neighbours sent in the step before
  while (worker.next_step()) {
    worker.apply(worker.compute_gradient());
    if (!mix_first) copies.follow(worker.replica());
    if (!mix_first || is_under_way) copies.hear();
    copies.mix_into(rate, worker.replica());
    if (mix_first) copies.follow(worker.replica());
    is_under_way = mix_first;
  }
  // What was sent is in the senders' copies: another leg of the run begins with it in all of them.
  if (is_under_way) copies.hear();
}

/// In the other order messages of a step are under way while the next gradient is computed.
std::optional<Duration> step_time(const StepSetting& s) {
  const auto order =
      static_cast<Order>(static_cast<int>(hyperparameter(s.hyperparameters, "choco-order")));
  if (order == Order::encode_first) return coded_gossip_step_time(s, 2);
  return s.compute + s.encoding(s.parameters) + 2 * s.decoding(s.parameters);
}

HyperparameterInfo order_info() {
  return {.name = "choco-order",
          .argument = "encode-first|mix-first",
          .help = "as in the paper, or as in its authors' code for deep learning",
          .choices = {"encode-first", "mix-first"}};
}

}  // namespace

Scheme choco_scheme() {
  return {
      .name = "choco",
      .summary = "CHOCO-SGD: gossip over public copies, which move by encoded differences",
      .step = "γ × own gradient, averaged over the graph: to first order the mean over workers",
      .cost = {.formula = "c + e + d + Δ max(m, d), if m > 2d; mix-first: the first c + e + 2d",
               .rate = "1/ε + σ²/(nε²) + 1/(δ(1 - ρ)²ε^{3/2})",
               .time = step_time},
      .source = "Koloskova, Stich & Jaggi 2019; catalogue 5",
      .family = SchemeFamily::decentralised,
      .takes = {"topology", "codec"},
      .graphs = {.range = GraphRange::static_symmetric},
      .messages = {.codec_need = CodecNeed::contraction},
      .optimizers = {.no_l1 = "mixes public copies that move by encoded differences, whose errors "
                              "fill what was 0"},
      .hyperparameters = {consensus_rate_info, order_info()},
      .worker = work};
}

}  // namespace trainyard
