// Runs and comparisons for Python: on a thread beside the caller's, which hears Ctrl-C meanwhile
// and tells what happens.
//
// Threads: called with the interpreter's lock, which is let go of while runs are made. One question
// at a time: another thread's waits.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include "trainyard/study/comparison.hpp"

#include "module/rows.hpp"
#include "module/settings.hpp"

namespace trainyard::python {

using Loaded = std::shared_ptr<const LoadedData>;

/// The data of the configuration: with the arrays that they are views of, or, without `rows`, its
/// data set, which is read. By any thread, without the interpreter's lock.
Loaded loaded_from(std::shared_ptr<const ArrayRows> rows, const Configuration& c);

/// Bounds what is asked for by what is free, anew for each question: others use memory, too, and
/// sessions are long.
void use_memory_as(const Configuration& c);

/// What a run was made of, for who asks later.
struct RunSource {
  Loaded data;           // which may be views of arrays that are kept beside it
  VectorBuffer model{};  // empty: the result has it
};

/// A finished question.
struct Outcome {
  std::vector<RunResult> runs;
  std::vector<RunSource> sources;  // of each run
  std::vector<Note> notes{};
  std::vector<std::string> lacking{};
  ComparisonOptions options{};
  bool interrupted = false;
  std::vector<std::string> failures{};  // of runs that threw, while others did not
};

struct AskedComparison {
  Asked asked{};
  std::vector<AskedContestant> contestants{};  // empty: those of the file, or the basic ones
  std::vector<AskedVariation> variations{};
  ComparisonOptions options{};
  bool keeps_models = false;  // also where there are several seeds or points
};

/// `progress` is None, or called with a dict for each evaluation and a str for each remark. What it
/// raises ends the runs, and is raised.
Outcome compare(const AskedComparison& asked, std::shared_ptr<const ArrayRows> rows,
                py::object progress);
/// One run of the configuration's scheme.
Outcome run(const Asked& asked, std::shared_ptr<const ArrayRows> rows, py::object progress);

/// The trace of the first steps of a run like that one, which is made for it.
Trace first_steps(const RunResult& result, const LoadedData& data, std::uint64_t steps,
                  std::size_t most_messages);

}  // namespace trainyard::python
