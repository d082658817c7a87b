// Trajectories of the schemes' rules that were worked out elsewhere, in double precision, on five
// quadratics of four coordinates.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/replicas.hpp"

namespace trainyard::test {

using Json = nlohmann::json;

Json golden_trajectories();

/// The five quadratics.
Dataset golden_data(const Json& golden);
/// Their workers and step size.
Configuration golden_configuration(const Json& golden, const std::string& scheme);

/// To 1e-12, relative or absolute.
void check_close(const std::vector<double>& found, const std::vector<double>& expected);

/// At each stored step all workers hold the one state of the trajectory `name`.
void check_synchronous(const Json& golden, Configuration c, const char* name);
/// At each stored step worker i holds the i-th of its states.
void check_replicas(const Json& golden, Configuration c, const char* name);

}  // namespace trainyard::test
