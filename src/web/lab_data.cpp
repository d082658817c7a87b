#include "web/lab_data.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/random.h>

#include "trainyard/base/error.hpp"
#include "trainyard/run/run.hpp"

#include "base/echoed.hpp"
#include "data/byte_source.hpp"
#include "data/table_layout.hpp"
#include "data/table_scan.hpp"
#include "data/text_blocks.hpp"
#include "web/lab_limits.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_kept = 8;  // loaded sets; the built-in one takes 10 MB

std::string random_token() {
  std::array<std::uint64_t, 2> bits{};
  if (getrandom(bits.data(), sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) {
    throw RunError("the operating system gives no random numbers for an upload's name");
  }
  return fmt::format("{:016x}{:016x}", bits[0], bits[1]);
}

/// "C:\\data\\rows.csv" → "rows.csv": what comes after the last separator, if it can be shown.
std::string shown_name(std::string_view name) {
  const std::size_t separator = name.find_last_of("/\\");
  if (separator != std::string_view::npos) name.remove_prefix(separator + 1);
  constexpr std::size_t longest = 80;
  std::string shown;
  for (const char c : name.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    shown += byte < 0x20 || byte >= 0x7F ? '_' : c;
  }
  return shown.empty() ? "data" : shown;
}

Format format_of(std::string_view name, const std::string& shown) {
  for (const auto& [ending, format] :
       {std::pair{".csv", Format::csv}, std::pair{".tsv", Format::tsv},
        std::pair{".libsvm", Format::libsvm}, std::pair{".svm", Format::libsvm},
        std::pair{".txt", Format::libsvm}}) {
    if (name.ends_with(ending)) return format;
  }
  throw UsageError(
      fmt::format("{}: its name ends in none of .csv, .tsv, .libsvm, .svm, .txt", echoed(shown)));
}

Configuration read_as(const std::vector<OptionText>& options) {
  Configuration c;
  for (const OptionText& option : options) {
    option_named(option.option).set(c, option.text, "--" + option.option);
  }
  return c;
}

void check_table_numbers(const std::string& name, std::size_t lines, std::size_t features) {
  if (lines <= most_lab_table_numbers / std::max<std::size_t>(1, features)) return;
  throw DataError(fmt::format(
      "{}: {} lines of {} features; the lab takes up to {} numbers in all, and each word of a "
      "column is a feature: leave columns of many words out (drop-columns)",
      name, lines, features, most_lab_table_numbers));
}

/// Before a row of it is made: rows get room for all columns of the first one and for all words of
/// each column, so a few megabytes may become gigabytes. The scan itself keeps no more than bytes.
void check_table_size(std::string_view bytes, const std::string& name, const ReadOptions& how) {
  const char separator = how.format == Format::tsv ? '\t' : ',';
  TextBlocks blocks(open_bytes(bytes, name), name);
  const TableHead head = read_head(blocks, separator, how);
  if (head.columns == 0) return;  // the reader says so
  check_head(name, head, how);
  if (head.columns > most_lab_parameters) {
    throw DataError(fmt::format("{}: {} columns; the lab takes up to {}", name, head.columns,
                                most_lab_parameters));
  }
  const auto lines = static_cast<std::size_t>(std::ranges::count(bytes, '\n')) + 1;
  TableSchema schema = numeric_schema(name, head, how);
  check_table_numbers(name, lines, schema.features);
  std::vector<std::string> remarks;  // the reader has the same
  scan_words(blocks, separator, head, how, schema, remarks);
  check_table_numbers(name, lines, schema.features);
}

void write_file(const fs::path& file, std::string_view bytes) {
  std::ofstream out(file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw RunError("an upload cannot be kept: no room in the folder for temporary files");
}

/// The message with the name that the user knows.
std::string with_shown_name(std::string message, const UploadedData& upload) {
  for (const std::string& ours : {upload.file.string(), upload.file.filename().string()}) {
    for (std::size_t at = 0; (at = message.find(ours, at)) != std::string::npos;) {
      message.replace(at, ours.size(), upload.name);
      at += upload.name.size();
    }
  }
  return message;
}

LoadedData load_upload(const DatasetRequest& request, const UploadedData& upload) {
  try {
    LoadedData loaded = load_dataset(request);
    loaded.name = upload.name;
    return loaded;
  } catch (const DataError& error) {
    throw DataError(with_shown_name(error.what(), upload));
  } catch (const UsageError& error) {
    throw UsageError(with_shown_name(error.what(), upload));
  }
}

}  // namespace

UploadedData::~UploadedData() {
  std::error_code ignored;
  if (!file.empty()) fs::remove(file, ignored);
}

LabData::~LabData() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

fs::path LabData::folder() {
  const std::lock_guard lock(mutex_);
  if (!folder_.empty()) return folder_;
  std::error_code error;
  const fs::path place = fs::temp_directory_path(error);
  if (error) {
    const char* asked = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): nobody sets it
    throw RunError(fmt::format("no folder for uploads: {} is none ({}); TMPDIR names one",
                               asked == nullptr ? "/tmp" : asked, error.message()));
  }
  std::string name = (place / "trainyard-lab-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw RunError(fmt::format("no folder for uploads in {}: {}", place.string(),
                               std::error_code(errno, std::generic_category()).message()));
  }
  return folder_ = name;
}

