// Runs that --out has saved, put together again: of different days, and of different machines.
//
// Threads: any; these read files and touch nothing else.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "trainyard/run/notes.hpp"

namespace trainyard {

/// {"runs": [run, …], "notes": […]} as `compare --json` prints it, of all runs in `folders`, each
/// of which is a run's folder or has such within it, at any depth; in the order of `folders`, and
/// in each by name. Runs without a target that minimise the same have the common one of a
/// comparison (study/comparison.hpp). Where two runs of one label and point of a grid are not two
/// seeds of the same, each has its folder as "source". What was recorded of first steps is not
/// saved.
///
/// `remark` hears of folders of runs that did not end, which are left out, and of times that are
/// rough; both are notes of the document, too. Throws DataError for a
/// folder without a run, for a run that is given twice, and for a file that is not as the program
/// writes it.
std::string saved_runs_json(const std::vector<std::filesystem::path>& folders,
                            const Remark& remark);

}  // namespace trainyard
