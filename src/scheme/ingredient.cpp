#include "trainyard/scheme/ingredient.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "trainyard/aggregation/aggregator.hpp"
#include "trainyard/aggregation/attack.hpp"
#include "trainyard/codec/codec.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/primitive_table.hpp"
#include "trainyard/runtime/robust_mean.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

namespace {

constexpr const char* topology_notes =
    "\n"
    "What stands in brackets holds where ':' and what follows it are left out. `trainyard topology "
    "NAME`\n"
    "shows one of them; what the columns of such a table mean is in docs/topologies.md.\n";

void check_collective(std::string_view text) {
  (void)find_all_reduce(text);
}

constexpr const char* codec_notes =
    "\n"
    "wire: bits of a vector of d floats. error: E‖C(x) − x‖². time: of a parameter, a round "
    "figure\n"
    "that is the same everywhere; --encode-time and --decode-time say what it is here. P% keeps "
    "so\n"
    "many of all numbers, k=K so many; times are those of 1%. What stands in brackets holds where "
    "':'\n"
    "and what follows it are left out.\n";

void check_codec(std::string_view text) {
  (void)make_codec(text);
}

void make_codec_of(std::string_view text, const IngredientSetting& /*setting*/, Ingredients& into) {
  into.put("codec", make_codec(text));
}

void make_graph(std::string_view text, const IngredientSetting& s, Ingredients& into) {
  const int nodes = graph_nodes(s.scheme, s.workers, s.hyperparameters);
  into.put("topology",
           std::make_shared<const Topology>(rounds_over(
               s.scheme, make_topology(text, nodes, s.seed), s.hyperparameters, s.seed)));
}

void make_collective(std::string_view text, const IngredientSetting& /*setting*/,
                     Ingredients& into) {
  into.put("collective", std::make_shared<const AllReduce>(find_all_reduce(text)));
}

std::vector<IngredientInfo> all_topologies() {
  std::vector<IngredientInfo> all;
  for (const TopologyInfo& info : topologies()) all.push_back({info.typed(), info.summary});
  return all;
}

std::vector<IngredientInfo> all_collectives() {
  std::vector<IngredientInfo> all;
  for (const AllReduce& way : all_reduces()) {
    all.push_back({way.name, way.summary, {{"time", way.time}, {"source", way.source}}});
  }
  return all;
}

/// The text at the end of `list collectives`.
std::string collective_notes() {
  std::string text =
      "\nwhat `netcheck --collectives` times besides, and the library has, which is no "
      "all-reduce:\n";
  for (const Primitive& primitive : primitives()) {
    text += fmt::format("{}\n  {}\n  time: {}\n  source: {}\n", primitive.name, primitive.summary,
                        primitive.time, primitive.source);
  }
  return text;
}

std::vector<IngredientInfo> all_codecs() {
  std::vector<IngredientInfo> all;
  for (const CodecInfo& info : codecs()) {
    all.push_back({info.typed(),
                   info.summary,
                   {{"wire", info.wire},
                    {"error", info.error},
                    {"time", fmt::format("{} to encode, {} to decode", exact_text(info.encode_time),
                                         exact_text(info.decode_time))},
                    {"source", info.source}}});
  }
  return all;
}

/// The vectors that a rule combines: of who takes part.
void make_aggregate(std::string_view text, const IngredientSetting& s, Ingredients& into) {
  const auto vectors =
      static_cast<int>(minibatches_of_step(s.scheme, s.workers, s.hyperparameters));
  std::shared_ptr<const Aggregator> made;
  try {
    made = std::make_shared<const Aggregator>(make_aggregator(text, vectors));
  } catch (const UsageError& error) {
    const std::string some =
        vectors < s.workers
            ? fmt::format("; {} of {} workers take part in a round", vectors, s.workers)
            : "";
    throw OptionError(aggregate_kind, error.what() + some);
  }
  if (s.servers > 1 && !made->by_coordinate()) {
    throw OptionError("servers", fmt::to_string(s.servers),
                      fmt::format("{} goes by whole vectors, and each server has a part of them; 1 "
                                  "is accepted",
                                  text));
  }
  into.put(aggregate_kind, std::move(made));
}

void check_liars(std::string_view text) {
  check_byzantine(text);
}

void make_liars(std::string_view text, const IngredientSetting& s, Ingredients& into) {
  std::shared_ptr<const Byzantine> made;
  try {
    made = std::make_shared<const Byzantine>(make_byzantine(text, s.workers));
  } catch (const UsageError& error) {
    throw OptionError(byzantine_kind, error.what());
  }
  if (made->liars > 0 && made->attack->of_graphs() && !takes(s.scheme, "topology")) {
    throw OptionError(byzantine_kind, std::string(text),
                      fmt::format("it tells each neighbour something else, and in {} all hear the "
                                  "same; clipped-gossip, bridge and monna go over a graph",
                                  s.scheme.name));
  }
  into.put(byzantine_kind, std::move(made));
}

std::vector<IngredientInfo> all_aggregates() {
  std::vector<IngredientInfo> all;
  for (const AggregationInfo& info : aggregations()) {
    all.push_back({info.typed(), info.summary, {{"bound", info.bound}, {"source", info.source}}});
  }
  return all;
}

std::vector<IngredientInfo> all_attacks() {
  std::vector<IngredientInfo> all;
  for (const AttackInfo& info : attacks()) {
    all.push_back({"F:" + info.typed(), info.summary, {{"source", info.source}}});
  }
  return all;
}

constexpr const char* aggregate_notes =
    "\n"
    "Rules and what goes before them are joined by '+': nnm:2+trimmed-mean:2. F: so many of the n\n"
    "vectors may be lies. A vector with a number that is not finite is left out, as a liar's, but "
    "by\n"
    "the mean. With a rule, or liars, all workers count alike, whatever rows they have. NU, TAU "
    "and C\n"
    "are lengths of what is combined: among shorter vectors the geometric median and centered "
    "clipping\n"
    "are the mean, and clip does nothing.\n";

constexpr const char* byzantine_notes =
    "\n"
    "F of the workers, the last ones, lie. Liars know what honest workers send, and their lies "
    "take\n"
    "the place of their vectors where these are combined; over a graph each neighbour hears its "
    "own,\n"
    "of models: sign-flip sends the liar's model negated, alie and ipm go by the models that it "
    "hears.\n"
    "What stands in brackets holds where ':' and what follows it are left out.\n";

/// In a quarter of the bits, and in a hundredth of the numbers; as they are, where a scheme does
/// so.
std::vector<std::string> usual_codecs(const Scheme& scheme) {
  std::vector<std::string> usual{"qsgd:127", "top-k:1%"};
  if (scheme.messages.codec_optional) usual.insert(usual.begin(), "identity");
  return usual;
}

/// On these all numbers of workers fit, and a step's messages take 2, n − 1, ⌈log2 n⌉ and 1 message
/// times. The first two stay and are symmetric.
std::vector<std::string> usual_topologies(const Scheme& scheme) {
  if (scheme.graphs.range == GraphRange::static_symmetric) return {"ring", "full"};
  return {"ring", "full", "static-exp", "one-peer-exp"};
}

std::vector<std::string> usual_collectives(const Scheme& /*scheme*/) {
  std::vector<std::string> all;
  for (const AllReduce& way : all_reduces()) all.push_back(way.name);
  return all;
}

}  // namespace

