// ECD-PSGD, extrapolation compression (Tang et al., NeurIPS 2018, Algorithm 2; catalogue §5). What
// is encoded lies ever further ahead, and counts ever less when it comes: in step s = 1, 2, …
//   Z = WX̂ − γG(X);  Y = (1 − s/2) X + (s/2) Z;  X̂ ← (1 − 2/s) X̂ + (2/s) C(Y);  X ← Z,
// so that the errors of the estimates X̂ average out, as 1/s, if C's are bounded. With errors that
// grow with what is encoded, as those of most codecs do, a floor remains. Without compression X̂ =
// X, and it is d-psgd.
//
// A worker needs only its row of WX̂, which follows the same recursion, and keeps that alone.
#include "trainyard/collective/coded_exchange.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/coded.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  Coder coder = worker.coder();
  const MixingRow& row = worker.next_round();
  const Vector model = worker.replica();
  const Vector mixed_estimates = worker.keep("mixed estimates", worker.initial_model());
  VectorBuffer next(model.scalar(), model.size()), extrapolated(model.scalar(), model.size());
  while (worker.next_step()) {
    const double s = static_cast<double>(worker.step() + 1);
    const auto gradient = worker.compute_gradient();
    kernels::copy(mixed_estimates, next.view());
    worker.apply_to(next.view(), gradient);
    kernels::scaled_copy(1.0 - s / 2.0, model, extrapolated.view());
    kernels::axpy(s / 2.0, next.view(), extrapolated.view());

    const std::span<const std::byte> wire = coder.encode(extrapolated.view());
    send_coded_to_neighbours(worker.comm(), row, wire);
    kernels::scale(1.0 - 2.0 / s, mixed_estimates);
    coder.decode_add(2.0 / s * row.self_weight, wire, mixed_estimates);
    add_coded_of_neighbours(worker.comm(), coder, row, 2.0 / s, mixed_estimates);
    kernels::copy(next.view(), model);
  }
}

}  // namespace

Scheme ecd_scheme() {
  return {.name = "ecd",
          .summary = "ECD-PSGD: neighbours estimate each model from encoded extrapolations",
          .step = "γ × own gradient, averaged over the graph: to first order the mean over workers",
          .cost = {.formula = "c + e + d + Δ max(m, d); e, d: coding, m: an encoded message",
                   .rate = "as d-psgd, with log T more, where the error of C is bounded",
                   .time = [](const StepSetting& s) -> std::optional<Duration> {
                     return coded_gossip_step_time(s);
                   }},
          .source = "Tang et al. 2018; catalogue 5",
          .family = SchemeFamily::decentralised,
          .takes = {"topology", "codec"},
          .graphs = {.range = GraphRange::static_symmetric},
          .messages = {.codec_need = CodecNeed::unbiased},
          .optimizers = {.no_l1 = "extrapolates models and encodes them, which fills what was 0"},
          .worker = work};
}

}  // namespace trainyard
