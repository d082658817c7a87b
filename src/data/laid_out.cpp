#include "data/laid_out.hpp"

#include <bit>
#include <cerrno>
#include <climits>
#include <cstring>
#include <system_error>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/memory_account.hpp"

namespace trainyard {

void DescriptionWriter::put(std::uint64_t number) {
  append(&number, sizeof number);
}

void DescriptionWriter::put(const std::string& text) {
  put(text.size());
  append(text.data(), text.size());
}

void DescriptionWriter::put(const std::vector<std::string>& texts) {
  put(texts.size());
  for (const std::string& text : texts) put(text);
}

void DescriptionWriter::append(const void* data, std::size_t size) {
  const auto* first = static_cast<const std::byte*>(data);
  bytes_.insert(bytes_.end(), first, first + size);
}

std::span<const std::byte> DescriptionReader::next(std::uint64_t size) {
  if (size > bytes_.size()) {
    throw DataError(fmt::format("{}: the description of its arrays is not whole", name_));
  }
  const auto first = bytes_.first(size);
  bytes_ = bytes_.subspan(size);
  return first;
}

std::uint64_t DescriptionReader::number() {
  std::uint64_t number = 0;
  std::memcpy(&number, next(sizeof number).data(), sizeof number);
  return number;
}

std::string DescriptionReader::text() {
  const auto bytes = next(number());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::string> DescriptionReader::texts() {
  std::vector<std::string> texts;
  for (std::uint64_t left = number(); left > 0; --left) texts.push_back(text());
  return texts;
}

namespace {

void put_shape(DescriptionWriter& out, const Dataset& set) {
  for (const std::uint64_t number : {std::uint64_t{set.rows}, std::uint64_t{set.features},
                                     static_cast<std::uint64_t>(set.classes),
                                     std::uint64_t{set.intercept}, std::uint64_t{set.sparse}}) {
    out.put(number);
  }
  out.put(set.part_begin.size());
  for (const std::uint64_t begin : set.part_begin) out.put(begin);
}

void take_shape(DescriptionReader& in, Dataset& set) {
  set.rows = in.number();
  set.features = in.number();
  const std::uint64_t classes = in.number();
  set.classes = classes <= INT_MAX ? static_cast<int>(classes) : 0;  // 0 is refused
  set.intercept = in.number() != 0;
  set.sparse = in.number() != 0;
  for (std::uint64_t left = in.number(); left > 0; --left) set.part_begin.push_back(in.number());
}

}  // namespace

void describe(const LoadedData& data, DescriptionWriter& out) {
  out.put(data.name);
  out.put(data.largest_feature_line);
  out.put(data.remarks);
  out.put(preparation_json(data.preparation));
  out.put(data.class_weights.size());
  for (const double weight : data.class_weights) out.put(std::bit_cast<std::uint64_t>(weight));
  put_shape(out, data.train);
  put_shape(out, data.test);
  put_shape(out, data.validation);
  visit_arrays(data, [&](const auto& array) { out.put(array.size()); });
}

LaidOutData described(DescriptionReader& in) {
  LaidOutData laid_out;
  LoadedData& data = laid_out.data;
  data.name = in.text();
  data.largest_feature_line = in.number();
  data.remarks = in.texts();
  data.preparation = parse_preparation(in.text(), in.name());
  for (std::uint64_t left = in.number(); left > 0; --left) {
    data.class_weights.push_back(std::bit_cast<double>(in.number()));
  }
  take_shape(in, data.train);
  take_shape(in, data.test);
  take_shape(in, data.validation);
  visit_arrays(data, [&](const auto&) { laid_out.sizes.push_back(in.number()); });
  return laid_out;
}

AlignedMemory map_part(int file, std::size_t at, std::size_t bytes, int access, MappedMemory memory,
                       const std::string& name) {
  const bool counted = memory == MappedMemory::counted;
  if (counted) account_memory(bytes);
  void* const data = mmap(nullptr, bytes, access, MAP_SHARED, file, static_cast<off_t>(at));
  if (data == MAP_FAILED) {
    const int error = errno;
    if (counted) release_memory(bytes);
    throw RunError(fmt::format("{}: cannot map {} bytes: {}", name, bytes,
                               std::generic_category().message(error)));
  }
  return {.data = data, .bytes = bytes, .mapped = true, .counted = counted};
}

LoadedData map_arrays(LaidOutData laid_out, int file, std::size_t at, MappedMemory memory,
                      const std::string& name) {
  auto size = laid_out.sizes.begin();
  visit_arrays(laid_out.data, [&](auto& array) {
    using Array = std::remove_reference_t<decltype(array)>;
    const std::size_t count = *size++;
    if (count == 0) return;
    const std::size_t bytes = count * sizeof *array.data();
    array = Array(map_part(file, at, bytes, PROT_READ, memory, name), count);
    at += in_pages(bytes);
  });
  return std::move(laid_out.data);
}

}  // namespace trainyard
