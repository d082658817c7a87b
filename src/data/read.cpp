#include "trainyard/data/read.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/memory_account.hpp"
#include "trainyard/base/open_table.hpp"
#include "trainyard/base/text_file.hpp"
#include "trainyard/data/add_reader.hpp"
#include "trainyard/data/data_file.hpp"

#include "data/file_kind.hpp"
#include "data/file_rows.hpp"
#include "data/readers.hpp"

namespace trainyard {

namespace {

struct FormatInfo {
  Format format;
  std::string name;
  std::vector<std::string> endings;  // of file names that are taken for this format
  CodedDataset (*read)(NamedSource file, NamedSource labels, const ReadOptions& options);
  /// Instead of `read`, of a format of one's own.
  std::function<FileRows(const std::filesystem::path& file)> read_own{};
};

/// One row a format. A name that ends in none of these is taken for LIBSVM, whose files have no
/// customary ending.
std::vector<FormatInfo> published_formats() {
  return {
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
         return read_separated(std::move(file), options);
       }},
      {Format::tsv,
       "tsv",
       {".tsv"},
       [](NamedSource file, NamedSource, const ReadOptions& options) {
         return read_separated(std::move(file), options);
       }},
      {Format::idx,
       "idx",
       {".idx", "-ubyte"},
       [](NamedSource file, NamedSource labels, const ReadOptions& options) {
         return read_idx(std::move(file), std::move(labels), options);
       }},
      {Format::npy,
       "npy",
       {".npy"},
       [](NamedSource file, NamedSource labels, const ReadOptions& options) {
         return read_npy(std::move(file), std::move(labels), options);
       }},
      {Format::npz,
       "npz",
       {".npz"},
       [](NamedSource file, NamedSource, const ReadOptions& options) {
         return read_npz(std::move(file), options);
       }},
  };
}

OpenTable<FormatInfo>& formats() {
  static OpenTable<FormatInfo> table("data format", published_formats());
  return table;
}

const FormatInfo& info_of(Format format) {
  for (const FormatInfo& info : formats().rows()) {
    if (info.format == format) return info;
  }
  throw InternalError("a format without a reader");
}

NamedSource open_named(const std::filesystem::path& file) {
  std::error_code error;
  NamedSource source{open_file(file), file.string()};
  if (std::filesystem::is_regular_file(file, error)) {
    source.reopen = [file] { return open_file(file); };
    source.file_bytes = std::filesystem::file_size(file, error);
    if (error) source.file_bytes = 0;
  }
  return source;
}

}  // namespace

void require_room_for(const NamedSource& file, std::uint64_t values, std::size_t value_bytes) {
  const std::uint64_t held = std::min<std::uint64_t>(values, file.file_bytes / value_bytes);
  require_room(static_cast<double>(held) * sizeof(float), "its data");
}

void add_reader(OwnReader reader) {
  if (!reader.read) throw UsageError(fmt::format("reader '{}': .read: is missing", reader.name));
  for (const std::string& ending : reader.endings) {
    if (ending.size() > 1 && ending.front() == '.') continue;
    throw UsageError(fmt::format("reader '{}': .endings: found {}; expected one like .{}",
                                 reader.name, echoed(ending), reader.name));
  }
  // Those of the table stand for themselves; what is added has the numbers behind them.
  const auto& rows = formats().rows();
  const auto same = std::ranges::find(rows, reader.name, &FormatInfo::name);
  const auto format = static_cast<Format>(same - rows.begin());
  formats().add(
      {format, std::move(reader.name), std::move(reader.endings), nullptr, std::move(reader.read)});
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const FormatInfo& info : formats().rows()) names.push_back(info.name);
  return names;
}

Format parse_format(std::string_view text, std::string_view what) {
  for (const FormatInfo& info : formats().rows()) {
    if (info.name == text) return info.format;
  }
  throw UsageError(
      fmt::format("{}: found {}; expected one of {}", what, echoed(text), joined(format_names())));
}

std::string format_text(Format format) {
  return info_of(format).name;
}

bool is_own_format(Format format) {
  return info_of(format).read_own != nullptr;
}

namespace {

/// In small letters, without the ending of a compressed file.
std::string plain_name(const std::filesystem::path& file) {
  std::string name = file.filename().string();
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 4> compressed{".gz", ".bz2", ".xz", ".zst"};
  for (const std::string_view ending : compressed) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return name;
}

/// Empty: the name does not say.
std::optional<Format> format_in_name(const std::string& name) {
  for (const FormatInfo& info : formats().rows()) {
    for (const std::string& ending : info.endings) {
      if (name.ends_with(ending)) return info.format;
    }
  }
  return {};
}

Format format_of_name(const std::filesystem::path& file) {
  return format_in_name(plain_name(file)).value_or(Format::libsvm);
}

/// Whether a text begins with a section of TOML, a comment, or a key and its value.
bool is_configuration(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return true;
  text.remove_prefix(begin);
  if (text.front() == '[' || text.front() == '#') return true;
  constexpr std::string_view of_keys =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.\" \t";
  const std::size_t end = text.find_first_not_of(of_keys);
  return end != 0 && end != std::string_view::npos && text[end] == '=';
}

/// The first bytes of a file, decompressed. Empty where it cannot be read, as the reader will say,
/// and of a pipe, which is read once.
std::string head_of(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return "";
  try {
    std::string head(shown_bytes, '\0');
    head.resize(open_file(file)->read(head));
    return head;
  } catch (const DataError&) {
    return "";
  }
}

}  // namespace

