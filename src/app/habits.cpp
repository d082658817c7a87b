#include "app/habits.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard::app {

namespace {

/// What other programs call our flags. Of several, the first one that the command has.
struct Synonym {
  std::string_view word, flag;
};
constexpr std::array synonyms{
    Synonym{"--learning-rate", "--lr"},
    Synonym{"--step-size", "--lr"},
    Synonym{"--eta", "--lr"},
    Synonym{"--gamma", "--lr"},
    Synonym{"--ranks", "--workers"},
    Synonym{"--nodes", "--workers"},
    Synonym{"--num-workers", "--workers"},
    Synonym{"--processes", "--workers"},
    Synonym{"--threads", "--workers"},
    Synonym{"--np", "--workers"},
    Synonym{"--batch-size", "--batch"},
    Synonym{"--minibatch", "--batch"},
    Synonym{"--iterations", "--steps"},
    Synonym{"--max-iter", "--steps"},
    Synonym{"--passes", "--epochs"},
    Synonym{"--data", "--dataset"},
    Synonym{"--train", "--dataset"},
    Synonym{"--lambda", "--l2"},
    Synonym{"--regularization", "--l2"},
    Synonym{"--output", "--out"},
    Synonym{"--algorithm", "--scheme"},
    Synonym{"--algorithms", "--schemes"},
    Synonym{"--graph", "--topology"},
    Synonym{"--allreduce", "--collective"},
    Synonym{"--tau", "--period"},
    Synonym{"--delay", "--latency"},
    Synonym{"--rtt", "--latency"},
    Synonym{"--alpha", "--latency"},
    Synonym{"--bw", "--bandwidth"},
    Synonym{"--slow", "--straggler"},
    Synonym{"--target", "--target-loss"},
    Synonym{"--accuracy", "--target-accuracy"},
    Synonym{"--random-seed", "--seed"},
    Synonym{"--runs", "--seeds"},
    Synonym{"--repetitions", "--seeds"},
    Synonym{"--verbose", "--progress"},
    Synonym{"--silent", "--quiet"},
    Synonym{"--overwrite", "--force"},
    Synonym{"--clock", "--time"},
    Synonym{"--eta0", "--lr"},
    Synonym{"--label", "--label-column"},
    Synonym{"--label-col", "--label-column"},
    Synonym{"--target-column", "--label-column"},
    Synonym{"--test-size", "--test"},
    Synonym{"--test-split", "--test"},
    Synonym{"--sep", "--delimiter"},
    Synonym{"--separator", "--delimiter"},
    Synonym{"--csv", "--dataset"},
    Synonym{"--file", "--dataset"},
    Synonym{"--input", "--dataset"},
    Synonym{"--na-values", "--missing-words"},
    Synonym{"--parse-dates", "--date"},
    Synonym{"--usecols", "--columns"},
    Synonym{"--features", "--columns"},
    Synonym{"--drop", "--drop-columns"},
    Synonym{"--bit-precision", "--hash"},
    Synonym{"--normalize", "--scale"},
    Synonym{"--standardize", "--scale"},
    Synonym{"--scaling", "--scale"},
    Synonym{"--bias", "--intercept"},
    Synonym{"--fit-intercept", "--intercept"},
    Synonym{"--save", "--out"},
    Synonym{"--save-model", "--out"},
    Synonym{"--model-out", "--out"},
    Synonym{"-o", "--out"},
    Synonym{"-v", "--progress"},
    Synonym{"-q", "--quiet"},
    Synonym{"-n", "--workers"},
    Synonym{"-f", "--force"},
    Synonym{"--early-stopping", "--patience"},
    Synonym{"--n-iter-no-change", "--patience"},
    Synonym{"--validation-fraction", "--validation"},
    Synonym{"--validation-split", "--validation"},
    Synonym{"--val", "--validation"},
    Synonym{"--scoring", "--metric"},
    Synonym{"--resume", "--start"},
    Synonym{"--initial-model", "--start"},
    Synonym{"--sample-weight", "--weight-column"},
    Synonym{"--sample-weights", "--weight-column"},
    Synonym{"--importance", "--weight-column"},
    Synonym{"--class-weights", "--class-weight"},
    Synonym{"--pos-weight", "--class-weight"},
    Synonym{"--scale-pos-weight", "--class-weight"},
};

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
  for (const Synonym& synonym : synonyms) {
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
