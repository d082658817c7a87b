// Quantities as people type them, and the clock's unit.
//
// Time is a whole number of picoseconds. Sums of whole numbers are exact, so two ranks that reach
// the same moment by different sums really meet there: with floating seconds they would differ in
// the last bit, and the switch would let the wrong message go first. One message's duration is
// rounded once, by at most 0.5 ps; 2^63 ps are 106 days.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <chrono>
#include <cstdint>
#include <ratio>
#include <string>
#include <string_view>

namespace trainyard {

using Duration = std::chrono::duration<std::int64_t, std::pico>;
/// A moment: the duration since the run began.
using Time = Duration;

/// The duration nearest to `value` seconds. Throws UsageError when it is beyond 106 days.
Duration seconds(double value);
inline double to_seconds(Duration duration) {
  return static_cast<double>(duration.count()) * 1e-12;
}

/// `at` plus `duration`. Throws RunError when the clock cannot hold it, after 106 days.
Time checked_sum(Time at, Duration duration);

/// `duration` times `factor`, to the nearest picosecond. Throws UsageError beyond 106 days.
Duration scaled(Duration duration, double factor);

/// "20ms", "1.5 us", "2h", "0". Units: ps ns us µs ms s min h; a bare number is refused unless it
/// is zero. Throws UsageError, naming `what`, when the text is no duration or is negative.
Duration parse_duration(std::string_view text, std::string_view what);

/// "1.4Gbps", "10MB/s", "infinite" → bytes per second (infinity for "infinite"). Units: bps kbps
/// Mbps Gbps Tbps (bits), B/s kB/s MB/s GB/s KiB/s MiB/s GiB/s (bytes). Throws UsageError.
double parse_bandwidth(std::string_view text, std::string_view what);

/// "1MiB", "4096", "64kB" → bytes. Throws UsageError.
std::uint64_t parse_bytes(std::string_view text, std::string_view what);

/// A plain number, whole text used, finite. Throws UsageError.
double parse_number(std::string_view text, std::string_view what);

/// A whole number in [low, high], whole text used; "1e6" is accepted. Throws UsageError.
std::int64_t parse_integer(std::string_view text, std::string_view what, std::int64_t low,
                           std::int64_t high);

/// The shortest exact text that parse_duration reads back to the same picosecond.
std::string exact_text(Duration duration);
/// The shortest exact text that parse_bandwidth reads back to the same number.
std::string bandwidth_text(double bytes_per_second);
/// "1.23 ms", "4.56 MB": four significant digits, for people.
std::string human_duration(double seconds);
/// "116.7 min", "547.9 h", "5 years", and as above below two minutes; "never ends" if infinite.
std::string long_duration(double seconds);
std::string human_bytes(double bytes);
std::string human_count(double count);

}  // namespace trainyard
