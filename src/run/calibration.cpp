#include "trainyard/run/calibration.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace trainyard {

namespace {

/// The median time of step(rows) over `batch` rows at a time, in turn.
template <typename Step>
Duration median_time(const Dataset& train, std::size_t batch, const Step& step) {
  constexpr std::size_t most_repetitions = 1000;
  constexpr auto enough = std::chrono::milliseconds(50);
  using Clock = std::chrono::steady_clock;

  const std::size_t rows = std::min(batch, train.rows);
  std::vector<Clock::duration> times;
  const auto began = Clock::now();
  std::size_t first = 0;
  // The first few warm the caches and grow the workspace; the median leaves them out.
  while (times.size() < 5 || (Clock::now() - began < enough && times.size() < most_repetitions)) {
    if (first + rows > train.rows) first = 0;
    const RowRange range{&train, first, rows};
    const auto start = Clock::now();
    step(Batch(&range, 1));
    times.push_back(Clock::now() - start);
    first += rows;
  }
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  const auto median = std::chrono::duration_cast<Duration>(times[times.size() / 2]);
  return median * static_cast<std::int64_t>(batch) / static_cast<std::int64_t>(rows);
}

}  // namespace

Duration measure_minibatch_time(const Model& model, const Dataset& train, std::size_t batch) {
  VectorBuffer parameters(model.scalar(), model.dimension());
  VectorBuffer gradient(model.scalar(), model.dimension());
  model.initialize(parameters.view(), 0);
  Workspace workspace;
  return median_time(train, batch, [&](Batch rows) {
    model.gradient(parameters.view(), rows, gradient.view(), workspace);
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

}  // namespace trainyard
