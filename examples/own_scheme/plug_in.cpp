// A library that the installed program loads, so that no program of one's own is needed: a scheme,
// and a reader of files of a format that Trainyard does not know.
//
//   trainyard --load build/own/libplug_in.so compare --schemes ring,rarely --steps 20
//   trainyard --load build/own/libplug_in.so run --scheme rarely --dataset flowers.arff
#include "trainyard/app/plug_in.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "trainyard/base/error.hpp"
#include "trainyard/collective/all_reduce.hpp"

namespace {

using namespace trainyard;

/// A step on each replica, and their average after every fourth.
void work(Worker& worker) {
  constexpr std::uint64_t period = 4;
  while (worker.next_step()) {
    worker.descend();
    if ((worker.step() + 1) % period == 0) {
      all_reduce_mean(worker.comm(), worker.replica(), find_all_reduce("ring"));
    }
  }
}

Scheme rarely() {
  return {
      .name = "rarely",
      .summary = "a step on each replica, and their average around a ring after every fourth",
      .step = "γ × own gradient",
      .cost = {.formula = "c, and every 4 steps the ring's",
               .time = [](const StepSetting& s) -> std::optional<Duration> { return s.compute; }},
      .source = "an example",
      .family = SchemeFamily::local_updates,
      .worker = work};
}

/// Weka's ARFF, as far as all attributes are numeric: names behind @attribute, rows behind @data.
/// The last attribute is the label.
FileRows read_arff(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw DataError(file.string() + ": cannot be opened");
  FileRows rows;
  std::size_t attributes = 0;
  bool in_data = false;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '%') continue;
    std::ranges::replace(line, ',', ' ');
    std::istringstream words(line);
    if (in_data) {
      double value = 0.0;
      for (std::size_t f = 0; f < rows.features && words >> value; ++f) {
        rows.dense.push_back(static_cast<float>(value));
      }
      if (!(words >> value)) throw DataError(file.string() + ": no row of numbers: " + line);
      rows.labels.push_back(value);
      continue;
    }
    std::string word;
    words >> word;
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
    if (word == "@attribute") ++attributes;
    if (word == "@data" && attributes > 1) {
      in_data = true;
      rows.features = attributes - 1;
    }
  }
  return rows;
}

}  // namespace

TRAINYARD_PLUG_IN {
  add_scheme(rarely());
  add_reader({.name = "arff", .endings = {".arff"}, .read = read_arff});
}
