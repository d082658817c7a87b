// What the tests of the data layer share: files that go away, gzip, messages of errors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "trainyard/data/dataset.hpp"
#include "trainyard/data/read.hpp"

namespace trainyard {

/// A folder of its own, removed with everything in it at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

std::string gzipped(std::string_view content);
/// Without gzip's header and end, as in a zip archive.
std::string deflated(std::string_view content);
std::string read_file(const std::filesystem::path& file);

/// One number for everything in a data set.
std::uint64_t fingerprint_of(const Dataset& data);

/// The message of the DataError that reading throws; "no error" when it throws none.
std::string error_of_bytes(std::string_view bytes, const ReadOptions& options,
                           std::string_view labels = {});
std::string error_of_file(const std::filesystem::path& file, const ReadOptions& options);

/// Bytes of an IDX file: header, then `values`.
std::string idx_bytes(std::initializer_list<std::uint32_t> sizes, std::string_view values);

}  // namespace trainyard
