// The data that questions of the lab are asked about: generated sets, and what was uploaded.
//
// An upload lies in a private folder (mode 0700) under a name that is made here. What the client
// calls it is only looked at for its format and shown in results and messages.
//
// Threads: any may call anything at any time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trainyard/configuration/options.hpp"
#include "trainyard/data/catalog.hpp"

namespace trainyard {

/// One upload; its file goes with the last who has it.
struct UploadedData {
  std::string token;  // 32 hexadecimal digits nobody can guess
  std::string name;   // as shown
  std::filesystem::path file;
  std::string format;               // "csv", as --data-format takes it
  std::vector<OptionText> options;  // how it is to be read: label-column, …
  std::size_t rows = 0, features = 0;
  int classes = 0;
  std::vector<std::string> remarks;  // of the reader

  UploadedData() = default;
  UploadedData(const UploadedData&) = delete;
  UploadedData& operator=(const UploadedData&) = delete;
  ~UploadedData();
};

class LabData {
 public:
  LabData() = default;
  LabData(const LabData&) = delete;
  LabData& operator=(const LabData&) = delete;
  ~LabData();

  /// A page or two of a spreadsheet, and what a browser sends in a moment.
  static constexpr std::size_t most_upload_bytes = std::size_t{8} << 20U;
  /// Uploads of all clients together; the oldest goes.
  static constexpr std::size_t most_uploads = 8;

  /// Reads it whole, to see that it can be: CSV, TSV, or LIBSVM by the name's end. Throws DataError
  /// with row and column, or where it would become more numbers than the lab takes, and UsageError
  /// for an option that does not suit.
  std::shared_ptr<const UploadedData> add(std::string_view name, std::string_view bytes,
                                          std::vector<OptionText> options);
  /// Null where there is none, or none any more.
  std::shared_ptr<const UploadedData> find(std::string_view token) const;

  /// The data of `configuration`, the most recent ones kept. `upload` is what its data set is, null
  /// where it is generated. Throws as load_dataset() does.
  std::shared_ptr<const LoadedData> load(const Configuration& configuration,
                                         const UploadedData* upload);

 private:
  struct Kept {
    DatasetRequest request;
    std::shared_ptr<const LoadedData> data;
  };
  std::filesystem::path folder();

  mutable std::mutex mutex_;                                  // guards what follows
  std::filesystem::path folder_;                              // empty until it is needed
  std::vector<std::shared_ptr<const UploadedData>> uploads_;  // oldest first
  std::mutex loading_;                                        // guards what follows
  std::vector<Kept> kept_;                                    // least recently used first
};

}  // namespace trainyard
