// DeMo, decoupled momentum (Peng, Quesnelle & Kingma 2024, as their demo.py has it; catalogue §5):
// every worker has a momentum of its own, and gives away of it, after each step, what moves
// fastest: of each chunk of the model the k largest coefficients of its cosine transform D
// (chunk_transform.hpp). What is given away leaves the momentum; what is not stays in it, as an
// error that is fed back:
//   δ_i ← β δ_i + γ g_i(x),  q_i = the k largest of each chunk of D δ_i,  δ_i ← δ_i − D⁻¹ q_i;
//   q_j = the mean of the (q_i)_j of those workers who sent one,  x ← x − γ sgn(D⁻¹ q).
// sgn(0) = 0. β = 0.999, chunks of up to 64 × 64 and k = 32 are the code's; the paper has k from 1
// to 32. All hold the same x: each sends its q_i to each other one, values and places.
//
// With --demo-step mean x ← x − D⁻¹ q, as a q is a step already. If then all coefficients are sent,
// δ is 0 and it is `ring`, with or without D, for D is orthonormal. Therefore δ is kept in
// coefficients here, and a step transforms a gradient and a mean, where the code has three.
//
// The code's weight decay is not built; --l2 is. A tensor whose sides have no divisors below 64
// falls into chunks of a number each, and is sent whole, in the code as here.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/codec/chunk_top_k.hpp"
#include "trainyard/collective/coded_all_reduce.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/own_coding.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/chunk_transform.hpp"

namespace trainyard {

namespace {

enum class Transform { cosine, none };
enum class Step { sign, mean };

/// q of all workers, added up, becomes that of those who sent one.
void take_mean_of_senders(std::span<const std::uint32_t> senders, Vector sum) {
  with_scalar(sum.scalar(), [&]<typename T>(T) {
    const std::span<T> sums = sum.as<T>();
    for (std::size_t j = 0; j < sums.size(); ++j) {
      if (senders[j] > 1) sums[j] /= static_cast<T>(senders[j]);
    }
  });
}

void take_signs(Vector x) {
  with_scalar(x.scalar(), [&]<typename T>(T) {
    for (T& value : x.as<T>()) value = value == T{0} ? T{0} : std::copysign(T{1}, value);
  });
}

void work(Worker& worker) {
  ChunkTransform transform(worker.model().tensors(),
                           static_cast<std::size_t>(worker.hyperparameter("demo-chunk")),
                           worker.choice<Transform>("demo-transform") == Transform::cosine);
  const ChunkTopK codec(transform.chunks(),
                        static_cast<std::size_t>(worker.hyperparameter("demo-kept")),
                        ChunkTopK::Values::as_they_are);
  Coder coder = worker.coder(&codec);
  OwnCoding coding(worker);
  const double decay = worker.hyperparameter("demo-decay");
  const bool by_signs = worker.choice<Step>("demo-step") == Step::sign;
  const std::size_t dimension = worker.replica().size();
  const Vector delta = worker.keep("delta", dimension);
  VectorBuffer buffer(delta.scalar(), dimension);
  const Vector q = buffer.view();
  AlignedBuffer<std::uint32_t> counts(dimension);
  const std::span<std::uint32_t> senders = counts.span();
  while (worker.next_step()) {
    const Vector gradient = worker.compute_gradient();
    kernels::scale(worker.step_size(), gradient);
    coding.encode(gradient, [&] { transform.forward(gradient, q); });
    kernels::scale(decay, delta);
    const std::span<const std::byte> own = coder.encode(q, delta);
    kernels::set_to_zero(q);
    std::ranges::fill(senders, 0U);
    coded_all_gather(worker.comm(), own, [&](std::span<const std::byte> wire) {
      coder.decode_add(1.0, wire, q);
      codec.count_values(q.scalar(), wire, senders);
    });
    coding.decode([&] {
      take_mean_of_senders(senders, q);
      transform.backward(q, gradient);
    });
    if (by_signs) take_signs(gradient);
    kernels::axpy(by_signs ? -worker.step_size() : -1.0, gradient, worker.replica());
  }
}

std::vector<HyperparameterInfo> hyperparameters() {
  return {{.name = "demo-decay",
           .argument = "BETA",
           .help = "what a worker's own momentum keeps at each step",
           .fallback = 0.999,
           .low = 0.0,
           .high = 0.9999},
          {.name = "demo-chunk",
           .argument = "N",
           .help = "longest side of the chunks that are transformed, a divisor of the tensor's",
           .fallback = 64,
           .low = 1,
           .high = 256,
           .whole = true},
          {.name = "demo-kept",
           .argument = "K",
           .help = "coefficients of each chunk that are sent",
           .fallback = 32,
           .low = 1,
           .high = 65536,
           .whole = true},
          {.name = "demo-transform",
           .argument = "cosine|none",
           .help = "what coefficients are: of a cosine transform, or the numbers themselves",
           .choices = {"cosine", "none"}},
          {.name = "demo-step",
           .argument = "sign|mean",
           .help = "a step: γ along the signs of the mean, or the mean",
           .choices = {"sign", "mean"}}};
}

}  // namespace

Scheme demo_scheme() {
  return {
      .name = "demo",
      .summary =
          "DeMo: every worker sends the largest coefficients of its own momentum's cosine "
          "transform, and all step by the signs of their mean",
      .step = "γ in each coordinate, whatever the gradient's size",
      .cost = {.formula = "c + (n-1)m where coding takes no time, m: what is kept, values and "
                          "places",
               .rate = "not known"},
      .source = "Peng, Quesnelle & Kingma 2024; catalogue 5",
      .family = SchemeFamily::synchronous,
      // How much it sends goes by the model's tensors, which a prediction does not know.
      .order = {.rhythm = Rhythm::by_data, .members_may_change = true},
      .messages = {.own_coding = {Duration{20'000}, Duration{10'000}}},
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 = "steps by signs of what has been kept for long, and that is nothing "
                              "to shrink by"},
      .hyperparameters = hyperparameters(),
      .worker = work};
}

}  // namespace trainyard
