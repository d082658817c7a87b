#include "data/table_dialect.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

#include "data/number_form.hpp"
#include "data/table_rows.hpp"

namespace trainyard {

namespace {

/// parse_float() takes whatever begins like "nan" or "inf" for one of them.
bool is_infinity(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  constexpr std::array<std::string_view, 7> infinities{"inf",      "Inf",      "INF", "infinity",
                                                       "Infinity", "INFINITY", "nan"};
  return std::ranges::find(infinities, text) != infinities.end();
}

ParsedFloat parse_whole(std::string_view text) {
  const char* const end = text.data() + text.size();
  ParsedFloat parsed = parse_float(text.data(), end);
  if (parsed.fault == NumberFault::none && parsed.end != end) {
    parsed.fault = NumberFault::not_a_number;
  }
  return parsed;
}

/// How the numbers of some rows are written, and an example of each way.
struct Evidence {
  std::string point, comma, either_comma;
  std::string either_point, several_points;  // "1.234", "1.234.567"
  bool long_whole = false;                   // five digits or more without a mark of thousands

  void add(std::string_view text) {
    const NumberForm form = number_form(text);
    if (form == NumberForm::point && point.empty()) point = text;
    if (form == NumberForm::comma && comma.empty()) comma = text;
    if (form == NumberForm::either_comma && either_comma.empty()) either_comma = text;
    if (form == NumberForm::either_point) {
      std::string& kept = std::ranges::count(text, '.') > 1 ? several_points : either_point;
      if (kept.empty()) kept = text;
    }
    long_whole = long_whole || (form == NumberForm::whole && is_long(text));
  }

 private:
  /// Years have four digits, codes begin with a zero: neither shows that thousands are not marked.
  static bool is_long(std::string_view text) {
    const std::optional<long> number = whole_number(text);
    return number && text.front() != '0' && (*number > 9999 || *number < -9999);
  }
};

/// Of fields that a comma does not separate, as where people write decimal commas.
void refuse_points_of_thousands(const std::string& file, const Evidence& seen) {
  if (!seen.several_points.empty()) {
    throw DataError(fmt::format(
        "{}: found {}, which is a number where its points stand between thousands; --decimal , "
        "takes it so, and --decimal . for a word",
        file, echoed(seen.several_points)));
  }
  if (!seen.either_point.empty() && !seen.long_whole) {
    throw DataError(fmt::format(
        "{}: found {}, whose point may stand before decimals or between thousands; --decimal . or "
        "--decimal , says which",
        file, echoed(seen.either_point)));
  }
}

void find_decimal(const std::string& file, const Evidence& seen, const ReadOptions& options,
                  TableDialect& dialect) {
  if (options.table.decimal != 0) {
    dialect.decimal = options.table.decimal;
    dialect.thousands = true;
    return;
  }
  if (!seen.point.empty() && !seen.comma.empty()) {
    throw DataError(fmt::format(
        "{}: found numbers with a decimal point ({}) and with a decimal comma ({}); --decimal . or "
        "--decimal , says which of them are numbers",
        file, echoed(seen.point), echoed(seen.comma)));
  }
  if (!seen.comma.empty()) {
    dialect.decimal = ',';
  } else if (!seen.point.empty()) {
    dialect.decimal = '.';  // whatever the training file had
    dialect.thousands = !seen.either_comma.empty();
  } else if (!seen.either_comma.empty()) {
    if (options.schema == nullptr) {
      throw DataError(fmt::format(
          "{}: found {}, whose comma may stand before decimals or between thousands; --decimal , "
          "or --decimal . says which",
          file, echoed(seen.either_comma)));
    }
    dialect.thousands = dialect.decimal == '.';
  } else if (options.schema == nullptr && dialect.separator != ',') {
    refuse_points_of_thousands(file, seen);
  } else if (!seen.either_point.empty() && (dialect.separator == ',' || seen.long_whole)) {
    dialect.decimal = '.';  // as a training file that looks so is read
  }
}

}  // namespace

MissingWords::MissingWords(std::string_view list) {
  std::string unquoted;
  const char* const end = list.data() + list.size();
  for (const char* next = list.data(); next != nullptr && !list.empty();) {
    const Field field = next_field(next, end, ',', unquoted);
    words_.emplace_back(field.text);
    next = field.next;
  }
  words_.emplace_back();
  std::ranges::sort(words_);
  for (const std::string& word : words_) {
    longest_ = std::max(longest_, word.size());
    numbers_ = numbers_ || parse_whole(word).fault == NumberFault::none;
  }
}

bool MissingWords::contains(std::string_view text) const {
  return text.size() <= longest_ && std::ranges::binary_search(words_, text, std::less<>{});
}

bool TableDialect::is_word(std::string_view text) const {
  if (is_missing(text)) return false;
  const ParsedFloat parsed = parse(text);
  if (parsed.fault == NumberFault::not_finite) return !is_infinity(text);
  return parsed.fault == NumberFault::not_a_number;
}

bool TableDialect::is_plain() const {
  return separator != ' ' && decimal == '.' && !missing.hold_numbers();
}

ParsedFloat TableDialect::parse(std::string_view text) const {
  if (decimal == '.') {
    const ParsedFloat parsed = parse_whole(text);
    if (parsed.fault != NumberFault::not_a_number || !thousands) return parsed;
  }
  const std::string plain = plain_number_text(text, decimal);
  ParsedFloat parsed = parse_whole(plain.empty() ? text : plain);
  // "1.5" in a table of decimal commas.
  if (plain.empty() && parsed.fault == NumberFault::none) parsed.fault = NumberFault::not_a_number;
  parsed.end = text.data() + text.size();
  return parsed;
}

double TableDialect::parse_double(std::string_view text) const {
  std::string plain = plain_number_text(text, decimal);
  if (plain.starts_with('+')) plain.erase(0, 1);
  double value = 0.0;
  std::from_chars(plain.data(), plain.data() + plain.size(), value);
  return value;
}

TableDialect find_dialect(const std::string& file, std::string_view sample, char fallback,
                          const ReadOptions& options) {
  constexpr std::size_t most_rows = 1000;
  TableDialect dialect;
  dialect.missing = MissingWords(options.table.missing_words);
  if (options.schema != nullptr) dialect.decimal = options.schema->decimal;
  dialect.separator =
      options.table.delimiter != 0 ? options.table.delimiter : find_separator(sample, fallback);
  Evidence seen;
  for (const Row& row : rows_of(sample, dialect.separator, most_rows)) {
    for (const std::string& field : row) seen.add(field);
  }
  find_decimal(file, seen, options, dialect);
  return dialect;
}

}  // namespace trainyard
