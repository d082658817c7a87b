// Groups of workers with a proxy each, and one root: the proxies are servers 0 .. G−1, the root is
// server G (catalogue §2.9). The workers of a group follow each other, and groups differ by at most
// one in size, as the parts of even_split() do; so with as many racks each group and its proxy
// stand in one (network/network.hpp), and a vector passes between racks once a group instead of
// once a worker. Behind the proxies there may be other servers than a root: then calls say how many
// groups there are, and the proxy's program is the scheme's (scheme/key_value.cpp).
//
// Threads: every rank it speaks of calls it, each on its own thread or fiber, and it returns
// when this rank's part is done. If another rank fails, the call is unwound and does not return;
// if another never calls it, the run ends with an InternalError that says who waits for whom.
#pragma once

#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

/// Worker: gives `mine` to its proxy, and waits for what comes back. They may be the same vector if
/// what comes back is made of all that was given.
void exchange_with_proxy(Communicator& comm, ConstVector mine, Vector result);

/// exchange_with_proxy() for `groups` groups, whatever their proxies do with what they are given.
void exchange_with_proxy(Communicator& comm, ConstVector mine, Vector result, int groups);
/// Proxy of one of them: sum ← sum + what its first member gives, + what the second gives, …; and
/// the answer to each.
void sum_members(Communicator& comm, Vector sum, int groups);
void answer_members(Communicator& comm, ConstVector answer, int groups);
/// How many workers that group has. REQUIRES: 0 ≤ group < groups ≤ workers.
int group_size(int workers, int group, int groups);

/// Server: whether it is the root.
bool is_root(const Communicator& comm);

/// Proxy, until no worker is left: sums what its group gives, by rank, into `sum`, gives that to
/// the root, and gives what the root answers to each of the group.
void serve_group(Communicator& comm, Vector sum);

/// serve_group() for groups that some members leave before others do: a round is of those who are
/// left, and the tag of its sum is how many. The other end of leave_group().
void serve_changing_group(Communicator& comm, Vector sum);
/// Worker: takes part in no more round. Control traffic.
void leave_group(Communicator& comm);

/// Root: sum ← sum + what the first proxy gave, + what the second gave, …; and the answer to each.
void sum_groups(Communicator& comm, Vector sum);
void answer_groups(Communicator& comm, ConstVector answer);

}  // namespace trainyard
