// The axis of a timeline, the same in text and in figures.
#pragma once

#include <string>
#include <vector>

#include "trainyard/analysis/timeline.hpp"

namespace trainyard {

struct TimeUnit {
  std::string name;
  double seconds = 1.0;
  int digits = 4;  // significant ones, at most
};
/// The one in which the trace's length is a number that people like to read, with the digits that
/// tell its moments apart: four of it, and as many more as it begins late.
TimeUnit unit_for(const Trace& trace);
/// The text of a moment or a duration of that trace.
std::string in_unit(Duration time, const TimeUnit& unit);

/// The smallest of 1, 2, 2.5, 5 times a power of ten that is at least `value`. REQUIRES: value > 0.
double rounded_up(double value);

/// Round moments from trace.from on, at most `most` of them.
std::vector<Time> ticks_of(const Trace& trace, int most);

/// "worker 3" → "w3".
std::string short_name(const std::string& name);

}  // namespace trainyard
