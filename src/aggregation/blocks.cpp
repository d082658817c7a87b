#include "aggregation/blocks.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace trainyard {

void load_block(ConstVector vector, std::size_t first, std::span<double> values) {
  with_scalar(vector.scalar(), [&]<typename T>(T) {
    const T* const from = vector.as<T>().data() + first;
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(from[k]);
  });
}

void store_block(std::span<const double> values, Vector vector, std::size_t first) {
  with_scalar(vector.scalar(), [&]<typename T>(T) {
    T* const to = vector.as<T>().data() + first;
    for (std::size_t k = 0; k < values.size(); ++k) to[k] = static_cast<T>(values[k]);
  });
}

void count_up(std::vector<std::uint32_t>& order, std::size_t n) {
  order.resize(n);
  std::iota(order.begin(), order.end(), 0U);
}

namespace {

/// which(j): the number of the j-th of m vectors.
template <typename Which>
void mean_of_picked(ConstVectors in, std::size_t m, const Which& which, Vector out) {
  const double count = static_cast<double>(m);
  with_scalar(out.scalar(), [&]<typename T>(T) {
    for_blocks(out.size(), [&](std::size_t first, std::size_t length) {
      std::array<double, block_length> sums{};
      const T* const base = in[which(0)].template as<T>().data() + first;
      for (std::size_t j = 1; j < m; ++j) {
        const T* const v = in[which(j)].template as<T>().data() + first;
        for (std::size_t k = 0; k < length; ++k) {
          sums[k] += static_cast<double>(v[k]) - static_cast<double>(base[k]);
        }
      }
      T* const to = out.as<T>().data() + first;
      for (std::size_t k = 0; k < length; ++k) {
        to[k] = static_cast<T>(static_cast<double>(base[k]) + sums[k] / count);
      }
    });
  });
}

}  // namespace

void write_mean(ConstVectors in, std::span<const std::uint32_t> picked, Vector out) {
  mean_of_picked(
      in, picked.size(), [&](std::size_t j) { return picked[j]; }, out);
}

void write_mean(ConstVectors in, Vector out) {
  mean_of_picked(
      in, in.size(), [](std::size_t j) { return j; }, out);
}

}  // namespace trainyard
