// A finished run, a comparison, or a map of comparisons, as JSON, CSV or a table. Which figures of
// a run stand where: run/figures.hpp.
//
// Threads: any; they return text and touch nothing else.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "trainyard/run/run.hpp"
#include "trainyard/study/comparison.hpp"
#include "trainyard/study/crossover_map.hpp"

namespace trainyard {

/// One JSON object, two-space indented. Keys carry their unit, except those that the field writes
/// without: `seconds`, `time_split` (seconds, mean over workers; compute + transfer + wait =
/// seconds), `compute_stretch` (in wall, how many times as long as its processor time the workers'
/// computing took; more than 1 where threads share cores). What does not apply is null, and so is
/// what is not finite. Last `notes` of the run, [{"about": "", "text"}, …] (run/notes.hpp).
std::string summary_json(const Summary& summary);
/// The summary, and what it summarises, as columns: `evaluations` (those of metrics_json()),
/// `ranks` (those of ranks_csv()), `updates_by_staleness` {"staleness", "updates"}, `first_steps`
/// of a run that was recorded from its begin, with 2000 messages at most: {"ports", "from",
/// "until", "messages": {"from", "to", "bytes", "posted", "start", "first_bit", "end"}, "spans":
/// {"rank", "activity", "from", "until"}}, in seconds. Last the resolved `configuration` as TOML,
/// and the `command` that repeats the run.
std::string run_json(const RunResult& result);
/// {"runs": [run, …], "lacking": [name, …], "notes": [{"about", "text"}, …]}; with several seeds
/// also "spread": an object a scheme, in which each figure is {"mean", "standard_deviation",
/// "count"} over the seeds (seed_statistics.hpp). `notes` are those of the whole comparison; those
/// of its runs come behind them (study/collated_notes.hpp). `lacking` names the runs that were
/// asked for and are not there.
std::string comparison_json(const std::vector<RunResult>& results,
                            const ComparisonOptions& options = {},
                            const std::vector<Note>& notes = {},
                            const std::vector<std::string>& lacking = {});
/// One line of metrics.jsonl.
std::string metrics_json(const Metrics& metrics);

/// A header line and one line a run.
std::string summary_csv(const std::vector<RunResult>& results);
/// A header line and one line a contestant and point of the grid: what was asked for, and NAME_mean
/// and NAME_sd of each figure over the seeds.
std::string statistics_csv(const std::vector<RunResult>& results);
/// A header line and one line a rank: where its time went (the three add up to the run's seconds),
/// and its messages; in wall core and node at the end and moves between hardware threads; with
/// --counters what was counted, empty where it is not available.
std::string ranks_csv(const RunResult& result);

enum class Markup { markdown, latex };
/// With --counters: where each rank ran and what was counted of it, a line each, their sum, and
/// what is not available here. Empty without.
std::string counters_table(const RunResult& result);
/// The figures asked for that no run has: "not available here: cycles, energy"; empty: none is.
std::string not_counted_note(std::span<const RunResult> results);

/// The tables for a document, with what was asked, who was first and the notes as a list in
/// Markdown, and as comments in LaTeX, but without the legend. A comparison's has one unit a
/// column, 95 % intervals over the seeds, and the best in bold (report/paper_table.hpp).
std::string summary_markup(const Summary& summary, Markup markup);
std::string counters_markup(const RunResult& result, Markup markup);
std::string comparison_markup(const std::vector<RunResult>& results,
                              const ComparisonOptions& options, Markup markup,
                              const std::vector<Note>& notes = {},
                              const std::vector<std::string>& lacking = {});

/// One run, one quantity a line; in wall where its ranks ran beneath.
std::string summary_table(const Summary& summary);
/// One contestant and point a line, in blocks of 100 columns, with what the columns mean beneath;
/// with several seeds the mean over them and in a second line the standard deviation, and where
/// each scheme has a step size of its own, that. Who was first at the target it says where nobody
/// can have been sooner: over the same seeds, with no run cut off before it was there, none
/// lacking.
std::string comparison_table(const std::vector<RunResult>& results,
                             const ComparisonOptions& options = {},
                             const std::vector<std::string>& lacking = {});

/// "table", "json" or "csv". Throws OptionError for another format of a comparison.
void check_map_format(const std::string& format);

/// A letter for each contestant; in a cell that of the first one, and how many times as fast it is
/// as the next.
std::string crossover_map_table(const CrossoverMap& map);
/// With every contestant's seconds in every cell, null where it does not reach the target or, where
/// `interrupted` is true, was not run; and `notes` as a comparison has them.
std::string crossover_map_json(const CrossoverMap& map);
/// A line for each contestant in each cell.
std::string crossover_map_csv(const CrossoverMap& map);

}  // namespace trainyard
