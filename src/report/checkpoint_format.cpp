#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/counted.hpp"
#include "trainyard/report/aligned.hpp"
#include "trainyard/report/prediction_format.hpp"
#include "trainyard/run/notes.hpp"

#include "report/prediction_setting.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;  // keys in the order they are written here

struct RuledRun {
  std::string_view rule, name;  // in documents, in tables
  CheckpointedRun run;
};

std::vector<RuledRun> rows_of(const CheckpointTask& task) {
  std::vector<RuledRun> rows{
      {"young", "Young 1974", checkpointed(task, young_interval(task))},
      {"daly", "Daly 2006", checkpointed(task, daly_interval(task))},
      {"optimum", "the optimum", checkpointed(task, optimal_interval(task))},
  };
  if (task.run_s) rows.push_back({"end", "at the end alone", checkpointed(task, *task.run_s)});
  return rows;
}

/// Steps of the contestant between checkpoints; empty where a step takes no time or is not known.
std::optional<CheckpointedSteps> steps_of(const CheckpointTask& task, const Prediction& p) {
  if (!(p.step_s > 0.0)) return std::nullopt;
  return checkpointed_steps(task, p.step_s);
}

/// null: not known, or, of what is infinite, beyond any number.
Json value_of(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return nullptr;
  return *value;
}

Json members_of(const CheckpointedRun& run) {
  return {{"interval_s", run.interval_s},      {"factor", value_of(run.factor)},
          {"work_share", run.work_share},      {"checkpoint_share", run.checkpoint_share},
          {"lost_share", run.lost_share},      {"expected_s", value_of(run.expected_s)},
          {"failures", value_of(run.failures)}};
}

Json steps_object(const CheckpointTask& task, const PredictionSetting& setting,
                  const std::vector<Prediction>& predictions) {
  if (predictions.empty()) return nullptr;
  Json rows = Json::array();
  for (const Prediction& p : predictions) {
    const std::optional<CheckpointedSteps> found = steps_of(task, p);
    const std::string way = way_of(p.contestant);
    Json row = {{"label", p.contestant.label},
                {"scheme", p.contestant.scheme},
                {"way", way.empty() ? Json(nullptr) : Json(way)},
                {"step_s", value_of(p.step_s)},
                {"step_error_s", value_of(p.step_error_s)},
                {"steps", found ? Json(found->steps) : Json(nullptr)}};
    // What is not known of a step without a length has its members, too.
    const Json members = members_of(found ? found->run : CheckpointedRun{});
    for (const auto& [key, value] : members.items()) row[key] = found ? value : Json(nullptr);
    rows.push_back(std::move(row));
  }
  const Configuration& c = setting.configuration;
  return {{"workers", c.workers},
          {"parameters", setting.parameters},
          {"compute_s", to_seconds(*c.compute_time)},
          {"batch", c.batch},
          {"latency_s", to_seconds(c.network.latency)},
          {"bandwidth_bytes_per_s", bandwidth_value(c.network)},
          {"settings", other_settings(setting)},
          {"touched", setting.touched()},
          {"rows", rows}};
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100.0 * share);
}

std::string count_text(double count) {
  return std::isfinite(count) ? fmt::format("{:.4g}", count) : "∞";
}

/// Those of a table differ by little: as many digits each.
std::string factor_text(double factor) {
  if (!std::isfinite(factor)) return "∞";
  return factor < 1e5 ? fmt::format("{:#.6g}", factor) : fmt::format("{:.6g}", factor);
}

TableRow cells_of(const CheckpointedRun& run) {
  TableRow cells{long_duration(run.interval_s), factor_text(run.factor), percent(run.work_share),
                 percent(run.checkpoint_share), percent(run.lost_share)};
  if (run.expected_s) {
    cells.push_back(long_duration(*run.expected_s));
    cells.push_back(count_text(*run.failures));
  }
  return cells;
}

void append(TableRow& line, const TableRow& cells) {
  line.insert(line.end(), cells.begin(), cells.end());
}

TableRow headings(const CheckpointTask& task, TableRow first) {
  append(first, {"interval", "T_w/T_s", "work", "checkpoints", "lost"});
  if (task.run_s) append(first, {"T_w", "failures"});
  return first;
}

