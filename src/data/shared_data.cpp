#include "trainyard/data/shared_data.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>
#include <type_traits>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trainyard/base/descriptor.hpp"
#include "trainyard/base/error.hpp"

#include "data/laid_out.hpp"

namespace trainyard {

namespace {

constexpr const char* shared_name = "data for all processes of this machine";

[[noreturn]] void refuse(const std::string& what) {
  throw RunError(
      fmt::format("{}: cannot {}: {}", shared_name, what, std::generic_category().message(errno)));
}

/// A process number means another process in another container, and its file another one.
void put_identity(DescriptionWriter& out, int file) {
  struct stat status {};
  if (fstat(file, &status) != 0) refuse("see the file in memory");
  out.put(std::uint64_t{status.st_dev});
  out.put(std::uint64_t{status.st_ino});
}

void require_identity(DescriptionReader& in, int file, const std::string& path) {
  const std::uint64_t device = in.number(), inode = in.number();
  struct stat status {};
  const bool is_it = fstat(file, &status) == 0 && status.st_dev == device && status.st_ino == inode;
  if (is_it) return;
  throw RunError(fmt::format("{}: {} is another file", shared_name, path));
}

}  // namespace

// The groups of training rows come first: split files, which have all other arrays in the same
// order, have none.

SharedData::SharedData(LoadedData& data) {
  std::size_t size = in_pages(data.train.groups.span().size_bytes());
  visit_arrays(data, [&](const auto& array) { size += in_pages(array.span().size_bytes()); });
  file_ = memfd_create("trainyard data", MFD_CLOEXEC);
  if (file_ < 0) refuse("make a file in memory");
  try {
    fill(data, size);
  } catch (...) {
    close(file_);  // no destructor runs
    throw;
  }
}

void SharedData::fill(LoadedData& data, std::size_t size) {
  if (ftruncate(file_, static_cast<off_t>(size)) != 0) {
    refuse(fmt::format("make room for {} bytes", size));
  }
  DescriptionWriter out;
  out.put(static_cast<std::uint64_t>(getpid()));
  out.put(static_cast<std::uint64_t>(file_));
  put_identity(out, file_);
  out.put(data.train.groups.size());
  describe(data, out);
  description_ = out.take();
  std::size_t at = 0;
  const auto lay_out = [&](auto& array) {
    if (array.empty()) return;
    const std::size_t bytes = array.span().size_bytes();
    const AlignedMemory there =
        map_part(file_, at, bytes, PROT_READ | PROT_WRITE, MappedMemory::counted, shared_name);
    std::memcpy(there.data, array.data(), bytes);
    (void)mprotect(there.data, bytes, PROT_READ);  // a guard, no more
    array = std::remove_reference_t<decltype(array)>(there, array.size());
    at += in_pages(bytes);
  };
  lay_out(data.train.groups);
  visit_arrays(data, lay_out);
}

SharedData::~SharedData() {
  close(file_);
}

LoadedData described_data(std::span<const std::byte> description) {
  DescriptionReader in(description, shared_name);
  const std::uint64_t process = in.number(), number = in.number();
  const std::string path = fmt::format("/proc/{}/fd/{}", process, number);
  const Descriptor opened(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened.is_open()) refuse("open " + path);
  require_identity(in, opened.number(), path);
  const std::uint64_t groups = in.number();
  const std::size_t bytes = groups * sizeof(std::uint32_t);
  LoadedData data = map_arrays(described(in), opened.number(), in_pages(bytes),
                               MappedMemory::counted, shared_name);
  if (groups > 0) {
    data.train.groups = AlignedBuffer<std::uint32_t>(
        map_part(opened.number(), 0, bytes, PROT_READ, MappedMemory::counted, shared_name), groups);
  }
  return data;
}

}  // namespace trainyard
