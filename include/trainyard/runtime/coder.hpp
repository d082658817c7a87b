// A rank's codec at work: vectors become bytes and bytes are added to vectors, for the time that
// takes. What a compressed scheme is written in:
//
//   Coder coder = worker.coder();
//   comm.send_encoded(to, coder.encode(gradient));            // C(g)
//   coder.decode_add(1.0 / n, comm.receive(from).bytes(), sum);
//
// In simulated time a vector of d numbers takes d times the run's encode time or decode time, and a
// straggler so many times longer; in `wall` it takes what it takes.
//
// Threads: a coder belongs to its rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/function_ref.hpp"
#include "trainyard/base/random.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/codec/codec.hpp"
#include "trainyard/runtime/coding_account.hpp"
#include "trainyard/runtime/rank.hpp"

namespace trainyard {

/// A vector that is to be encoded has a NaN or an infinity: training has diverged. Encoded it would
/// be any number, or spread to all ranks without a word.
class NotFinite : public RunError {
 public:
  NotFinite(const std::string& what, Time when, const RankAccount& traffic)
      : RunError(what), when_(when), traffic_(traffic) {}
  /// On the run's clock.
  Time when() const { return when_; }
  /// The traffic of all ranks up to then.
  const RankAccount& traffic() const { return traffic_; }

 private:
  Time when_;
  RankAccount traffic_;
};

/// Throws NotFinite where x has a NaN or an infinity; `step` is that of the scheme, for the
/// message.
void require_finite(ConstVector x, Rank& rank, std::string_view scheme, std::uint64_t step);

/// The property of a codec that a scheme's rule needs.
enum class CodecNeed {
  nothing,
  unbiased,     // E C(x) = x: what is left out of one vector is in others
  contraction,  // E‖C(x) − x‖² ≤ (1 − δ)‖x‖²: what is kept for later does not grow
};

/// How long coding takes in simulated time, for each number of a vector.
struct CodingTime {
  Duration encode{0}, decode{0};
};

/// The parts of a coder. All of them outlive it.
struct CoderSetting {
  Rank& rank;
  const Codec& codec;
  CodingTime time;                   // of a number
  double slowdown = 1.0;             // of a straggler
  std::vector<TensorShape> tensors;  // of the whole model
  CodecNeed need = CodecNeed::nothing;
  RandomStream& random;
  RandomStream& sampling;      // of vectors whose error is measured
  std::uint64_t& next_sample;  // of the account's vectors
  CodingAccount& account;
  std::string_view scheme;    // for messages
  const std::uint64_t& step;  // the present one, for messages
};

/// If the rule needs a contraction and the codec is an unbiased one of E‖C(x) − x‖² ≤ ω‖x‖², the
/// decoded vector is C(x)/(1 + ω), which is one: it leaves at most ω/(1 + ω) ‖x‖² (Koloskova, Stich
/// & Jaggi 2019, §3.5). The bytes are the same; both ends know ω.
class Coder {
 public:
  explicit Coder(CoderSetting setting) : setting_(std::move(setting)) {}

  /// C(x). A vector of the model's size has the model's tensors; any other is one column. Valid
  /// until the next call. Throws NotFinite.
  std::span<const std::byte> encode(ConstVector x);

  /// Error feedback (Seide et al. 2014; Karimireddy et al. 2019): what a codec leaves out is sent
  /// with the next vector. error ← error + x; returns C(error); error ← error − C(error). Takes the
  /// time of encoding and of decoding. With step sizes that change, x is a step γg, and not a
  /// gradient: then what is sent adds up to the steps, but for the last error (catalogue §5).
  /// Throws NotFinite.
  std::span<const std::byte> encode(ConstVector x, Vector error);

  /// From here on C(x) is decoded as it is, whatever the row says: where no error is kept.
  void decode_as_it_is() { setting_.need = CodecNeed::nothing; }

  /// From here on what it encodes does not count in the run's ‖C(x) − x‖² / ‖x‖²: where x is in
  /// another unit than what other ranks encode.
  void measure_no_error() { measures_error_ = false; }

  /// From here on coding is done at once and takes its time in settle(): what a rank that computes
  /// codes meanwhile (ListeningGradient), as it can do one thing at a time. In `wall` it takes what
  /// it takes, at once.
  void defer_time() { is_deferring_ = true; }
  /// Takes the time of all that was done since, and ends it.
  void settle();

  /// sum ← sum + scale · C(x). Throws MalformedMessage.
  void decode_add(double scale, std::span<const std::byte> wire, Vector sum);

 private:
  TensorShapes shapes_of(std::size_t length);
  /// 1/(1 + ω), or 1.
  double shrinkage(std::size_t length) const;
  void measure_error(ConstVector x);
  void spend(Duration of_a_number, std::size_t numbers, FunctionRef<void()> work);

  CoderSetting setting_;
  bool measures_error_ = true;
  bool is_deferring_ = false;
  Duration deferred_{0};  // simulated time that is still to be taken
  CodecScratch scratch_;
  TensorShape column_;             // of a vector that is not the whole model
  AlignedBuffer<std::byte> wire_;  // most_bytes() of the longest vector so far
  std::size_t written_ = 0;        // of it
  VectorBuffer difference_;        // C(x) − x, where that is measured
};

}  // namespace trainyard
