#include "data/shared_data.hpp"

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

#include "trainyard/base/error.hpp"
#include "trainyard/base/memory_account.hpp"

namespace trainyard {

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw RunError(fmt::format("data for all processes of this machine: cannot {}: {}", what,
                             std::generic_category().message(errno)));
}

/// Numbers and texts, one after another.
class Writer {
 public:
  void put(std::uint64_t number) { append(&number, sizeof number); }
  void put(const std::string& text) {
    put(text.size());
    append(text.data(), text.size());
  }
  void put(const std::vector<std::string>& texts) {
    put(texts.size());
    for (const std::string& text : texts) put(text);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void append(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  std::vector<std::byte> bytes_;
};

/// The same again.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::uint64_t number() {
    std::uint64_t number = 0;
    std::memcpy(&number, next(sizeof number), sizeof number);
    return number;
  }
  std::string text() {
    const std::uint64_t size = number();
    return {reinterpret_cast<const char*>(next(size)), size};
  }
  std::vector<std::string> texts() {
    std::vector<std::string> texts(number());
    for (std::string& one : texts) one = text();
    return texts;
  }

 private:
  const std::byte* next(std::size_t size) {
    require(size <= bytes_.size(), "a description of data is whole");
    const std::byte* const first = bytes_.data();
    bytes_ = bytes_.subspan(size);
    return first;
  }
  std::span<const std::byte> bytes_;
};

void put_shape(Writer& out, const Dataset& set) {
  for (const std::uint64_t number : {std::uint64_t{set.rows}, std::uint64_t{set.features},
                                     static_cast<std::uint64_t>(set.classes),
                                     std::uint64_t{set.intercept}, std::uint64_t{set.sparse}}) {
    out.put(number);
  }
}

void take_shape(Reader& in, Dataset& set) {
  set.rows = in.number();
  set.features = in.number();
  set.classes = static_cast<int>(in.number());
  set.intercept = in.number() != 0;
  set.sparse = in.number() != 0;
}

/// All arrays, in the order in which they lie in the file.
template <typename Visit>
void visit_arrays(LoadedData& data, const Visit& visit) {
  for (Dataset* set : {&data.train, &data.test}) {
    visit(set->labels);
    visit(set->targets);
    visit(set->dense);
    visit(set->row_begin);
    visit(set->columns);
    visit(set->values);
  }
}

/// Each array begins with a page, as it is mapped by itself.
std::size_t in_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

/// Counted as an AlignedBuffer's, which gives it back.
AlignedMemory mapped_part(int file, std::size_t at, std::size_t bytes, int access) {
  account_memory(bytes);
  void* const data = mmap(nullptr, bytes, access, MAP_SHARED, file, static_cast<off_t>(at));
  if (data == MAP_FAILED) {
    release_memory(bytes);
    refuse(fmt::format("map {} bytes", bytes));
  }
  return {.data = data, .bytes = bytes, .mapped = true};
}

/// A process number means another process in another container, and its file another one.
void put_identity(Writer& out, int file) {
  struct stat status {};
  if (fstat(file, &status) != 0) refuse("see the file in memory");
  out.put(std::uint64_t{status.st_dev});
  out.put(std::uint64_t{status.st_ino});
}

void require_identity(Reader& in, int file, const std::string& path) {
  const std::uint64_t device = in.number(), inode = in.number();
  struct stat status {};
  const bool is_it = fstat(file, &status) == 0 && status.st_dev == device && status.st_ino == inode;
  if (is_it) return;
  throw RunError(fmt::format("data for all processes of this machine: {} is another file", path));
}

}  // namespace

SharedData::SharedData(LoadedData& data) {
  std::size_t size = 0;
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
  Writer out;
  out.put(static_cast<std::uint64_t>(getpid()));
  out.put(static_cast<std::uint64_t>(file_));
  put_identity(out, file_);
  out.put(data.name);
  out.put(data.largest_feature_line);
  for (const auto* texts : {&data.feature_names, &data.class_names, &data.remarks}) {
    out.put(*texts);
  }
  put_shape(out, data.train);
  put_shape(out, data.test);
  std::size_t at = 0;
  visit_arrays(data, [&](auto& array) {
    out.put(array.size());
    if (array.empty()) return;
    const std::size_t bytes = array.span().size_bytes();
    const AlignedMemory there = mapped_part(file_, at, bytes, PROT_READ | PROT_WRITE);
    std::memcpy(there.data, array.data(), bytes);
    (void)mprotect(there.data, bytes, PROT_READ);  // a guard, no more
    array = std::remove_reference_t<decltype(array)>(there, array.size());
    at += in_pages(bytes);
  });
  description_ = out.take();
}

SharedData::~SharedData() {
  close(file_);
}

LoadedData described_data(std::span<const std::byte> description) {
  Reader in(description);
  const std::uint64_t process = in.number(), number = in.number();
  const std::string path = fmt::format("/proc/{}/fd/{}", process, number);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) refuse("open " + path);
  struct Closing {
    int file;
    ~Closing() { close(file); }
  } const closing{file};
  require_identity(in, file, path);
  LoadedData data;
  data.name = in.text();
  data.largest_feature_line = in.number();
  for (auto* texts : {&data.feature_names, &data.class_names, &data.remarks}) *texts = in.texts();
  take_shape(in, data.train);
  take_shape(in, data.test);
  std::size_t at = 0;
  visit_arrays(data, [&](auto& array) {
    using Array = std::remove_reference_t<decltype(array)>;
    const std::size_t size = in.number();
    if (size == 0) return;
    const std::size_t bytes = size * sizeof *array.data();
    array = Array(mapped_part(file, at, bytes, PROT_READ), size);
    at += in_pages(bytes);
  });
  return data;
}

}  // namespace trainyard
