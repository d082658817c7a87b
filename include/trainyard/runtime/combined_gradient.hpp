// A linear combination of gradients, one of each of a worker's shares: what gradient coding sends.
//
//   CombinedGradient combined(worker);
//   std::uint64_t step = 0;
//   while (worker.next_step()) {
//     worker.comm().send(server, combined.compute(coefficients, step), step);
//     step = worker.comm().receive_into(server, worker.replica());
//   }
//
// Threads: belongs to its worker's rank.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trainyard/base/vector.hpp"
#include "trainyard/data/batch.hpp"

namespace trainyard {

class Worker;

class CombinedGradient {
 public:
  /// `worker` outlives it.
  explicit CombinedGradient(Worker& worker) : worker_(worker) {}

  /// Σ_k coefficients_k ∇F at the replica over minibatch `number`, from 0, of the worker's k-th
  /// share, with --weights rows times the weight of that share. Takes as long as that many
  /// minibatches. Numbers go up; those left out are skipped. Valid, and the caller's to change,
  /// until the next call. Throws UsageError where the worker's replica is not the whole model.
  /// REQUIRES: a coefficient for each share.
  Vector compute(std::span<const double> coefficients, std::uint64_t number);

 private:
  Worker& worker_;
  VectorBuffer combination_;
  std::vector<Batch> batches_;  // of each share
};

}  // namespace trainyard
