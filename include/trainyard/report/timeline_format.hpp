// A timeline as JSON, as text, and as a figure.
//
// Threads: any; they return text and touch nothing else.
#pragma once

#include <string>

#include "trainyard/analysis/timeline.hpp"

namespace trainyard {

/// {"from", "makespan", "ranks", "messages": [{"from", "to", "bytes", "posted", "start",
/// "first_bit", "end"}, …]}: the names of the ranks, which messages have by number from 0; times in
/// seconds of the timeline's clock, which is at `from` when all begins; messages in the order of
/// their posts.
std::string timeline_json(const Timeline& timeline);

struct TextStyle {
  int columns = 100;  // of the terminal
  bool color = false;
};

/// Ports as rows, time as columns, one letter a message: small while its latency passes, a capital
/// while its bits do. The messages are listed beneath.
std::string timeline_text(const Timeline& timeline, const TextStyle& style);

/// A self-contained SVG: one row a rank, what it sends above, what it receives below; latency in
/// another colour than the bits, which have their sender's. For papers and slides, and where there
/// is no browser; pages (--html) draw the same with d3, to be played with.
std::string timeline_svg(const Timeline& timeline);

}  // namespace trainyard
