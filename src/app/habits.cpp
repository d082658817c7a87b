#include "app/habits.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/configuration/synonyms.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard::app {

namespace {

struct CommandSynonym {
  std::string_view word, command;
};
constexpr std::array<CommandSynonym, 6> command_synonyms{{{"help", "--help"},
                                                          {"fit", "run"},
                                                          {"train", "run"},
                                                          {"benchmark", "compare"},
                                                          {"serve", "lab"},
                                                          {"version", "--version"}}};

constexpr std::array<std::string_view, 17> units{"ns",   "us",   "µs",   "ms",   "s",     "min",
                                                 "B",    "kB",   "KB",   "MB",   "GB",    "Mbit",
                                                 "Gbit", "GB/s", "MB/s", "Gb/s", "Gbit/s"};

}  // namespace

std::string flag_meant(const std::string& flag, const std::vector<std::string>& known) {
  // "--learning_rate", as names of Python have it.
  std::string dashed = flag;
  std::ranges::replace(dashed, '_', '-');
  for (const Synonym& synonym : synonyms()) {
    if (dashed == synonym.word && std::ranges::find(known, synonym.flag) != known.end()) {
      return std::string(synonym.flag);
    }
  }
  return nearest_name(dashed, known);
}

std::string command_meant(const std::string& word) {
  const auto found = std::ranges::find(command_synonyms, word, &CommandSynonym::word);
  return found == command_synonyms.end() ? "" : std::string(found->command);
}

void refuse_rest_of_value(const std::string& word) {
  std::error_code error;
  if (std::filesystem::exists(word, error)) return;
  if (std::ranges::find(units, word) != units.end()) {
    throw UsageError(fmt::format(
        "{} is no file; a number and its unit are one word, as in --latency 100us", echoed(word)));
  }
  if (std::ranges::find(schemes(), word, &Scheme::name) != schemes().end()) {
    throw UsageError(
        fmt::format("{} is a scheme and no file; --scheme NAME runs one, and several have commas "
                    "between them and no blanks: --schemes ring,{}",
                    echoed(word), word));
  }
}

}  // namespace trainyard::app
