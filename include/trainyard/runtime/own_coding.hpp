// Coding that is part of a scheme's rule and has no codec: the time that it takes, and what it
// saves.
//
//   OwnCoding coding(worker);
//   coding.encode(gradient, [&] { project(gradient, factors); });
//   all_reduce_mean(worker.comm(), factors, ring);
//   coding.decode([&] { add_product(factors, model); });
//   coding.record(gradient.bytes().size(), factors.bytes().size());
//
// The scheme's row says in .messages.own_coding what a number takes where nobody measured it.
//
// Threads: belongs to its worker's rank.
#pragma once

#include <cstddef>

#include "trainyard/base/function_ref.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/base/vector.hpp"

namespace trainyard {

class Worker;

class OwnCoding {
 public:
  /// `worker` outlives it.
  explicit OwnCoding(Worker& worker) : worker_(worker) {}

  // Each takes the run's encode time, or its decode time, for as many numbers as the worker's
  // replica has. REQUIRE: `work` does as that of Worker::compute().

  /// Throws NotFinite where x, of which something is encoded, is not finite.
  void encode(ConstVector x, FunctionRef<void()> work);
  void decode(FunctionRef<void()> work);
  /// For the summary: `encoded_bytes` were sent in place of `plain_bytes`.
  void record(std::size_t plain_bytes, std::size_t encoded_bytes);

 private:
  void spend(Duration of_a_number, FunctionRef<void()> work);

  Worker& worker_;
};

}  // namespace trainyard