std::shared_ptr<const UploadedData> LabData::add(std::string_view name, std::string_view bytes,
                                                 std::vector<OptionText> options) {
  auto upload = std::make_shared<UploadedData>();
  upload->name = shown_name(name);
  const Format format = format_of(name, upload->name);
  if (bytes.size() > most_upload_bytes) {
    throw UsageError(fmt::format("{}: more than 8 MiB", echoed(upload->name)));
  }
  // A few kilobytes of it may be gigabytes.
  if (bytes.starts_with("\x1f\x8b")) {
    throw UsageError(
        fmt::format("{}: is compressed; the lab takes plain text", echoed(upload->name)));
  }
  const Configuration c = read_as(options);
  ReadOptions how;
  how.format = format;
  how.real_labels = c.model == "least-squares";
  how.label_column = c.label_column;
  how.table = c.table;
  // LIBSVM stays as it lies there, and does not grow with its largest feature.
  if (format != Format::libsvm) check_table_size(bytes, upload->name, how);
  const CodedDataset read = read_coded_dataset_bytes(bytes, {}, upload->name, how);
  if (read.data.features > most_lab_parameters) {
    throw DataError(fmt::format("{}: {} features; the lab takes up to {}", upload->name,
                                read.data.features, most_lab_parameters));
  }
  upload->rows = read.data.rows;
  upload->features = read.data.features;
  upload->classes = read.data.classes;
  upload->remarks = read.remarks;
  upload->options = std::move(options);
  upload->format = format_text(format);
  upload->token = random_token();
  upload->file = folder() / upload->token;
  write_file(upload->file, bytes);
  const std::lock_guard lock(mutex_);
  uploads_.push_back(upload);
  if (uploads_.size() > most_uploads) uploads_.erase(uploads_.begin());
  return upload;
}

std::shared_ptr<const UploadedData> LabData::find(std::string_view token) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(
      uploads_, token, [](const auto& upload) { return std::string_view(upload->token); });
  return found == uploads_.end() ? nullptr : *found;
}

std::shared_ptr<const LoadedData> LabData::load(const Configuration& configuration,
                                                const UploadedData* upload) {
  const DatasetRequest request = dataset_request(configuration);
  const std::lock_guard lock(loading_);
  const auto found = std::ranges::find(kept_, request, &Kept::request);
  if (found != kept_.end()) {
    std::rotate(found, found + 1, kept_.end());
    return kept_.back().data;
  }
  auto data = std::make_shared<const LoadedData>(upload == nullptr ? load_dataset(request)
                                                                   : load_upload(request, *upload));
  if (kept_.size() == most_kept) kept_.erase(kept_.begin());
  kept_.push_back({request, data});
  return data;
}

}  // namespace trainyard
