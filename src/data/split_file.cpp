#include "trainyard/data/split_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/descriptor.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/hash.hpp"
#include "trainyard/data/partition.hpp"

#include "data/laid_out.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view file_mark = "Trainyard split\n";
constexpr std::uint64_t byte_order = 0x0102030405060708;
constexpr std::uint64_t version = 4;
/// Names of features and classes, and where parts begin.
constexpr std::uint64_t longest_description = std::uint64_t{1} << 30U;

/// The bytes before the description.
struct FileBeginning {
  std::array<char, file_mark.size()> mark{};
  std::uint64_t byte_order = 0, version = 0, description_bytes = 0;
};
static_assert(sizeof(FileBeginning) == file_mark.size() + 3 * sizeof(std::uint64_t));

constexpr std::array<char, largest_page> padding{};

std::string_view padding_after(std::size_t bytes) {
  return {padding.data(), in_pages(bytes) - bytes};
}

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw DataError(fmt::format("{}: {}", name, what));
}

/// Damage, or a defect of the program that wrote it; in either case it can be written again.
[[noreturn]] void refuse_damaged(const std::string& name, const std::string& what) {
  refuse(name, what + ", which 'trainyard split' does not write; the file is damaged");
}

Descriptor open_to_map(const fs::path& file) {
  Descriptor opened(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened.is_open()) refuse(file.string(), std::generic_category().message(errno));
  return opened;
}

/// Fewer bytes than asked for where the file ends.
std::size_t read_at(int file, std::size_t at, std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t some =
        pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(at + done));
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) break;
    done += static_cast<std::size_t>(some);
  }
  return done;
}

FileBeginning beginning_of(int file) {
  FileBeginning beginning;
  (void)read_at(file, 0, std::as_writable_bytes(std::span(&beginning, 1)));
  return beginning;
}

bool is_marked(const FileBeginning& beginning) {
  return std::string_view(beginning.mark.data(), beginning.mark.size()) == file_mark;
}

void check_beginning(const FileBeginning& beginning, const std::string& name) {
  if (!is_marked(beginning)) refuse(name, "is not a file that 'trainyard split' has written");
  if (beginning.byte_order != byte_order) {
    refuse(name,
           "was written on a machine of another byte order; it has to be written on one like "
           "this");
  }
  if (beginning.version != version) {
    refuse(name, fmt::format("is of version {} of its format; this program reads version {}",
                             beginning.version, version));
  }
}

std::vector<std::byte> read_description(int file, const FileBeginning& beginning,
                                        std::size_t file_size, const std::string& name) {
  std::vector<std::byte> bytes;
  if (beginning.description_bytes > longest_description) {
    refuse_damaged(name, fmt::format("its description has {} bytes", beginning.description_bytes));
  }
  if (beginning.description_bytes <= file_size) {
    bytes.resize(beginning.description_bytes);
    if (read_at(file, sizeof beginning, bytes) == bytes.size()) return bytes;
  }
  refuse(name, "ends within the description of its arrays; was it copied whole?");
}

void check_parts(const Dataset& train, const std::string& name) {
  const auto& begin = train.part_begin;
  bool whole = begin.size() >= 2 && begin.front() == 0 && begin.back() == train.rows;
  for (std::size_t part = 1; whole && part < begin.size(); ++part) {
    whole = begin[part - 1] < begin[part];
  }
  if (!whole) refuse_damaged(name, "its parts are not all of its rows, each at least one");
}

/// The sizes of the arrays of one set, in the order of visit_arrays().
struct ArraySizes {
  std::uint64_t labels, targets, weights, dense, row_begin, columns, values;
};
constexpr std::size_t arrays_of_set = 7;

ArraySizes sizes_of_set(const std::vector<std::uint64_t>& all, std::size_t first) {
  return {all[first],     all[first + 1], all[first + 2], all[first + 3],
          all[first + 4], all[first + 5], all[first + 6]};
}

/// That sizes do not overflow is known: no array is longer than the file.
void check_shape(const Dataset& set, const ArraySizes& sizes, const std::string& name) {
  const bool real = sizes.targets != 0;
  const bool fits = set.rows <= std::numeric_limits<std::uint32_t>::max() && set.features >= 1 &&
                    set.features <= std::numeric_limits<std::int32_t>::max() &&
                    (real ? set.classes == 1 : set.classes >= 2);
  const bool has_rows = sizes.labels == set.rows && (!real || sizes.targets == set.rows) &&
                        (sizes.weights == 0 || sizes.weights == set.rows);
  const bool has_features =
      set.sparse
          ? sizes.dense == 0 && sizes.row_begin == set.rows + 1 && sizes.columns == sizes.values
          : sizes.dense == set.rows * set.features && sizes.row_begin == 0 && sizes.columns == 0 &&
                sizes.values == 0;
  if (!fits || !has_rows || !has_features) {
    refuse_damaged(name, "its arrays are of sizes that do not go together");
  }
}

