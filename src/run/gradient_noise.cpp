#include "trainyard/run/gradient_noise.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <tbb/enumerable_thread_specific.h>

#include "trainyard/base/parallel.hpp"
#include "trainyard/base/random.hpp"
#include "trainyard/data/batch.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/evaluation.hpp"

namespace trainyard {

namespace {

using Doubles = std::vector<double>;

/// With the heap's memory, as in evaluation.cpp.
template <typename T>
using PerThread = tbb::enumerable_thread_specific<T, std::allocator<T>>;

/// So many sums of gradients lie side by side at once, whatever the number of cores: workers are
/// dealt to places, and the blocks of a worker's rows to the lanes of its place. (A place has two
/// sums besides: 192 bytes a parameter in all.)
constexpr std::size_t most_places = 4, sums_at_once = 16;
constexpr std::size_t rows_at_once = 512;

double square(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return sum;
}

void add_to(Doubles& sum, double weight, std::span<const double> values) {
  for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += weight * values[j];
}

/// Rows as a batch, those that follow one another as one range.
std::vector<RowRange> ranges_of(const Dataset& data, std::span<const std::uint32_t> rows) {
  std::vector<RowRange> ranges;
  for (const std::uint32_t row : rows) {
    const bool follows = !ranges.empty() && ranges.back().first + ranges.back().count == row;
    if (follows) {
      ++ranges.back().count;
    } else {
      ranges.push_back({&data, row, 1});
    }
  }
  return ranges;
}

/// Rows that stand for all of a worker's, each for the share of them that it is drawn from.
struct DrawnRows {
  std::vector<std::uint32_t> rows;
  Doubles shares;
};

/// The partial sums of one task over its workers.
struct Sums {
  explicit Sums(std::size_t dimension) : minimised(dimension, 0.0), all_rows(dimension, 0.0) {}

  Doubles minimised;             // Σ p_i ∇f_i
  Doubles all_rows;              // Σ (n_i/N) ∇f_i
  double workers_squares = 0.0;  // Σ p_i ‖∇f_i‖²
  double rows_squares = 0.0;     // Σ (n_i/N) (1/n_i) Σ_r ‖∇f_r‖²
  double row_variance = 0.0;     // Σ p_i (1/n_i) Σ_r ‖∇f_r − ∇f_i‖²
  std::uint64_t rows = 0;        // one by one

  void add(const Sums& other) {
    add_to(minimised, 1.0, other.minimised);
    add_to(all_rows, 1.0, other.all_rows);
    workers_squares += other.workers_squares;
    rows_squares += other.rows_squares;
    row_variance += other.row_variance;
    rows += other.rows;
  }
};

class LookAtNoise {
 public:
  LookAtNoise(const NoiseQuestion& question, const GracePeriod& grace)
      : q_(question),
        grace_(grace),
        places_(std::min(most_places, question.parts.size())),
        lanes_(sums_at_once / places_) {
    for (const auto& part : q_.parts) rows_ += part.size();
    taken_ = rows_one_by_one(rows_, dimension(), q_.most_numbers);
  }

  Sums sum_up();
  std::size_t rows() const { return rows_; }

 private:
  std::size_t dimension() const { return q_.model.dimension(); }
  Doubles mean_gradient(std::span<const std::uint32_t> part);
  DrawnRows draw(std::size_t worker) const;
  double mean_distance(const DrawnRows& drawn, std::span<const double> from);
  void add_worker(std::size_t worker, Sums& sums);
  template <typename Use>
  void with_gradient(std::span<const std::uint32_t> rows, const Use& use);

