#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/named_table.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/check.hpp"
#include "scheme/published.hpp"

namespace trainyard {

namespace {

constexpr std::size_t most_late_schemes = 256;

/// References into the rows are handed out, so they stay where they are once the table was read:
/// for those that come later there is room.
struct Table {
  std::vector<Scheme> rows = published_schemes();
  std::size_t published = rows.size();
  std::atomic<bool> read{false};

  Table() {
    check_schemes(rows);
    rows.reserve(published + most_late_schemes);
  }
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

namespace {

/// The number of a minibatch's keys in one server's shard; nothing where the shard goes whole.
std::optional<std::size_t> keys_of(const StepSetting& s) {
  const std::size_t shard = s.parameters / static_cast<std::size_t>(s.servers);
  const auto keys = static_cast<std::size_t>(std::llround(s.touched * static_cast<double>(shard)));
  return 2 * keys < shard ? std::optional(keys) : std::nullopt;
}

Duration whole_shard(const StepSetting& s) {
  return s.message(s.parameters / static_cast<std::size_t>(s.servers));
}

}  // namespace

Duration StepSetting::keyed_push() const {
  const auto keys = keys_of(*this);
  return keys ? message_of_bytes(sizeof(std::uint32_t) * (1 + 2 * *keys)) : whole_shard(*this);
}

Duration StepSetting::keyed_pull() const {
  const auto keys = keys_of(*this);
  return keys ? message_of_bytes(sizeof(float) * *keys) : whole_shard(*this);
}

bool encodes(const Scheme& scheme) {
  return takes(scheme, "codec") || scheme.messages.own_coding.encode.count() > 0;
}

bool encodes(const Scheme& scheme, const IngredientNames& names) {
  if (!encodes(scheme) || !scheme.messages.codec_optional) return encodes(scheme);
  return !make_codec(ingredient_name(scheme, names, "codec"))->is_identity();
}

CodingTime usual_coding_time(const Scheme& scheme, std::string_view codec) {
  if (!takes(scheme, "codec")) return scheme.messages.own_coding;
  const CodecInfo& info = codec_info(codec);
  return {info.encode_time, info.decode_time};
}

void serve_collective(Server& server) {
  collective_of(server).serve(server.comm(), server.shard().scalar(), server.dimension());
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
  return find_named(known, name, "hyperparameter of the published schemes");
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
  rows.reserve(rows.size() + most_late_schemes);
  all.rows = std::move(rows);
}

void add_scheme_late(Scheme scheme) {
  Table& all = table();
  const auto added = all.rows.begin() + static_cast<std::ptrdiff_t>(all.published);
  const auto same = std::ranges::find(added, all.rows.end(), scheme.name, &Scheme::name);
  const auto place = static_cast<std::size_t>(same - all.rows.begin());
  if (place == all.rows.capacity()) {
    throw UsageError(fmt::format("scheme '{}': {} were added; there is room for no more",
                                 scheme.name, all.rows.size() - all.published));
  }
  std::vector<Scheme> rows = all.rows;
  if (place == rows.size()) rows.emplace_back();
  rows[place] = std::move(scheme);
  check_schemes(rows);
  try_functions(rows[place]);
  if (place == all.rows.size()) all.rows.emplace_back();  // which moves none of the others
  all.rows[place] = std::move(rows[place]);
}

Cast cast_of(const Scheme& scheme, int workers, int servers, const IngredientNames& names,
             const Hyperparameters& hyperparameters) {
  const AllReduce* collective = takes(scheme, "collective")
                                    ? &find_all_reduce(ingredient_name(names, "collective"))
                                    : nullptr;
  // A comparison has those of other rows beside them.
  Hyperparameters own;
  for (const HyperparameterInfo& info : scheme.hyperparameters) {
    const auto found = hyperparameters.find(info.name);
    if (found != hyperparameters.end()) own.insert(*found);
  }
  const bool is_coded = takes(scheme, "codec");
  Cast made = scheme.cast({.workers = workers,
                           .servers = servers,
                           .collective = collective,
                           .codec = is_coded ? ingredient_name(scheme, names, "codec") : "",
                           .hyperparameters = own});
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

std::uint64_t minibatches_of_step(const Scheme& scheme, int workers,
                                  const Hyperparameters& hyperparameters) {
  const int counted = scheme.cost.learns_from == nullptr
                          ? workers
                          : scheme.cost.learns_from(workers, hyperparameters);
  return static_cast<std::uint64_t>(counted);
}

bool by_arrival(const Scheme& scheme) {
  return scheme.order.pace != Pace::lockstep || scheme.family == SchemeFamily::bounded ||
         scheme.order.by_clock;
}

Hyperparameters with_fallbacks(const Scheme& scheme, Hyperparameters given, int workers) {
  Hyperparameters before;  // in the row: a comparison has those of other rows beside them
  for (const HyperparameterInfo& parameter : scheme.hyperparameters) {
    const double most = workers - 1;
    double fallback = parameter.run_fallback != nullptr ? parameter.run_fallback(workers, before)
                                                        : parameter.default_value();
    if (parameter.of_workers) fallback = std::min(fallback, most);
    const auto entry = given.try_emplace(parameter.name, fallback).first;
    before.insert(*entry);
    if (parameter.of_workers && entry->second > most) {
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
  if (scheme.order.cycle == nullptr) return steps;
  const std::uint64_t of_row = scheme.order.cycle(workers, hyperparameters);
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
