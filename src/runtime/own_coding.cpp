#include "trainyard/runtime/own_coding.hpp"

#include "trainyard/runtime/worker.hpp"

#include "runtime/worker_parts.hpp"

namespace trainyard {

void OwnCoding::spend(Duration of_a_number, FunctionRef<void()> work) {
  const WorkerParts parts(worker_);
  const double slowdown = parts.minibatches.costs().slowdown();
  const double times = static_cast<double>(worker_.replica().size()) * slowdown;
  const Time began = parts.rank.now();
  parts.rank.compute({.simulated = scaled(of_a_number, times), .slowdown = slowdown}, work);
  parts.context.state.coding_of(parts.rank.rank()).time += parts.rank.now() - began;
}

void OwnCoding::encode(ConstVector x, FunctionRef<void()> work) {
  const WorkerParts parts(worker_);
  require_finite(x, parts.rank, parts.context.scheme, worker_.step());
  spend(parts.context.coding_time.encode, work);
}

void OwnCoding::decode(FunctionRef<void()> work) {
  spend(WorkerParts(worker_).context.coding_time.decode, work);
}

void OwnCoding::record(std::size_t plain_bytes, std::size_t encoded_bytes) {
  const WorkerParts parts(worker_);
  CodingAccount& account = parts.context.state.coding_of(parts.rank.rank());
  account.plain_bytes += plain_bytes;
  account.encoded_bytes += encoded_bytes;
}

}  // namespace trainyard
