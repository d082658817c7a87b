// NumPy's .npz files: zip archives of npy files. Two of their arrays, the features and the labels,
// are found by their names.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

#include "data/readers.hpp"
#include "data/zip.hpp"

namespace trainyard {

namespace {

struct ArrayNames {
  std::string_view features, labels;
};
constexpr std::array<ArrayNames, 6> known_names{{{"X", "y"},
                                                 {"x", "y"},
                                                 {"X_train", "y_train"},
                                                 {"x_train", "y_train"},
                                                 {"features", "labels"},
                                                 {"data", "target"}}};

std::vector<std::string> arrays_in(ByteSource& source, const std::string& archive) {
  std::vector<std::string> names;
  while (const std::optional<ZipEntry> entry = next_zip_entry(source, archive)) {
    std::string name = entry->name;
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    names.push_back(std::move(name));
    skip_zip_entry(source, *entry, archive);
  }
  return names;
}

/// Without labels where there are none and nobody needs them.
ArrayNames chosen_arrays(const std::string& archive, const std::vector<std::string>& held,
                         LabelUse labels) {
  const auto holds = [&](std::string_view name) { return std::ranges::count(held, name) == 1; };
  for (const ArrayNames& names : known_names) {
    if (holds(names.features) && holds(names.labels)) return names;
  }
  for (const ArrayNames& names : known_names) {
    if (labels != LabelUse::required && holds(names.features)) return {names.features, ""};
  }
  throw DataError(fmt::format(
      "{}: holds the array{} {}; expected features X and labels y, as numpy.savez(file, X=X, y=y) "
      "saves them",
      archive, held.size() == 1 ? "" : "s", shortened(joined(held))));
}

NamedSource open_array(const NamedSource& file, std::string_view array) {
  const std::string wanted = fmt::format("{}.npy", array);
  std::unique_ptr<ByteSource> source = file.reopen();
  while (const std::optional<ZipEntry> entry = next_zip_entry(*source, file.name)) {
    if (entry->name == wanted) {
      return {open_zip_entry(std::move(source), *entry, file.name),
              fmt::format("{}: {}", file.name, array),
              {},
              file.file_bytes};
    }
    skip_zip_entry(*source, *entry, file.name);
  }
  throw DataError(fmt::format("{}: holds no array {}", file.name, echoed(array)));
}

}  // namespace

CodedDataset read_npz(NamedSource file, const ReadOptions& options) {
  if (!file.reopen) {
    throw DataError(fmt::format("{}: is a pipe; expected an npz file", file.name));
  }
  const ArrayNames names =
      chosen_arrays(file.name, arrays_in(*file.bytes, file.name), options.labels);
  NamedSource labels;
  if (!names.labels.empty()) labels = open_array(file, names.labels);
  return read_npy(open_array(file, names.features), std::move(labels), options);
}

}  // namespace trainyard
