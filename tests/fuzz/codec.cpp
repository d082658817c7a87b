// What arrives as a codec's message. The first byte says which codec, the second the precision and
// the length of the vector, the third its columns; the rest is the message.
#include "trainyard/codec/codec.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "check.hpp"

namespace {

using namespace trainyard;

/// Those that need an argument have one, and small ones that reach more than the default does.
std::vector<std::shared_ptr<const Codec>> all_codecs() {
  std::vector<std::shared_ptr<const Codec>> all;
  for (const CodecInfo& info : codecs()) {
    const bool needs_argument = !info.argument.empty() && info.fallback.empty();
    all.push_back(make_codec(info.name + (needs_argument ? ":0.5" : "")));
  }
  for (const char* const text : {"qsgd:1", "qsgd:5000", "qsgd-elias:1", "qsgd-elias:5000",
                                 "random-k:k=5", "top-k:k=5", "top-k:100%", "top-k-sampled:30%"}) {
    all.push_back(make_codec(text));
  }
  return all;
}

/// The second byte's upper seven bits of numbers, the first ones as a matrix.
std::array<TensorShape, 2> shapes_of(std::uint8_t length, std::uint8_t columns) {
  const std::size_t size = 1 + length / 2, width = 1 + columns % 8;
  return {TensorShape{size / width, width}, TensorShape{size % width, 1}};
}

void decode_and_check(const Codec& codec, Scalar scalar, TensorShapes shapes,
                      std::string_view text) {
  // A copy of just that size: a byte beyond it is found.
  const std::vector<char> copy(text.begin(), text.end());
  VectorBuffer sum = VectorBuffer::zeroed(scalar, total_size(shapes));
  codec.decode_add(1.0, std::as_bytes(std::span(copy)), shapes, sum.view());
  require(copy.size() <= codec.most_bytes(scalar, shapes), "a message longer than the longest");
  with_scalar(scalar, [&]<typename T>(T) {
    for (const T value : sum.view().as<T>()) require(std::isfinite(value), "a number");
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::shared_ptr<const Codec>> all = all_codecs();
  if (size < 3) return 0;
  // identity, the first, adds what it is sent, be it a number or not.
  const Codec& codec = *all[1 + data[0] % (all.size() - 1)];
  const Scalar scalar = data[1] % 2 == 0 ? Scalar::float32 : Scalar::float64;
  const std::array<TensorShape, 2> shapes = shapes_of(data[1], data[2]);
  try {
    decode_and_check(codec, scalar, shapes, as_text(data + 3, size - 3));
  } catch (const MalformedMessage&) {  // the message is bad, and said to be
  }
  return 0;
}
