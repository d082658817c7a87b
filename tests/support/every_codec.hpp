// One codec of each row of the table, for tests over all of them.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "trainyard/codec/codec.hpp"

namespace trainyard::test {

/// As typed: "identity", "qsgd:7", "top-k:k=2". Throws for a row that is new and has no argument
/// here.
inline std::vector<std::string> every_codec() {
  static const std::map<std::string, std::string> arguments{
      {"qsgd", "7"},         {"qsgd-elias", "3"},
      {"random-k", "k=1"},   {"random-k-unscaled", "50%"},
      {"top-k", "k=1"},      {"top-k-sampled", "50%"},
      {"threshold", "0.01"}, {"clip", "0.5"},
      {"clip-norm", "0.5"},  {"two-bit", "0.1"},
  };
  std::vector<std::string> all;
  for (const CodecInfo& info : codecs()) {
    const auto found = arguments.find(info.name);
    const bool alone = info.argument.empty() || !info.fallback.empty();
    all.push_back(found == arguments.end() ? info.name : info.name + ":" + found->second);
    if (found == arguments.end() && !alone)
      throw std::logic_error(info.name +
                             " needs an argument: a row of tests/support/every_codec.hpp");
  }
  return all;
}

}  // namespace trainyard::test
