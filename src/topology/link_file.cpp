#include "topology/link_file.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/text_file.hpp"
#include "trainyard/base/units.hpp"

namespace trainyard {

namespace {

const char* accepted(LinkLines lines) {
  return lines == LinkLines::one_way
             ? "'i j', i receives from j, like '0 3' (no weight: who sends gives equal shares)"
             : "'i j' or 'i j weight', like '0 3' or '0 3 0.25'";
}

class LinkReader {
 public:
  LinkReader(std::string name, int ranks, LinkLines lines)
      : name_(std::move(name)), ranks_(ranks), lines_(lines) {}

  LinkFile read(std::string_view text) {
    for_each_line(text, [this](std::size_t number, std::string_view line) {
      const auto fields = words_of(line);
      if (fields.empty()) return true;
      where_ = fmt::format("{}:{}", name_, number);
      take(fields, number);
      return true;
    });
    if (file_.links.empty()) {
      throw UsageError(
          fmt::format("{}: no links in it; expected lines {}", name_, accepted(lines_)));
    }
    return std::move(file_);
  }

 private:
  void take(const std::vector<std::string_view>& fields, std::size_t number) {
    const std::size_t most = lines_ == LinkLines::one_way ? 2 : 3;
    if (fields.size() < 2 || fields.size() > most) {
      throw UsageError(fmt::format("{}: found {} field{}; expected {}", where_, fields.size(),
                                   fields.size() == 1 ? "" : "s", accepted(lines_)));
    }
    const bool weighted = fields.size() == 3;
    if (file_.links.empty()) file_.weighted = weighted;
    if (weighted != file_.weighted) {
      throw UsageError(fmt::format("{}: {} weight, unlike the lines before; expected all or none",
                                   where_, weighted ? "a" : "no"));
    }
    const int to = rank(fields[0]);
    const int from = rank(fields[1]);
    if (to == from) {
      throw UsageError(fmt::format(
          "{}: a link from worker {} to itself; what it keeps is what it does not give away",
          where_, to));
    }
    const bool one_way = weighted || lines_ == LinkLines::one_way;
    const std::pair ends = one_way || to < from ? std::pair(to, from) : std::pair(from, to);
    if (const auto [at, is_new] = seen_.emplace(ends, number); !is_new) {
      throw UsageError(fmt::format("{}: {} and {} are there twice, first in line {}", where_, to,
                                   from, at->second));
    }
    file_.links.push_back({to, from, weighted ? weight(fields[2]) : 0.0});
  }

  int rank(std::string_view field) const {
    return static_cast<int>(
        parse_integer(field, fmt::format("{}: worker (of {})", where_, ranks_), 0, ranks_ - 1));
  }

  double weight(std::string_view field) const {
    const double value = parse_number(field, where_ + ": weight");
    if (!(value > 0.0 && value <= 1.0)) {
      throw UsageError(
          fmt::format("{}: weight: {} is not above 0 and at most 1", where_, echoed(field)));
    }
    return value;
  }

  const std::string name_;
  const int ranks_;
  const LinkLines lines_;
  std::string where_;
  LinkFile file_;
  std::map<std::pair<int, int>, std::size_t> seen_;  // ends → the line where they stand
};

}  // namespace

LinkFile read_links(const TopologyRequest& request, LinkLines lines, const std::string& topology) {
  const std::string name = fmt::format("{}: {}", topology, request.file);
  const std::string expected = fmt::format("a link a line, {}", accepted(lines));
  return parse_links(read_text_file(request.file, name, expected), name, request.ranks, lines);
}

LinkFile parse_links(std::string_view text, const std::string& name, int ranks, LinkLines lines) {
  return LinkReader(name, ranks, lines).read(text);
}

}  // namespace trainyard
