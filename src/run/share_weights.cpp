#include "run/share_weights.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/runtime/robust_mean.hpp"

namespace trainyard {

namespace {

/// Shares of iid and contiguous differ by a row at most, those of shards by two.
bool may_be_unequal(const PartitionRule& rule) {
  using Kind = PartitionRule::Kind;
  return rule.kind != Kind::iid && rule.kind != Kind::contiguous && rule.kind != Kind::shards;
}

/// Nobody can believe how many rows a liar says it has.
bool counts_all_alike(const Scheme& scheme, const Configuration& c) {
  return takes(scheme, aggregate_kind) && asks_for_robust(c.ingredients);
}

/// Why its workers' gradients cannot be weighed; empty where they can.
std::string why_not_weighed(const Scheme& scheme, const Cast& cast, const Configuration& c) {
  if (!scheme.shares.fixed.empty()) return scheme.shares.fixed;
  if (scheme.shares.in_program) return "";
  if (cast.holds != nullptr) {
    return "those who hold a copy of the model take the minibatches of all their shares together";
  }
  const OptimizerKind kind = c.optimizer.kind;
  const bool heeds_length = kind == OptimizerKind::sgd || kind == OptimizerKind::nesterov;
  if (!heeds_length && scheme.family != SchemeFamily::synchronous) {
    return fmt::format(
        "{} is given each worker's gradients by themselves, and does not heed how "
        "long they are",
        optimizer_text(kind));
  }
  return "";
}

std::string note_of(const Scheme& scheme, const Cast& cast, const Configuration& c,
                    const std::string& shares) {
  const char* as_far_as = scheme.order.pace == Pace::free
                              ? " (as far as they take equally many steps)"
                          : scheme.family == SchemeFamily::local_updates
                              ? " (as far as replicas do not drift apart between two averages)"
                              : "";
  if (!scheme.shares.fixed.empty()) {
    return fmt::format(
        "note: {}; {}: what is minimised is not the mean over rows, which is the loss that is "
        "reported",
        shares, scheme.shares.fixed);
  }
  if (weights_of(scheme, c) == ShareWeights::workers) {
    const bool has_other = why_not_weighed(scheme, cast, c).empty() && !counts_all_alike(scheme, c);
    return fmt::format(
        "note: {}; what is minimised is the mean over workers{}, and not the mean over rows, which "
        "is the loss that is reported{}",
        shares, as_far_as, has_other ? "; --weights rows minimises that" : "");
  }
  if (c.weights) {
    return fmt::format("note: {}; with --weights rows the mean over rows is minimised{}", shares,
                       as_far_as);
  }
  if (minibatches_of_step(scheme, c.workers, with_fallbacks(scheme, c.hyperparameters, c.workers)) <
      static_cast<std::uint64_t>(c.workers)) {
    return fmt::format(
        "note: {}; {} weighs those who take part by their rows, and as not all do in each round, "
        "what it minimises lies between the mean over workers and that over rows",
        shares, scheme.name);
  }
  return fmt::format(
      "note: {}; {} weighs workers by their rows, and minimises the mean over rows{}", shares,
      scheme.name, as_far_as);
}

}  // namespace

ShareWeights weights_of(const Scheme& scheme, const Configuration& c) {
  if (counts_all_alike(scheme, c)) return ShareWeights::workers;
  return c.weights.value_or(scheme.shares.published);
}

void check_weights(const Scheme& scheme, const Cast& cast, const Configuration& c) {
  if (counts_all_alike(scheme, c) && c.weights == ShareWeights::rows) {
    throw OptionError("weights", share_weights_text(*c.weights),
                      "with --aggregate or --byzantine all workers count alike, as nobody can "
                      "believe how many rows a liar says it has; workers is accepted");
  }
  if (weights_of(scheme, c) == scheme.shares.published) return;
  const std::string why_not = why_not_weighed(scheme, cast, c);
  if (why_not.empty()) return;
  throw OptionError("weights", share_weights_text(*c.weights),
                    fmt::format("{} takes only {}: {}", scheme.name,
                                share_weights_text(scheme.shares.published), why_not));
}

std::vector<double> loss_weights(const Scheme& scheme, const Configuration& c,
                                 const std::vector<std::vector<std::uint32_t>>& parts) {
  const ShareRule& rule = scheme.shares;
  const bool as_published = weights_of(scheme, c) == rule.published;
  if (as_published || rule.in_program) return {};
  return row_weights(parts);
}

void remark_unequal_shares(const Configuration& c, std::span<const RunObjects> all,
                           const Dataset& train, const Remark& remark) {
  if (!may_be_unequal(c.partition) || c.workers == 1) return;
  const auto parts = divide_rows(train, c.partition, static_cast<std::size_t>(c.workers), c.seed);
  const auto size = [](const auto& part) { return part.size(); };
  const auto [least, most] = std::ranges::minmax_element(parts, {}, size);
  if (most->size() - least->size() <= 1) return;
  std::vector<std::string> rules;
  const std::string shares = fmt::format("workers have unequal numbers of rows (--partition {})",
                                         partition_text(c.partition));
  for (const RunObjects& objects : all) {
    const Scheme& scheme = *objects.scheme;
    const bool has_shares =
        scheme.shares.published == ShareWeights::workers || scheme.shares.fixed.empty();
    if (has_shares) rules.push_back(note_of(scheme, objects.cast, c, shares));
  }
  if (rules.empty()) return;
  // The numbers, which another seed has others of, by themselves: the rule is one note of all.
  const double factor = static_cast<double>(most->size()) * static_cast<double>(c.workers) /
                        static_cast<double>(train.rows);
  remark(fmt::format(
      "note: workers have {} to {} of the {} rows; where rows are weighed, the largest share has "
      "weight {:.3g} in a step (n·n_i/N; 1 where shares are equal), as if its step were so many "
      "times as long",
      least->size(), most->size(), train.rows, factor));
  for (const std::string& rule : rules) remark(rule);
}

}  // namespace trainyard
