// Collates the notes of several runs: each sentence once, with the runs that it is about, and those
// that differ only in what they count or measure as one with ranges. A run's own notes stay as they
// are.
//
// Threads: any; functions of their arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trainyard/run/run.hpp"

namespace trainyard {

/// The notes of one run. Runs that differ only in their seeds have one name.
struct NotedRun {
  std::string label, name;  // of the contestant; the same at its point of the grid
  std::uint64_t seed = 0;
  std::span<const Note> notes;
};

/// A note, and the texts that it stands for: several where it has ranges of their numbers.
struct CollatedNote {
  Note note;
  std::vector<std::string> texts;
};

/// Each text once: about nobody what holds for all of them, about "seed 2" what holds for all with
/// that seed and for no other, and else about the names, with the seed where not all of a name's
/// seeds have it. About the label alone what holds at all of a contestant's points.
///
/// Three texts and more that differ only in such numbers are one, "2 to 17 crashes", where they are
/// about seeds of one name ("ring, seeds 1 to 8"), about seeds of all ("seeds 1 to 8"), or, of one
/// seed, about points of one contestant ("ring at 7 of 9 points").
std::vector<CollatedNote> collate(std::span<const NotedRun> runs);
std::vector<Note> collated_notes(std::span<const NotedRun> runs);
/// The runs, which are named as name_at() does.
std::vector<NotedRun> noted_runs(std::span<const RunResult> runs);

/// `of_all`, and behind them those of the runs ("ring; gossip, latency 1ms").
std::vector<Note> collated_notes(std::span<const RunResult> runs, std::vector<Note> of_all);

/// Schemes that step by the same.
struct StepKind {
  std::string step;  // Scheme::step, or what all that average have in common
  std::vector<std::string> schemes;
};
/// With one step size γ schemes need not move equally far: what it is in those runs that share one
/// with a run in which it is something else. One at a step size of its own shares it with nobody.
std::vector<StepKind> differing_steps(std::span<const RunResult> runs);
/// Says that in a note.
std::optional<Note> differing_steps_note(std::span<const RunResult> runs);

}  // namespace trainyard
