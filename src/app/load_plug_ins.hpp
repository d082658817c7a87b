// `trainyard --load FILE COMMAND …`: libraries of one's own (trainyard/app/plug_in.hpp).
//
// Threads: the main one, before the command line is read.
#pragma once

#include <string>
#include <vector>

namespace trainyard::app {

/// A command line without its `--load FILE` and `--load=FILE`, and these files, in their order.
struct Loads {
  std::vector<char*> words;  // as argv, its null pointer included
  std::vector<std::string> files;
};

/// Throws UsageError for a --load without a file.
Loads taken_from(int argc, char** argv);

/// Has the library add what it has. It stays loaded. Throws UsageError for a file that is no
/// plug-in of this program's, and what its own code throws.
void load_plug_in(const std::string& file);

}  // namespace trainyard::app
