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

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/data/table_size.hpp"
#include "trainyard/run/run.hpp"

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
  if (is_compressed(bytes)) {
    throw UsageError(
        fmt::format("{}: is compressed; the lab takes plain text", echoed(upload->name)));
  }
  const Configuration c = read_as(options);
  ReadOptions how;
  how.format = format;
  how.real_labels = c.model == "least-squares";
  how.label_column = c.label_column;
  how.table = c.table;
  how.first_index = c.first_index;
  // LIBSVM stays as it lies there, and does not grow with its largest feature.
  if (format != Format::libsvm) {
    check_table_size(
        bytes, upload->name, how,
        {.taker = "the lab", .columns = most_lab_parameters, .numbers = most_lab_table_numbers});
  }
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
