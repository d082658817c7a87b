// The data of each process that the leading one needs at the end of a run, as bytes, and back.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trainyard/runtime/rank.hpp"
#include "trainyard/runtime/run_state.hpp"

#include "runtime/mpi/member.hpp"

namespace trainyard::mpi {

/// All processes are of one program on one kind of machine: values travel as they lie in memory.
class FinalReport {
 public:
  static std::vector<std::byte> of(const Member& member, Time ended, RunState& state, int rank);

  explicit FinalReport(std::vector<std::byte> bytes);
  const Standing& standing() const { return fixed_.standing; }
  const RankAccount& account() const { return fixed_.account; }
  Time ended() const { return fixed_.ended; }
  const ClockOffset& clock_offset() const { return fixed_.clock_offset; }
  const EmulationReport& emulation() const { return fixed_.emulation; }
  /// The rank's staleness, and what its coding came to.
  void put_into(RunState& state, int rank) const;
  /// Its part of the model; may be nothing.
  VectorBuffer model(Scalar scalar) const;

 private:
  struct Fixed {
    Standing standing;
    RankAccount account;
    Time ended{0};
    ClockOffset clock_offset;
    EmulationReport emulation;
    CodingAccount coding;
    std::size_t staleness_size = 0;  // numbers, behind this; then the model
  };

  Fixed fixed_;
  std::vector<std::byte> bytes_;
};

}  // namespace trainyard::mpi
