// A data set that all processes of a machine read where one of them has put it: 64 processes need
// the memory of one.
//
//   const SharedData shared(loaded);               // in one: the arrays of `loaded` move there
//   LoadedData data = described_data(description);  // in another, given shared.description()
//
// The arrays lie in a file in memory that has no name (memfd_create), each mapped without the right
// to write. Others open it by /proc/PID/fd, which they may where they belong to the same user. A
// segment of MPI would lie in /dev/shm, which in containers is often 64 MB.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trainyard/data/catalog.hpp"

namespace trainyard {

class SharedData {
 public:
  /// Throws RunError where the system refuses. At its worst moment the memory of the data and of
  /// their largest array is needed.
  explicit SharedData(LoadedData& data);
  /// Nobody finds the data after that. They stay as long as anybody has them.
  ~SharedData();
  SharedData(const SharedData&) = delete;
  SharedData& operator=(const SharedData&) = delete;

  /// Describes where the arrays are, and holds everything that is no array.
  const std::vector<std::byte>& description() const { return description_; }

 private:
  void fill(LoadedData& data, std::size_t size);

  int file_ = -1;
  std::vector<std::byte> description_;
};

/// REQUIRES: `description` is that of a SharedData on this machine, which still exists. Throws
/// RunError where the data cannot be opened.
LoadedData described_data(std::span<const std::byte> description);

}  // namespace trainyard
