// SparseLoCo (Sarfi et al. 2025; catalogue §4.1): DiLoCo whose ways are sent in few numbers of two
// bits, and whose outer momentum is what was not sent. After H local steps from x
//   e_i ← β e_i + (x − x_i),  q_i = the k largest of each chunk of e_i, in two bits each
//   (codec/chunk_top_k.hpp),  e_i ← e_i − q_i,
//   x ← x − α (1/n) Σ_i q_i,  x_i ← x.
// An e_i that decays is a momentum, but each worker's own, and of what others have not been told.
// β = 0.95, α = 1, chunks of 4096 and k = 64 are the authors'; then a model is sent in 14 bits for
// each 64th number. Each worker sends its q_i to each other one.
//
// With --loco-values whole and all numbers kept nothing is left for e: then it is `diloco` without
// outer momentum, η = α, whatever β. β = 1 is `qsparse-local-sgd` with that codec, which sends to a
// server.
//
// The mean is over all workers, as in the paper; its authors' network (templar) takes of each
// number the mean of those who sent it, of which none may be longer than their median. Chunks are
// of numbers that follow one another, theirs 64 × 64 of a matrix.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/codec/chunk_top_k.hpp"
#include "trainyard/collective/coded_all_reduce.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

ChunkTopK codec_of(const Hyperparameters& hyperparameters, std::size_t dimension) {
  const auto chunk = static_cast<std::size_t>(hyperparameter(hyperparameters, "loco-chunk"));
  std::vector<ChunkRun> chunks;
  if (dimension >= chunk) chunks.push_back({chunk, dimension / chunk});
  if (dimension % chunk > 0) chunks.push_back({dimension % chunk, 1});
  return {std::move(chunks), static_cast<std::size_t>(hyperparameter(hyperparameters, "loco-kept")),
          hyperparameter(hyperparameters, "loco-values") == 0.0 ? ChunkTopK::Values::two_bits
                                                                : ChunkTopK::Values::as_they_are};
}

void work(Worker& worker) {
  const auto period = static_cast<std::uint64_t>(worker.hyperparameter("period"));
  const double decay = worker.hyperparameter("loco-decay");
  const double step_size = worker.hyperparameter("loco-lr");
  const Vector model = worker.replica();
  const ChunkTopK codec = codec_of({{"loco-chunk", worker.hyperparameter("loco-chunk")},
                                    {"loco-kept", worker.hyperparameter("loco-kept")},
                                    {"loco-values", worker.hyperparameter("loco-values")}},
                                   model.size());
  Coder coder = worker.coder(&codec);
  const Vector x = worker.keep("outer model", model);
  const Vector error = worker.keep("error", model.size());
  VectorBuffer buffer(model.scalar(), model.size());
  const Vector way = buffer.view();
  while (worker.next_step()) {
    worker.descend();
    if ((worker.step() + 1) % period != 0) continue;
    kernels::copy(x, way);
    kernels::axpy(-1.0, model, way);
    kernels::scale(decay, error);
    coded_all_gather_mean(worker.comm(), coder, way, error);
    kernels::axpy(-step_size, way, x);
    kernels::copy(x, model);
  }
}

std::optional<Duration> step_time(const StepSetting& s) {
  if (hyperparameter(s.hyperparameters, "period") > 1) return s.compute;
  if (s.coding.encode.count() != 0 || s.coding.decode.count() != 0) return std::nullopt;
  const std::size_t bytes =
      codec_of(s.hyperparameters, s.parameters).most_bytes(Scalar::float32, {});
  return s.compute + (s.workers - 1) * s.message_of_bytes(bytes);
}

std::vector<HyperparameterInfo> hyperparameters() {
  return {period_info,
          {.name = "loco-lr",
           .argument = "ALPHA",
           .help = "step size for the mean of what was sent",
           .fallback = 1.0,
           .low = 0.0,
           .high = 1e6,
           .step_size = true},
          {.name = "loco-decay",
           .argument = "BETA",
           .help = "what a worker keeps of what it did not send, from one exchange to the next",
           .fallback = 0.95,
           .low = 0.0,
           .high = 1.0},
          {.name = "loco-chunk",
           .argument = "NUMBERS",
           .help = "length of the chunks whose largest numbers are sent",
           .fallback = 4096,
           .low = 1,
           .high = 4e9,
           .whole = true},
          {.name = "loco-kept",
           .argument = "K",
           .help = "numbers of each chunk that are sent",
           .fallback = 64,
           .low = 1,
           .high = 4e9,
           .whole = true},
          {.name = "loco-values",
           .argument = "two-bits|whole",
           .help = "how these numbers are sent",
           .choices = {"two-bits", "whole"}}};
}

}  // namespace

Scheme sparse_loco_scheme() {
  const CodecInfo& info = codec_info("top-k");
  return {
      .name = "sparse-loco",
      .summary =
          "SparseLoCo: every --period steps the largest numbers of each worker's way, in two bits, "
          "with error feedback that decays",
      .step = "γ × own gradient; every τ steps α × the mean of what was sent of the workers' ways",
      .cost = {.formula = "c, and every τ steps (n-1)m where coding takes no time, m: what is kept",
               .rate = "not known",
               .time = step_time},
      .source = "Sarfi et al. 2025; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .order = {.members_may_change = true, .rows_by_speed = RowsBySpeed::replicas},
      .messages = {.own_coding = {info.encode_time, info.decode_time}},
      .optimizers = {.no_l1 = "moves one model by encoded ways, whose errors fill what was 0"},
      .hyperparameters = hyperparameters(),
      .worker = work};
}

}  // namespace trainyard
