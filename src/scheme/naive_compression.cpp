// D-PSGD whose models are encoded on the wire, and nothing else: X ← W C(X) − γ G(X) (Tang et al.,
// NeurIPS 2018, §3, as the approach that fails; catalogue §5). The error of C is a share of ‖x‖,
// and does not vanish as training goes on: the model cannot come nearer to the optimum than that.
// It is here to be seen failing; dcd, ecd, choco and deep-squeeze are the ways out.
#include <algorithm>

#include "trainyard/collective/coded_exchange.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/coded.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  Coder coder = worker.coder();
  const Vector model = worker.replica();
  while (worker.next_step()) {
    const MixingRow& round = worker.next_round();
    const std::span<const std::byte> wire = coder.encode(model);
    send_coded_to_neighbours(worker.comm(), round, wire);
    const auto gradient = worker.compute_gradient();
    kernels::set_to_zero(model);
    coder.decode_add(round.self_weight, wire, model);
    add_coded_of_neighbours(worker.comm(), coder, round, 1.0, model);
    worker.apply(gradient);
  }
}

/// Messages are under way while the gradient is computed, and decoded after it, as they have come.
std::optional<Duration> step_time(const StepSetting& s) {
  const auto degree = lockstep_rounds(s.topology().matrices.front());
  const auto message = s.coded_message(s.parameters);
  if (!degree || !message) return std::nullopt;
  const Duration d = s.decoding(s.parameters);
  const auto messages = static_cast<std::int64_t>(*degree);
  Duration done = s.compute + d;
  for (std::int64_t k = 1; k <= messages; ++k) done = std::max(done, k * *message) + d;
  return s.encoding(s.parameters) + done;
}

}  // namespace

Scheme naive_compression_scheme() {
  return {.name = "naive-compression",
          .summary = "d-psgd with encoded models: stalls, as their error does not vanish",
          .step = "γ × own gradient, averaged over the graph: to first order the mean over workers",
          .cost = {.formula = "e + max(c + (Δ+1)d, Δm + d); e, d: coding, m: an encoded message",
                   .rate = "does not converge",
                   .time = step_time},
          .source = "Tang et al. 2018; catalogue 5",
          .family = SchemeFamily::decentralised,
          .takes = {"topology", "codec"},
          .messages = {.codec_need = CodecNeed::unbiased},
          .optimizers = {.no_l1 = "mixes encoded models, whose errors fill what was 0"},
          .worker = work};
}

}  // namespace trainyard
