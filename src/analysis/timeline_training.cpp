// Most schemes show nothing of the model but its size. Those that divide layers, or send them one
// by one, are shown with layers that make their point.
#include "analysis/timeline_training.hpp"

#include <algorithm>

#include "trainyard/data/generate.hpp"

#include "analysis/layer_chain.hpp"

namespace trainyard {

namespace {

bool is_given(const Configuration& c, std::string_view option) {
  return std::ranges::count(c.given, option) > 0;
}

void set_compute_time(Configuration& c, Duration prepared) {
  if (!is_given(c, "compute-time")) c.compute_time = prepared;
}

constexpr Duration usual_compute_time = std::chrono::milliseconds(3);

/// A pipeline of all workers, of a row of each for each microbatch: what goes from stage to stage
/// is small beside the model, and a stage computes a part of the time for each microbatch.
LoadedData choose_pipeline(const Scheme& scheme, Configuration& c) {
  set_compute_time(c, std::chrono::milliseconds(24));
  const LayerChain chain =
      LayerChain::of_parameters(timeline_model_size, choose_division(scheme, c));
  c.model = chain.model;
  c.batch = 4;
  return chain.data(static_cast<std::size_t>(c.workers) * c.batch, c.seed);
}

/// Four layers of 24 kB and the class scores, which compute for long enough that what is sent
/// meanwhile shows, in pieces of a layer that pay little latency.
LoadedData choose_pieces(const Scheme& scheme, Configuration& c) {
  constexpr std::size_t width = 77;
  constexpr double bytes_of_piece = 20 * 1024;
  set_compute_time(c, std::chrono::milliseconds(30));
  if (!is_given(c, "latency")) c.network.latency = std::chrono::microseconds(300);
  for (const HyperparameterInfo& info : scheme.hyperparameters) {
    if (info.unit == Unit::bytes) c.hyperparameters.try_emplace(info.name, bytes_of_piece);
  }
  c.model = "mlp:77,77,77,77";
  return {"97 kB", generate_blobs(static_cast<std::size_t>(c.workers), width, 2, 1.0, c.seed), {}};
}

/// Two pairs of layers of 80 units, which most numbers of workers divide. Of a row of each worker
/// nobody would see what is sent.
LoadedData choose_network(Configuration& c) {
  set_compute_time(c, usual_compute_time);
  c.model = "mlp:80,80,80";
  c.batch = 16;
  const std::size_t rows = static_cast<std::size_t>(c.workers) * c.batch;
  return {"96 kB", generate_blobs(rows, 56, 80, 1.0, c.seed), {}};
}

}  // namespace

LoadedData choose_training(const Scheme& scheme, Configuration& c) {
  c.batch = 1;
  if (has_stages(scheme)) return choose_pipeline(scheme, c);
  if (scheme.messages.by_layers) return choose_pieces(scheme, c);
  if (divides_layers(scheme, c)) return choose_network(c);
  set_compute_time(c, usual_compute_time);
  c.sparse_wire = SparseWire::off;
  const auto rows = static_cast<std::size_t>(c.workers);
  return {"96 kB", generate_sparse_logistic(rows, timeline_model_size, 4, c.seed), {}};
}

}  // namespace trainyard
