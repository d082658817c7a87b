#include "trainyard/run/rank_figures.hpp"

#include <algorithm>
#include <iterator>

namespace trainyard {

namespace rank_table {

using A = RankAccount;

/// In the order of ranks.csv; behind them the counters of hardware/counters.hpp.
constexpr RankFigure rows[] = {
    {.key = "compute_s", .member = &A::compute},
    {.key = "transfer_s", .member = &A::transfer},
    {.key = "wait_s", .member = &A::wait},
    {.key = "messages_sent", .member = &A::messages_sent},
    {.key = "bytes_sent", .member = &A::bytes_sent},
    {.key = "messages_received", .member = &A::messages_received},
    {.key = "bytes_received", .member = &A::bytes_received},
    {.key = "core", .member = &ThreadPlace::core, .heading = "core"},
    {.key = "node", .member = &ThreadPlace::node, .heading = "node"},
    {.key = "moves", .member = &ThreadPlace::moves, .heading = "moves"},
};

std::vector<RankFigure> all_rows() {
  std::vector<RankFigure> all(std::begin(rows), std::end(rows));
  for (const ThreadCounter& counter : thread_counters()) {
    all.push_back({.key = counter.key, .member = counter.value, .heading = counter.heading});
  }
  return all;
}

/// The kinds of figures, each with a value a rank.
template <typename T>
const std::vector<A>& kind(const RunResult& result, T A::* /*member*/) {
  return result.accounts;
}
template <typename T>
const std::vector<ThreadPlace>& kind(const RunResult& result, T ThreadPlace::* /*member*/) {
  return result.places;
}
template <typename T>
const std::vector<ThreadCounts>& kind(const RunResult& result, T ThreadCounts::* /*member*/) {
  return result.counts;
}

FigureValue figure_value(Duration value) {
  return to_seconds(value);
}
FigureValue figure_value(std::uint64_t value) {
  return value;
}
template <typename T>
FigureValue figure_value(const std::optional<T>& value) {
  return value ? FigureValue(static_cast<std::uint64_t>(*value)) : FigureValue();
}

}  // namespace rank_table

std::span<const RankFigure> rank_figures() {
  static const std::vector<RankFigure> all = rank_table::all_rows();
  return all;
}

std::vector<const RankFigure*> rank_figures_of(const RunResult& result) {
  std::vector<const RankFigure*> had;
  for (const RankFigure& figure : rank_figures()) {
    const bool has = std::visit(
        [&](auto member) { return !rank_table::kind(result, member).empty(); }, figure.member);
    if (has || is_of_account(figure)) had.push_back(&figure);
  }
  return had;
}

bool is_of_account(const RankFigure& figure) {
  return std::holds_alternative<Duration RankAccount::*>(figure.member) ||
         std::holds_alternative<std::uint64_t RankAccount::*>(figure.member);
}

bool is_index(const RankFigure& figure) {
  return std::holds_alternative<std::optional<int> ThreadPlace::*>(figure.member);
}

FigureValue value_of(const RankFigure& figure, const RunResult& result, std::size_t rank) {
  return std::visit(
      [&](auto member) {
        return rank_table::figure_value(rank_table::kind(result, member).at(rank).*member);
      },
      figure.member);
}

std::string_view role_of(const RunResult& result, std::size_t rank) {
  const auto servers = static_cast<std::size_t>(result.summary.servers);
  return rank + servers < result.accounts.size() ? "worker" : "server";
}

}  // namespace trainyard
