#include "data/npy_header.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

#include "data/parse_number.hpp"

namespace trainyard {

namespace {

constexpr std::string_view npy_magic = "\x93NUMPY";
// NumPy itself writes a few hundred bytes. A file may claim 4 GiB.
constexpr std::uint64_t longest_header = 65'536;

/// The little of Python's syntax that these dictionaries are written in.
class DictionaryParser {
 public:
  DictionaryParser(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  NpyHeader parse() {
    expect('{');
    while (!take('}')) {
      const std::string key = quoted();
      expect(':');
      read_value(key);
      if (take(',')) continue;
      expect('}');
      break;
    }
    skip_blanks();
    if (!rest_.empty()) fail();
    if (!has_descr_ || !has_order_ || !has_shape_) {
      throw DataError(fmt::format(
          "{}: the npy header lacks one of 'descr', 'fortran_order' and 'shape'", name_));
    }
    return header_;
  }

 private:
  [[noreturn]] void fail() const {
    throw DataError(
        fmt::format("{}: found {} in the npy header; expected a dictionary such as {{'descr': "
                    "'<f8', 'fortran_order': False, 'shape': (3, 4), }}",
                    name_, rest_.empty() ? "its end" : echoed(rest_)));
  }

  void skip_blanks() {
    const std::size_t blanks = rest_.find_first_not_of(" \t\n");
    rest_.remove_prefix(std::min(blanks, rest_.size()));
  }

  bool take(char wanted) {
    skip_blanks();
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    if (!take(wanted)) fail();
  }

  bool take_word(std::string_view wanted) {
    skip_blanks();
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(wanted.size());
    return true;
  }

  std::string quoted() {
    skip_blanks();
    const char quote = rest_.empty() ? ' ' : rest_.front();
    const std::size_t end = rest_.find(quote, 1);
    if ((quote != '\'' && quote != '"') || end == std::string_view::npos) fail();
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  void read_value(const std::string& key) {
    if (key == "descr" && !std::exchange(has_descr_, true)) {
      skip_blanks();
      if (rest_.starts_with('[')) refuse_type("a structure");
      read_type(quoted());
    } else if (key == "fortran_order" && !std::exchange(has_order_, true)) {
      header_.fortran_order = take_word("True");
      if (!header_.fortran_order && !take_word("False")) fail();
    } else if (key == "shape" && !std::exchange(has_shape_, true)) {
      read_shape();
    } else {
      throw DataError(
          fmt::format("{}: found the key {} in the npy header; expected 'descr', "
                      "'fortran_order' and 'shape', once each",
                      name_, echoed(key)));
    }
  }

  [[noreturn]] void refuse_type(const std::string& found) const {
    throw DataError(
        fmt::format("{}: found values of type {}; expected bool, whole numbers of 1 to 8 bytes (i1 "
                    "to i8, u1 to u8), f2, f4 or f8",
                    name_, found));
  }

  void read_type(const std::string& text) {
    constexpr std::array<std::string_view, 12> known{"b1", "i1", "i2", "i4", "i8", "u1",
                                                     "u2", "u4", "u8", "f2", "f4", "f8"};
    constexpr std::string_view orders = "<>|=";
    if (text.size() != 3 || orders.find(text[0]) == std::string_view::npos ||
        std::ranges::find(known, std::string_view(text).substr(1)) == known.end()) {
      refuse_type(echoed(text));
    }
    header_.kind = text[1];
    header_.value_bytes = static_cast<std::size_t>(text[2] - '0');
    const bool little = std::endian::native == std::endian::little;
    header_.swapped = text[0] == (little ? '>' : '<');
  }

  void read_shape() {
    constexpr std::size_t most_dimensions = 64;  // NumPy's own limit
    expect('(');
    while (!take(')')) {
      skip_blanks();
      const ParsedDigits size = parse_digits(rest_.data(), rest_.data() + rest_.size());
      const std::ptrdiff_t digits = size.end - rest_.data();
      if (digits == 0 || digits > most_exact_digits) fail();
      rest_.remove_prefix(static_cast<std::size_t>(digits));
      if (header_.shape.size() == most_dimensions) fail();
      header_.shape.push_back(size.value);
      if (take(',')) continue;
      expect(')');
      break;
    }
    check_shape();
  }

  void check_shape() {
    const auto refuse = [&](std::uint64_t size, std::string_view of, std::uint64_t most) {
      throw DataError(fmt::format("{}: the npy header claims {} {}; expected at most {}", name_,
                                  size, of, most));
    };
    constexpr std::uint64_t most_rows = 0xFFFFFFFF;
    if (header_.rows() > most_rows) refuse(header_.rows(), "rows", most_rows);
    for (std::size_t i = 1; i < header_.shape.size(); ++i) {
      const std::uint64_t size = header_.shape[i];
      if (size != 0 && header_.row_values > largest_index / size) {
        refuse(size, fmt::format("values in dimension {}", i + 1), largest_index);
      }
      header_.row_values *= size;
    }
  }

  std::string_view rest_;
  const std::string& name_;
  NpyHeader header_;
  bool has_descr_ = false, has_order_ = false, has_shape_ = false;
};

void read_header_part(NamedSource& file, std::span<char> bytes) {
  if (file.bytes->read(bytes) < bytes.size()) {
    throw DataError(fmt::format("{}: the file ends within its npy header", file.name));
  }
}

}  // namespace

NpyHeader parse_npy_dictionary(std::string_view text, const std::string& name) {
  return DictionaryParser(text, name).parse();
}

NpyHeader read_npy_header(NamedSource& file) {
  std::array<char, 8> begin{};
  read_header_part(file, begin);
  if (std::string_view(begin.data(), npy_magic.size()) != npy_magic) {
    throw DataError(fmt::format(
        "{}: found {} at the beginning; expected an npy file, as numpy.save() writes it", file.name,
        echoed({begin.data(), begin.size()})));
  }
  const auto version = static_cast<unsigned char>(begin[6]);
  if (version < 1 || version > 3) {
    throw DataError(fmt::format("{}: found version {} of the npy format; expected 1, 2 or 3",
                                file.name, version));
  }
  std::array<char, 4> length_bytes{};
  read_header_part(file, std::span(length_bytes).first(version == 1 ? 2 : 4));
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes.size(); ++i) {
    length |= std::uint64_t{static_cast<unsigned char>(length_bytes[i])} << (8 * i);
  }
  if (length > longest_header) {
    throw DataError(fmt::format("{}: found an npy header of {} bytes; expected at most {}",
                                file.name, length, longest_header));
  }
  std::string text(static_cast<std::size_t>(length), '\0');
  read_header_part(file, text);
  return parse_npy_dictionary(text, file.name);
}

}  // namespace trainyard
