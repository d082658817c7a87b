// Waiting for cache lines of a shared model (runtime/shared_lines.hpp).
//
//   wait_for_lines(rank, context, [&](SharedLines& lines, SharedLines::Passage& passage) {
//     lines.touch_all(passage, group, LineUse::write);
//   });
//
// Threads: called by the rank that waits.
#pragma once

#include "trainyard/runtime/rank.hpp"
#include "trainyard/runtime/run_context.hpp"
#include "trainyard/runtime/shared_lines.hpp"

namespace trainyard {

/// The rank stands still until the lines that `ask` asks for are here, as a part of its computing.
/// Does nothing where lines take no time.
template <typename Ask>
void wait_for_lines(Rank& rank, const RunContext& context, Ask&& ask) {
  if (context.lines == nullptr) return;
  const Time began = rank.now();
  SharedLines::Passage passage = SharedLines::begin(rank.rank(), began);
  ask(*context.lines, passage);
  if (passage.has <= began) return;
  rank.compute({.simulated = passage.has - began, .reads_shared = true}, [] {});
  context.state.lines_time_of(rank.rank()) += rank.now() - began;
}

}  // namespace trainyard
