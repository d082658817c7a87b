// Dates and times in tables.
//
// Threads: any; a function of its argument.
#pragma once

#include <optional>
#include <string_view>

namespace trainyard {

/// Days since 1970-01-01, with a fraction where there is a time of the day, of "2024-01-31",
/// "2024/01/31", "20240131", "31.01.2024", each with " 17:30", "T17:30:05.25" or "Z" behind it or
/// not. "01/02/2024" is none: it is January in one country and February in another. A time's zone
/// must be the same in a whole column, and so "+01:00" is passed over.
std::optional<double> parse_date(std::string_view text);

}  // namespace trainyard
