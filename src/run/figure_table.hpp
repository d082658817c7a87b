// The table of figures, as figures.hpp describes its rows.
#pragma once

#include <cmath>
#include <optional>
#include <type_traits>

#include "trainyard/run/figures.hpp"

#include "run/figure_text.hpp"

namespace trainyard::figure_table {

using S = Summary;

template <typename T>
FigureValue value_of(const T& value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return static_cast<std::uint64_t>(value);
  } else {
    return value;
  }
}

template <typename T>
FigureValue value_of(const std::optional<T>& value) {
  return value ? value_of(*value) : FigureValue();
}

template <auto member>
FigureValue member_of(const Summary& s) {
  return value_of(s.*member);
}

template <auto member>
FigureValue staleness_of(const Summary& s) {
  return s.staleness ? value_of((*s.staleness).*member) : FigureValue();
}

template <auto member>
FigureValue counts_of(const Summary& s) {
  return s.counts ? value_of((*s.counts).*member) : FigureValue();
}

/// Infinite where the network is perfect, which JSON has no number for.
inline FigureValue bandwidth_of(const Summary& s) {
  return std::isfinite(s.bandwidth_bytes_per_s) ? FigureValue(8.0 * s.bandwidth_bytes_per_s)
                                                : FigureValue();
}

using enum View;

inline constexpr View files = json | csv;
inline constexpr View asked = files | setting;
inline constexpr View measured = files | statistics;
inline constexpr View everywhere = measured | run_table | comparison_table;

