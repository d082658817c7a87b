// A data set laid out in a file: a description, which is all that is no array, and the arrays, one
// after another. The file is in memory (shared_data.hpp) or on a disk (split_file.hpp).
//
// Threads: one at a time for one object; different objects share nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trainyard/data/catalog.hpp"

namespace trainyard {

/// Numbers and texts, one after another, in the machine's own byte order.
class DescriptionWriter {
 public:
  void put(std::uint64_t number);
  void put(const std::string& text);
  void put(const std::vector<std::string>& texts);
  std::span<const std::byte> bytes() const { return bytes_; }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void append(const void* data, std::size_t size);
  std::vector<std::byte> bytes_;
};

/// Reads what a DescriptionWriter wrote. Throws DataError that begins with `name` where the bytes
/// end too early, however large the sizes are that they claim.
class DescriptionReader {
 public:
  DescriptionReader(std::span<const std::byte> bytes, std::string name)
      : bytes_(bytes), name_(std::move(name)) {}
  std::uint64_t number();
  std::string text();
  std::vector<std::string> texts();
  bool at_end() const { return bytes_.empty(); }
  const std::string& name() const { return name_; }

 private:
  std::span<const std::byte> next(std::uint64_t size);
  std::span<const std::byte> bytes_;
  const std::string name_;
};

/// A data set whose arrays are still to be mapped, and how many elements each of them has, in the
/// order of visit_arrays().
struct LaidOutData {
  LoadedData data;
  std::vector<std::uint64_t> sizes;
};

void describe(const LoadedData& data, DescriptionWriter& out);
LaidOutData described(DescriptionReader& in);

/// All arrays, in the order in which they lie in the file. `Data` is LoadedData, const or not.
template <typename Data, typename Visit>
void visit_arrays(Data& data, const Visit& visit) {
  for (auto* set : {&data.train, &data.test, &data.validation}) {
    visit(set->labels);
    visit(set->targets);
    visit(set->weights);
    visit(set->dense);
    visit(set->row_begin);
    visit(set->columns);
    visit(set->values);
  }
}

/// Each array begins at a multiple of this, as it is mapped by itself: no system has larger pages
/// but huge ones.
inline constexpr std::size_t largest_page = 65536;

/// The room that `bytes` take in the file.
inline std::size_t in_pages(std::size_t bytes) {
  return (bytes + largest_page - 1) / largest_page * largest_page;
}

/// Whether mapped bytes count as the program's memory (memory_account.hpp). Pages of a file on a
/// disk do not: the system drops them where memory is short.
enum class MappedMemory { counted, of_disk };

/// Maps `bytes` from `at` on, a multiple of `largest_page`; `access` as for mmap(). Throws RunError
/// that begins with `name`.
AlignedMemory map_part(int file, std::size_t at, std::size_t bytes, int access, MappedMemory memory,
                       const std::string& name);

/// All arrays of `laid_out`, mapped without the right to write. They begin at `at`, and REQUIRES:
/// the file has them all.
LoadedData map_arrays(LaidOutData laid_out, int file, std::size_t at, MappedMemory memory,
                      const std::string& name);

}  // namespace trainyard
