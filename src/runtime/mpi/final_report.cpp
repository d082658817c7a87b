#include "runtime/mpi/final_report.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "trainyard/base/error.hpp"

namespace trainyard::mpi {

std::vector<std::byte> FinalReport::of(const Member& member, Time ended, RunState& state,
                                       int rank) {
  static_assert(std::is_trivially_copyable_v<Fixed>);
  const std::vector<std::uint64_t> staleness = state.staleness_of(rank).packed();
  const ConstVector model = member.model();
  const Fixed fixed{member.standing(),     member.account(),   ended,
                    member.clock_offset(), member.emulation(), state.coding_of(rank),
                    staleness.size()};
  const std::size_t of_staleness = staleness.size() * sizeof(std::uint64_t);
  std::vector<std::byte> bytes(sizeof fixed + of_staleness + model.bytes().size());
  std::memcpy(bytes.data(), &fixed, sizeof fixed);
  std::memcpy(bytes.data() + sizeof fixed, staleness.data(), of_staleness);
  std::ranges::copy(model.bytes(), bytes.end() - static_cast<std::ptrdiff_t>(model.bytes().size()));
  return bytes;
}

FinalReport::FinalReport(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {
  require(bytes_.size() >= sizeof fixed_, "a process's last report is whole");
  std::memcpy(&fixed_, bytes_.data(), sizeof fixed_);
}

void FinalReport::put_into(RunState& state, int rank) const {
  state.coding_of(rank) = fixed_.coding;
  std::vector<std::uint64_t> staleness(fixed_.staleness_size);
  const std::byte* next = bytes_.data() + sizeof fixed_;
  const std::size_t size = staleness.size() * sizeof staleness.front();
  std::memcpy(staleness.data(), next, size);
  state.staleness_of(rank) = Staleness::unpacked(staleness);
}

VectorBuffer FinalReport::model(Scalar scalar) const {
  VectorBuffer model(scalar, fixed_.standing.model_size);
  const std::size_t size = model.view().bytes().size();
  if (size > 0) std::memcpy(model.view().data(), bytes_.data() + bytes_.size() - size, size);
  return model;
}

}  // namespace trainyard::mpi
