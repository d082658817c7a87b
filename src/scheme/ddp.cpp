// Data-parallel SGD whose gradients travel while they are computed: PyTorch's
// DistributedDataParallel (Li et al., VLDB 2020, §3.2.3). Backpropagation gets to the last layer
// first; as soon as the tensors of a bucket are final, an all-reduce around the ring sums it over
// all workers, while the layers below are still computed. The step is taken when all buckets are
// in:
//   x ← x − γ (1/n) Σ_i g_i.
// What is computed is what `ring` computes; with one bucket for the whole model, to the bit.
//
// A bucket takes whole tensors, the last one first, until it has --bucket bytes or more, so that it
// may be larger than that by a tensor. Small ones start early and pay 2(n−1) latencies each; large
// ones wait for more layers, and the last one for all of them. PyTorch's own first bucket is 1 MiB
// at most; here all are alike, as in the paper. With --wire fp16 (fp16_compress_hook) they are as
// long as without, and sent in half the bytes.
#include <algorithm>
#include <vector>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/concurrent_rings.hpp"
#include "trainyard/model/gradient_parts.hpp"
#include "trainyard/runtime/overlapped_gradient.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/gradient_buckets.hpp"
#include "scheme/gradient_wire.hpp"

namespace trainyard {

namespace {

std::vector<ParameterRange> buckets_of(TensorShapes tensors, Scalar scalar, double bytes) {
  std::vector<ParameterRange> buckets;
  bool is_full = true;
  for (const ParameterRange& tensor : tensors_backwards(tensors)) {
    if (is_full) {
      buckets.push_back(tensor);
    } else {
      buckets.back() = joined(tensor, buckets.back());
    }
    is_full = static_cast<double>(buckets.back().count * bytes_of(scalar)) >= bytes;
  }
  return buckets;
}

void work(Worker& worker) {
  const std::vector<ParameterRange> buckets = buckets_of(
      worker.model().tensors(), worker.replica().scalar(), worker.hyperparameter("bucket"));
  GradientWire wire(worker);
  ConcurrentRings rings(worker.comm(), wire.codec());
  OverlappedGradient gradients(worker);
  while (worker.next_step()) {
    std::size_t next = 0;
    const auto send_what_is_full = [&](Vector gradient, ParameterRange part) {
      wire.round(gradient.subspan(part.first, part.count));
      for (; next < buckets.size() && buckets[next].first >= part.first; ++next) {
        rings.start(next, gradient.subspan(buckets[next].first, buckets[next].count));
      }
    };
    const Vector gradient =
        gradients.compute(send_what_is_full, [&](Message& message) { rings.take(message); });
    rings.finish();
    worker.apply(gradient, 1.0 / worker.comm().workers());
  }
}

/// The all-reduces share the port, which is idle only where all that is full has been summed: so
/// the last is over when it would be if they went one after another. Uneven chunks may end a little
/// earlier.
std::optional<Duration> step_time(const StepSetting& s) {
  const AllReduce& ring = find_all_reduce("ring");
  std::vector<GradientPart> parts{{.parameters = {0, s.parameters}}};
  std::vector<TensorShape> tensors{{s.parameters, 1}};
  if (s.model != nullptr) {
    parts = gradient_parts(*s.model);
    tensors = s.model->tensors();
  }
  const Wire wire = wire_of(s.hyperparameters);
  const auto message = [&](std::size_t numbers) { return wire_message(s, wire, numbers); };
  Time port_is_free{0};
  for (const ParameterRange& bucket :
       buckets_of(tensors, Scalar::float32, hyperparameter(s.hyperparameters, "bucket"))) {
    const auto full = std::ranges::find_if(
        parts, [&](const GradientPart& part) { return part.parameters.first <= bucket.first; });
    port_is_free = std::max(port_is_free, full->final_after(s.compute)) +
                   ring.duration(s.workers, s.servers, bucket.count, message);
  }
  return std::max(port_is_free, s.compute);
}

HyperparameterInfo bucket_info() {
  return {.name = "bucket",
          .argument = "BYTES",
          .help = "gradients are sent in buckets of so many bytes, of whole tensors",
          .fallback = 25.0 * 1024 * 1024,
          .low = 1,
          .high = 1e15,
          .whole = true,
          .unit = Unit::bytes};
}

}  // namespace

Scheme ddp_scheme() {
  return {.name = "ddp",
          .summary = "all-reduce of gradients in buckets, around a ring, while backward goes on",
          .step = "γ × mean over workers",
          .cost = {.formula = "c + 2(n-1)(α + t/n); of a model with layers f_K, the last of f_k = "
                              "max(f_{k-1}, r_k) + 2(n-1)(α + t_k/n) for bucket k, full after r_k; "
                              "t, t_k halved by fp16",
                   .rate = "as ring",
                   .time = step_time},
          .source = "Li et al. 2020; catalogue 2.17, 7",
          .family = SchemeFamily::synchronous,
          .order = {.members_may_change = true, .rows_by_speed = RowsBySpeed::mean},
          .messages = {.by_layers = true},
          .hyperparameters = {bucket_info(), wire_info()},
          .worker = work};
}

}  // namespace trainyard
