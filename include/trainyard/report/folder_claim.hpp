// Whose a folder of results is, and what may become of it.
//
// Threads: one at a time for one folder.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/base/descriptor.hpp"

namespace trainyard {

/// What a comparison keeps of a run, to go on with it in another process (comparison_folder.hpp).
inline constexpr const char* kept_name = "result.npz";

/// All that a run writes into its folder. Nothing else is ever removed. They are removed in this
/// order: the mark in config.toml shows as long as possible whose the others are, and the lock on
/// metrics.jsonl is the last that is given up.
inline constexpr std::array run_files{"summary.json", "ranks.csv",   "model.npy",    kept_name,
                                      "model.json",   "config.toml", "metrics.jsonl"};

/// How the config.toml of a run begins, whatever version of the program wrote it. The names of the
/// files are too common to show that a run wrote them.
inline constexpr std::string_view run_mark = "# Written by trainyard";

/// Why results may not take the place of `folder`, as the rest of a sentence about it. Empty when
/// they may: there is none, it holds nothing, or it holds files of a run alone, among them a
/// config.toml with the mark and, when the run is `finished`, summary.json. Of one that is not
/// finished, an empty config.toml or metrics.jsonl counts as nothing.
std::string why_not_replaced(const std::filesystem::path& folder, bool finished);

/// Nothing would be lost with it: no evaluation, and nothing that is written after one.
bool holds_no_results(const std::filesystem::path& partial);

/// Throws UsageError when another process writes to it.
void refuse_held(const std::filesystem::path& partial);

/// Makes the folder where there is none, and returns its metrics.jsonl, locked: whoever has that
/// owns the folder. Throws UsageError when another process has it, or the place is wrong, and
/// RunError when there is no room.
Descriptor claim_folder(const std::filesystem::path& partial);

/// Which folders claim_folder() has to make, the deepest first.
std::vector<std::filesystem::path> folders_to_make(const std::filesystem::path& partial);
/// Removes those of them that are empty.
void remove_empty(const std::vector<std::filesystem::path>& folders);

/// Whether the folder of that name is still the one that was claimed.
bool still_holds(const Descriptor& metrics, const std::filesystem::path& partial);

/// What is in a file or folder, as far as the system tells: after it has returned a machine that
/// loses its power has kept it. Of a folder the names in it.
void force_to_disk(const std::filesystem::path& path);

/// Removes the files of a run, in their order, and the folder if nothing else is in it.
void remove_run_files(const std::filesystem::path& folder);

}  // namespace trainyard
