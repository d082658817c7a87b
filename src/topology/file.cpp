// A graph of the user's own: a link a line, "i j" or "i j w", ranks from 0; what follows a # is a
// comment. Without weights, links go both ways with Metropolis-Hastings weights. With weights,
// every line is an entry W[i][j] = w, i receives from j, one way only; the own weight is what is
// missing to
// 1. Such a W has to be doubly stochastic, for otherwise averaging moves the mean.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

namespace {

constexpr const char* accepted = "'i j' or 'i j weight', like '0 3' or '0 3 0.25'";
/// Weights with nine digits are taken as they are meant.
constexpr double tolerance = 1e-8;

class LinkFile {
 public:
  LinkFile(std::string file, int ranks) : file_(std::move(file)), ranks_(ranks) {}

  MixingMatrix read() {
    std::error_code error;
    std::ifstream stream(file_);
    if (!stream || std::filesystem::is_directory(file_, error)) {
      throw UsageError(
          fmt::format("file: {}: cannot be read; expected a link a line, {}", file_, accepted));
    }
    std::string line;
    for (int number = 1; std::getline(stream, line); ++number) {
      where_ = fmt::format("file: {}:{}", file_, number);
      std::istringstream words(line.substr(0, line.find('#')));
      std::vector<std::string> fields;
      for (std::string word; words >> word;) fields.push_back(word);
      if (!fields.empty()) take(fields, number);
    }
    if (edges_.empty()) {
      throw UsageError(fmt::format("file: {}: no links in it; expected lines {}", file_, accepted));
    }
    if (!weighted_) return metropolis_hastings(ranks_, links_);
    check_weights();
    return mixing_matrix(ranks_, edges_);
  }

 private:
  void take(const std::vector<std::string>& fields, int number) {
    if (fields.size() != 2 && fields.size() != 3) {
      throw UsageError(fmt::format("{}: found {} field{}; expected {}", where_, fields.size(),
                                   fields.size() == 1 ? "" : "s", accepted));
    }
    const bool weighted = fields.size() == 3;
    if (edges_.empty()) weighted_ = weighted;
    if (weighted != weighted_) {
      throw UsageError(fmt::format("{}: {} weight, unlike the lines before; expected all or none",
                                   where_, weighted ? "a" : "no"));
    }
    const int to = rank(fields[0]);
    const int from = rank(fields[1]);
    if (to == from) {
      throw UsageError(fmt::format(
          "{}: a link from worker {} to itself; its own weight is what the others leave of 1",
          where_, to));
    }
    const std::pair key = weighted || to < from ? std::pair(to, from) : std::pair(from, to);
    if (const auto [at, is_new] = lines_.emplace(key, number); !is_new) {
      throw UsageError(fmt::format("{}: {} and {} are there twice, first in line {}", where_, to,
                                   from, at->second));
    }
    edges_.push_back({to, from, weighted ? weight(fields[2]) : 0.0});
    links_.push_back({to, from});
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

  void check_weights() const {
    std::vector<double> given(static_cast<std::size_t>(ranks_), 0.0);
    std::vector<double> got = given;
    for (const MixingEdge& edge : edges_) {
      given[static_cast<std::size_t>(edge.to)] += edge.weight;
      got[static_cast<std::size_t>(edge.from)] += edge.weight;
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given[i] > 1.0 + tolerance) {
        throw UsageError(
            fmt::format("file: {}: worker {} gives others weights that add up to {:.9g}; at most 1",
                        file_, i, given[i]));
      }
      if (std::abs(given[i] - got[i]) > tolerance) {
        throw UsageError(
            fmt::format("file: {}: worker {} gives others {:.9g} in all and they give it "
                        "{:.9g}; expected equal sums, so that rows and columns of W add up to 1",
                        file_, i, given[i], got[i]));
      }
    }
  }

  const std::string file_;
  const int ranks_;
  std::string where_;
  bool weighted_ = false;
  std::vector<MixingEdge> edges_;
  std::vector<GraphEdge> links_;
  std::map<std::pair<int, int>, int> lines_;  // ends → where they stand
};

}  // namespace

TopologyInfo file_topology() {
  return {.name = "file",
          .argument = "PATH",
          .summary = "your own: lines 'i j', or 'i j weight' with W[i][j] = weight; # comments",
          .make = [](const TopologyRequest& request) {
            return Topology{"", {LinkFile(request.file, request.ranks).read()}};
          }};
}

}  // namespace trainyard
