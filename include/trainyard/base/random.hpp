// Random streams. A stream is a pure function of (seed, purpose, rank, counter): no state is shared
// between ranks, and nothing else in Trainyard is random.
//
// The generator is Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
// SC 2011), taken from Random123. The distributions are ours because those of the standard library
// differ from one implementation to the next.
//
// Threads: a stream belongs to one thread; two streams share nothing, so each rank has its own.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace trainyard {

/// The purpose of a stream. Each purpose draws from a stream of its own, so that one more draw here
/// does not shift what is drawn there. Append only: the numbers are part of every seeded result.
enum class Purpose : std::uint32_t {
  data_generator = 1,
  partition = 2,
  minibatch = 3,
  initial_model = 4,
  topology = 5,
  scheme = 6,
  compute_time = 7,
  network = 8,
  codec = 9,
  rounding = 10,
  gradient_noise = 11,
  validation = 12,
  byzantine = 13,
  aggregation = 14,
  message_loss = 15,
  crash = 16,
};

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, Purpose purpose, std::uint32_t rank = 0);

  std::uint32_t next_u32();
  std::uint64_t next_u64();
  /// Uniform over 0 .. bound-1, without bias. REQUIRES: bound > 0.
  std::uint64_t below(std::uint64_t bound);
  /// below() for 32 bits, nearly always without a division, which takes most of below()'s time
  /// (Lemire 2019). REQUIRES: bound > 0.
  std::uint32_t below32(std::uint32_t bound);
  /// Uniform in [0, 1), 53 bits.
  double uniform();
  /// Standard normal (Box-Muller).
  double normal();
  /// Exponential with mean 1.
  double exponential();
  /// Gamma with the given shape > 0 and scale 1 (Marsaglia & Tsang 2000).
  double gamma(double shape);
  /// Uniformly random order (Fisher-Yates).
  void shuffle(std::span<std::uint32_t> items);
  void shuffle(std::span<std::uint64_t> items);

  /// Goes to the beginning of the stream's part `part`, of 2^34 numbers of 32 bits each: what is
  /// drawn from there on does not depend on what was drawn before. A new stream is at part 0.
  void jump_to(std::uint32_t part);

  /// As numbers, for a file, and back. Throws DataError where they are no stream's.
  std::vector<std::uint32_t> packed() const;
  static RandomStream unpacked(std::span<const std::uint32_t> packed);

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_{};
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;
  double spare_normal_ = 0.0;
  bool has_spare_normal_ = false;
};

}  // namespace trainyard
