#include "trainyard/base/random.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

#include <Random123/philox.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

RandomStream::RandomStream(std::uint64_t seed, Purpose purpose, std::uint32_t rank)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)} {
  // The counter's upper half names the stream, its lower half counts blocks of four numbers.
  counter_[2] = rank;
  counter_[3] = static_cast<std::uint32_t>(purpose);
}

std::uint32_t RandomStream::next_u32() {
  if (used_ == 4) {
    const philox4x32_ctr_t counter{{counter_[0], counter_[1], counter_[2], counter_[3]}};
    const philox4x32_key_t key{{key_[0], key_[1]}};
    const philox4x32_ctr_t block = philox4x32(counter, key);
    for (std::size_t i = 0; i < 4; ++i) block_[i] = block.v[i];
    if (++counter_[0] == 0) ++counter_[1];
    used_ = 0;
  }
  return block_[static_cast<std::size_t>(used_++)];
}

std::uint64_t RandomStream::next_u64() {
  const std::uint64_t low = next_u32();
  return low | (static_cast<std::uint64_t>(next_u32()) << 32);
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  // Draws under 2^64 mod bound are thrown away, so that every remainder is equally likely.
  const std::uint64_t rejected = (0 - bound) % bound;
  std::uint64_t draw = next_u64();
  while (draw < rejected) draw = next_u64();
  return draw % bound;
}

std::uint32_t RandomStream::below32(std::uint32_t bound) {
  std::uint64_t product = std::uint64_t{next_u32()} * bound;
  if (static_cast<std::uint32_t>(product) < bound) {
    // Low halves under 2^32 mod bound would make some results likelier than others.
    const std::uint32_t rejected = (0 - bound) % bound;
    while (static_cast<std::uint32_t>(product) < rejected) {
      product = std::uint64_t{next_u32()} * bound;
    }
  }
  return static_cast<std::uint32_t>(product >> 32);
}

double RandomStream::uniform() {
  return static_cast<double>(next_u64() >> 11) * 0x1.0p-53;
}

double RandomStream::normal() {
  if (std::exchange(has_spare_normal_, false)) return spare_normal_;
  const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_normal_ = true;
  return radius * std::cos(angle);
}

double RandomStream::exponential() {
  return -std::log1p(-uniform());
}

double RandomStream::gamma(double shape) {
  // A shape below 1 is lifted by one and brought back by a power of a uniform number.
  if (shape < 1.0) return gamma(shape + 1.0) * std::pow(1.0 - uniform(), 1.0 / shape);
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = normal();
    const double root = 1.0 + c * x;
    if (root <= 0.0) continue;
    const double v = root * root * root;
    if (std::log1p(-uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

void RandomStream::shuffle(std::span<std::uint32_t> items) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
}

void RandomStream::shuffle(std::span<std::uint64_t> items) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
}

std::vector<std::uint32_t> RandomStream::packed() const {
  std::vector<std::uint32_t> all(key_.begin(), key_.end());
  all.insert(all.end(), counter_.begin(), counter_.end());
  all.insert(all.end(), block_.begin(), block_.end());
  const auto spare = std::bit_cast<std::uint64_t>(spare_normal_);
  all.insert(all.end(),
             {static_cast<std::uint32_t>(used_), has_spare_normal_ ? 1U : 0U,
              static_cast<std::uint32_t>(spare), static_cast<std::uint32_t>(spare >> 32U)});
  return all;
}

RandomStream RandomStream::unpacked(std::span<const std::uint32_t> packed) {
  constexpr std::size_t numbers = 14;
  if (packed.size() != numbers || packed[10] > 4) throw DataError("no stream of random numbers");
  RandomStream stream(0, Purpose{});
  std::ranges::copy(packed.first(2), stream.key_.begin());
  std::ranges::copy(packed.subspan(2, 4), stream.counter_.begin());
  std::ranges::copy(packed.subspan(6, 4), stream.block_.begin());
  stream.used_ = static_cast<int>(packed[10]);
  stream.has_spare_normal_ = packed[11] != 0;
  stream.spare_normal_ =
      std::bit_cast<double>(packed[12] | static_cast<std::uint64_t>(packed[13]) << 32U);
  return stream;
}

void RandomStream::jump_to(std::uint32_t part) {
  counter_[0] = 0;
  counter_[1] = part;
  used_ = 4;
  has_spare_normal_ = false;
}

}  // namespace trainyard
