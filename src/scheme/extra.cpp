// EXTRA, an exact first-order algorithm (Shi, Ling, Wu & Yin, SIAM J. Optim. 2015, eq. 2.13;
// catalogue §4.2):
//   X¹ = WX⁰ − γG⁰,  X^{t+2} = (I + W)X^{t+1} − ½(I + W)X^t − γ(G^{t+1} − G^t).
// The difference of two steps of D-PSGD, the older with (I + W)/2: what is left at rest must have
// equal rows and a zero mean gradient. The models go out while the gradient is computed. W is
// static and symmetric. Where γ changes, each gradient is taken back with the γ it was applied
// with: else what is left of the difference stays for good.
#include <algorithm>

#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/collective/primitives.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/gossip.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const Scalar scalar = worker.replica().scalar();
  const std::size_t dimension = worker.replica().size();
  VectorBuffer before(scalar, dimension);      // x^t
  VectorBuffer half_mixed(scalar, dimension);  // ½(x + Wx) of the step before
  VectorBuffer last_gradient = VectorBuffer::zeroed(scalar, dimension);  // g^{t−1}
  double last_step_size = 0.0;
  while (worker.next_step()) {
    send_to_neighbours(worker.comm(), worker.mixing(), worker.replica());
    kernels::copy(worker.replica(), before.view());
    const auto gradient = worker.compute_gradient();
    mix_in_neighbours(worker.comm(), worker.mixing(), worker.replica());

    if (worker.step() == 0) {
      kernels::scaled_copy(0.5, before.view(), half_mixed.view());
      kernels::axpy(0.5, worker.replica(), half_mixed.view());
    } else {
      // x^t + Wx^t − ½(x + Wx) of the step before; ½(x + Wx) of this step takes that one's place.
      kernels::add(before.view(), worker.replica());
      kernels::scaled_copy(0.5, worker.replica(), before.view());
      kernels::axpy(-1.0, half_mixed.view(), worker.replica());
      std::swap(before, half_mixed);
    }
    worker.apply(gradient);
    kernels::axpy(last_step_size, last_gradient.view(), worker.replica());
    kernels::copy(gradient, last_gradient.view());
    last_step_size = worker.step_size();
  }
}

}  // namespace

Scheme extra_scheme() {
  return {.name = "extra",
          .summary = "d-psgd minus its last step with (I + W)/2: no bias on unlike data",
          .step = "γ × own gradient, averaged over the graph; no bias on unlike data",
          .time = "max(c, Δ(α + t))",
          .rate = "1/ε without noise, on unlike data too",
          .source = "Shi et al. 2015; catalogue 4.2",
          .family = SchemeFamily::decentralised,
          .has_topology = true,
          .graphs = GraphRange::static_symmetric,
          .optimizers = OptimizerRange::plain,
          .worker = work,
          .step_time = [](const StepSetting& s) -> std::optional<Duration> {
            return combine_while_adapting_time(s);
          }};
}

}  // namespace trainyard
