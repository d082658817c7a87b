#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "trainyard/aggregation/aggregator.hpp"
#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/named_table.hpp"

#include "aggregation/argument.hpp"
#include "aggregation/rows.hpp"

namespace trainyard {

const std::vector<AggregationInfo>& aggregations() {
  static const std::vector<AggregationInfo> table{
      bucketing_step(),     nearest_neighbour_mixing_step(),
      clip_step(),          adaptive_clip_step(),
      mean_rule(),          median_rule(),
      trimmed_mean_rule(),  mean_around_median_rule(),
      krum_rule(),          multi_krum_rule(),
      bulyan_rule(),        geometric_median_rule(),
      centered_clip_rule(), mda_rule(),
  };
  return table;
}

std::string AggregationInfo::typed() const {
  if (argument.empty()) return name;
  return fmt::format("{}:{}{}", name, argument, fallback.empty() ? "" : " [" + fallback + "]");
}

namespace {

struct TypedStep {
  std::string_view text;  // "krum:1"
  const AggregationInfo* info = nullptr;
  std::shared_ptr<const AggregationStep> step;
};

TypedStep typed_step(std::string_view text) {
  const ArgumentParts parts = argument_parts(text);
  const AggregationInfo& info = find_named(aggregations(), parts.first, "aggregation");
  if (parts.has_second && info.argument.empty()) {
    throw UsageError(fmt::format("aggregation {}: it takes no argument", info.name));
  }
  if (!parts.has_second && !info.argument.empty() && info.fallback.empty()) {
    throw UsageError(fmt::format("aggregation {}: it needs an argument; {} is accepted", info.name,
                                 info.typed()));
  }
  try {
    return {text, &info,
            info.make(parts.has_second ? parts.second : std::string_view(info.fallback))};
  } catch (const UsageError& error) {
    throw UsageError(
        fmt::format("aggregation {}: {}; {} is accepted", info.name, error.what(), info.typed()));
  }
}

/// The steps of a chain that ends with a rule, and has none before.
std::vector<TypedStep> typed_chain(std::string_view text) {
  std::vector<TypedStep> chain;
  std::string_view rest = text;
  for (bool more = true; more;) {
    chain.push_back(typed_step(next_part(rest, '+', more)));
    const bool rule = chain.back().step->is_rule();
    if (rule && more) {
      throw UsageError(fmt::format("aggregation {}: {} makes one vector, and nothing may follow it",
                                   echoed(text), chain.back().info->name));
    }
    if (!rule && !more) {
      throw UsageError(
          fmt::format("aggregation {}: after {} a rule is missing that makes one vector, as in "
                      "{}+trimmed-mean:1",
                      echoed(text), chain.back().info->name, chain.back().text));
    }
  }
  return chain;
}

void check_bound(const TypedStep& typed, int given, int vectors) {
  const int least = typed.step->least(), most = typed.step->most();
  if (given >= least && given <= most) return;
  const std::string before =
      given == vectors ? "" : fmt::format(", what the steps before it make of {}", vectors);
  const std::string limit =
      given < least ? fmt::format("at least {}", least) : fmt::format("at most {}", most);
  throw UsageError(fmt::format("aggregation {}: it takes {} vectors ({}), and here are {}{}",
                               typed.text, limit, typed.info->bound, given, before));
}

}  // namespace

void check_aggregator(std::string_view text) {
  typed_chain(text);
}

Aggregator make_aggregator(std::string_view text, int vectors) {
  require(vectors >= 1, "an aggregator is made for one vector at least");
  std::vector<std::shared_ptr<const AggregationStep>> steps;
  int given = vectors;
  for (const TypedStep& typed : typed_chain(text)) {
    check_bound(typed, given, vectors);
    given = typed.step->is_rule() ? 1 : typed.step->results(given);
    steps.push_back(typed.step);
  }
  return {std::move(steps), vectors};
}

}  // namespace trainyard
