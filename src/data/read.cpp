#include "trainyard/data/read.hpp"

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

#include "base/echoed.hpp"
#include "data/readers.hpp"

namespace trainyard {

namespace {

struct FormatInfo {
  Format format;
  std::string_view name;
  std::vector<std::string_view> endings;  // of file names that are taken for this format
  CodedDataset (*read)(NamedSource file, NamedSource labels, const ReadOptions& options);
};

/// One row a format. A name that ends in none of these is taken for LIBSVM, whose files have no
/// customary ending.
const std::vector<FormatInfo>& formats() {
  static const std::vector<FormatInfo> table = {
      {Format::libsvm,
       "libsvm",
       {".libsvm", ".svm"},
       [](NamedSource file, NamedSource, const ReadOptions& options) {
         return read_libsvm(std::move(file), options);
       }},
      {Format::csv,
       "csv",
       {".csv"},
       [](NamedSource file, NamedSource, const ReadOptions& options) {
         return read_separated(std::move(file), ',', options);
       }},
      {Format::tsv,
       "tsv",
       {".tsv"},
       [](NamedSource file, NamedSource, const ReadOptions& options) {
         return read_separated(std::move(file), '\t', options);
       }},
      {Format::idx,
       "idx",
       {".idx", "-ubyte"},
       [](NamedSource file, NamedSource labels, const ReadOptions& options) {
         return read_idx(std::move(file), std::move(labels), options);
       }},
  };
  return table;
}

const FormatInfo& info_of(Format format) {
  for (const FormatInfo& info : formats()) {
    if (info.format == format) return info;
  }
  throw InternalError("a format without a reader");
}

NamedSource open_named(const std::filesystem::path& file) {
  return {open_file(file), file.string()};
}

}  // namespace

Format parse_format(std::string_view text, std::string_view what) {
  std::vector<std::string> known;
  for (const FormatInfo& info : formats()) {
    if (info.name == text) return info.format;
    known.emplace_back(info.name);
  }
  throw UsageError(
      fmt::format("{}: found {}; expected one of {}", what, echoed(text), joined(known)));
}

std::string format_text(Format format) {
  return std::string(info_of(format).name);
}

Format guess_format(const std::filesystem::path& file) {
  std::string name = file.filename().string();
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  for (const FormatInfo& info : formats()) {
    for (const std::string_view ending : info.endings) {
      if (name.ends_with(ending)) return info.format;
    }
  }
  return Format::libsvm;
}

std::filesystem::path guess_labels_file(const std::filesystem::path& images) {
  constexpr std::string_view of_images = "images-idx3";
  constexpr std::string_view of_labels = "labels-idx1";
  std::string name = images.filename().string();
  const std::size_t place = name.find(of_images);
  if (place == std::string::npos) return {};
  name.replace(place, of_images.size(), of_labels);
  return images.parent_path() / name;
}

CodedDataset read_coded_dataset(const std::filesystem::path& file, const ReadOptions& options) {
  const FormatInfo& info = info_of(options.format);
  if (options.format != Format::idx) return info.read(open_named(file), {}, options);
  if (options.labels_file.empty()) {
    throw DataError(fmt::format(
        "{}: no file of labels is known for these images; expected both in one folder, named like "
        "train-images-idx3-ubyte and train-labels-idx1-ubyte",
        file.string()));
  }
  NamedSource images = open_named(file);
  return info.read(std::move(images), open_named(options.labels_file), options);
}

Dataset read_dataset(const std::filesystem::path& file, const ReadOptions& options) {
  return read_coded_dataset(file, options).data;
}

CodedDataset read_coded_dataset_bytes(std::string_view bytes, std::string_view labels,
                                      const std::string& name, const ReadOptions& options) {
  NamedSource labels_source;
  if (options.format == Format::idx) {
    const std::string labels_name = name + " labels";
    labels_source = {open_bytes(labels, labels_name), labels_name};
  }
  return info_of(options.format)
      .read({open_bytes(bytes, name), name}, std::move(labels_source), options);
}

Dataset read_dataset_bytes(std::string_view bytes, std::string_view labels, const std::string& name,
                           const ReadOptions& options) {
  return read_coded_dataset_bytes(bytes, labels, name, options).data;
}

}  // namespace trainyard
