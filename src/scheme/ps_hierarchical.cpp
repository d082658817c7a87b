// Synchronous parameter server behind proxies (MXNet's and Li's group servers; catalogue §2.9):
// each group of workers has a proxy, which sums its members' gradients, pushes the sum once, and
// gives the model that it pulls to all of them. The root holds the model: x ← x − γ · (1/n) Σ_j
// g_j, ps-sync up to the order of summation. With G groups of g workers each port serves g or G
// messages a way instead of n: a step takes c + 2(g + G)(α + t), least at g = G = √n. Where groups
// are racks
// (--racks as many as --servers), the slow links between them carry G vectors a way instead of n.
#include "trainyard/collective/proxies.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  while (worker.next_step()) {
    exchange_with_proxy(worker.comm(), worker.compute_gradient(), worker.replica());
  }
}

void serve(Server& server) {
  Communicator& comm = server.comm();
  if (!is_root(comm)) {
    VectorBuffer sum(server.shard().scalar(), server.dimension());
    serve_group(comm, sum.view());
    return;
  }
  while (comm.await_message()) {
    const auto gradient = server.zeroed_sum();
    sum_groups(comm, gradient);
    server.apply(gradient, static_cast<std::uint64_t>(comm.workers()), 1.0 / comm.workers());
    answer_groups(comm, server.shard());
  }
}

}  // namespace

Scheme ps_hierarchical_scheme() {
  return {
      .name = "ps-hierarchical",
      .summary = "ps-sync, groups of workers with a proxy each before the server that has it all",
      .step = "γ × mean over workers",
      .cost = {.formula = "c + 2(n/G + G)(α + t), G as --servers says",
               .rate = "1/ε + σ²/(nε²)",
               .time = [](const StepSetting& s) -> std::optional<Duration> {
                 return s.compute + s.all_reduce(find_all_reduce("hierarchical"));
               }},
      .source = "Li et al. 2014; catalogue 2.9",
      .family = SchemeFamily::synchronous,
      .order = {.rows_by_speed = RowsBySpeed::mean},
      .cast = cast::replicas_with_proxies,
      .worker = work,
      .server = serve};
}

}  // namespace trainyard
