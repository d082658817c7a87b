#include "codec/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/catch.hpp"

namespace trainyard::test {

namespace {

template <typename T>
using Limits = std::numeric_limits<T>;

template <typename T>
double draw(const std::string& distribution, std::size_t i, RandomStream& random) {
  const double normal = random.normal();
  const bool first = i == 0;
  if (distribution == "normal") return normal;
  if (distribution == "heavy-tailed") return normal * std::pow(1.0 - random.uniform(), -1.5);
  if (distribution == "sparse") return random.below(10) == 0 ? normal : 0.0;
  if (distribution == "constant") return -0.7;
  if (distribution == "zeros") return i % 2 == 0 ? 0.0 : -0.0;
  if (distribution == "below normal") {
    return std::copysign(double{Limits<T>::denorm_min()}, normal) *
           static_cast<double>(random.below(first ? 2 : 1000));
  }
  if (distribution == "one of 1e30") return first ? -1e30 : normal;
  if (distribution == "one largest") return first ? double{Limits<T>::max()} : normal;
  if (distribution == "all near the largest") {
    return std::copysign(double{Limits<T>::max()} * (i % 3 == 0 ? 1.0 : 0.25), normal);
  }
  throw std::logic_error("no such distribution");
}

const std::vector<std::string> distributions{"normal",      "heavy-tailed", "sparse",
                                             "constant",    "zeros",        "below normal",
                                             "one of 1e30", "one largest",  "all near the largest"};

const std::vector<std::vector<TensorShape>> shapes_of_samples{
    {{1, 1}}, {{2, 1}}, {{7, 1}}, {{64, 1}}, {{12, 5}, {5, 1}}, {{30, 33}, {0, 3}, {10, 1}}};

}  // namespace

std::size_t CodecSample::columns() const {
  std::size_t sum = 0;
  for (const TensorShape& shape : shapes) sum += shape.columns;
  return sum;
}

long double CodecSample::squares() const {
  long double sum = 0.0L;
  for (const double value : values) sum += static_cast<long double>(value) * value;
  return sum;
}

VectorBuffer CodecSample::buffer() const {
  VectorBuffer x(scalar, size());
  with_scalar(scalar, [&]<typename T>(T) {
    const std::span<T> numbers = x.view().as<T>();
    for (std::size_t i = 0; i < size(); ++i) numbers[i] = static_cast<T>(values[i]);
  });
  return x;
}

CodecSample sample_of(std::vector<double> values, Scalar scalar, std::string name) {
  for (double& value : values) {
    if (scalar == Scalar::float32) value = static_cast<float>(value);
  }
  const std::size_t size = values.size();
  return {std::move(name), scalar, {{size, 1}}, std::move(values)};
}

std::vector<CodecSample> codec_samples(const std::vector<std::size_t>& lengths) {
  RandomStream random(11, Purpose::data_generator);
  std::vector<CodecSample> samples;
  for (const Scalar scalar : {Scalar::float32, Scalar::float64}) {
    for (const std::vector<TensorShape>& shapes : shapes_of_samples) {
      const std::size_t size = total_size(shapes);
      if (!lengths.empty() && std::ranges::find(lengths, size) == lengths.end()) continue;
      for (const std::string& distribution : distributions) {
        std::vector<double> values(size);
        for (std::size_t i = 0; i < size; ++i) {
          values[i] =
              with_scalar(scalar, [&]<typename T>(T) { return draw<T>(distribution, i, random); });
        }
        const char* const precision = scalar == Scalar::float32 ? " floats, " : " doubles, ";
        samples.push_back(
            sample_of(std::move(values), scalar, std::to_string(size) + precision + distribution));
        samples.back().shapes = shapes;
      }
    }
  }
  return samples;
}

std::vector<double> doubles_of(ConstVector x) {
  return with_scalar(x.scalar(), [&]<typename T>(T) {
    const std::span<const T> numbers = x.as<T>();
    return std::vector<double>(numbers.begin(), numbers.end());
  });
}

long double least_number(Scalar scalar) {
  return with_scalar(
      scalar, []<typename T>(T) { return static_cast<long double>(Limits<T>::denorm_min()); });
}
long double least_normal(Scalar scalar) {
  return with_scalar(scalar,
                     []<typename T>(T) { return static_cast<long double>(Limits<T>::min()); });
}
long double largest_number(Scalar scalar) {
  return with_scalar(scalar,
                     []<typename T>(T) { return static_cast<long double>(Limits<T>::max()); });
}
long double spacing(Scalar scalar) {
  return with_scalar(scalar,
                     []<typename T>(T) { return static_cast<long double>(Limits<T>::epsilon()); });
}

std::vector<std::byte> encoded(const Codec& codec, const CodecSample& x, RandomStream& random,
                               CodecScratch& scratch) {
  const VectorBuffer numbers = x.buffer();
  const std::size_t most = codec.most_bytes(x.scalar, x.shapes);
  std::vector<std::byte> wire(most, std::byte{0xA5});
  const std::size_t written = codec.encode(numbers.view(), x.shapes, random, scratch, wire);
  REQUIRE(written <= most);
  if (codec.fixed_size()) REQUIRE(written == most);
  return {wire.begin(), wire.begin() + static_cast<std::ptrdiff_t>(written)};
}

std::vector<std::byte> encoded(const Codec& codec, const CodecSample& x, RandomStream& random) {
  CodecScratch scratch;
  return encoded(codec, x, random, scratch);
}

std::vector<double> decoded(const Codec& codec, const CodecSample& x,
                            std::span<const std::byte> wire) {
  VectorBuffer sum = VectorBuffer::zeroed(x.scalar, x.size());
  codec.decode_add(1.0, wire, x.shapes, sum.view());
  return doubles_of(sum.view());
}

}  // namespace trainyard::test
