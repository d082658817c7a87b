#include "trainyard/codec/chunk_top_k.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/codec/wire.hpp"

#include "codec/magnitude.hpp"

namespace trainyard {

namespace {

constexpr std::size_t bins = 4;
constexpr unsigned bits_of_bin = 2;

/// The bins of values, and what each stands for.
class Bins {
 public:
  explicit Bins(std::span<const double> values) {
    const auto count = static_cast<double>(values.size());
    double sum = 0.0, squares = 0.0;
    for (const double value : values) sum += value / count;
    mean_ = sum;
    for (const double value : values) squares += (value - mean_) * (value - mean_);
    if (values.size() > 1) width_ = 1.5 * std::sqrt(squares / (count - 1.0));
    if (!(width_ > 0.0) || !std::isfinite(width_)) width_ = 1.0;
    std::array<double, bins> sums{}, counts{};
    for (const double value : values) {
      sums[of(value)] += value - mean_;
      counts[of(value)] += 1.0;
    }
    for (std::size_t i = 0; i < bins; ++i) {
      levels_[i] = mean_ + (counts[i] > 0.0 ? sums[i] / counts[i] : 0.0);
    }
  }

  std::size_t of(double value) const {
    const double place = std::nearbyint((value - mean_) / width_ + 2.0);
    return static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(bins - 1)));
  }
  const std::array<double, bins>& levels() const { return levels_; }

 private:
  double mean_ = 0.0, width_ = 0.0;
  std::array<double, bins> levels_{};
};

}  // namespace

ChunkTopK::ChunkTopK(std::vector<ChunkRun> chunks, std::size_t kept, Values values)
    : chunks_(std::move(chunks)), kept_(kept), values_(values) {
  require(kept >= 1, "of each chunk a number is kept");
  for (const ChunkRun& run : chunks_) {
    require(run.length >= 1 && run.length <= std::size_t{1} << 32,
            "places in a chunk are counted in 32 bits");
    length_ += run.length * run.count;
    all_kept_ += kept_of(run) * run.count;
    bits_of_places_ += kept_of(run) * run.count * wire::bits_for(run.length);
  }
}

std::size_t ChunkTopK::bytes_of_values(Scalar scalar) const {
  if (values_ == Values::as_they_are) return all_kept_ * bytes_of(scalar);
  return bins * bytes_of(scalar) + wire::bytes_of_bits(bits_of_bin * all_kept_);
}

std::size_t ChunkTopK::most_bytes(Scalar scalar, TensorShapes /*shapes*/) const {
  return bytes_of_values(scalar) + wire::bytes_of_bits(bits_of_places_);
}

double ChunkTopK::error_bound(std::size_t /*length*/) const {
  if (values_ == Values::two_bits) return 1.0;
  double bound = 0.0;
  for (const ChunkRun& run : chunks_) {
    const double share = static_cast<double>(kept_of(run)) / static_cast<double>(run.length);
    bound = std::max(bound, 1.0 - share);
  }
  return bound;
}

std::size_t ChunkTopK::encode(ConstVector x, TensorShapes shapes, RandomStream& /*random*/,
                              CodecScratch& scratch, std::span<std::byte> wire) const {
  require(x.size() == length_, "a vector of other chunks");
  std::vector<double>& values = scratch.numbers;
  values.clear();
  values.reserve(all_kept_);
  wire::BitWriter places(wire.data() + bytes_of_values(x.scalar()));
  with_scalar(x.scalar(), [&]<typename T>(T) {
    std::span<const T> rest = x.as<T>();
    for (const ChunkRun& run : chunks_) {
      const unsigned bits = wire::bits_for(run.length);
      for (std::size_t i = 0; i < run.count; ++i) {
        const std::span<const T> chunk = rest.first(run.length);
        rest = rest.subspan(run.length);
        visit_kept(chunk, largest(chunk, kept_of(run), scratch), [&](std::size_t place) {
          values.push_back(static_cast<double>(chunk[place]));
          places.put(place, bits);
        });
      }
    }
    places.finish();
    if (values_ == Values::as_they_are) {
      for (std::size_t j = 0; j < values.size(); ++j) {
        wire::store(wire, j * sizeof(T), static_cast<T>(values[j]));
      }
      return;
    }
    const Bins of_values(values);
    for (std::size_t i = 0; i < bins; ++i) {
      wire::store(wire, i * sizeof(T), static_cast<T>(of_values.levels()[i]));
    }
    wire::BitWriter fields(wire.data() + bins * sizeof(T));
    for (const double value : values) fields.put(of_values.of(value), bits_of_bin);
    fields.finish();
  });
  return most_bytes(x.scalar(), shapes);
}

/// Calls visit(place in the vector, value) for each value.
template <typename T, typename Visit>
void ChunkTopK::visit(std::span<const std::byte> wire, const Visit& visit) const {
  const std::size_t of_values = bytes_of_values(scalar_of<T>);
  wire::BitReader places(wire.subspan(of_values));
  wire::BitReader fields(values_ == Values::two_bits
                             ? wire.subspan(bins * sizeof(T), of_values - bins * sizeof(T))
                             : wire.first(0));
  std::size_t first = 0, number = 0;
  for (const ChunkRun& run : chunks_) {
    const unsigned bits = wire::bits_for(run.length);
    for (std::size_t i = 0; i < run.count; ++i, first += run.length) {
      std::size_t next = 0;
      for (std::size_t j = 0; j < kept_of(run); ++j, ++number) {
        const std::size_t at = values_ == Values::two_bits ? fields.take(bits_of_bin) : number;
        const T value = wire::load<T>(wire, at * sizeof(T));
        wire::expect_number(value, std::numeric_limits<T>::lowest());
        const std::size_t place = places.take(bits);
        if (place < next || place >= run.length) {
          throw MalformedMessage(fmt::format(
              "an encoded chunk of {} has a place {} after {} others", run.length, place, j));
        }
        visit(first + place, value);
        next = place + 1;
      }
    }
  }
  fields.expect_end();
  places.expect_end();
}

void ChunkTopK::decode_add(double scale, std::span<const std::byte> wire, TensorShapes shapes,
                           Vector sum) const {
  require(sum.size() == length_, "a vector of other chunks");
  wire::expect_size(wire, most_bytes(sum.scalar(), shapes));
  with_scalar(sum.scalar(), [&]<typename T>(T) {
    const std::span<T> sums = sum.as<T>();
    const T factor = static_cast<T>(scale);
    visit<T>(wire, [&](std::size_t place, T value) { sums[place] += factor * value; });
  });
}

void ChunkTopK::count_values(Scalar scalar, std::span<const std::byte> wire,
                             std::span<std::uint32_t> counts) const {
  with_scalar(scalar, [&]<typename T>(T) {
    visit<T>(wire, [&](std::size_t place, T /*value*/) { ++counts[place]; });
  });
}

}  // namespace trainyard
