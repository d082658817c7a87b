// A file of `trainyard split`, which is mapped, so that it has to be one. Its arrays begin at
// multiples of 64 KiB, and libFuzzer's inputs are short: an input is a file without the padding
// between its arrays.
#include <cstring>
#include <span>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trainyard/data/split_file.hpp"

#include "check.hpp"
#include "data/laid_out.hpp"

namespace {

using namespace trainyard;

constexpr std::size_t beginning = 40;        // bytes before the description, the last 8 its length
constexpr std::size_t largest_array = 4096;  // elements; the larger, the slower

/// The file; the input as it is, where it does not say how large its arrays are.
std::string with_padding(std::string_view input) {
  std::uint64_t length = 0;
  if (input.size() < beginning) return std::string(input);
  std::memcpy(&length, input.data() + beginning - sizeof length, sizeof length);
  if (length > input.size() - beginning) return std::string(input);
  std::string file(input.substr(0, beginning + length));
  std::string_view rest = input.substr(file.size());
  DescriptionReader in(std::as_bytes(std::span(input.substr(beginning, length))), "input");
  LaidOutData laid_out = described(in);
  auto size = laid_out.sizes.begin();
  visit_arrays(laid_out.data, [&](const auto& array) {
    file.resize(in_pages(file.size()));
    const std::size_t begin = file.size();
    const std::size_t bytes =
        std::min<std::uint64_t>(*size++, largest_array) * sizeof *array.data();
    file += rest.substr(0, bytes);
    rest.remove_prefix(std::min(rest.size(), bytes));
    file.resize(begin + bytes);
  });
  file.resize(in_pages(file.size()));
  return file;
}

/// Where it lies: one file in memory for all inputs.
std::string written(const std::string& content) {
  static const int file = memfd_create("split", MFD_CLOEXEC);
  require(ftruncate(file, 0) == 0, "an empty file");
  require(pwrite(file, content.data(), content.size(), 0) == static_cast<ssize_t>(content.size()),
          "a file with the input in it");
  return fmt::format("/proc/self/fd/{}", file);
}

/// What is checked at once, and what is left to who reads the rows, allow the same.
void open_both_ways(const std::string& name) {
  bool whole = true;
  try {
    const LoadedData data = open_split_file(name, RowCheck::all);
    for (const Dataset* set : {&data.train, &data.test, &data.validation}) {
      if (set->rows > 0) check_whole(*set);
    }
  } catch (const DataError&) {
    whole = false;
  }
  try {
    const LoadedData data = open_split_file(name, RowCheck::later);
    for (const Dataset* set : {&data.train, &data.test, &data.validation}) {
      if (set->rows > 0) check_rows(*set, 0, set->rows);
    }
    require(whole, "rows that were refused at once");
  } catch (const DataError&) {
    require(!whole, "rows that were not refused at once");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string content;
  try {
    content = with_padding(as_text(data, size));
  } catch (const DataError&) {
    content = as_text(data, size);
  }
  open_both_ways(written(content));
  return 0;
}
