// The result of a run on its way into an archive or out of one, to the bit: what --out's texts are
// made of, so that another process can go on with it as if the run had ended there.
//
//   Archive archive;                  // or Archive::read(file)
//   exchange_result(archive, result);
//
// A member that is added to a part of the summary does not compile until it is exchanged here.
//
// Threads: any; one at a time for one archive.
#pragma once

#include "trainyard/data/archive.hpp"
#include "trainyard/run/run.hpp"

namespace trainyard {

/// Everything but the model and how its rows were made. Throws DataError where the archive is read
/// and has something else. REQUIRES: where it is read `result.resolved` has what is not of the run,
/// like where results go; the options that are come from the archive.
void exchange_result(Archive& archive, RunResult& result);

}  // namespace trainyard
