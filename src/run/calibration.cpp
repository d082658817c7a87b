#include "trainyard/run/calibration.hpp"

#include <algorithm>
#include <chrono>
#include <list>
#include <optional>
#include <vector>

#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_repetitions = 1000;
constexpr auto enough = std::chrono::milliseconds(50);

/// The median of what `work` takes, over and over. The first few times warm the caches and grow
/// buffers; the median leaves them out.
template <typename Work>
Duration median_time(const Work& work) {
  std::vector<Clock::duration> times;
  const auto began = Clock::now();
  while (times.size() < 5 || (Clock::now() - began < enough && times.size() < most_repetitions)) {
    const auto start = Clock::now();
    work();
    times.push_back(Clock::now() - start);
  }
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return std::chrono::duration_cast<Duration>(times[times.size() / 2]);
}

/// The median time of step(rows) over `batch` rows at a time, in turn.
template <typename Step>
Duration median_time(const Dataset& train, std::size_t batch, const Step& step) {
  const std::size_t rows = std::min(batch, train.rows);
  std::size_t first = 0;
  const Duration median = median_time([&] {
    if (first + rows > train.rows) first = 0;
    const RowRange range{&train, first, rows};
    step(Batch(&range, 1));
    first += rows;
  });
  return median * static_cast<std::int64_t>(batch) / static_cast<std::int64_t>(rows);
}

}  // namespace

Duration measure_minibatch_time(const Model& model, const Dataset& train, std::size_t batch,
                                const OptimizerOptions& optimizer) {
  VectorBuffer parameters(model.scalar(), model.dimension());
  VectorBuffer gradient(model.scalar(), model.dimension());
  model.initialize(parameters.view(), 0);
  Workspace workspace;
  std::list<VectorBuffer> moments;
  std::uint64_t steps = 0;
  std::optional<Optimizer> muon;
  if (optimizer.muon()) {
    const auto keep = [&](std::string_view /*name*/) {
      return moments.emplace_back(VectorBuffer::zeroed(model.scalar(), model.dimension())).view();
    };
    // Of a schedule's lengths none is known yet, and none takes longer than another.
    muon.emplace(OptimizerOptions{.kind = optimizer.kind, .lr = 1e-6}, keep, steps,
                 AbsolutePenalty(), hidden_matrices(model.tensors()));
  }
  return median_time(train, batch, [&](Batch rows) {
    model.gradient(parameters.view(), rows, gradient.view(), workspace);
    if (optimizer.clip_norm != 0.0) kernels::clip_norm(optimizer.clip_norm, gradient.view());
    if (muon) muon->apply(parameters.view(), gradient.view(), 0.0);
  });
}

Duration measure_lone_step_time(const Model& model, const Dataset& train, std::size_t batch) {
  VectorBuffer parameters(model.scalar(), model.dimension());
  model.initialize(parameters.view(), 0);
  constexpr float step_size = 1e-6F;  // the weights stay what they are
  // Reading the clock takes as long as some rows do, so that many steps are timed in one.
  constexpr std::size_t steps_at_a_time = 64;
  const Model::SparseUpdate* sparse = model.sparse_update();
  if (sparse == nullptr) {
    Workspace workspace;
    return median_time(train, batch, [&](Batch rows) {
      model.descend(parameters.view(), rows, step_size, workspace);
    });
  }
  AlignedBuffer<float> residuals(sparse->residual_count(batch));
  const std::span<float> weights = parameters.view().floats();
  const Duration many = median_time(train, batch * steps_at_a_time, [&](Batch rows) {
    for (std::size_t first = 0; first < rows.front().count; first += batch) {
      const RowRange range{rows.front().data, rows.front().first + first,
                           std::min(batch, rows.front().count - first)};
      sparse->read(weights, {&range, 1}, residuals.span());
      sparse->write(weights, {&range, 1}, residuals.span(), step_size);
    }
  });
  return many / static_cast<std::int64_t>(steps_at_a_time);
}

CodingTime measure_coding_time(const Codec& codec, Scalar scalar, TensorShapes shapes) {
  const std::size_t length = total_size(shapes);
  RandomStream random(0, Purpose::codec);
  VectorBuffer x(scalar, length);
  with_scalar(scalar, [&]<typename T>(T) {
    for (T& value : x.view().as<T>()) value = static_cast<T>(random.normal());
  });
  VectorBuffer sum = VectorBuffer::zeroed(scalar, length);
  CodecScratch scratch;
  AlignedBuffer<std::byte> wire(codec.most_bytes(scalar, shapes));
  std::size_t written = 0;
  const Duration encode =
      median_time([&] { written = codec.encode(x.view(), shapes, random, scratch, wire.span()); });
  const Duration decode =
      median_time([&] { codec.decode_add(1e-6, wire.span().first(written), shapes, sum.view()); });
  const auto numbers = static_cast<std::int64_t>(length);
  return {encode / numbers, decode / numbers};
}

}  // namespace trainyard
