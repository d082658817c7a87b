// What rows may be dealt anew (--deal).
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/function_ref.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/runtime/robust_mean.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "run/checks.hpp"

namespace trainyard {

namespace {

/// What its own division of steps does not go with.
void check_speed(const Configuration& c, FunctionRef<void(const std::string&)> refuse) {
  if (c.weights) {
    refuse("every row counts alike with it, and --weights is about shares of the whole run");
  }
  if (asks_for_robust(c.ingredients)) {
    refuse(
        "a gradient that counts by its rows is longer or shorter than others, by which robust "
        "rules go; without --aggregate and --byzantine it is accepted");
  }
  if (c.network.charge_control) {
    refuse(
        "how fast workers are they tell one another by control traffic that costs nothing; "
        "without --charge-control it is accepted");
  }
  const Faults& faults = c.network.faults;
  if (faults.crash() && faults.on_failure == OnFailure::shrink) {
    refuse(
        "with --on-failure shrink rows are dealt anew among those who are left; once and pass "
        "are accepted");
  }
}

Byzantine liars_among(const Configuration& c) {
  try {
    return make_byzantine(ingredient_name(c.ingredients, byzantine_kind), c.workers);
  } catch (const UsageError& error) {
    throw OptionError(byzantine_kind, error.what());
  }
}

}  // namespace

void check_deal(const Configuration& c) {
  if (c.deal == Deal::once) return;
  const auto refuse = [&](const std::string& why) {
    throw OptionError("deal", deal_text(c.deal), why);
  };
  if (c.partition.kind != PartitionRule::Kind::iid) {
    refuse(fmt::format("--partition {} is a division for the whole run; iid is accepted",
                       partition_text(c.partition)));
  }
  if (c.replacement) {
    refuse("with --replacement there are no passes; leave one of them out");
  }
  if (c.order != RowOrder::reshuffle) {
    refuse(fmt::format("with --order {} all passes are alike; reshuffle is accepted",
                       row_order_text(c.order)));
  }
  const std::string& liars = ingredient_name(c.ingredients, byzantine_kind);
  if (const Byzantine byzantine = liars_among(c);
      byzantine.liars > 0 && byzantine.attack->flips_labels()) {
    refuse(
        fmt::format("--byzantine {} flips the labels of rows that stay with their worker; once is "
                    "accepted",
                    liars));
  }
  if (c.deal == Deal::speed) check_speed(c, refuse);
  if (c.data_source == DataSource::server) {
    refuse(
        "rows are dealt among workers that have all of them at hand, and with a data server they "
        "have none; --data-source partitioned is accepted");
  }
}

void check_deal_of(const Scheme& scheme, const Cast& cast, const Configuration& c) {
  if (c.deal == Deal::once) return;
  const auto refuse = [&](std::string_view why) {
    throw OptionError("deal", deal_text(c.deal), fmt::format("{} {}", scheme.name, why));
  };
  if (cast.uses_of_slices) refuse("writes into rows which worker has them; once is accepted");
  if (c.deal != Deal::speed || cast.workers == 1) return;  // who stands for all takes all rows
  if (scheme.order.rows_by_speed == RowsBySpeed::no) {
    refuse(
        scheme.order.pace == Pace::free
            ? "has workers that wait for nobody: the faster one takes more minibatches as it is; "
              "once is accepted"
            : "has no rule for minibatches of different lengths ('trainyard list schemes NAME' "
              "says who has); once is accepted");
  }
  if (scheme.order.rows_by_speed == RowsBySpeed::mean && c.optimizer.clip_norm != 0.0) {
    refuse(
        "has gradients of different lengths then, of which --clip-norm would cut those of few "
        "rows first; leave one of them out");
  }
}

}  // namespace trainyard
