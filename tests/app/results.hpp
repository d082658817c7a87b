// What the program prints and leaves on disk, for the tests of its commands.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace trainyard {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more);

std::set<std::string> keys_of(const Json& object);
std::vector<std::string> lines_of(const std::string& text);

/// The documented keys of a run's summary.
extern const std::set<std::string> summary_keys;
/// And those of what stands behind it, which run and compare print besides.
extern const std::set<std::string> run_keys;

/// What `run --json` prints, without what it has besides the summary.
Json summary_of(const std::string& output);

/// A run's folder is whole: documented keys, evaluations that end where the summary says, a model
/// with its hash, a configuration that can be read back.
void check_results_folder(const std::filesystem::path& folder);

}  // namespace trainyard
