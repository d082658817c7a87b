#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trainyard/experiment/spread.hpp"
#include "trainyard/report/summary_format.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "report/aligned.hpp"

namespace trainyard {

namespace {

using Row = TableRow;

std::string number(const std::optional<double>& value, int digits) {
  if (!value) return "-";
  // A loss on its way to infinity would take forty columns.
  return std::abs(*value) < 1e6 ? fmt::format("{:.{}f}", *value, digits)
                                : fmt::format("{:.3g}", *value);
}

std::string share(double part, double whole) {
  return whole > 0.0 ? fmt::format("{:.0f} %", 100.0 * part / whole) : "-";
}

/// Below, it is noise.
constexpr double stretched_beyond = 1.05;

bool stretched(const Summary& s) {
  return s.compute_stretch && *s.compute_stretch > stretched_beyond;
}

/// What to make of times that were taken while threads shared cores.
std::string stretch_notes(const std::vector<RunResult>& results) {
  std::string text;
  for (const RunResult& result : results) {
    const Summary& s = result.summary;
    if (!stretched(s)) continue;
    text += fmt::format(
        "warning: {}: computing took {:.2f} times as long as on cores of its own, because threads "
        "share them\n",
        s.scheme, *s.compute_stretch);
  }
  return text.empty() ? text : text + "\n";
}

std::string to_target(const Summary& s) {
  if (s.diverged) return "diverged";
  return s.seconds_to_target ? human_duration(*s.seconds_to_target) : "not reached";
}

std::string consensus(const Summary& s) {
  return s.consensus_distance ? fmt::format("{:.2g}", *s.consensus_distance) : "-";
}

/// A figure of the comparison. What several seeds have is written as one has: their mean, and their
/// deviation in a line beneath.
struct Column {
  const char* heading;
  std::optional<double> (*of)(const Summary&);
  std::string (*text)(double);
};

std::optional<double> percent(double part, const Summary& s) {
  if (!(s.seconds > 0.0)) return std::nullopt;
  return 100.0 * part / s.seconds;
}

std::string percent_text(double value) {
  return fmt::format("{:.0f} %", value);
}

constexpr std::size_t target_column = 2;

const std::vector<Column>& columns() {
  using S = Summary;
  using Value = std::optional<double>;
  static const std::vector<Column> table{
      {"train loss", [](const S& s) -> Value { return s.train_loss; },
       [](double v) { return number(v, 5); }},
      {"test acc.", [](const S& s) { return s.test_accuracy; },
       [](double v) { return number(v, 4); }},
      {"to target", [](const S& s) { return s.seconds_to_target; }, human_duration},
      {"epochs", [](const S& s) { return s.epochs_to_target; },
       [](double v) { return number(v, 2); }},
      {"total", [](const S& s) -> Value { return s.seconds; }, human_duration},
      {"compute", [](const S& s) { return percent(s.compute_s, s); }, percent_text},
      {"transfer", [](const S& s) { return percent(s.transfer_s, s); }, percent_text},
      {"wait", [](const S& s) { return percent(s.wait_s, s); }, percent_text},
      {"sent", [](const S& s) -> Value { return static_cast<double>(s.bytes_sent); }, human_bytes},
      {"messages", [](const S& s) -> Value { return static_cast<double>(s.messages); },
       human_count},
      {"staleness",
       [](const S& s) { return s.staleness ? Value(s.staleness->mean) : std::nullopt; },
       [](double v) { return number(v, 2); }},
      {"consensus", [](const S& s) { return s.consensus_distance; },
       [](double v) { return fmt::format("{:.2g}", v); }},
  };
  return table;
}

std::string target_text(const SchemeSpread& spread) {
  const std::size_t seeds = spread.summaries.size();
  if (seeds == 1) return to_target(*spread.summaries.front());
  return spread.diverged > 0 ? fmt::format("{} of {} diverged", spread.diverged, seeds)
                             : fmt::format("{} of {}", spread.reached_target, seeds);
}

/// The line of a scheme, and of several seeds a second one with their deviations.
void add_rows(const SchemeSpread& spread, const ComparisonOptions& options,
              std::vector<Row>& rows) {
  Row means{spread.scheme}, deviations{"  ±"};
  if (options.tune_lr) {
    means.push_back(fmt::format("{:.4g}", spread.summaries.front()->lr));
    deviations.emplace_back();
  }
  if (options.seeds > 1) {
    means.push_back(fmt::to_string(spread.summaries.size()));
    deviations.emplace_back();
  }
  const bool all_reached = spread.reached_target == spread.summaries.size();
  for (std::size_t i = 0; i < columns().size(); ++i) {
    const Column& column = columns()[i];
    const std::optional<Spread> values = spread_of(spread.summaries, column.of);
    const bool in_words = i == target_column && !all_reached;
    means.push_back(in_words ? target_text(spread) : values ? column.text(values->mean) : "-");
    const bool told = values && values->deviation && !in_words;
    const std::string text = told ? column.text(*values->deviation) : "";
    deviations.push_back(text == column.text(0.0) ? "" : text);
  }
  rows.push_back(std::move(means));
  if (spread.summaries.size() > 1) rows.push_back(std::move(deviations));
}

std::string target_line(const std::vector<RunResult>& results) {
  const RunResult& first = results.front();
  if (!first.summary.target_loss) return "";
  if (first.resolved.target_loss) {
    return fmt::format("target: training loss {:.6g}\n", *first.summary.target_loss);
  }
  if (first.summary.seed != results.back().summary.seed) {
    return "target: for each seed the lowest training loss that every scheme reached with it\n";
  }
  return fmt::format("target: training loss {:.6g}, the lowest that every scheme reached\n",
                     *first.summary.target_loss);
}

std::string heading(const std::vector<RunResult>& results, const ComparisonOptions& options) {
  const Summary& s = results.front().summary;
  const Configuration& c = results.front().resolved;
  const std::string step_size =
      options.tune_lr ? "each scheme's own best" : fmt::to_string(c.optimizer.lr);
  const std::string seeds = options.seeds > 1
                                ? fmt::format("seeds {} to {}", s.seed, results.back().summary.seed)
                                : fmt::format("seed {}", s.seed);
  return fmt::format(
             "{}: {} rows, {} test rows, {} features, {} classes; {} with {} parameters\n"
             "{} workers, minibatch {}, step size {}, {}; network: latency {}, bandwidth {}\n",
             s.dataset, s.rows, s.test_rows, s.features, s.classes, s.model, s.parameters,
             s.workers, c.batch, step_size, seeds, exact_text(c.network.latency),
             bandwidth_text(c.network.bytes_per_second)) +
         (s.time == "wall" ? "time: wall clock\n"
                           : fmt::format("time: virtual; computing a minibatch takes {}\n",
                                         human_duration(to_seconds(*c.compute_time)))) +
         target_line(results);
}

constexpr const char* legend =
    "train loss   objective at the end, regulariser included; of the mean model where there are "
    "replicas\n"
    "to target    time until the training loss was at the target; epochs: passes over the data "
    "until then\n"
    "total        time of the whole run; a worker spent it as follows\n"
    "  compute      its own arithmetic\n"
    "  transfer     messages to it on the wire\n"
    "  wait         for others\n"
    "sent         bytes of all ranks together, in so many messages\n"
    "staleness    mean number of others' updates between reading a model and applying its "
    "gradient\n"
    "consensus    mean squared distance of the workers' replicas from their mean\n";

constexpr const char* tuning_legend =
    "step size    the best of a geometric grid, by short runs that count for nothing else\n";

constexpr const char* seeds_legend =
    "seeds        how many runs each figure is the mean of; ± their standard deviation (with\n"
    "             seeds - 1), empty where it rounds to 0; to target: how many reached it, if not "
    "all\n";

/// Where it is not the same in all: schemes with one step size need not move equally far.
std::string what_steps_are(const std::vector<RunResult>& results) {
  std::vector<std::pair<std::string, std::vector<std::string>>> schemes_of;  // a step
  for (const RunResult& result : results) {
    const Scheme& scheme = find_scheme(result.summary.scheme);
    auto found = std::ranges::find(
        schemes_of, scheme.step, [](const auto& each) -> const auto& { return each.first; });
    if (found == schemes_of.end()) found = schemes_of.insert(found, {scheme.step, {}});
    auto& names = found->second;
    if (std::ranges::find(names, scheme.name) == names.end()) names.push_back(scheme.name);
  }
  if (schemes_of.size() < 2) return "";
  std::string text = "\nAt one step size γ schemes do not move equally far; a step is\n";
  for (const auto& [step, names] : schemes_of) {
    text += fmt::format("  {}\n      {}\n", step, fmt::join(names, ", "));
  }
  return text;
}

}  // namespace

std::string comparison_table(const std::vector<RunResult>& results,
                             const ComparisonOptions& options) {
  if (results.empty()) return "";
  std::vector<Row> rows{{"scheme"}};
  if (options.tune_lr) rows.front().emplace_back("step size");
  if (options.seeds > 1) rows.front().emplace_back("seeds");
  for (const Column& column : columns()) rows.front().emplace_back(column.heading);
  for (const SchemeSpread& spread : spreads_of(results)) add_rows(spread, options, rows);
  std::string text =
      heading(results, options) + "\n" + aligned(rows) + "\n" + stretch_notes(results) + legend;
  if (options.tune_lr) text += tuning_legend;
  if (options.seeds > 1) text += seeds_legend;
  if (!options.tune_lr) text += what_steps_are(results);
  return text;
}

std::string summary_table(const Summary& s) {
  std::vector<Row> rows{
      {"train loss", number(s.train_loss, 6)},
      {"test loss", number(s.test_loss, 6)},
      {"test accuracy", number(s.test_accuracy, 4)},
      {"epochs", fmt::format("{:.4g}", s.epochs)},
      {"steps", fmt::format("{:.6g}", s.steps)},
      {"time", human_duration(s.seconds)},
      {"samples per second", human_count(s.samples_per_second)},
      {"compute",
       fmt::format("{} ({}){}", human_duration(s.compute_s), share(s.compute_s, s.seconds),
                   stretched(s) ? fmt::format(", stretched {:.2f} times: threads share cores",
                                              *s.compute_stretch)
                                : "")},
      {"transfer",
       fmt::format("{} ({})", human_duration(s.transfer_s), share(s.transfer_s, s.seconds))},
      {"wait", fmt::format("{} ({})", human_duration(s.wait_s), share(s.wait_s, s.seconds))},
      {"messages", human_count(static_cast<double>(s.messages))},
      {"bytes sent", human_bytes(static_cast<double>(s.bytes_sent))},
  };
  if (s.samples_computed > s.samples) {
    rows.push_back(
        {"samples computed",
         fmt::format(
             "{}, and {} of them used", human_count(static_cast<double>(s.samples_computed)),
             share(static_cast<double>(s.samples), static_cast<double>(s.samples_computed)))});
  }
  if (s.target_loss) rows.insert(rows.begin() + 5, {"time to target", to_target(s)});
  if (s.staleness) {
    rows.push_back(
        {"staleness", fmt::format("mean {:.2f}, p50 {}, p99 {}, max {}", s.staleness->mean,
                                  s.staleness->p50, s.staleness->p99, s.staleness->max)});
  }
  if (s.consensus_distance) rows.push_back({"consensus distance", consensus(s)});
  rows.push_back({"model hash", s.model_hash});
  return fmt::format("{} on {}: {}, {} workers, {} time{}\n", s.scheme, s.dataset, s.model,
                     s.workers, s.time,
                     s.diverged      ? "; DIVERGED"
                     : s.interrupted ? "; interrupted"
                                     : "") +
         aligned(rows);
}

}  // namespace trainyard
