#include "data/dates.hpp"

#include <array>
#include <chrono>
#include <cstddef>

namespace trainyard {

namespace {

/// Takes what a date is made of from the front of a text.
class DateReader {
 public:
  explicit DateReader(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  /// A number of `count` digits, or -1.
  int digits(std::size_t count) {
    if (rest_.size() < count) return -1;
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (rest_[i] < '0' || rest_[i] > '9') return -1;
      value = 10 * value + (rest_[i] - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }

  /// ".25" as 0.25, and 0 where there is none.
  double fraction() {
    if (!take('.')) return 0.0;
    double value = 0.0;
    for (double unit = 0.1; !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';) {
      value += unit * (rest_.front() - '0');
      unit /= 10.0;
      rest_.remove_prefix(1);
    }
    return value;
  }

 private:
  std::string_view rest_;
};

std::optional<double> days_of(int year, int month, int day) {
  if (year < 0 || month < 0 || day < 0) return {};
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return {};
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

/// "2024-01-31", "2024/01/31", "20240131".
std::optional<double> year_first(DateReader& reader) {
  const int year = reader.digits(4);
  const char mark = reader.take('-') ? '-' : (reader.take('/') ? '/' : ' ');
  const int month = reader.digits(2);
  if (mark != ' ' && !reader.take(mark)) return {};
  return days_of(year, month, reader.digits(2));
}

/// "31.01.2024".
std::optional<double> day_first(DateReader& reader) {
  const int day = reader.digits(2);
  if (!reader.take('.')) return {};
  const int month = reader.digits(2);
  if (!reader.take('.')) return {};
  return days_of(reader.digits(4), month, day);
}

/// The part of a day, up to the end of the text.
std::optional<double> time_of_day(DateReader& reader) {
  if (reader.at_end()) return 0.0;
  if (!reader.take(' ') && !reader.take('T')) return {};
  const int hours = reader.digits(2);
  if (!reader.take(':')) return {};
  const int minutes = reader.digits(2);
  double seconds = 0.0;
  if (reader.take(':')) seconds = reader.digits(2) + reader.fraction();
  if (hours < 0 || hours > 24 || minutes < 0 || minutes > 59 || seconds < 0.0 || seconds >= 61.0) {
    return {};
  }
  if (reader.take('+') || reader.take('-')) {
    if (reader.digits(2) < 0) return {};
    reader.take(':');
    if (reader.digits(2) < 0) return {};
  } else {
    reader.take('Z');
  }
  if (!reader.at_end()) return {};
  return (hours * 3600.0 + minutes * 60.0 + seconds) / 86400.0;
}

}  // namespace

std::optional<double> parse_date(std::string_view text) {
  using Read = std::optional<double> (*)(DateReader&);
  for (const Read read : std::array<Read, 2>{year_first, day_first}) {
    DateReader reader(text);
    const std::optional<double> days = read(reader);
    if (!days) continue;
    const std::optional<double> time = time_of_day(reader);
    if (time) return *days + *time;
  }
  return {};
}

}  // namespace trainyard
