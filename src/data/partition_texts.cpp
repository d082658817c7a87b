// The texts of options that say which rows go to which worker.
#include <array>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/data/partition.hpp"

namespace trainyard {

namespace {

// Beyond this the shares differ by a thousandth at most, and the partition is iid in all but name.
constexpr double largest_concentration = 1e6;

using PartitionKind = PartitionRule::Kind;

/// Rules that are a word, and those that have something behind it.
constexpr std::array<std::pair<std::string_view, PartitionKind>, 4> plain_rules{
    {{"iid", PartitionKind::iid},
     {"contiguous", PartitionKind::contiguous},
     {"shards", PartitionKind::shards},
     {"split", PartitionKind::split}}};
constexpr std::string_view label_quantity_word = "label-quantity:", dirichlet_word = "dirichlet:",
                           size_word = "size:", by_column_word = "by:";

double parse_concentration(std::string_view text, std::string_view number, std::string_view what) {
  const double concentration = parse_number(number, what);
  if (concentration > 0.0 && concentration <= largest_concentration) return concentration;
  throw UsageError(fmt::format("{}: found '{}'; expected a concentration above 0 and up to {}",
                               what, text, largest_concentration));
}

}  // namespace

PartitionRule parse_partition(std::string_view text, std::string_view what) {
  for (const auto& [word, kind] : plain_rules) {
    if (text == word) return {.kind = kind};
  }
  const auto behind = [&](std::string_view word) { return text.substr(word.size()); };
  if (text.starts_with(label_quantity_word)) {
    constexpr std::int64_t most = std::numeric_limits<Label>::max();
    return {.kind = PartitionKind::label_quantity,
            .classes = static_cast<std::size_t>(
                parse_integer(behind(label_quantity_word), what, 1, most))};
  }
  if (text.starts_with(dirichlet_word)) {
    return {.kind = PartitionKind::dirichlet,
            .concentration = parse_concentration(text, behind(dirichlet_word), what)};
  }
  if (text.starts_with(size_word)) {
    return {.kind = PartitionKind::size,
            .concentration = parse_concentration(text, behind(size_word), what)};
  }
  if (text.starts_with(by_column_word)) {
    if (text.size() == by_column_word.size()) {
      throw UsageError(fmt::format("{}: found '{}'; expected a column behind it, by name or number",
                                   what, text));
    }
    return {.kind = PartitionKind::column, .column = std::string(behind(by_column_word))};
  }
  throw UsageError(fmt::format(
      "{}: found {}; expected iid, contiguous, shards, label-quantity:K (K classes a worker, such "
      "as label-quantity:2), dirichlet:A (A > 0, such as dirichlet:0.1), size:A, by:COLUMN or "
      "split",
      what, echoed(text)));
}

std::string partition_text(const PartitionRule& rule) {
  switch (rule.kind) {
    case PartitionKind::label_quantity:
      return fmt::format("{}{}", label_quantity_word, rule.classes);
    case PartitionKind::dirichlet:
      return fmt::format("{}{}", dirichlet_word, rule.concentration);
    case PartitionKind::size:
      return fmt::format("{}{}", size_word, rule.concentration);
    case PartitionKind::column:
      return fmt::format("{}{}", by_column_word, rule.column);
    case PartitionKind::iid:
    case PartitionKind::contiguous:
    case PartitionKind::shards:
    case PartitionKind::split:
      break;
  }
  for (const auto& [word, kind] : plain_rules) {
    if (rule.kind == kind) return std::string(word);
  }
  throw InternalError("a partition rule without a name");
}

ShareWeights parse_share_weights(std::string_view text, std::string_view what) {
  for (const ShareWeights weights : {ShareWeights::workers, ShareWeights::rows}) {
    if (text == share_weights_text(weights)) return weights;
  }
  throw UsageError(fmt::format("{}: found {}; expected workers or rows", what, echoed(text)));
}

std::string share_weights_text(ShareWeights weights) {
  return weights == ShareWeights::workers ? "workers" : "rows";
}

RowOrder parse_row_order(std::string_view text, std::string_view what) {
  for (const RowOrder order : {RowOrder::reshuffle, RowOrder::once, RowOrder::file}) {
    if (text == row_order_text(order)) return order;
  }
  throw UsageError(
      fmt::format("{}: found {}; expected reshuffle, once or file", what, echoed(text)));
}

std::string row_order_text(RowOrder order) {
  switch (order) {
    case RowOrder::reshuffle:
      return "reshuffle";
    case RowOrder::once:
      return "once";
    case RowOrder::file:
      return "file";
  }
  throw InternalError("a row order without a name");
}

Deal parse_deal(std::string_view text, std::string_view what) {
  for (const Deal deal : {Deal::once, Deal::pass, Deal::speed}) {
    if (text == deal_text(deal)) return deal;
  }
  throw UsageError(fmt::format("{}: found {}; expected once, pass or speed", what, echoed(text)));
}

std::string deal_text(Deal deal) {
  switch (deal) {
    case Deal::once:
      return "once";
    case Deal::pass:
      return "pass";
    case Deal::speed:
      return "speed";
  }
  throw InternalError("a deal without a name");
}

}  // namespace trainyard
