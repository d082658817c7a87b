// The figures of one rank of a run: one row each, from which ranks.csv, the columns of JSON, the
// reading of saved runs and the table of counters are all made. Before them stand the rank's number
// and its role.
//
// Threads: any; the table is built at the first call and never changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "trainyard/base/units.hpp"
#include "trainyard/hardware/counters.hpp"
#include "trainyard/run/figures.hpp"
#include "trainyard/run/run.hpp"

namespace trainyard {

/// The part of a result that has a figure. Every run has its ranks' accounts; their places are
/// known in `wall`, and what was counted of them with --counters, as far as the system tells.
using RankMember =
    std::variant<Duration RankAccount::*, std::uint64_t RankAccount::*,
                 std::optional<int> ThreadPlace::*, std::optional<std::uint64_t> ThreadPlace::*,
                 std::optional<std::uint64_t> ThreadCounts::*>;

struct RankFigure {
  std::string_view key;  // unique, with the unit
  RankMember member;
  std::string_view heading = {};  // in the table of counters; empty: not in it
};

std::span<const RankFigure> rank_figures();
/// The figures whose kind the run has, in the order of the table.
std::vector<const RankFigure*> rank_figures_of(const RunResult& result);

/// Whether every rank of every run has it.
bool is_of_account(const RankFigure& figure);
/// The number of a core or node: it adds up to nothing over ranks.
bool is_index(const RankFigure& figure);

/// Durations in seconds. Nothing where the system did not tell. REQUIRES: the run has its kind.
FigureValue value_of(const RankFigure& figure, const RunResult& result, std::size_t rank);

/// "worker" or "server".
std::string_view role_of(const RunResult& result, std::size_t rank);

}  // namespace trainyard
