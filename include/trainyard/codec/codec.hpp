// Lossy compression of vectors: a codec turns a vector x into bytes, and the bytes into C(x), which
// is x but for an error that the codec's file states. What is sent is what encode() writes, and the
// network charges exactly those bytes.
//
//   const auto codec = make_codec("qsgd:127");
//   std::vector<std::byte> wire(codec->most_bytes(x, shapes));
//   wire.resize(codec->encode(x, shapes, random, scratch, wire));
//   codec->decode_add(1.0, wire, shapes, sum);        // sum += C(x)
//
// Each codec is one file of src/codec, which opens with the rule, its source, the wire format bit
// by bit and the error; one row of codecs(); one entry of the tests' table. Numbers on the wire
// have the vector's precision, so "32" in the tables of the literature is 64 for a vector of
// doubles. Bits are packed from the least significant bit of the first byte on; the last byte is
// filled with zeros; numbers of several bytes are little-endian.
//
// Threads: a codec is constant, and used by all ranks at once. Scratch and stream are the caller's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/model/tensor_shape.hpp"

namespace trainyard {

/// Bytes that encode() does not write: too short, too long, or with an impossible content.
class MalformedMessage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Memory of one rank for encode(); grows on first use and is kept.
struct CodecScratch {
  std::vector<std::uint64_t> keys;
  std::vector<double> numbers;
};

class Codec {
 public:
  virtual ~Codec() = default;

  /// Bytes that a vector of that precision and of these shapes takes at most; exactly as many where
  /// fixed_size() is true.
  virtual std::size_t most_bytes(Scalar scalar, TensorShapes shapes) const = 0;
  /// Whether the length of a message depends on the vector's length alone.
  virtual bool fixed_size() const { return true; }

  /// Writes C(x) to the first bytes of `wire` and returns how many these are. Draws from `random`
  /// where the rule is a random one. REQUIRES: x is finite and not empty, the shapes add up to its
  /// size, and `wire` has most_bytes().
  virtual std::size_t encode(ConstVector x, TensorShapes shapes, RandomStream& random,
                             CodecScratch& scratch, std::span<std::byte> wire) const = 0;

  /// sum ← sum + scale · C(x). Throws MalformedMessage, and may then have added some of it.
  virtual void decode_add(double scale, std::span<const std::byte> wire, TensorShapes shapes,
                          Vector sum) const = 0;

  /// E C(x) = x for all x.
  virtual bool unbiased() const = 0;
  /// C(x) = x, and the wire has the numbers as they are: what schemes do that need not encode.
  virtual bool is_identity() const { return false; }

  /// The least c for which E‖C(x) − x‖² ≤ c ‖x‖² is known for all x of so many numbers: ω of an
  /// unbiased codec, 1 − δ of a contraction; 1 of what only makes numbers smaller. Infinite where
  /// there is none. A codec's file says where it does not hold, at the ends of a precision's range.
  virtual double error_bound(std::size_t length) const = 0;
};

/// One codec, for `list codecs` and for the closed forms.
struct CodecInfo {
  std::string name;        // "top-k"
  std::string argument{};  // how what follows "name:" is written: "P%|k=K"; empty: nothing may
  std::string fallback{};  // which of them stands for the name alone; empty: the argument is needed
  std::string summary;     // one line: the rule
  std::string wire;        // bits of a vector of d floats: "32 + 2d"
  std::string error;       // E‖C(x) − x‖², and whether it is unbiased
  std::string source;      // paper, section; of the catalogue
  /// The time to encode and to decode a parameter, used where nobody measured it, so that simulated
  /// runs repeat on every machine: round figures of one core; for codecs that keep a share, with
  /// 1 %. bench/codecs.cpp prints what a core takes beside them: 65,536 standard normal floats in
  /// one tensor of 256 columns, in its second-level cache. On one of 2.6 GHz it is 0.1 to 0.6 of
  /// them with AVX-512 (qsgd 145 ps for 550), and 0.1 to 0.7 with AVX2 (320 ps).
  Duration encode_time{0}, decode_time{0};
  /// Throws UsageError, without naming the codec, for an argument that it does not take.
  std::shared_ptr<const Codec> (*make)(std::string_view argument) = nullptr;

  /// "qsgd:S [127]"
  std::string typed() const;
};

/// The visible table, one row for each codec.
const std::vector<CodecInfo>& codecs();

/// A codec by what is typed after --codec: "identity", "qsgd:127", "top-k:1%". Throws UsageError
/// for an unknown name or a wrong argument, saying what is accepted.
std::shared_ptr<const Codec> make_codec(std::string_view text);
/// Its row. Throws UsageError for an unknown name.
const CodecInfo& codec_info(std::string_view text);

}  // namespace trainyard
