#include "run/summary.hpp"

#include <string>

#include <fmt/format.h>

#include "trainyard/base/units.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/hardware/machine.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/one_machine.hpp"
#include "trainyard/run/scheme_graph.hpp"
#include "trainyard/run/target.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "run/lines.hpp"

namespace trainyard {

namespace {

/// Asked once: hwloc takes longer than many a run.
const std::string& machine_text() {
  static const std::string text = this_machine().description;
  return text;
}

void summarise_coding(Summary& s, const Plan& plan, const RunState& state) {
  CodingAccount all;
  const int workers = state.layout().workers;  // of a run whose members change those at its end
  for (int rank = 0; rank < workers + state.layout().servers; ++rank) {
    const CodingAccount& account = state.coding_of(rank);
    all.add(account);
    if (rank >= workers || !encodes(*plan.scheme, plan.configuration.ingredients)) continue;
    s.coding_s = s.coding_s.value_or(0.0) + to_seconds(account.time) / plan.cast.workers;
  }
  s.compression = all.compression();
  s.coding_error = all.relative_error();
}

/// Waits that are still going on when the run ends are not counted.
void summarise_lines(Summary& s, const Plan& plan, const RunState& state) {
  if (!lines_take_time(plan)) return;
  double sum = 0.0;
  for (int w = 0; w < plan.cast.workers; ++w) sum += to_seconds(state.lines_time_of(w));
  s.lines_s = sum / plan.cast.workers;
}

void summarise_time(Summary& s, const RuntimeReport& report) {
  s.seconds = to_seconds(report.elapsed);
  s.compute_stretch = report.compute_stretch;
  s.samples_per_second = s.seconds > 0.0 ? static_cast<double>(s.samples) / s.seconds : 0.0;
  const std::size_t workers = report.accounts.size() - static_cast<std::size_t>(s.servers);
  // In floating seconds: thousands of workers together pass the 106 days that a Duration holds.
  for (std::size_t w = 0; w < workers; ++w) {
    s.compute_s += to_seconds(report.accounts[w].compute) / static_cast<double>(workers);
    s.transfer_s += to_seconds(report.accounts[w].transfer) / static_cast<double>(workers);
    s.wait_s += to_seconds(report.accounts[w].wait) / static_cast<double>(workers);
  }
}

void summarise_model(Summary& s, const Metrics& at) {
  s.train_loss = at.train_loss;
  s.test_loss = at.test_loss;
  s.test_accuracy = at.test_accuracy;
  s.validation_loss = at.validation_loss;
  s.validation_accuracy = at.validation_accuracy;
  s.test_metric = at.test_metric;
  s.validation_metric = at.validation_metric;
  s.consensus_distance = at.consensus_distance;
  s.squared_gradient_norm = at.squared_gradient_norm;
  s.gradient_noise = at.gradient_noise;
  s.suboptimality = at.suboptimality;
  s.optimum_distance = at.optimum_distance;
  s.train_r_squared = at.train_r_squared;
  s.test_r_squared = at.test_r_squared;
}

}  // namespace

Summary summarise(const Plan& plan, std::span<const Metrics> metrics, std::size_t kept,
                  const Staleness& staleness, const RuntimeReport& report, const RunState& state) {
  const Metrics& last = metrics.back();
  const Configuration& c = plan.configuration;
  Summary s;
  s.label = plan.scheme->name;
  s.scheme = plan.scheme->name;
  s.workers = c.workers;
  s.servers = plan.cast.servers + plan.cast.data_servers;
  s.time = time_mode_text(c.time);
  s.seed = c.seed;
  if (c.time == TimeMode::wall) s.machine = machine_text();
  s.dataset = plan.data->name;
  s.rows = plan.data->train.rows;
  s.features = plan.data->train.features;
  s.test_rows = plan.data->test.rows;
  s.validation_rows = plan.data->validation.rows;
  s.classes = plan.data->train.classes;
  s.model = c.model;
  if (c.metric != MeasureKind::loss) s.metric = measure_kind_text(c.metric);
  s.parameters = plan.model->dimension();
  s.lr = c.optimizer.lr;
  s.batch = c.batch;
  // Divided, and not multiplied by 1e-12: 10 µs are 1e-05.
  s.latency_s = static_cast<double>(c.network.latency.count()) / Duration::period::den;
  s.bandwidth_bytes_per_s = c.network.bytes_per_second;
  s.ports = option_named("ports").get(c);
  s.partition = option_named("partition").get(c);
  s.within = apart_within(c);
  s.stragglers = option_named("straggler").get(c);
  s.steps = last.step;
  s.epochs = last.epoch;
  s.samples = last.samples;
  if (const auto target = target_of(c)) set_target(*target, metrics, s);
  summarise_model(s, metrics[kept]);
  if (c.patience) s.kept_epoch = metrics[kept].epoch;
  s.transient_iterations = transient_of(*plan.scheme, plan.ingredients);
  if (!staleness.empty()) {
    s.staleness = StalenessSummary{staleness.mean(), staleness.quantile(0.5),
                                   staleness.quantile(0.99), staleness.max()};
  }
  summarise_time(s, report);
  summarise_coding(s, plan, state);
  summarise_lines(s, plan, state);
  return s;
}

/// Who takes no step may take leave all the same. What was not received came to a rank that had
/// ended, or ended with the run.
void summarise_traffic(Summary& summary, const RuntimeReport& report) {
  const RankAccount all = total_traffic(report.accounts);
  summary.messages = all.messages_sent;
  summary.bytes_sent = all.bytes_sent;
  summary.messages_dropped = all.messages_sent - all.messages_received;
}

std::uint64_t samples_computed(const Plan& plan, std::uint64_t worker_steps) {
  const Cast& cast = plan.cast;
  const std::uint64_t minibatches = cast.one_share_a_step ? 1 : cast.shares_of(0).size();
  const std::uint64_t rows = worker_steps * minibatches * plan.configuration.batch;
  if (plan.holdings.empty()) return rows;
  return rows * static_cast<std::uint64_t>(plan.layout().copies()) /
         static_cast<std::uint64_t>(cast.workers);
}

std::string lost_note(const Configuration& config, const Summary& summary) {
  const std::uint64_t lost = summary.tries_lost.value_or(0);
  if (lost == 0) return "";
  const Retransmission& again = config.network.faults.retransmission;
  const auto share_of = [&](std::uint64_t tries) {
    const double share = static_cast<double>(lost) / static_cast<double>(tries);
    return share < 0.1 ? fmt::format("{:.2g}", 100.0 * share)
                       : fmt::format("{:.0f}", 100.0 * share);
  };
  if (again.never) {
    return fmt::format(
        "note: {} of the messages {} lost for good, {} %; bytes and messages count what was sent",
        lost, lost == 1 ? "was" : "were", share_of(summary.messages));
  }
  return fmt::format(
      "note: {} of the tries to send a message {} lost, {} %, and made again after {}{}; bytes "
      "and messages count once what got through",
      lost, lost == 1 ? "was" : "were", share_of(lost + summary.messages),
      human_duration(to_seconds(again.timeout)), again.doubles ? ", twice as long each time" : "");
}

std::string dropped_note(const Configuration& config, const Summary& summary) {
  const std::uint64_t dropped = summary.messages_dropped.value_or(0);
  if (dropped == 0 || !config.seconds) return "";
  const double over = to_seconds(*config.seconds);
  if (summary.seconds < over) return "";
  return fmt::format(
      "note: {} message{} still under way when the run's {} were over, and dropped: the work "
      "behind "
      "{} is counted in steps and epochs, and is not in the model",
      dropped, dropped == 1 ? " was" : "s were", human_duration(over),
      dropped == 1 ? "it" : "them");
}

}  // namespace trainyard
