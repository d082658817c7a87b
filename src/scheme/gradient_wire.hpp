// How gradients travel: as they are, or in 16 bits (--wire fp16). Those that are summed around
// rings while backpropagation goes on travel as by Horovod's Compression.fp16 and PyTorch's
// fp16_compress_hook: a gradient is rounded when it is final, and so is each sum on its way, whose
// hops send half the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "trainyard/codec/codec.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/coder.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

enum class Wire { float32, fp16 };

inline Wire wire_of(const Hyperparameters& hyperparameters) {
  return static_cast<Wire>(static_cast<int>(hyperparameter(hyperparameters, "wire")));
}

/// The bytes of a number on the wire.
inline std::size_t wire_bytes(Wire wire, Scalar scalar) {
  return wire == Wire::fp16 ? sizeof(std::uint16_t) : bytes_of(scalar);
}

/// How long a message with so many numbers takes.
inline Duration wire_message(const StepSetting& s, Wire wire, std::size_t numbers) {
  if (wire == Wire::float32 || numbers == 0) return s.message(numbers);
  return s.message_of_bytes(numbers * wire_bytes(wire, Scalar::float32));
}

/// One worker's end of it. Belongs to its rank.
class GradientWire {
 public:
  explicit GradientWire(Worker& worker)
      : kind_(worker.choice<Wire>("wire")),
        half_(make_codec("fp16")),
        coder_(worker.coder(&*half_)) {}

  Wire kind() const { return kind_; }
  /// For ConcurrentRings; outlived by this.
  const Codec* codec() const { return kind_ == Wire::fp16 ? half_.get() : nullptr; }

  /// Rounds a final part of a gradient to what can be sent of it. Throws NotFinite.
  void round(Vector part) {
    if (kind_ == Wire::float32) return;
    const std::span<const std::byte> halves = coder_.encode(part);
    kernels::set_to_zero(part);
    coder_.decode_add(1.0, halves, part);
  }

 private:
  const Wire kind_;
  const std::shared_ptr<const Codec> half_;
  Coder coder_;
};

inline HyperparameterInfo wire_info() {
  return {.name = "wire",
          .argument = "float32|fp16",
          .help = "how the numbers of a gradient are sent; by key-value those of a model as well",
          .choices = {"float32", "fp16"}};
}

}  // namespace trainyard