/// In the order of CSV.
inline constexpr Figure rows[] = {
    {.key = "label", .of = member_of<&S::label>, .shown = asked},
    {.key = "scheme", .of = member_of<&S::scheme>, .shown = asked},
    {.key = "workers", .of = member_of<&S::workers>, .shown = asked},
    {.key = "servers", .of = member_of<&S::servers>, .shown = asked},
    {.key = "time", .of = member_of<&S::time>, .shown = asked},
    {.key = "seed", .of = member_of<&S::seed>, .shown = files},
    {.key = "machine", .of = member_of<&S::machine>, .shown = json},
    {.key = "ran_on", .of = member_of<&S::ran_on>, .shown = json},
    {.key = "moves", .of = member_of<&S::moves>, .shown = json},
    {.key = "dataset", .path = "dataset.name", .of = member_of<&S::dataset>, .shown = asked},
    {.key = "rows", .path = "dataset.rows", .of = member_of<&S::rows>, .shown = json},
    {.key = "features", .path = "dataset.features", .of = member_of<&S::features>, .shown = json},
    {.key = "classes", .path = "dataset.classes", .of = member_of<&S::classes>, .shown = json},
    {.key = "test_rows",
     .path = "dataset.test_rows",
     .of = member_of<&S::test_rows>,
     .shown = json},
    {.key = "model", .path = "model.name", .of = member_of<&S::model>, .shown = asked},
    {.key = "parameters",
     .path = "model.parameters",
     .of = member_of<&S::parameters>,
     .shown = asked},
    {.key = "lr", .of = member_of<&S::lr>, .shown = asked},
    {.key = "batch", .of = member_of<&S::batch>, .shown = asked},
    {.key = "partition", .of = member_of<&S::partition>, .shown = asked},
    {.key = "latency_s", .unit = "s", .of = member_of<&S::latency_s>, .shown = asked},
    {.key = "bandwidth_bps", .unit = "bit/s", .of = bandwidth_of, .shown = asked},
    {.key = "ports", .of = member_of<&S::ports>, .shown = asked},
    {.key = "stragglers", .of = member_of<&S::stragglers>, .shown = asked},
    {.key = "steps",
     .heading = "steps",
     .of = member_of<&S::steps>,
     .shown = files | run_table,
     .text = significant<6>},
    {.key = "epochs",
     .heading = "epochs",
     .of = member_of<&S::epochs>,
     .shown = measured | run_table,
     .before = {.statistics = "compute_s", .run_table = "steps"},
     .text = significant<4>},
    {.key = "samples", .of = member_of<&S::samples>, .shown = files},
    {.key = "samples_computed",
     .heading = "samples computed",
     .of = member_of<&S::samples_computed>,
     .shown = files | run_table,
     .before = {.run_table = "staleness_mean"},
     .line = samples_computed_line},
    {.key = "seconds",
     .unit = "s",
     .heading = "time",
     .of = member_of<&S::seconds>,
     .shown = everywhere,
     .before = {.statistics = "epochs"},
     .column = {.heading = "total",
                .legend = "total        time of the whole run; a worker spent it as follows\n"}},
    {.key = "target_loss", .of = member_of<&S::target_loss>, .shown = asked},
    {.key = "target_accuracy", .of = member_of<&S::target_accuracy>, .shown = asked},
    {.key = "target_gradient", .of = member_of<&S::target_gradient>, .shown = asked},
    {.key = "seconds_to_target",
     .unit = "s",
     .heading = "time to target",
     .of = member_of<&S::seconds_to_target>,
     .shown = everywhere,
     .before = {.run_table = "seconds"},
     .line = time_to_target_line,
     .column = {.heading = "to target",
                .lacking = without_target,
                .legend = "to target    time until the target was reached, on the straight line "
                          "between two evaluations;\n"
                          "             at epoch: passes over the data until then\n"}},
    {.key = "target_interval_s",
     .unit = "s",
     .of = member_of<&S::target_interval_s>,
     .shown = files},
    {.key = "epochs_to_target",
     .heading = "at epoch",
     .of = member_of<&S::epochs_to_target>,
     .shown = measured | comparison_table,
     .text = decimals<2>},
    {.key = "speed_up",
     .heading = "speed-up",
     .of = member_of<&S::speed_up>,
     .shown = measured | comparison_table,
     .text = ratio_text,
     .column = {.legend =
                    "speed-up     sequential's time to the target over this one's: what a pass "
                    "over the data gains\n             (a pass) times what the number of "
                    "passes gains (passes)\n"},
     .needs_asking = true},
    {.key = "speed_up_pass_time",
     .heading = "a pass",
     .of = member_of<&S::speed_up_pass_time>,
     .shown = measured | comparison_table,
     .text = ratio_text,
     .needs_asking = true},
    {.key = "speed_up_passes",
     .heading = "passes",
     .of = member_of<&S::speed_up_passes>,
     .shown = measured | comparison_table,
     .text = ratio_text,
     .needs_asking = true},
    {.key = "train_loss",
     .heading = "train loss",
     .of = member_of<&S::train_loss>,
     .shown = everywhere,
     .before = {.statistics = "seconds_to_target", .run_table = "epochs"},
     .text = decimals<6>,
     .column = {.text = loss_text,
                .legend = "train loss   training loss at the end of the run, with the regulariser; "
                          "if workers hold different\n             models, their average's. A run "
                          "takes some more steps after its target\n"}},
    {.key = "test_loss",
     .heading = "test loss",
     .of = member_of<&S::test_loss>,
     .shown = measured | run_table,
     .before = {.statistics = "seconds_to_target", .run_table = "epochs"},
     .text = decimals<6>},
    {.key = "test_accuracy",
     .heading = "test accuracy",
     .of = member_of<&S::test_accuracy>,
     .shown = everywhere,
     .before = {.statistics = "seconds_to_target", .run_table = "epochs"},
     .text = decimals<4>,
     .column = {.heading = "test acc."},
     .needs_asking = true},
    {.key = "train_r_squared",
     .heading = "train R²",
     .of = member_of<&S::train_r_squared>,
     .shown = measured | run_table,
     .before = {.run_table = "epochs"},
     .text = decimals<4>,
     .line = text_or_none<&S::train_r_squared>,
     .needs_asking = true},
    {.key = "test_r_squared",
     .heading = "test R²",
     .of = member_of<&S::test_r_squared>,
     .shown = everywhere,
     .before = {.statistics = "seconds_to_target", .run_table = "epochs"},
     .text = decimals<4>,
     .line = text_or_none<&S::test_r_squared>,
     .needs_asking = true},
    {.key = "compute_s",
     .path = "time_split.compute",
     .unit = "s",
     .heading = "compute",
     .of = member_of<&S::compute_s>,
     .shown = everywhere,
     .line = compute_line,
     .column = {.of = share_of_run<&S::compute_s>,
                .text = percent_text,
                .legend = "  compute      its own arithmetic\n"}},
    {.key = "transfer_s",
     .path = "time_split.transfer",
     .unit = "s",
     .heading = "transfer",
     .of = member_of<&S::transfer_s>,
     .shown = everywhere,
     .line = part_of_run<&S::transfer_s>,
     .column = {.of = share_of_run<&S::transfer_s>,
                .text = percent_text,
                .legend = "  transfer     messages to it on the wire\n"}},
    {.key = "wait_s",
     .path = "time_split.wait",
     .unit = "s",
     .heading = "wait",
     .of = member_of<&S::wait_s>,
     .shown = everywhere,
     .line = part_of_run<&S::wait_s>,
     .column = {.of = share_of_run<&S::wait_s>,
                .text = percent_text,
                .legend = "  wait         for others\n"}},
    {.key = "compute_stretch", .of = member_of<&S::compute_stretch>, .shown = json},
    {.key = "messages",
     .heading = "messages",
     .of = member_of<&S::messages>,
     .shown = everywhere,
     .before = {.json = "compute_s"}},
    {.key = "bytes_sent",
     .unit = "B",
     .heading = "bytes sent",
     .of = member_of<&S::bytes_sent>,
     .shown = everywhere,
     .before = {.json = "compute_s", .statistics = "messages"},
     .column = {.heading = "sent",
                .legend = "sent         bytes of all ranks together, in so many messages\n"}},
    {.key = "staleness_mean",
     .path = "staleness.mean",
     .heading = "staleness",
     .of = staleness_of<&StalenessSummary::mean>,
     .shown = everywhere,
     .text = decimals<2>,
     .line = staleness_line,
     .column = {.heading = "stale by",
                .legend = "stale by     mean number of others' updates between reading a model and "
                          "applying its gradient\n"}},
    {.key = "staleness_p50",
     .path = "staleness.p50",
     .of = staleness_of<&StalenessSummary::p50>,
     .shown = json},
    {.key = "staleness_p99",
     .path = "staleness.p99",
     .of = staleness_of<&StalenessSummary::p99>,
     .shown = json},
    {.key = "staleness_max",
     .path = "staleness.max",
     .of = staleness_of<&StalenessSummary::max>,
     .shown = json},
    {.key = "compression",
     .heading = "compression",
     .of = member_of<&S::compression>,
     .shown = everywhere,
     .text = significant<3>,
     .line = text_or_none<&S::compression>,
     .column = {.heading = "shorter",
                .legend = "shorter      so many times, vectors encoded than as they are\n"},
     .needs_asking = true},
    {.key = "coding_s",
     .unit = "s",
     .heading = "coding",
     .of = member_of<&S::coding_s>,
     .shown = everywhere,
     .line = coding_line,
     .column = {.of = coding_share,
                .text = percent_text,
                .legend =
                    "coding       share of a worker's time that encoding and decoding took, part "
                    "of compute\n"},
     .needs_asking = true},
    {.key = "coding_error",
     .heading = "coding error",
     .of = member_of<&S::coding_error>,
     .shown = everywhere,
     .text = significant<2>,
     .line = text_or_none<&S::coding_error>,
     .column = {.heading = "error",
                .legend =
                    "error        ‖C(x) − x‖² / ‖x‖² of what was encoded, as it was decoded\n"},
     .needs_asking = true},
    {.key = "consensus_distance",
     .heading = "consensus distance",
     .of = member_of<&S::consensus_distance>,
     .shown = everywhere,
     .text = significant<2>,
     .line = consensus_line,
     .column =
         {.heading = "consensus",
          .legend =
              "consensus    mean squared distance of the workers' replicas from their mean\n"}},
    {.key = "squared_gradient_norm",
     .heading = "gradient norm²",
     .of = member_of<&S::squared_gradient_norm>,
     .shown = everywhere,
     .text = significant<3>,
     .line = text_or_none<&S::squared_gradient_norm>,
     .column = {.legend = "gradient     squared norm of the training loss's gradient at the end\n"},
     .needs_asking = true},
    {.key = "samples_per_second",
     .unit = "1/s",
     .heading = "samples per second",
     .of = member_of<&S::samples_per_second>,
     .shown = everywhere,
     .before = {.run_table = "compute_s"},
     .column = {.heading = "samples/s",
                .legend = "samples/s    training samples in a second of the run's clock\n"}},
    {.key = "cycles",
     .path = "counters.cycles",
     .heading = "cycles",
     .of = counts_of<&ThreadCounts::cycles>,
     .shown = measured | comparison_table,
     .column = {.of = a_sample<&ThreadCounts::cycles>,
                .legend = "cycles       of all ranks' processors in user mode, a sample computed; "
                          "so are the next three\n"},
     .needs_asking = true},
    {.key = "instructions",
     .path = "counters.instructions",
     .heading = "instructions",
     .of = counts_of<&ThreadCounts::instructions>,
     .shown = measured | comparison_table,
     .column = {.of = a_sample<&ThreadCounts::instructions>},
     .needs_asking = true},
    {.key = "cache_misses",
     .path = "counters.cache_misses",
     .heading = "cache misses",
     .of = counts_of<&ThreadCounts::cache_misses>,
     .shown = measured | comparison_table,
     .column = {.of = a_sample<&ThreadCounts::cache_misses>,
                .text = ratio_text,
                .legend = "cache misses of the last cache\n"},
     .needs_asking = true},
    {.key = "remote_loads",
     .path = "counters.remote_loads",
     .heading = "remote loads",
     .of = counts_of<&ThreadCounts::remote_loads>,
     .shown = measured | comparison_table,
     .column = {.of = a_sample<&ThreadCounts::remote_loads>,
                .text = ratio_text,
                .legend = "remote loads that another NUMA node's memory answered\n"},
     .needs_asking = true},
    {.key = "context_switches",
     .path = "counters.context_switches",
     .heading = "context switches",
     .of = counts_of<&ThreadCounts::context_switches>,
     .shown = measured | comparison_table,
     .column = {.heading = "switches",
                .legend = "switches     how often ranks gave their cores up or lost them, in the "
                          "whole run\n"},
     .needs_asking = true},
    {.key = "page_faults",
     .path = "counters.page_faults",
     .heading = "page faults",
     .of = counts_of<&ThreadCounts::page_faults>,
     .shown = measured | comparison_table,
     .column = {.legend = "page faults  of all ranks in the whole run\n"},
     .needs_asking = true},
    {.key = "energy_j",
     .path = "counters.energy_j",
     .unit = "J",
     .heading = "energy",
     .of = member_of<&S::energy_j>,
     .shown = measured | comparison_table,
     .text = joules_text,
     .column = {.legend = "energy       of the processor's packages in the whole run, evaluations "
                          "left out, whoever used it\n"},
     .needs_asking = true},
    {.key = "model_hash",
     .heading = "model hash",
     .of = member_of<&S::model_hash>,
     .shown = files | run_table},
    {.key = "diverged", .of = member_of<&S::diverged>, .shown = files},
    {.key = "interrupted", .of = member_of<&S::interrupted>, .shown = files},
};

}  // namespace trainyard::figure_table
