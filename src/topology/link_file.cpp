#include "topology/link_file.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
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
  LinkReader(const TopologyRequest& request, LinkLines lines, const std::string& topology)
      : name_(fmt::format("{}: {}", topology, request.file)),
        path_(request.file),
        ranks_(request.ranks),
        lines_(lines) {}

  LinkFile read() {
    std::error_code error;
    std::ifstream stream(path_);
    if (!stream || std::filesystem::is_directory(path_, error)) {
      throw UsageError(
          fmt::format("{}: cannot be read; expected a link a line, {}", name_, accepted(lines_)));
    }
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number) {
      where_ = fmt::format("{}:{}", name_, number);
      std::istringstream words(line.substr(0, line.find('#')));
      std::vector<std::string> fields;
      for (std::string word; words >> word;) fields.push_back(word);
      if (!fields.empty()) take(fields, number);
    }
    if (file_.links.empty()) {
      throw UsageError(
          fmt::format("{}: no links in it; expected lines {}", name_, accepted(lines_)));
    }
    return std::move(file_);
  }

 private:
  void take(const std::vector<std::string>& fields, int number) {
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

  int rank(const std::string& field) const {
    return static_cast<int>(
        parse_integer(field, fmt::format("{}: worker (of {})", where_, ranks_), 0, ranks_ - 1));
  }

  double weight(const std::string& field) const {
    const double value = parse_number(field, where_ + ": weight");
    if (!(value > 0.0 && value <= 1.0)) {
      throw UsageError(fmt::format("{}: weight: '{}' is not above 0 and at most 1", where_, field));
    }
    return value;
  }

  const std::string name_, path_;
  const int ranks_;
  const LinkLines lines_;
  std::string where_;
  LinkFile file_;
  std::map<std::pair<int, int>, int> seen_;  // ends → the line where they stand
};

}  // namespace

LinkFile read_links(const TopologyRequest& request, LinkLines lines, const std::string& topology) {
  return LinkReader(request, lines, topology).read();
}

}  // namespace trainyard
