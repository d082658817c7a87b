// The totals of a rank's coding: bytes saved, time spent, and the distance between what was sent
// and what was meant.
//
// Threads: a value like any other: any number of threads may read one, and who writes one has it
// alone.
#pragma once

#include <cstdint>
#include <optional>

#include "trainyard/base/units.hpp"

namespace trainyard {

struct CodingAccount {
  Duration time{0};                                  // encoding and decoding, on the run's clock
  std::uint64_t vectors = 0;                         // encoded
  std::uint64_t plain_bytes = 0, encoded_bytes = 0;  // of those vectors
  double squared_error = 0.0, squared_norm = 0.0;  // Σ‖C(x) − x‖² and Σ‖x‖², of a sample of them

  void add(const CodingAccount& other) {
    time += other.time;
    vectors += other.vectors;
    plain_bytes += other.plain_bytes;
    encoded_bytes += other.encoded_bytes;
    squared_error += other.squared_error;
    squared_norm += other.squared_norm;
  }
  /// How many times shorter vectors became; empty where none was encoded.
  std::optional<double> compression() const {
    if (encoded_bytes == 0) return std::nullopt;
    return static_cast<double>(plain_bytes) / static_cast<double>(encoded_bytes);
  }
  /// Σ‖C(x) − x‖² / Σ‖x‖²; empty where nothing but zeros was encoded.
  std::optional<double> relative_error() const {
    if (!(squared_norm > 0.0)) return std::nullopt;
    return squared_error / squared_norm;
  }
};

}  // namespace trainyard
