#include "trainyard/base/text_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

class TextReader {
 public:
  TextReader(const std::string& name, std::string_view expected, std::size_t most_bytes)
      : name_(name), expected_(expected), most_bytes_(most_bytes) {}

  std::string read(const std::filesystem::path& path) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found) refuse("no such file");
    if (std::filesystem::is_directory(status)) refuse("found a directory");
    const File file(std::fopen(path.c_str(), "rb"));
    if (file == nullptr) refuse_unreadable(errno);
    std::array<char, 16'384> block{};
    for (std::size_t count = block.size(); count == block.size();) {
      count = std::fread(block.data(), 1, block.size(), file.get());
      if (std::ferror(file.get()) != 0) refuse_unreadable(errno);
      take({block.data(), count});
    }
    return std::string(without_byte_order_mark(text_));
  }

 private:
  void take(std::string_view block) {
    text_ += block;
    const std::size_t newline = block.rfind('\n');
    line_bytes_ =
        newline == std::string_view::npos ? line_bytes_ + block.size() : block.size() - newline - 1;
    if (text_.size() > most_bytes_) {
      refuse(fmt::format("found more than {} MiB", most_bytes_ >> 20U));
    }
    if (line_bytes_ > most_line_bytes) {
      refuse(fmt::format("found a line of more than {} MiB", most_line_bytes >> 20U));
    }
  }

  [[noreturn]] void refuse_unreadable(int error_number) const {
    refuse("cannot be read: " + std::generic_category().message(error_number));
  }
  [[noreturn]] void refuse(const std::string& found) const {
    throw UsageError(fmt::format("{}: {}; expected {}", name_, found, expected_));
  }

  const std::string& name_;
  std::string_view expected_;
  std::size_t most_bytes_;
  std::string text_;
  std::size_t line_bytes_ = 0;  // of the line that `text_` ends within
};

}  // namespace

std::string read_text_file(const std::filesystem::path& file, const std::string& name,
                           std::string_view expected, std::size_t most_bytes) {
  return TextReader(name, expected, most_bytes).read(file);
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blanks = " \t\v\f\r";
  std::vector<std::string_view> words;
  line = line.substr(0, line.find('#'));
  for (auto begin = line.find_first_not_of(blanks); begin != std::string_view::npos;
       begin = line.find_first_not_of(blanks, begin)) {
    const auto end = std::min(line.find_first_of(blanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

}  // namespace trainyard