Format guess_format(const std::filesystem::path& file) {
  // What a file of one's own begins with may look like anything.
  const std::optional<Format> named = format_in_name(plain_name(file));
  if (named && is_own_format(*named)) return *named;
  const std::optional<Format> shown = shown_format(head_of(file));
  return shown ? *shown : format_of_name(file);
}

bool is_data_file(const std::filesystem::path& file) {
  const std::string head = head_of(file);
  const std::string name = plain_name(file);
  if (name.ends_with(".toml")) return false;
  if (format_in_name(name)) return true;
  if (head.empty()) return false;
  return !is_configuration(without_byte_order_mark(head)) &&
         (shown_format(head).has_value() || is_other_kind(head));
}

bool has_labels_file(Format format) {
  return format == Format::idx || format == Format::npy;
}

std::filesystem::path guess_labels_file(const std::filesystem::path& features) {
  constexpr std::array<std::array<std::string_view, 2>, 2> words{
      {{"images-idx3", "labels-idx1"}, {"features", "labels"}}};
  std::string name = features.filename().string();
  for (const auto& [of_features, of_labels] : words) {
    const std::size_t place = name.find(of_features);
    if (place == std::string::npos) continue;
    name.replace(place, of_features.size(), of_labels);
    return features.parent_path() / name;
  }
  if (format_of_name(features) != Format::npy) return {};
  const std::size_t dot = name.find('.');
  // An X that is a word of the name: at its beginning or end, or between underscores.
  for (std::size_t place = 0; place < dot; ++place) {
    const bool begins = place == 0 || name[place - 1] == '_' || name[place - 1] == '-';
    const char behind = name[place + 1];
    const bool ends = behind == '.' || behind == '_' || behind == '-';
    if ((name[place] != 'X' && name[place] != 'x') || !begins || !ends) continue;
    name[place] = 'y';
    return features.parent_path() / name;
  }
  return {};
}

namespace {

CodedDataset read_whole(const std::filesystem::path& file, const ReadOptions& options) {
  const FormatInfo& info = info_of(options.format);
  if (info.read_own) return coded_rows(file.string(), info.read_own(file), options);
  if (!has_labels_file(options.format)) return info.read(open_named(file), {}, options);
  std::error_code error;
  const bool has_none =
      options.labels_file.empty() || !std::filesystem::exists(options.labels_file, error);
  if (options.labels == LabelUse::none || (options.labels == LabelUse::if_there && has_none)) {
    return info.read(open_named(file), {}, options);
  }
  if (options.labels_file.empty()) {
    const bool idx = options.format == Format::idx;
    throw DataError(fmt::format(
        "{}: no file of labels is known for these {}; expected both in one folder, named like {}, "
        "or the option --labels (--test-labels of a test file)",
        file.string(), idx ? "images" : "features",
        idx ? "train-images-idx3-ubyte and train-labels-idx1-ubyte"
            : "X_train.npy and y_train.npy"));
  }
  NamedSource features = open_named(file);
  return info.read(std::move(features), open_named(options.labels_file), options);
}

}  // namespace

CodedDataset read_coded_dataset(const std::filesystem::path& file, const ReadOptions& options) {
  try {
    return read_whole(file, options);
  } catch (const RunError& error) {  // memory, which does not know for what it was wanted
    throw RunError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

Dataset read_dataset(const std::filesystem::path& file, const ReadOptions& options) {
  return read_coded_dataset(file, options).data;
}

CodedDataset read_coded_dataset_bytes(std::string_view bytes, std::string_view labels,
                                      const std::string& name, const ReadOptions& options) {
  NamedSource labels_source;
  if (has_labels_file(options.format)) {
    const std::string labels_name = name + " labels";
    labels_source = {open_bytes(labels, labels_name), labels_name};
  }
  require(!is_own_format(options.format), "bytes of a format whose reader opens files");
  return info_of(options.format)
      .read({open_bytes(bytes, name), name, [bytes, name] { return open_bytes(bytes, name); }},
            std::move(labels_source), options);
}

CodedDataset read_text_window(const std::string& text, const std::string& name,
                              std::size_t lines_before, const ReadOptions& options) {
  NamedSource source{open_plain_bytes(text), name};
  source.lines_before = lines_before;
  source.continued = true;
  return info_of(options.format).read(std::move(source), {}, options);
}

Dataset read_dataset_bytes(std::string_view bytes, std::string_view labels, const std::string& name,
                           const ReadOptions& options) {
  return read_coded_dataset_bytes(bytes, labels, name, options).data;
}

}  // namespace trainyard
