// DeepSqueeze: gossip of encoded models with error feedback (Tang et al., 2019, Algorithm 1;
// catalogue §5):
//   v_i = x_i − γ g_i(x_i) + e_i;  send c_i = C(v_i);  e_i ← v_i − c_i;
//   x_i ← x_i − γ g_i + η Σ_j (W − I)_ij c_j,   the own c_i included.
// A worker keeps nothing but its error, and graphs may vary. As what is encoded is the model, and
// not how far it moves, η (--consensus-rate) has to be small where C leaves much out.
#include "trainyard/collective/coded_exchange.hpp"

#include "scheme/coded.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  Coder coder = worker.coder();
  const Vector model = worker.replica();
  const Vector error = worker.keep("error", model.size());
  const double rate = worker.hyperparameter("consensus-rate");
  while (worker.next_step()) {
    worker.apply(worker.compute_gradient());
    const MixingRow& round = worker.next_round();
    const std::span<const std::byte> wire = coder.encode(model, error);
    send_coded_to_neighbours(worker.comm(), round, wire);
    coder.decode_add(rate * (round.self_weight - 1.0), wire, model);
    add_coded_of_neighbours(worker.comm(), coder, round, rate, model);
  }
}

}  // namespace

Scheme deep_squeeze_scheme() {
  return {.name = "deep-squeeze",
          .summary = "gossip of encoded models, with error feedback: biased codecs too",
          .step = "γ × own gradient, averaged over the graph: to first order the mean over workers",
          .cost = {.formula = "c + e + 2d + Δ max(m, d); e, d: coding, m: an encoded message",
                   .rate = "1/ε + σ²/(nε²) + 1/ε^{3/2}, the last with constants of C",
                   .time = [](const StepSetting& s) -> std::optional<Duration> {
                     const auto step = coded_gossip_step_time(s, 1);
                     if (!step) return std::nullopt;
                     return *step + s.decoding(s.parameters);  // of the error, before it is sent
                   }},
          .source = "Tang, Lian, Qiu, Yuan, Zhang, Zhang & Liu 2019; catalogue 5",
          .family = SchemeFamily::decentralised,
          .takes = {"topology", "codec"},
          .messages = {.codec_need = CodecNeed::contraction},
          .optimizers = {.no_l1 = "mixes encoded models, whose errors fill what was 0"},
          .hyperparameters = {consensus_rate_info},
          .worker = work};
}

}  // namespace trainyard
