// Training schemes: each is one file, a straight-line program of one worker and, where it has
// servers, of one server. Every runtime runs the same text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

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
  bool has_topology = false;  // takes --topology
  bool has_momentum = true;   // its rule allows --momentum
  bool one_rank = false;      // one rank takes the minibatches of all workers

  void (*worker)(Worker&) = nullptr;
  void (*server)(Server&) = nullptr;  // takes --servers if there is one
};

/// The visible table, one row for each scheme.
const std::vector<Scheme>& schemes();

/// Throws UsageError for an unknown name.
const Scheme& find_scheme(std::string_view name);

// The programs, one file each.
void sequential_worker(Worker& worker);
void ps_sync_worker(Worker& worker);
void ps_sync_server(Server& server);
void ps_async_worker(Worker& worker);
void ps_async_server(Server& server);
void ring_worker(Worker& worker);
void hogwild_worker(Worker& worker);
void gossip_worker(Worker& worker);

}  // namespace trainyard
