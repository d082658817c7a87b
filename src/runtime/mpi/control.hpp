// The control traffic between processes, besides the messages of a scheme: a few words, to and from
// the process of rank 0, which coordinates. They are off the network that a scheme sees, and
// counted nowhere.
//
// A worker that comes to a point where the run is to be looked at says so and waits; the
// coordinator has all ranks stand still, gathers counts and models, looks, and has them go on, with
// clocks that have not moved meanwhile. What is `asked` for is answered in whatever verb a rank is
// in, so a rank that computes keeps the others waiting for as long as a minibatch takes, as in
// `wall`.
#pragma once

#include <array>
#include <cstdint>

namespace trainyard::mpi {

enum class Word : std::uint64_t {
  // To the coordinator:
  came_to_look,  // lockstep: a worker has done [0] steps, and waits until they are looked at
  lot_done,      // free: [0] minibatches of a lot
  wants_lot,     // free
  closed,        // server: a server has closed [0] steps, with [1] minibatches
  winds_up,      // the user, or the clock, ends the run for this rank; it waits to be told when
  meets,         // the clock ends the leg
  stands,        // answers stand_still: Standing
  interrupted,   // by the user, this process; sent on to all
  fails,         // its program is about to end with a failure: the others end, too
  ended,         // its program has ended; [0] is a Failure, whose text follows
  leaves,        // has reported, and nothing of its own is on its way
  // From the coordinator:
  stand_still,  // [0]: whether the model is wanted; it follows what `stands`
  go_on,        // GoOn
  lot,          // [0]: the first of [1] minibatches; none: there are no more
  over,         // server: all servers have closed the last step
  give_up,      // a rank has failed
  report,       // all have ended: what is left of each is asked for
};

struct Control {
  Word word{};
  std::array<std::uint64_t, 8> values{};
};

/// The counts of a rank.
struct Standing {
  std::uint64_t begun = 0, done = 0, sat_out = 0;   // a worker: steps
  std::uint64_t closed = 0, minibatches = 0;        // a server: steps, and what they took
  std::uint64_t messages_sent = 0, bytes_sent = 0;  // by its scheme
  std::uint64_t model_size = 0;                     // numbers that follow
};
static_assert(sizeof(Standing) == sizeof(Control::values));

struct GoOn {
  std::uint64_t last_step = 0;  // of the run, as agreed
  std::uint64_t ending = 0;     // it has been wound up
  std::uint64_t looked_at = 0;  // the steps after which it was looked at last
  std::uint64_t stood_ns = 0;   // how long all stood still, which no clock counts
  std::uint64_t over = 0;       // the run ended with that look: all are unwound
  std::uint64_t meeting = 0;    // the leg has been wound up
  std::array<std::uint64_t, 2> unused{};
};
static_assert(sizeof(GoOn) == sizeof(Control::values));

/// Why a rank's program has ended, as what the leading process throws again.
enum class Failure : std::uint64_t { none, usage, data, run, not_finite, interrupted, defect };

}  // namespace trainyard::mpi