/// A fingerprint of the description so far and of all arrays.
std::uint64_t content_of(const LoadedData& data, std::span<const std::byte> description) {
  std::vector<std::uint64_t> parts{fingerprint(description)};
  visit_arrays(
      data, [&](const auto& array) { parts.push_back(fingerprint(std::as_bytes(array.span()))); });
  return fingerprint(std::as_bytes(std::span(parts)));
}

/// Test or validation rows.
void check_held_out(const Dataset& set, const ArraySizes& sizes, const Dataset& train,
                    const ArraySizes& of_train, const std::string& name) {
  if (set.rows == 0) {
    const bool empty = sizes.labels + sizes.targets + sizes.weights + sizes.dense +
                           sizes.row_begin + sizes.columns + sizes.values ==
                       0;
    if (!empty) refuse_damaged(name, "it has arrays of test or validation rows, and no such rows");
    return;
  }
  check_shape(set, sizes, name);
  if (!set.part_begin.empty() || set.features != train.features || set.classes != train.classes ||
      (sizes.targets > 0) != (of_train.targets > 0)) {
    refuse_damaged(name, "its test or validation rows are not like its training rows");
  }
}

void check_shapes(const LaidOutData& laid_out, const std::string& name) {
  const Dataset& train = laid_out.data.train;
  const auto of_set = [&](std::size_t set) {
    return sizes_of_set(laid_out.sizes, set * arrays_of_set);
  };
  check_shape(train, of_set(0), name);
  check_parts(train, name);
  const Preparation& preparation = laid_out.data.preparation;
  const std::size_t prepared = preparation.features + (preparation.intercept ? 1 : 0);
  if (preparation.features != 0 &&
      (prepared != train.features || preparation.classes != train.classes)) {
    refuse_damaged(name, "its rows have not the features or classes that it says they have");
  }
  const std::vector<double>& weights = laid_out.data.class_weights;
  const bool is_whole =
      weights.empty() || weights.size() == static_cast<std::size_t>(train.classes);
  if (!is_whole || !std::ranges::all_of(weights, [](double weight) {
        return std::isfinite(weight) && weight >= 0.0;
      })) {
    refuse_damaged(name, "its classes have not a weight each");
  }
  check_held_out(laid_out.data.test, of_set(1), train, of_set(0), name);
  check_held_out(laid_out.data.validation, of_set(2), train, of_set(0), name);
}

/// Also that no size overflows, in bytes or together.
void check_file_size(LaidOutData& laid_out, std::size_t at, std::size_t file_size,
                     const std::string& name) {
  auto size = laid_out.sizes.begin();
  visit_arrays(laid_out.data, [&](const auto& array) {
    const std::uint64_t count = *size++;
    if (at > file_size || count > (file_size - at) / sizeof *array.data()) {
      refuse(name, fmt::format("ends within its arrays, after {} bytes; was it copied whole?",
                               file_size));
    }
    at += in_pages(count * sizeof *array.data());
  });
  if (at != file_size) {
    refuse(name, fmt::format("has {} bytes where its description says {}; was it copied whole?",
                             file_size, at));
  }
}

/// Checks where the rows begin and end: they must use all of the arrays.
void check_ends(const Dataset& set, const std::string& name) {
  if (!set.sparse) return;
  if (set.row_begin[0] != 0 || set.row_begin[set.rows] != set.columns.size()) {
    refuse_damaged(name, "its rows are not all of its nonzeros");
  }
}

