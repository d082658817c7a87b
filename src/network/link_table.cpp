#include "trainyard/network/link_table.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/text_file.hpp"

namespace trainyard {

namespace {

constexpr std::string_view accepted = "'from,to,latency,bandwidth', like '0,3,1.5ms,100Mbps'";
constexpr int highest_rank = 131071;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    fields.push_back(trimmed(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return fields;
}

bool is_header(const std::vector<std::string_view>& fields) {
  static constexpr std::array<std::string_view, 4> names{"from", "to", "latency", "bandwidth"};
  return std::ranges::equal(fields, names);
}

NamedLink parse_link(const std::vector<std::string_view>& fields, const std::string& where) {
  if (fields.size() != 4) {
    throw UsageError(fmt::format("{}: found {} field{}; expected {}", where, fields.size(),
                                 fields.size() == 1 ? "" : "s", accepted));
  }
  const auto rank = [&](std::size_t field, std::string_view name) {
    const std::string what = fmt::format("{}: {}", where, name);
    return static_cast<int>(parse_integer(fields[field], what, 0, highest_rank));
  };
  NamedLink named;
  named.from = rank(0, "from");
  named.to = rank(1, "to");
  if (named.from == named.to) {
    throw UsageError(fmt::format("{}: a link from rank {} to itself; expected two different ranks",
                                 where, named.from));
  }
  named.link.latency = parse_duration(fields[2], where + ": latency");
  named.link.bytes_per_second = parse_bandwidth(fields[3], where + ": bandwidth");
  return named;
}

}  // namespace

int LinkTable::ranks() const {
  int highest = -1;
  for (const NamedLink& one : named) highest = std::max({highest, one.from, one.to});
  return highest + 1;
}

LinkTable read_link_table(const std::filesystem::path& file, std::string_view what) {
  const std::string name = fmt::format("{}: {}", what, file.string());
  const std::string expected = fmt::format("a file with a link a line, {}", accepted);
  LinkTable table = parse_link_table(read_text_file(file, name, expected), name);
  table.file = file;
  return table;
}

LinkTable parse_link_table(std::string_view text, const std::string& name) {
  LinkTable table;
  std::set<std::pair<int, int>> seen;
  bool first = true;
  for_each_line(text, [&](std::size_t number, std::string_view line) {
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) return true;
    const auto fields = fields_of(line);
    if (std::exchange(first, false) && is_header(fields)) return true;
    const std::string where = fmt::format("{}:{}", name, number);
    const NamedLink named = parse_link(fields, where);
    table.named.push_back(named);
    if (!seen.emplace(named.from, named.to).second) {
      throw UsageError(fmt::format("{}: the link from {} to {} is there twice; one is accepted",
                                   where, named.from, named.to));
    }
    return true;
  });
  if (table.empty()) {
    throw UsageError(fmt::format("{}: no links in it; expected lines {}", name, accepted));
  }
  return table;
}

}  // namespace trainyard