  const NoiseQuestion& q_;
  const GracePeriod& grace_;
  const std::size_t places_, lanes_;
  std::size_t rows_ = 0, taken_ = 0;
  PerThread<Workspace> workspaces_;
  PerThread<VectorBuffer> gradients_;
};

/// Nothing in it waits for other threads: what is this thread's own stays as it is meanwhile.
template <typename Use>
void LookAtNoise::with_gradient(std::span<const std::uint32_t> rows, const Use& use) {
  VectorBuffer& gradient = gradients_.local();
  if (gradient.empty()) gradient = VectorBuffer(q_.model.scalar(), dimension());
  const std::vector<RowRange> ranges = ranges_of(q_.data, rows);
  q_.model.gradient(q_.parameters, ranges, gradient.view(), workspaces_.local());
  with_scalar(q_.model.scalar(),
              [&]<typename T>(T) { use(std::as_const(gradient).view().template as<T>()); });
}

/// A model's gradient is a mean and has all of the regulariser: that of a part is the mean of its
/// blocks', weighed by their rows.
Doubles LookAtNoise::mean_gradient(std::span<const std::uint32_t> part) {
  const std::size_t blocks = (part.size() + rows_at_once - 1) / rows_at_once;
  std::vector<Doubles> sums(std::min(lanes_, blocks), Doubles(dimension(), 0.0));
  parallel_blocks(sums.size(), [&](std::size_t lane) {
    for (std::size_t block = lane; block < blocks && !grace_.is_over(); block += sums.size()) {
      const std::size_t first = block * rows_at_once;
      const auto rows = part.subspan(first, std::min(rows_at_once, part.size() - first));
      const double weight = static_cast<double>(rows.size()) / static_cast<double>(part.size());
      with_gradient(rows, [&](const auto& values) {
        for (std::size_t j = 0; j < values.size(); ++j) sums[lane][j] += weight * values[j];
      });
    }
  });
  for (std::size_t lane = 1; lane < sums.size(); ++lane) add_to(sums.front(), 1.0, sums[lane]);
  return std::move(sums.front());
}

/// A row from each of so many stretches of the part, which are equal but for a row.
DrawnRows LookAtNoise::draw(std::size_t worker) const {
  const std::vector<std::uint32_t>& part = q_.parts[worker];
  const std::size_t count =
      taken_ == rows_ ? part.size() : std::max<std::size_t>(1, taken_ * part.size() / rows_);
  RandomStream stream(q_.seed, Purpose::gradient_noise, static_cast<std::uint32_t>(worker));
  DrawnRows drawn;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t from = part.size() * k / count, until = part.size() * (k + 1) / count;
    drawn.rows.push_back(part[from + stream.below(until - from)]);
    drawn.shares.push_back(static_cast<double>(until - from) / static_cast<double>(part.size()));
  }
  return drawn;
}

/// The mean of ‖∇f_r − from‖².
double LookAtNoise::mean_distance(const DrawnRows& drawn, std::span<const double> from) {
  const std::span<const std::uint32_t> rows = drawn.rows;
  Doubles distances(rows.size(), 0.0);
  const std::size_t blocks = std::min(lanes_, rows.size());
  parallel_blocks(blocks, [&](std::size_t lane) {
    for (std::size_t r = lane; r < rows.size() && !grace_.is_over(); r += blocks) {
      with_gradient(rows.subspan(r, 1), [&](const auto& values) {
        double sum = 0.0;
        for (std::size_t j = 0; j < values.size(); ++j) {
          const double difference = values[j] - from[j];
          sum += difference * difference;
        }
        distances[r] = sum;
      });
    }
  });
  double mean = 0.0;
  for (std::size_t r = 0; r < rows.size(); ++r) mean += drawn.shares[r] * distances[r];
  return mean;
}

void LookAtNoise::add_worker(std::size_t worker, Sums& sums) {
  const std::vector<std::uint32_t>& part = q_.parts[worker];
  if (part.empty()) return;
  const double by_rows = static_cast<double>(part.size()) / static_cast<double>(rows_);
  const double counts =
      q_.weights == ShareWeights::rows ? by_rows : 1.0 / static_cast<double>(q_.parts.size());
  const Doubles mean = mean_gradient(part);
  const DrawnRows drawn = draw(worker);
  const double variance = mean_distance(drawn, mean);
  const double norm = square(mean);
  add_to(sums.minimised, counts, mean);
  add_to(sums.all_rows, by_rows, mean);
  sums.workers_squares += counts * norm;
  sums.rows_squares += by_rows * (variance + norm);
  sums.row_variance += counts * variance;
  sums.rows += drawn.rows.size();
}

Sums LookAtNoise::sum_up() {
  std::vector<Sums> sums(places_, Sums(dimension()));
  parallel_blocks(places_, [&](std::size_t place) {
    for (std::size_t worker = place; worker < q_.parts.size() && !grace_.is_over();
         worker += places_) {
      add_worker(worker, sums[place]);
    }
  });
  for (std::size_t place = 1; place < places_; ++place) sums.front().add(sums[place]);
  return std::move(sums.front());
}

}  // namespace

std::size_t rows_one_by_one(std::size_t rows, std::size_t dimension, std::size_t most_numbers) {
  constexpr std::size_t fewest = 256;
  return std::min(rows, std::max(fewest, most_numbers / std::max<std::size_t>(1, dimension)));
}

std::optional<GradientNoise> gradient_noise(const NoiseQuestion& question,
                                            const GracePeriod& grace) {
  LookAtNoise look(question, grace);
  const Sums sums = look.sum_up();
  if (grace.is_over()) return std::nullopt;
  const auto n = static_cast<double>(look.rows());
  const double whole = square(sums.all_rows);  // ‖∇F‖² = ‖g_N‖²
  GradientNoise found;
  found.rows = sums.rows;
  found.row_variance = sums.row_variance;
  // Where all workers' gradients are alike, rounding leaves a little, on either side of 0.
  found.worker_variance = std::max(0.0, sums.workers_squares - square(sums.minimised));
  if (whole > 0.0) {
    found.diversity = sums.rows_squares / (n * whole);
    found.batch_bound = 1.0 + n * *found.diversity;
  }
  if (look.rows() > 1) {
    found.signal = (n * whole - sums.rows_squares) / (n - 1.0);
    found.noise = std::max(0.0, sums.rows_squares - whole) / (1.0 - 1.0 / n);
    if (*found.signal > 0.0) found.scale = *found.noise / *found.signal;
  }
  return found;
}

}  // namespace trainyard
