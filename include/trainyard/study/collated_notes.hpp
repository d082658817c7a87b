// What there is to say of several runs, each sentence once, with those that it is of.
//
// Threads: any; functions of their arguments.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "trainyard/run/run.hpp"

namespace trainyard {

/// `of_all`, and behind them the notes of the runs: about nobody what holds for all of them, and
/// else about their names ("ring; gossip, latency 1ms"), with the seed where not all of a name's
/// seeds have it.
std::vector<Note> collated_notes(std::span<const RunResult> runs, std::vector<Note> of_all);

/// Schemes that step by the same.
struct StepKind {
  std::string step;  // Scheme::step
  std::vector<std::string> schemes;
};
/// With one step size γ schemes need not move equally far: what it is in those runs that share one
/// with a run in which it is something else. One at a step size of its own shares it with nobody.
std::vector<StepKind> differing_steps(std::span<const RunResult> runs);
/// The same as a note.
std::optional<Note> differing_steps_note(std::span<const RunResult> runs);

}  // namespace trainyard
