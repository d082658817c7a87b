// The whole program `trainyard`, for a main() of one's own that has schemes to add, or models,
// topologies and codecs (model/add_model.hpp and its like):
//
//   int main(int argc, char** argv) { return trainyard::run_program(argc, argv, {my_scheme}); }
//
// Threads: the main one, once: it sets signal handlers and opens the standard streams.
#pragma once

#include <functional>
#include <vector>

#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

class Processes;

/// The function that returns a row. It is called here, and not by the caller: what it throws would
/// end the program there without a message.
using SchemeMaker = std::function<Scheme()>;

/// Makes the rows of `own_schemes` and adds them to the table (add_scheme()), does what the command
/// line says, and turns every error into a message on standard error, those of making a row too: a
/// mistyped name in it has status 2, like one on the command line. Returns the exit status.
///
/// `processes`: whose ranks run what is asked for, of which this is one; all of them call it.
int run_program(int argc, char** argv, const std::vector<SchemeMaker>& own_schemes = {},
                Processes* processes = nullptr);

/// The same for whatever `add_own` adds, once, before the command line is read.
int run_program_with(int argc, char** argv, const std::function<void()>& add_own,
                     Processes* processes = nullptr);

}  // namespace trainyard
