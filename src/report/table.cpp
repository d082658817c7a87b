#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trainyard/report/summary_format.hpp"

namespace trainyard {

namespace {

using Row = std::vector<std::string>;

/// Columns as wide as their widest cell; the first to the left, the others to the right.
std::string aligned(const std::vector<Row>& rows) {
  const auto width_of = [](const std::string& cell) {  // µ is two bytes and one column
    return static_cast<std::size_t>(
        std::ranges::count_if(cell, [](unsigned char c) { return (c & 0xC0U) != 0x80U; }));
  };
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string pad(widths[c] - width_of(row[c]), ' ');
      line += c == 0 ? row[c] + pad : "  " + pad + row[c];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

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

Row comparison_row(const Summary& s) {
  return {s.scheme,
          number(s.train_loss, 5),
          number(s.test_accuracy, 4),
          to_target(s),
          number(s.epochs_to_target, 2),
          human_duration(s.seconds),
          share(s.compute_s, s.seconds),
          share(s.transfer_s, s.seconds),
          share(s.wait_s, s.seconds),
          human_bytes(static_cast<double>(s.bytes_sent)),
          human_count(static_cast<double>(s.messages)),
          s.staleness ? number(s.staleness->mean, 2) : "-",
          consensus(s)};
}

std::string heading(const RunResult& result) {
  const Summary& s = result.summary;
  const Configuration& c = result.resolved;
  std::string text = fmt::format(
      "{}: {} rows, {} test rows, {} features, {} classes; {} with {} parameters\n"
      "{} workers, minibatch {}, step size {}, seed {}; network: latency {}, bandwidth {}\n",
      s.dataset, s.rows, s.test_rows, s.features, s.classes, s.model, s.parameters, s.workers,
      c.batch, c.optimizer.lr, s.seed, exact_text(c.network.latency),
      bandwidth_text(c.network.bytes_per_second));
  text += s.time == "wall" ? "time: wall clock\n"
                           : fmt::format("time: simulated; computing a minibatch takes {}\n",
                                         human_duration(to_seconds(*c.compute_time)));
  if (s.target_loss) {
    text += fmt::format("target: training loss {:.6g}{}\n", *s.target_loss,
                        c.target_loss ? "" : ", the lowest that every scheme reached");
  }
  return text;
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
    "consensus    mean squared distance of the workers' replicas from their mean\n"
    "\n"
    "At one step size, ps-async and hogwild apply every worker's gradient in full while the "
    "others\n"
    "apply their mean, so with n workers they move up to n times as far in an epoch.\n";

}  // namespace

std::string comparison_table(const std::vector<RunResult>& results) {
  if (results.empty()) return "";
  std::vector<Row> rows{{"scheme", "train loss", "test acc.", "to target", "epochs", "total",
                         "compute", "transfer", "wait", "sent", "messages", "staleness",
                         "consensus"}};
  for (const RunResult& result : results) rows.push_back(comparison_row(result.summary));
  return heading(results.front()) + "\n" + aligned(rows) + "\n" + stretch_notes(results) + legend;
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