/// Says what is wrong with a row; empty if nothing is.
std::string_view fault_of(const Dataset& data, std::size_t row) {
  if (data.labels[row] < 0 || data.labels[row] >= data.classes) return "a class that is none";
  if (!data.targets.empty() && !std::isfinite(data.targets[row]))
    return "a label that is no number";
  if (const float weight = data.weight_of(row); !std::isfinite(weight) || weight < 0.0F)
    return "a weight that is none";
  std::span<const float> values;
  if (data.sparse) {
    const std::uint64_t begin = data.row_begin[row], end = data.row_begin[row + 1];
    if (begin > end || end > data.columns.size()) return "nonzeros that are another row's";
    const Dataset::SparseRow entries = data.sparse_row(row);
    for (std::size_t i = 0; i < entries.columns.size(); ++i) {
      if (entries.columns[i] >= data.features) return "a feature beyond the last";
      if (i > 0 && entries.columns[i] <= entries.columns[i - 1]) return "features in disorder";
    }
    values = entries.values;
  } else {
    values = data.dense_row(row);
  }
  for (const float value : values) {
    if (!std::isfinite(value)) return "a value that is no number";
  }
  return {};
}

}  // namespace

LoadedData in_order_of_parts(LoadedData data,
                             const std::vector<std::vector<std::uint32_t>>& parts) {
  std::vector<std::uint32_t> order;
  order.reserve(data.train.rows);
  std::vector<std::uint64_t> part_begin{0};
  for (const auto& part : parts) {
    order.insert(order.end(), part.begin(), part.end());
    part_begin.push_back(order.size());
  }
  data.train = copy_rows(data.train, order);
  data.train.part_begin = std::move(part_begin);
  return data;
}

std::string split_file_head(const LoadedData& ordered, const Division& division) {
  DescriptionWriter out;
  describe(ordered, out);
  out.put(division.rule);
  out.put(division.seed);
  out.put(content_of(ordered, out.bytes()));
  const std::vector<std::byte> description = out.take();
  FileBeginning beginning{
      .byte_order = byte_order, .version = version, .description_bytes = description.size()};
  file_mark.copy(beginning.mark.data(), file_mark.size());
  std::string head(reinterpret_cast<const char*>(&beginning), sizeof beginning);
  head.append(reinterpret_cast<const char*>(description.data()), description.size());
  return head;
}

std::vector<std::string_view> split_file_pieces(const LoadedData& ordered, std::string_view head) {
  std::vector<std::string_view> pieces{head, padding_after(head.size())};
  visit_arrays(ordered, [&](const auto& array) {
    const auto bytes = std::as_bytes(array.span());
    pieces.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    pieces.push_back(padding_after(bytes.size()));
  });
  return pieces;
}

bool is_split_file(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  const Descriptor opened(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  return opened.is_open() && is_marked(beginning_of(opened.number()));
}

LoadedData open_split_file(const fs::path& file, RowCheck check) {
  const std::string name = file.string();
  const Descriptor opened = open_to_map(file);
  struct stat status {};
  if (fstat(opened.number(), &status) != 0) refuse(name, std::generic_category().message(errno));
  const auto file_size = static_cast<std::size_t>(status.st_size);
  const FileBeginning beginning = beginning_of(opened.number());
  check_beginning(beginning, name);
  const auto bytes = read_description(opened.number(), beginning, file_size, name);
  DescriptionReader in(bytes, name);
  LaidOutData laid_out = described(in);
  const std::string rule = in.text();
  const std::uint64_t seed = in.number();
  laid_out.data.content = in.number();
  if (!in.at_end()) refuse_damaged(name, "there is more in the description of its arrays");
  const std::size_t at = in_pages(sizeof beginning + bytes.size());
  check_file_size(laid_out, at, file_size, name);
  check_shapes(laid_out, name);
  LoadedData data =
      map_arrays(std::move(laid_out), opened.number(), at, MappedMemory::of_disk, name);
  for (Dataset* set : {&data.train, &data.test, &data.validation}) {
    if (set->rows == 0) continue;
    check_ends(*set, name);
    set->unchecked_file = name;
    if (check == RowCheck::later) continue;
    check_rows(*set, 0, set->rows);
    set->unchecked_file.clear();
  }
  data.remarks.push_back(
      fmt::format("note: {}: {}, its rows divided among {} by {} with seed {} (--partition split)",
                  file.filename().string(), data.name,
                  counted(data.train.part_begin.size() - 1, "worker"), rule, seed));
  data.name = file.filename().string();
  return data;
}

void check_rows(const Dataset& data, std::size_t first, std::size_t count) {
  if (data.unchecked_file.empty()) return;
  for (std::size_t row = first; row < first + count; ++row) {
    const std::string_view fault = fault_of(data, row);
    if (fault.empty()) continue;
    refuse_damaged(data.unchecked_file, fmt::format("its row {} has {}", row, fault));
  }
}

}  // namespace trainyard
