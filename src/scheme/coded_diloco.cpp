// DiLoCo whose outer gradients travel encoded (Streaming DiLoCo, Douillard et al. 2025, §3.3: 4
// bits a number, --codec e3m0; catalogue §4.1): every τ steps the ways Δ_i = x − x_i are averaged
// by an all-to-all of a codec's messages (collective/coded_all_reduce.hpp), which adds up in full
// precision, as the paper has it, and encodes the mean once more. All workers decode the same, so
// that their models stay one.
//
// The paper keeps no error: outer gradients are rounded and that is it. With --error-feedback on
// what rounding leaves out is sent with the next one, by the worker and by the owner of each part
// of the mean. Without momentum, with η = 1 and errors kept, the worker's half is
// qsparse-local-sgd, whose mean is not encoded. With --codec identity it is `diloco`.
#include <cstdint>

#include "trainyard/collective/coded_all_reduce.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/coded.hpp"
#include "scheme/outer_model.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  const bool keeps = worker.choice<ErrorFeedback>("error-feedback") == ErrorFeedback::on;
  const std::size_t dimension = worker.replica().size();
  Coder coder = worker.coder();
  coder.decode_as_it_is();
  const Vector error = worker.keep("error", keeps ? dimension : 0);
  const Vector own_error =
      worker.keep("error of the mean", keeps ? own_part_length(worker.comm(), dimension) : 0);
  OuterModel outer(worker);
  VectorBuffer way(worker.replica().scalar(), dimension);
  while (worker.next_step()) {
    worker.descend();
    if ((worker.step() + 1) % period != 0) continue;
    outer.way_to(worker.replica(), way.view());
    coded_all_to_all_mean(worker.comm(), coder, way.view(), error, own_error);
    outer.step(way.view());
    kernels::copy(outer.whole(), worker.replica());
  }
}

std::optional<Duration> step_time(const StepSetting& s) {
  return hyperparameter(s.hyperparameters, "period") == 1 ? coded_parts_time(s) : s.compute;
}

}  // namespace

Scheme coded_diloco_scheme() {
  return {
      .name = "coded-diloco",
      .summary = "diloco whose ways are averaged by an all-to-all of encoded parts",
      .step = "γ × own gradient; every τ steps η × the mean encoded way, and momentum",
      .cost = {.formula = "c, and every τ steps 2(n-1)m of a part",
               .rate = "as local-sgd, with the codec's error",
               .time = step_time},
      .source = "Douillard et al. 2025, §3.3; catalogue 4.1, 5",
      .family = SchemeFamily::local_updates,
      .takes = {"codec"},
      .optimizers = {.no_l1 = "steps along a mean way with momentum, which moves weights off 0"},
      .hyperparameters = {period_info, outer_lr_info, outer_momentum_info, outer_optimizer_info,
                          error_feedback_info},
      .worker = work};
}

}  // namespace trainyard
