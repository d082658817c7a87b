// How a table is written: what stands between its fields, how numbers are written, and which words
// stand for values that are not there.
//
// Threads: a value like any other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trainyard/data/read.hpp"

#include "data/parse_number.hpp"

namespace trainyard {

/// The words of TableOptions::missing_words, and the empty field.
class MissingWords {
 public:
  MissingWords() : MissingWords(default_missing_words) {}
  explicit MissingWords(std::string_view list);

  bool contains(std::string_view text) const;
  /// One of them is written like a number: "-999".
  bool hold_numbers() const { return numbers_; }

 private:
  std::vector<std::string> words_;  // sorted
  std::size_t longest_ = 0;
  bool numbers_ = false;
};

struct TableDialect {
  char separator = ',';  // ' ': any number of blanks
  char decimal = '.';
  bool thousands = false;  // "1,234" is a number, where the decimal mark is a point
  MissingWords missing;

  bool is_missing(std::string_view text) const { return missing.contains(text); }
  /// Whether a field is neither missing nor a number of any size, "inf" included.
  bool is_word(std::string_view text) const;
  /// Whether every field is written as parse_float() reads it, with one separator behind it.
  bool is_plain() const;

  /// The number that `text` is, the whole of it; else its fault. parse_double() keeps more digits.
  ParsedFloat parse(std::string_view text) const;
  double parse_double(std::string_view text) const;  // REQUIRES: parse() finds no fault
};

/// Finds what `options` leave open in the first rows of a table, `sample`. `fallback` is the
/// separator where no other is seen. Throws DataError where numbers may be read in two ways.
TableDialect find_dialect(const std::string& file, std::string_view sample, char fallback,
                          const ReadOptions& options);

/// The separator that makes columns of the lines of `sample`; `fallback` where none does.
char find_separator(std::string_view sample, char fallback);

}  // namespace trainyard
