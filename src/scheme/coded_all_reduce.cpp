// Data-parallel SGD over an all-reduce of encoded steps: x ← x − (1/n) Σ_i C(γ g_i + e_i), without
// a server (catalogue §5; Bagua's ByteGrad has the dataflow of all-to-all, Gan et al., VLDB 2021).
// The three ways of --coded-form and what each costs stand in collective/coded_all_reduce.hpp:
// all-gather is ec-sgd's arithmetic, all-to-all that of double-squeeze with a server on each
// worker, and ring the one that fails: it encodes at each hop, and keeps no error.
#include "trainyard/collective/coded_all_reduce.hpp"

#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/coded.hpp"

namespace trainyard {

namespace {

enum class Form { all_gather, all_to_all, ring };

void work(Worker& worker) {
  Coder coder = worker.coder();
  const auto form = worker.choice<Form>("coded-form");
  if (form == Form::ring) coder.decode_as_it_is();
  const std::size_t dimension = worker.replica().size();
  const Vector error = worker.keep("error", form == Form::ring ? 0 : dimension);
  const Vector own_error =
      worker.keep("error of the mean",
                  form == Form::all_to_all ? own_part_length(worker.comm(), dimension) : 0);
  while (worker.next_step()) {
    const auto step = worker.compute_gradient();
    kernels::scale(worker.step_size(), step);
    switch (form) {
      case Form::all_gather:
        coded_all_gather_mean(worker.comm(), coder, step, error);
        break;
      case Form::all_to_all:
        coded_all_to_all_mean(worker.comm(), coder, step, error, own_error);
        break;
      case Form::ring:
        coded_ring_mean(worker.comm(), coder, step);
        break;
    }
    kernels::axpy(-1.0, step, worker.replica());
  }
}

/// (n − 1)m of the whole, or 2(n − 1)m of a part.
std::optional<Duration> step_time(const StepSetting& s) {
  const auto form =
      static_cast<Form>(static_cast<int>(hyperparameter(s.hyperparameters, "coded-form")));
  if (form != Form::all_gather) return coded_parts_time(s);
  const bool free = s.coding.encode.count() == 0 && s.coding.decode.count() == 0;
  const auto message = s.coded_message(s.parameters);
  if (!message || !free) return std::nullopt;
  return s.compute + (s.workers - 1) * *message;
}

HyperparameterInfo form_info() {
  return {.name = "coded-form",
          .argument = "all-gather|all-to-all|ring",
          .help = "how encoded steps are added up over the workers",
          .fallback = 1,
          .choices = {"all-gather", "all-to-all", "ring"}};
}

}  // namespace

Scheme coded_all_reduce_scheme() {
  return {
      .name = "coded-all-reduce",
      .summary =
          "all-reduce of encoded steps; error feedback at the workers and at each part's "
          "owner",
      .step = "γ × mean over workers",
      .cost = {.formula = "c + 2(n-1)m where coding takes no time, m: an encoded n-th; all-gather "
                          "c + (n-1)m of the whole",
               .rate = "as double-squeeze; all-gather as ec-sgd; ring with ω (1 + ω)^{n-1}",
               .time = step_time},
      .source = "Gan et al. 2021; catalogue 5",
      .family = SchemeFamily::synchronous,
      .takes = {"codec"},
      .messages = {.codec_need = CodecNeed::contraction},
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 =
                         "subtracts encoded steps with the errors of earlier ones, and an error is "
                         "nothing to shrink by"},
      .hyperparameters = {form_info()},
      .worker = work};
}

}  // namespace trainyard
