// The cost of shared memory in `virtual`: a model of cache coherence with one constant, the time
// that a cache line takes from one core to another.
//
// A core works on a line in its own cache until another core writes it; then it has to come from
// there. So each line of a shared model has its holders: the worker that wrote it last, and those
// that have touched it since. A worker that touches a line of which it is no holder waits for it.
// With t the line time (--line-time), the rule is
//   1. a line that comes arrives t after it has set out;
//   2. a core that goes through lines has several of them on their way: the next line is asked for
//      t/8 after the one before has set out (lines_under_way);
//   3. a line is in one place at a time: it sets out to the next worker 2t after it set out to the
//      one before (times_held), who in that time gets it to read it, and then for itself alone, to
//      write it.
// A sparse step touches the lines of its rows' features twice, to read and to write them; any other
// step touches all lines, once, when it writes them, as it keeps what it wrote for its next read.
// Several workers at few lines wait for each other by 3, many lines that others have written cost
// t/8 apiece by 2, and lines that nobody else writes are free. One worker pays nothing.
//
// 8, 2 and the default of 115 ns are fitted to what 1 to 16 threads took on 16 cores of one socket,
// two of which pass a line on in 76 ns when nobody else does (docs/limits.md has the table,
// and which cells are not met). Two other cores are met to a fifth with the 40 ns measured there.
//
// What it does not know: how far apart two cores are (two sockets, two hardware threads of a core),
// other levels of the caches, their sizes, the memory's bandwidth, lines that rows and random
// streams have, false sharing with anything but the model, and that a line may be taken away in
// between while a worker goes through the coordinates of one row. Writers never wait for readers.
//
// Threads: one, that of the simulation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/base/units.hpp"

namespace trainyard {

enum class LineUse { read, write };

class SharedLines {
 public:
  /// The cache lines of the shared models of one run.
  struct Shape {
    int workers = 1;
    int models = 1;
    std::size_t parameters = 0;             // of each model
    std::size_t parameters_of_a_line = 16;  // floats; 32 or 64 in fewer bits
    /// A step touches all of them: the lines of a model then have the same holders, and come one
    /// behind the other, so that one place is kept for all of them.
    bool touched_whole = false;
  };

  /// One worker on its way through lines.
  struct Passage {
    int worker = 0;
    Time asks{0};  // for the next line
    Time has{0};   // all that it asked for
  };

  /// REQUIRES: line_time > 0.
  SharedLines(Duration line_time, const Shape& shape);

  static Passage begin(int worker, Time now) { return {worker, now, now}; }
  /// The lines of the parameters from `first` on, `count` ≥ 1 of them, of a model; all of its lines
  /// where they are touched whole.
  void touch(Passage& passage, int model, std::size_t first, std::size_t count, LineUse use);
  void touch_all(Passage& passage, int model, LineUse use);

 private:
  void touch_line(Passage& passage, std::size_t line, LineUse use);
  std::span<std::uint64_t> holders_of(std::size_t line) {
    return holders_.span().subspan(line * words_, words_);
  }

  const Duration line_time_;
  const Shape shape_;
  const std::size_t places_;         // of a model: its lines, or one for all of them
  const std::int64_t lines_behind_;  // of a place, those that follow its first
  const std::size_t words_;          // of a line's holders, a bit each
  AlignedBuffer<Time> sets_out_;     // when the line, or the first of them, can next set out
  AlignedBuffer<std::uint64_t> holders_;
};

}  // namespace trainyard