const std::vector<IngredientKind>& ingredient_kinds() {
  static const std::vector<IngredientKind> table{
      {.name = "topology",
       .plural = "topologies",
       .help = "graph of gossip schemes (list topologies)",
       .fallback = "ring",
       .missing = "has none",
       .check = check_topology,
       .make = make_graph,
       .all = all_topologies,
       .notes = topology_notes,
       .usual = usual_topologies},
      {.name = "collective",
       .plural = "collectives",
       .help = "how averages over all workers are taken (list collectives); where no network is "
               "emulated by-size, unless given",
       .fallback = "ring",
       .missing = "has none to choose",
       .check = check_collective,
       .make = make_collective,
       .all = all_collectives,
       .notes = collective_notes(),
       .usual = usual_collectives},
      {.name = "codec",
       .plural = "codecs",
       .help = "how compressed schemes encode what they send (list codecs)",
       .fallback = "qsgd:127",
       .missing = "takes none",
       .check = check_codec,
       .make = make_codec_of,
       .all = all_codecs,
       .notes = codec_notes,
       .usual = usual_codecs},
      {.name = aggregate_kind,
       .plural = "aggregates",
       .help = "what is taken for the mean where some workers may lie (list aggregates)",
       .fallback = "mean",
       .missing = "takes none",
       .check = check_aggregator,
       .make = make_aggregate,
       .all = all_aggregates,
       .notes = aggregate_notes},
      {.name = byzantine_kind,
       .plural = "attacks",
       .help = "liars among the workers, F:ATTACK (list attacks)",
       .fallback = "none",
       .missing = "has no rule for liars",
       .check = check_liars,
       .make = make_liars,
       .all = all_attacks,
       .notes = byzantine_notes},
  };
  return table;
}

const IngredientKind& ingredient_kind(std::string_view name) {
  const auto found = std::ranges::find(ingredient_kinds(), name, &IngredientKind::name);
  require(found != ingredient_kinds().end(), "a kind of ingredient that is not in the table");
  return *found;
}

const std::string& ingredient_name(const IngredientNames& names, std::string_view kind) {
  const auto found = names.find(kind);
  return found != names.end() ? found->second : ingredient_kind(kind).fallback;
}

const std::string& ingredient_name(const Scheme& scheme, const IngredientNames& names,
                                   std::string_view kind) {
  static const std::string no_codec = "identity";
  const bool goes_without = kind == "codec" && scheme.messages.codec_optional;
  return goes_without && !names.contains(kind) ? no_codec : ingredient_name(names, kind);
}

bool takes(const Scheme& scheme, std::string_view kind) {
  return std::ranges::find(scheme.takes, kind) != scheme.takes.end();
}

Ingredients make_ingredients(const IngredientNames& names, const IngredientSetting& setting) {
  Ingredients made;
  for (const std::string& kind : setting.scheme.takes) {
    ingredient_kind(kind).make(ingredient_name(setting.scheme, names, kind), setting, made);
  }
  return made;
}

}  // namespace trainyard
