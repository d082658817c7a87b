#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/named_table.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/check.hpp"

namespace trainyard {

// The scheme's own file says everything about it, in its row at the end.
Scheme sequential_scheme();
Scheme ps_sync_scheme();
Scheme ring_scheme();
Scheme zero_1_scheme();
Scheme all_reduce_scheme();
Scheme ddp_scheme();
Scheme fused_all_reduce_scheme();
Scheme ps_hierarchical_scheme();
Scheme tensor_split_scheme();

Scheme csgd_scheme();
Scheme ec_sgd_scheme();
Scheme double_squeeze_scheme();
Scheme coded_all_reduce_scheme();
Scheme terngrad_scheme();
Scheme sign_sgd_scheme();
Scheme power_sgd_scheme();
Scheme one_bit_adam_scheme();

Scheme gpipe_scheme();
Scheme one_f_one_b_scheme();
Scheme pipedream_scheme();

Scheme ps_backup_scheme();
Scheme ps_backup_interrupt_scheme();
Scheme gradient_coding_scheme();

Scheme ps_async_scheme();
Scheme ps_hierarchical_async_scheme();
Scheme staleness_aware_scheme();
Scheme dc_asgd_c_scheme();
Scheme dc_asgd_a_scheme();
Scheme downpour_scheme();
Scheme ps_activations_scheme();

Scheme ssp_scheme();
Scheme ssp_strict_scheme();
Scheme essp_scheme();
Scheme key_value_scheme();
Scheme value_bound_scheme();
Scheme ps_async_epochs_scheme();

Scheme sandblaster_scheme();

Scheme local_sgd_scheme();
Scheme post_local_sgd_scheme();
Scheme fedavg_scheme();
Scheme fedpaq_scheme();
Scheme qsparse_local_sgd_scheme();
Scheme easgd_scheme();
Scheme easgd_async_scheme();
Scheme eamsgd_scheme();
Scheme tree_easgd_scheme();
Scheme mpca_sgd_scheme();

Scheme hogwild_scheme();
Scheme buckwild_scheme();
Scheme hogwild_split_scheme();
Scheme hogwild_numa_scheme();
Scheme hogwild_plus_plus_scheme();

Scheme gossip_scheme();
Scheme hierarchical_gossip_scheme();
Scheme d_psgd_scheme();
Scheme gradient_tracking_scheme();
Scheme diging_scheme();
Scheme d2_scheme();
Scheme exact_diffusion_scheme();
Scheme nids_scheme();
Scheme extra_scheme();
Scheme sgp_scheme();
Scheme sgp_overlap_scheme();
Scheme gossip_pga_scheme();
Scheme gossip_aga_scheme();
Scheme quasi_global_momentum_scheme();
Scheme relay_sum_scheme();
Scheme matcha_scheme();
Scheme ad_psgd_scheme();
Scheme gosgd_scheme();

Scheme naive_compression_scheme();
Scheme dcd_scheme();
Scheme ecd_scheme();
Scheme choco_scheme();
Scheme deep_squeeze_scheme();

namespace {

using MakeScheme = Scheme (*)();

// A line each.
// clang-format off
const MakeScheme published[] = {
using RowOfScheme = Scheme (*)();

// A line each.
// clang-format off
const RowOfScheme published[] = {
  sequential_scheme,
  ps_sync_scheme,
  ring_scheme,
  zero_1_scheme,
  all_reduce_scheme,
  ddp_scheme,
  fused_all_reduce_scheme,
  ps_hierarchical_scheme,
  tensor_split_scheme,
  csgd_scheme,
  ec_sgd_scheme,
  double_squeeze_scheme,
  coded_all_reduce_scheme,
  terngrad_scheme,
  sign_sgd_scheme,
  power_sgd_scheme,
  one_bit_adam_scheme,

  gpipe_scheme,
  one_f_one_b_scheme,
  pipedream_scheme,

  ps_backup_scheme,
  ps_backup_interrupt_scheme,
  gradient_coding_scheme,
  ps_async_scheme,
  ps_hierarchical_async_scheme,
  staleness_aware_scheme,
  dc_asgd_c_scheme,
  dc_asgd_a_scheme,
  downpour_scheme,
  ps_activations_scheme,
  ssp_scheme,
  ssp_strict_scheme,
  essp_scheme,
  key_value_scheme,
  value_bound_scheme,
  ps_async_epochs_scheme,
  sandblaster_scheme,

  local_sgd_scheme,
  post_local_sgd_scheme,
  fedavg_scheme,
  fedpaq_scheme,
  qsparse_local_sgd_scheme,
  easgd_scheme,
  easgd_async_scheme,
  eamsgd_scheme,
  tree_easgd_scheme,
  mpca_sgd_scheme,

  hogwild_scheme,
  buckwild_scheme,
  hogwild_split_scheme,
  hogwild_numa_scheme,
  hogwild_plus_plus_scheme,

  gossip_scheme,
  hierarchical_gossip_scheme,
  d_psgd_scheme,
  gradient_tracking_scheme,
  diging_scheme,
  d2_scheme,
  exact_diffusion_scheme,
  nids_scheme,
  extra_scheme,
  sgp_scheme,
  sgp_overlap_scheme,
  gossip_pga_scheme,
  gossip_aga_scheme,
  quasi_global_momentum_scheme,
  relay_sum_scheme,
  matcha_scheme,
  ad_psgd_scheme,
  gosgd_scheme,
  naive_compression_scheme,
  dcd_scheme,
  ecd_scheme,
  choco_scheme,
  deep_squeeze_scheme,
};
// clang-format on

std::vector<Scheme> published_schemes() {
  std::vector<Scheme> rows;
  for (const auto& row : published) rows.push_back(row());
  return rows;
}

/// References into the rows are handed out, so they stay where they are once the table was read.
struct Table {
  std::vector<Scheme> rows = published_schemes();
  std::size_t published = rows.size();
  std::atomic<bool> read{false};

  Table() { check_schemes(rows); }
};

Table& table() {
  static Table all;
  return all;
}

}  // namespace

const std::vector<Scheme>& schemes() {
  Table& all = table();
  all.read.store(true, std::memory_order_relaxed);
  return all.rows;
}

std::span<const Scheme> own_schemes() {
  return std::span(schemes()).subspan(table().published);
}

std::optional<Duration> StepSetting::coded_message(std::size_t floats, const Codec& by) const {
  if (!by.fixed_size()) return std::nullopt;
  const TensorShape column{floats, 1};
  return message_of_bytes(by.most_bytes(Scalar::float32, {&column, 1}));
}

bool encodes(const Scheme& scheme) {
  return takes(scheme, "codec") || scheme.own_coding.encode.count() > 0;
}

CodingTime usual_coding_time(const Scheme& scheme, std::string_view codec) {
  if (!takes(scheme, "codec")) return scheme.own_coding;
  const CodecInfo& info = codec_info(codec);
  return {info.encode_time, info.decode_time};
}

void serve_collective(Server& server) {
  server.collective().serve(server.comm(), server.shard().scalar(), server.dimension());
}

HyperparameterInfo known_hyperparameter(std::string_view name) {
  std::vector<HyperparameterInfo> known;
  for (const Scheme& scheme : std::span(table().rows).first(table().published)) {
    for (const HyperparameterInfo& info : scheme.hyperparameters) {
      if (std::ranges::find(known, info.name, &HyperparameterInfo::name) == known.end()) {
        known.push_back(info);
      }
    }
  }
  return find_named(known, name, "hyperparameter");
}

void add_scheme(Scheme scheme) {
  Table& all = table();
  if (all.read.load(std::memory_order_relaxed)) {
    throw UsageError(
        fmt::format("scheme '{}': add_scheme() comes too late, as the table of schemes was read "
                    "before; call it first in main()",
                    scheme.name));
  }
  std::vector<Scheme> rows = all.rows;
  rows.push_back(std::move(scheme));
  check_schemes(rows);
  try_functions(rows.back());
  all.rows = std::move(rows);
}

Cast cast_of(const Scheme& scheme, int workers, int servers, const IngredientNames& names,
             const Hyperparameters& hyperparameters) {
  const AllReduce* collective = takes(scheme, "collective")
                                    ? &find_all_reduce(ingredient_name(names, "collective"))
                                    : nullptr;
  Cast made = scheme.cast({.workers = workers,
                           .servers = servers,
                           .collective = collective,
                           .hyperparameters = hyperparameters});
  check_cast(scheme, made, workers);
  return made;
}

std::vector<Holding> holdings_of(const Scheme& scheme, const Cast& cast, const Model& model,
                                 std::string_view name) {
  if (cast.holds == nullptr) return {};
  std::vector<Holding> holdings;
  try {
    holdings = cast.holds(model, cast);
  } catch (const OptionError&) {
    throw;  // says itself what is to be changed
  } catch (const UsageError& error) {
    throw OptionError("model", std::string(name), fmt::format("{}: {}", scheme.name, error.what()));
  }
  check_holdings(scheme, cast, holdings, model.dimension());
  return holdings;
}

bool by_arrival(const Scheme& scheme) {
  return scheme.pace == Pace::lockstep && scheme.family == SchemeFamily::bounded;
}

Hyperparameters with_fallbacks(const Scheme& scheme, Hyperparameters given, int workers) {
  for (const HyperparameterInfo& parameter : scheme.hyperparameters) {
    const double fallback = parameter.run_fallback != nullptr
                                ? parameter.run_fallback(workers, given)
                                : parameter.default_value();
    if (!parameter.of_workers) {
      given.try_emplace(parameter.name, fallback);
      continue;
    }
    const double most = workers - 1;
    const auto [entry, missing] = given.try_emplace(parameter.name, std::min(fallback, most));
    if (entry->second > most) {
      throw OptionError(parameter.name, fmt::format("{} of {} workers leave none; at most {}",
                                                    entry->second, workers, most));
    }
  }
  return given;
}

int graph_nodes(const Scheme& scheme, int workers, const Hyperparameters& hyperparameters) {
  return scheme.graphs.nodes == nullptr ? workers : scheme.graphs.nodes(workers, hyperparameters);
}

Topology rounds_over(const Scheme& scheme, const Topology& graph,
                     const Hyperparameters& hyperparameters, std::uint64_t seed) {
  return scheme.graphs.rounds == nullptr ? graph
                                         : scheme.graphs.rounds(graph, hyperparameters, seed);
}

namespace {

constexpr std::uint64_t longest_cycle = 1'000'000'000'000;  // squared it is beyond 64 bits

/// lcm(a, b), at most longest_cycle, as a and b are. REQUIRES: a, b >= 1.
std::uint64_t common_cycle(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t times = a / std::gcd(a, b);
  return times > longest_cycle / b ? longest_cycle : times * b;
}

}  // namespace

std::uint64_t steps_of_cycle(const Scheme& scheme, int workers,
                             const Hyperparameters& hyperparameters) {
  std::uint64_t steps = 1;
  for (const HyperparameterInfo& parameter : scheme.hyperparameters) {
    if (!parameter.cycle) continue;
    const auto each = static_cast<std::uint64_t>(hyperparameter(hyperparameters, parameter.name));
    steps = common_cycle(steps, std::min(each, longest_cycle));
  }
  if (scheme.cycle == nullptr) return steps;
  const std::uint64_t of_row = scheme.cycle(workers, hyperparameters);
  return common_cycle(steps, std::clamp<std::uint64_t>(of_row, 1, longest_cycle));
}

const Scheme& find_scheme(std::string_view name) {
  return find_named(schemes(), name, "scheme");
}

namespace {

struct Group {
  const char* name;
  bool centralised, decentralised;
};
constexpr std::array groups{Group{"all-centralised", true, false},
                            Group{"all-decentralised", false, true}, Group{"all", true, true}};

}  // namespace

bool is_group(std::string_view name) {
  return std::ranges::find(groups, name, &Group::name) != groups.end();
}

std::vector<std::string> schemes_of_group(std::string_view group) {
  std::vector<std::string> names;
  const auto* found = std::ranges::find(groups, group, &Group::name);
  if (found == groups.end()) return names;
  for (const Scheme& scheme : schemes()) {
    const bool decentralised = scheme.family == SchemeFamily::decentralised;
    if (decentralised ? found->decentralised : found->centralised) names.push_back(scheme.name);
  }
  return names;
}

std::vector<std::string> scheme_groups() {
  std::vector<std::string> names;
  names.reserve(groups.size());
  for (const Group& group : groups) names.emplace_back(group.name);
  return names;
}

}  // namespace trainyard
