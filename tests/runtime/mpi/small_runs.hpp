// Runs of processes as small as those that other tests have.
#pragma once

#include <string>

#include "trainyard/scheme/scheme.hpp"

namespace trainyard::test {

/// Of those that need layers; the others take what the data are for.
std::string model_flag(const std::string& scheme);

/// Of a scheme, as the small runs of other tests have them.
std::string small_run(const std::string& scheme, int workers);

/// Workers and servers; 0 where such a run does not exist.
int ranks_of(const std::string& scheme, int workers);

bool shares_memory(const Scheme& scheme);

/// And nothing depends on whose message comes first.
bool is_in_lockstep(const Scheme& scheme);

}  // namespace trainyard::test
