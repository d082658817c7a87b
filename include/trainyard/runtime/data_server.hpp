// Rows that lie with a data server, and come over the network minibatch by minibatch (catalogue §6,
// data source: shared). Without one, each worker has its own rows beside it, and they cost nothing.
//
// The data server is one rank more, behind the scheme's servers, with a port and a machine of its
// own. Before a worker computes on rows it asks for them and waits until they have come: messages
// of α + t_rows each, one after another at the data server's port, so that n workers in lock-step
// begin to compute at (α + t_rows), 2(α + t_rows), …, n(α + t_rows). Nothing is fetched ahead.
//
// What travels is as long as the rows; which rows they are both sides know from the partition and
// the seed, and arithmetic reads the worker's own copy. So results have the bits of a run without a
// data server wherever the order of arrival does not decide them. A scheme sees nothing of this: it
// runs on a rank that knows only the scheme's own servers.
//
// Threads: each of these belongs to its rank. Waiting calls are unwound by an exception when
// another rank fails.
#pragma once

#include "trainyard/data/batch.hpp"
#include "trainyard/runtime/rank_wrapper.hpp"

namespace trainyard {

/// The length of a message with these rows, in bytes: 4 a feature, or 8 a nonzero and 4 for how
/// many there are; and 4 for the label.
std::uint64_t bytes_of_rows(Batch rows);

/// A rank as the scheme knows it: one of so many servers, of which the data server is none.
class WithoutDataServer final : public RankWrapper {
 public:
  /// REQUIRES: the data server is the last rank of `inside`, which outlives this.
  explicit WithoutDataServer(Rank& inside) : RankWrapper(inside, inside.servers() - 1) {}
};

/// Asks the data server, of that rank, for these rows and waits for them. REQUIRES: called by a
/// worker.
void fetch_rows(Communicator& comm, int data_server, Batch rows);

/// The data server's program, until no worker is left: answers each request as it comes.
void serve_rows(Communicator& comm);

}  // namespace trainyard
