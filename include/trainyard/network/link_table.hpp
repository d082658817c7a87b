// Links that are given one by one, in a file.
//
// Threads: a value like any other: any number of threads may read one, and who writes one has it
// alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/base/units.hpp"

namespace trainyard {

/// The way from one rank to another; the way back is another link.
struct Link {
  Duration latency{0};                                                // α, a message
  double bytes_per_second = std::numeric_limits<double>::infinity();  // 1/β

  /// βb, rounded to the nearest picosecond.
  Duration transfer_time(std::uint64_t bytes) const {
    return seconds(static_cast<double>(bytes) / bytes_per_second);
  }
  bool operator==(const Link&) const = default;
};

struct NamedLink {
  int from = 0, to = 0;
  Link link{};
};

struct LinkTable {
  std::filesystem::path file;
  std::vector<NamedLink> named;

  bool empty() const { return named.empty(); }
  /// The highest rank that is named, plus one.
  int ranks() const;
};

/// Reads lines `from,to,latency,bandwidth`, like "0,3,1.5ms,100Mbps": two ranks from 0 and two
/// quantities with their units. Such a header, blank lines and what follows a # are skipped.
/// Throws UsageError, "WHAT: FILE:LINE: what was found; what is accepted".
LinkTable read_link_table(const std::filesystem::path& file, std::string_view what);
/// Reads it from text; `name` stands for "WHAT: FILE". The table has no file.
LinkTable parse_link_table(std::string_view text, const std::string& name);

}  // namespace trainyard
