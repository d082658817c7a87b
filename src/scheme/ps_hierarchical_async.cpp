// Asynchronous parameter server behind proxies (Li et al., OSDI 2014, §5.3, and MXNet's two levels
// of synchronisation; catalogue §2.9, §7). Inside a group all wait for each
// other: its proxy sums its members' gradients of a round, as ps-hierarchical's does. Between
// groups nobody waits: the root applies each group's sum the moment it comes, x ← x − γ · the mean
// of that group, and answers that group alone. So each gradient of g workers is as stale as G
// groups make it, by G − 1 updates on average instead of n − 1, and the root's port takes G
// messages a way instead of n.
//
// One group is ps-sync, groups of one worker are ps-async with a detour. A slow worker holds up its
// group and no other.
//
// Steps are taken off a common count, which may end in the middle of a round: who gets none tells
// its proxy, and from then on the round is that of the others.
#include <algorithm>
#include <span>
#include <vector>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/proxies.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  while (worker.next_step()) {
    exchange_with_proxy(worker.comm(), worker.compute_gradient(), worker.replica());
  }
  leave_group(worker.comm());
}

void apply_sums(Server& server) {
  Communicator& comm = server.comm();
  const std::span<std::uint64_t> version_read =
      server.keep_counts("read", static_cast<std::size_t>(comm.size()));
  while (const auto sum = comm.receive_any()) {
    const auto proxy = static_cast<std::size_t>(sum->from());
    const std::uint64_t minibatches = sum->tag();
    server.record_staleness(version_read[proxy]);
    server.apply(sum->vector(), minibatches, 1.0 / static_cast<double>(minibatches));
    version_read[proxy] = server.version();
    comm.send(sum->from(), server.shard());
  }
}

void serve(Server& server) {
  if (is_root(server.comm())) {
    apply_sums(server);
    return;
  }
  VectorBuffer sum(server.shard().scalar(), server.dimension());
  serve_changing_group(server.comm(), sum.view());
}

Cast proxies_before_model(const CastSetting& setting) {
  Cast made = cast::replicas_with_proxies(setting);
  made.model = ModelHome::servers;
  return made;
}

/// The members' messages up and down one behind the other, the groups' sums, and the last one's
/// answer; one less where smaller groups are done before the larger.
std::optional<Duration> step_time(const StepSetting& s) {
  const int groups = std::min(s.workers, s.servers);
  const int members = (s.workers + groups - 1) / groups;
  const int uneven = s.workers % groups == 0 ? 0 : 1;
  return s.compute + (2 * members + groups + 1 - uneven) * s.whole_model();
}

}  // namespace

Scheme ps_hierarchical_async_scheme() {
  return {
      .name = "ps-hierarchical-async",
      .summary = "ps-async of groups: a proxy sums each group's gradients, and waits for no other",
      .step = "γ × mean over each group: with G groups it needs a smaller step size, often γ/G",
      .cost = {.formula =
                   "c + (2n/G + G + 1)(α + t), G as --servers says, for the first n minibatches",
               .rate = "as ps-async, of G workers with g times the minibatch",
               .time = step_time},
      .source = "Li et al. 2014; catalogue 2.9",
      .family = SchemeFamily::asynchronous,
      .order = {.pace = Pace::free},
      .cast = proxies_before_model,
      .worker = work,
      .server = serve};
}

}  // namespace trainyard
