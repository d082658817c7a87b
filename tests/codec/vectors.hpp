// Vectors that codecs are tried with: of all lengths and shapes, in both precisions, ordinary ones
// and those at the ends of what a number can be.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "trainyard/codec/codec.hpp"

namespace trainyard::test {

struct CodecSample {
  std::string name;
  Scalar scalar = Scalar::float32;
  std::vector<TensorShape> shapes;
  std::vector<double> values;  // each of them a number of that precision

  std::size_t size() const { return values.size(); }
  std::size_t columns() const;
  /// 32 or 64.
  std::size_t number_bits() const { return 8 * bytes_of(scalar); }
  /// Σ x²
  long double squares() const;
  VectorBuffer buffer() const;
};

CodecSample sample_of(std::vector<double> values, Scalar scalar, std::string name = "given");

/// Of each length and distribution, those of `lengths` only where there are any.
std::vector<CodecSample> codec_samples(const std::vector<std::size_t>& lengths = {});

std::vector<double> doubles_of(ConstVector x);

/// The least number that is not 0, the least normal one, and the largest.
long double least_number(Scalar scalar);
long double least_normal(Scalar scalar);
long double largest_number(Scalar scalar);
/// The distance from 1 to the next number.
long double spacing(Scalar scalar);

/// What encode() writes, in memory of just that size.
std::vector<std::byte> encoded(const Codec& codec, const CodecSample& x, RandomStream& random,
                               CodecScratch& scratch);
std::vector<std::byte> encoded(const Codec& codec, const CodecSample& x, RandomStream& random);

/// C(x) by decode_add() to zeros.
std::vector<double> decoded(const Codec& codec, const CodecSample& x,
                            std::span<const std::byte> wire);

}  // namespace trainyard::test
