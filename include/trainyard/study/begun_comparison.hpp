// What a comparison was asked for, written down when it begins, so that another process can go on
// with it (compare --continue) and knows that it is asked for the same.
//
//   const BegunComparison now = begun_of(cases);
//   if (before) require_same(*before, now);
//   exchange_comparison(archive, now);
//
// Threads: any; values, and functions of their arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainyard/data/archive.hpp"
#include "trainyard/study/comparison.hpp"

namespace trainyard {

/// One of its runs, before it is made.
struct BegunCase {
  std::string folder;                   // below --out (folder_of(Case)), which tells it from others
  std::string configuration;            // as TOML, without gaps
  std::vector<std::string> measured{};  // options of it that were measured on the machine
  std::vector<std::string> tuned{};     // step sizes that tuning is to find
  std::vector<Note> notes{};            // of its data, and of what was decided
  std::uint64_t rows = 0;               // fingerprint_of_rows()
};

struct BegunComparison {
  std::string program;  // program_print()
  std::vector<BegunCase> cases{};
};

/// The options without a value that are measured on the machine when a run is resolved, by name.
std::vector<std::string> not_measured_yet(const Configuration& configuration);
/// Gives them what was measured when the comparison began: other figures are another comparison.
void recall_measured(const BegunCase& begun, Configuration& configuration);

/// REQUIRES: the cases are resolved.
BegunComparison begun_of(const std::vector<Case>& cases);

/// Puts it into the archive or takes it from there. Throws DataError where it is not there.
void exchange_comparison(Archive& archive, BegunComparison& begun);

/// Throws OptionError, naming --continue, and what is otherwise with what it was and is: the
/// program, a run that is there in one of them alone, options, step sizes that are tuned in one
/// of them alone, training rows.
void require_same(const BegunComparison& before, const BegunComparison& now);

/// The case of that folder; nullptr where there is none.
const BegunCase* find_case(const BegunComparison& begun, const std::string& folder);

}  // namespace trainyard
