// Training schemes: each is one file, a straight-line program of one worker and, where it has
// servers, of one server. Every runtime runs the same text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/runtime/run_control.hpp"
#include "trainyard/runtime/server.hpp"
#include "trainyard/runtime/worker.hpp"

namespace trainyard {

struct Scheme {
  std::string name;     // as typed after --scheme
  std::string summary;  // one line: who sends what to whom
  std::string step;     // what the step size γ multiplies: how γ compares across schemes
  std::string source;   // paper, section

  Pace pace = Pace::lockstep;
  ModelHome home = ModelHome::replicas;
  bool has_topology = false;    // takes --topology
  bool has_collective = false;  // takes --collective, which says how many servers there are
  bool has_momentum = true;     // its rule allows --momentum
  bool one_rank = false;        // one rank takes the minibatches of all workers

  void (*worker)(Worker&) = nullptr;
  void (*server)(Server&) = nullptr;  // takes --servers if there is one
};

/// The visible table, one row for each scheme.
const std::vector<Scheme>& schemes();

/// The ranks beside the workers that a run of `scheme` has, for what --servers and --collective
/// say.
int server_count(const Scheme& scheme, const AllReduce& collective, int workers, int wanted);

/// Throws UsageError for an unknown name.
const Scheme& find_scheme(std::string_view name);

// The programs, one file each.
void sequential_worker(Worker& worker);
void ps_sync_worker(Worker& worker);
void ps_sync_server(Server& server);
void ps_async_worker(Worker& worker);
void ps_async_server(Server& server);
void ring_worker(Worker& worker);
void all_reduce_worker(Worker& worker);
void all_reduce_server(Server& server);
void hogwild_worker(Worker& worker);
void gossip_worker(Worker& worker);

}  // namespace trainyard
