#include "trainyard/report/output_file.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

OutputFile::OutputFile(std::string flag, std::filesystem::path file, bool overwrite)
    : flag_(std::move(flag)),
      file_(std::move(file)),
      partial_(fmt::format("{}.{}.partial", file_.string(), getpid())) {
  std::error_code error;
  if (std::filesystem::is_directory(file_, error)) refuse("is a folder; a file is expected");
  if (!overwrite && std::filesystem::exists(file_, error)) {
    refuse("exists; --force overwrites it");
  }
  stream_.open(partial_, std::ios::binary);
  if (!stream_) refuse("cannot be written: " + std::generic_category().message(errno));
}

OutputFile::~OutputFile() {
  if (!stream_.is_open()) return;
  stream_.close();
  std::error_code error;
  std::filesystem::remove(partial_, error);
}

void OutputFile::finish(const std::string& text) {
  stream_ << text;
  stream_.flush();
  if (!stream_) refuse("cannot be written to its end; is the disk full?");
  std::error_code error;
  std::filesystem::rename(partial_, file_, error);
  if (error) refuse("cannot be written: " + error.message());
  stream_.close();
}

void OutputFile::refuse(const std::string& why) const {
  throw UsageError(fmt::format("{}: {} {}", flag_, file_.string(), why));
}

}  // namespace trainyard
