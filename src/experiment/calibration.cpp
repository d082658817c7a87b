#include "trainyard/experiment/calibration.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace trainyard {

Duration measure_minibatch_time(const Model& model, const Dataset& train, std::size_t batch) {
  constexpr std::size_t most_repetitions = 1000;
  constexpr auto enough = std::chrono::milliseconds(50);
  using Clock = std::chrono::steady_clock;

  VectorBuffer parameters(model.scalar(), model.dimension());
  VectorBuffer gradient(model.scalar(), model.dimension());
  model.initialize(parameters.view(), 0);
  Workspace workspace;
  const std::size_t rows = std::min(batch, train.rows);
  std::vector<Clock::duration> times;
  const auto began = Clock::now();
  std::size_t first = 0;
  // The first few warm the caches and grow the workspace; the median leaves them out.
  while (times.size() < 5 || (Clock::now() - began < enough && times.size() < most_repetitions)) {
    if (first + rows > train.rows) first = 0;
    const RowRange range{&train, first, rows};
    const auto start = Clock::now();
    model.gradient(parameters.view(), {&range, 1}, gradient.view(), workspace);
    times.push_back(Clock::now() - start);
    first += rows;
  }
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  const auto median = std::chrono::duration_cast<Duration>(times[times.size() / 2]);
  return median * static_cast<std::int64_t>(batch) / static_cast<std::int64_t>(rows);
}

}  // namespace trainyard
