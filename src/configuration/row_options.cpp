// Options of [data]: which rows go where, and in which order.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/data/partition.hpp"

#include "configuration/option_rows.hpp"

namespace trainyard {

namespace {

using C = Configuration;
using Text = std::string_view;

Option order_option() {
  return {"data",
          "order",
          "reshuffle|once|file",
          "order of a worker's rows: anew for each pass, shuffled once, or the file's",
          [](C& c, Text t, Text w) { c.order = parse_row_order(t, w); },
          [](const C& c) { return row_order_text(c.order); }};
}

Option deal_option() {
  return idle_where(
      {"data", "deal", "once|pass|speed",
       "how rows are divided among the workers: once; anew for each pass; or those "
       "of each step by how fast workers are, each with that share of --batch (LB-BSP). "
       "With pass and speed all have the whole data set at hand",
       [](C& c, Text t, Text w) { c.deal = parse_deal(t, w); },
       [](const C& c) { return deal_text(c.deal); }},
      [](const OptionSetting& s) {
        const Configuration& c = s.configuration;
        if (c.workers == 1) return "one worker has all rows";
        const bool single = c.deal == Deal::speed && c.batch == 1;
        return single ? "of each step every worker has one row" : "";
      });
}

Option data_source_option() {
  return {
      "data",
      "data-source",
      "partitioned|server",
      "where rows lie: beside each worker, or with a data server, a rank more, from which each "
      "minibatch comes over the network",
      [](C& c, Text t, Text w) {
        static const std::array<std::string, 2> names{"partitioned", "server"};
        c.data_source = static_cast<DataSource>(chosen(t, w, names));
      },
      [](const C& c) { return c.data_source == DataSource::server ? "server" : "partitioned"; }};
}

Option weights_option() {
  return idle_where({"data", "weights", "workers|rows",
                     "what is minimised where shares are unequal: the mean over workers, or over "
                     "rows [the scheme's published rule]",
                     [](C& c, Text t, Text w) { c.weights = parse_share_weights(t, w); },
                     [](const C& c) { return c.weights ? share_weights_text(*c.weights) : ""; }},
                    [](const OptionSetting& s) {
                      return s.configuration.workers == 1 ? "one worker has all rows" : "";
                    });
}

}  // namespace

std::vector<Option> row_options() {
  return {
      also(taker::split | taker::lab,
           {"data", "partition",
            "iid|contiguous|shards|label-quantity:K|dirichlet:A|size:A|by:COLUMN|split",
            "which rows go to which worker; label-quantity: K classes each; dirichlet: skewed "
            "classes; size: skewed numbers; by: each value of a table's column to one worker; "
            "split: as 'trainyard split' has divided them",
            [](C& c, Text t, Text w) { c.partition = parse_partition(t, w); },
            [](const C& c) { return partition_text(c.partition); }}),
      also(taker::split | taker::lab, weights_option()),
      also(taker::lab, idle_where(order_option(),
                                  [](const OptionSetting& s) {
                                    return s.configuration.replacement
                                               ? "with --replacement rows are drawn in no order"
                                               : "";
                                  })),
      also(taker::lab, deal_option()),
      also(taker::lab,
           switch_option("data", "replacement", "draw minibatches with replacement, in no order",
                         &C::replacement)),
      also(taker::lab | taker::one_process, data_source_option()),
  };
}

}  // namespace trainyard