std::string task_text(const CheckpointTask& task, const std::optional<WorkerFailures>& workers) {
  std::string text = fmt::format("δ = {} a checkpoint, R = {} a restart; M = {} between failures",
                                 long_duration(task.checkpoint_s), long_duration(task.restart_s),
                                 long_duration(task.mtbf_s));
  if (workers) {
    text += fmt::format(" of all, {} of each of {}", long_duration(workers->mtbf_s),
                        counted(workers->workers, "worker"));
  }
  if (task.run_s) text += fmt::format("; T_s = {} of work", long_duration(*task.run_s));
  return text + "\n";
}

std::string steps_text(const CheckpointTask& task, const PredictionSetting& setting,
                       const std::vector<Prediction>& predictions) {
  if (predictions.empty()) return "";
  std::vector<TableRow> lines{headings(task, {"scheme", "a step", "steps"})};
  bool all_found = true;
  for (const Prediction& p : predictions) {
    const std::optional<CheckpointedSteps> found = steps_of(task, p);
    TableRow line{p.contestant.label, p.is_played ? human_duration(p.step_s) : "-",
                  found ? fmt::format("{}", found->steps) : "-"};
    if (found) append(line, cells_of(found->run));
    line.resize(lines.front().size(), "-");
    lines.push_back(std::move(line));
    all_found = all_found && found;
  }
  std::string text = fmt::format(
      "\n{}\n{}\na step: sustained, one of a long run; steps: the whole number from one checkpoint "
      "to "
      "the next whose T_w is\nleast\n{}",
      setting_text(setting), aligned(lines),
      all_found ? "" : "-: of steps that take no time, or whose run would be too long to play\n");
  for (const Note& note : prediction_notes(predictions)) {
    text += with_name(note.text, note.about) + "\n";
  }
  return text;
}

constexpr const char* legend_of_checkpoints =
    "\n"
    "interval: τ, work from one checkpoint to the next. T_w: the expected time of a run whose work "
    "alone takes\nT_s; shares of it: work; checkpoints that last; lost: work done again, "
    "checkpoints "
    "that failed, restarts.\nFailures are exponential, of mean M, and strike during checkpoints "
    "and "
    "restarts, too:\n"
    "T_w = M e^(R/M) (e^((τ+δ)/M) - 1) T_s/τ, whose minimum is the optimum. Young: √(2δM), of "
    "first "
    "order, for\nδ far below M. Daly: of a higher order, and M where δ ≥ 2M.\n";

/// What holds of this task and not of others, whose tables are `tables`.
std::string remarks(const CheckpointTask& task, const std::string& tables) {
  std::string text;
  if (task.run_s && optimal_interval(task) >= *task.run_s) {
    text +=
        "the optimum is no shorter than the run: one checkpoint, at its end, is best, and whatever "
        "is longer than\nthe run is that\n";
  }
  if (task.checkpoint_s == 0.0) {
    text +=
        "checkpoints that take no time are best written at every moment: what failures cost is "
        "restarts alone\n";
  }
  if (tables.find("∞") != std::string::npos) {
    text += "∞: the run never ends: the expected time is above 1.8e308 times the work\n";
  }
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string checkpoint_json(const CheckpointTask& task,
                            const std::optional<WorkerFailures>& workers,
                            const PredictionSetting& setting,
                            const std::vector<Prediction>& predictions) {
  Json rows = Json::array();
  for (const RuledRun& row : rows_of(task)) {
    Json members = {{"rule", row.rule}};
    members.update(members_of(row.run));
    rows.push_back(std::move(members));
  }
  const Json document = {{"checkpoint_s", task.checkpoint_s},
                         {"restart_s", task.restart_s},
                         {"mtbf_s", task.mtbf_s},
                         {"workers", workers ? Json(workers->workers) : Json(nullptr)},
                         {"worker_mtbf_s", workers ? Json(workers->mtbf_s) : Json(nullptr)},
                         {"run_s", value_of(task.run_s)},
                         {"rows", rows},
                         {"steps", steps_object(task, setting, predictions)}};
  return document.dump(2) + "\n";
}

std::string checkpoint_table(const CheckpointTask& task,
                             const std::optional<WorkerFailures>& workers,
                             const PredictionSetting& setting,
                             const std::vector<Prediction>& predictions) {
  std::vector<TableRow> lines{headings(task, {"checkpoints by"})};
  for (const RuledRun& row : rows_of(task)) {
    TableRow line{std::string(row.name)};
    append(line, cells_of(row.run));
    lines.push_back(std::move(line));
  }
  const std::string tables = aligned(lines) + steps_text(task, setting, predictions);
  return task_text(task, workers) + "\n" + tables + remarks(task, tables) + legend_of_checkpoints;
}

}  // namespace trainyard
