#include "trainyard/report/advice_format.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/report/aligned.hpp"
#include "trainyard/runtime/optimizer.hpp"

#include "report/prediction_setting.hpp"
#include "report/target_times_text.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;  // keys in the order they are written here

std::string share_text(double share) {
  return fmt::format("{:.3g} %", 100.0 * share);
}

/// The command that prints a prediction of it, with these changes.
std::string predict_line(const AdviceQuestion& question, const std::string& scheme,
                         const std::vector<OptionText>& changes = {}) {
  const Configuration& c = question.setting.configuration;
  const std::uint64_t bytes = question.setting.parameters * sizeof(float);
  constexpr std::uint64_t mega = 1'000'000, mebi = std::uint64_t{1} << 20U;
  std::string line = fmt::format("trainyard predict --schemes '{}' --size {}", scheme,
                                 bytes % mega == 0   ? fmt::format("{}MB", bytes / mega)
                                 : bytes % mebi == 0 ? fmt::format("{}MiB", bytes / mebi)
                                                     : fmt::format("{}B", bytes));
  const auto changed = [&](const std::string& name) {
    return std::ranges::any_of(changes, [&](const OptionText& one) { return one.option == name; });
  };
  for (const std::string& name : c.given) {
    if (!changed(name)) line += fmt::format(" --{} {}", name, option_named(name).get(c));
  }
  for (const auto& [option, text] : changes) {
    if (!text.empty()) line += fmt::format(" --{} {}", option, text);
  }
  return line;
}

/// As they are typed; beside predict_line().
std::string checkpoint_flags(const CheckpointTask& task) {
  std::string flags =
      fmt::format(" --checkpoint-time {:.10g}s --mtbf {:.10g}s", task.checkpoint_s, task.mtbf_s);
  if (task.restart_s > 0.0) flags += fmt::format(" --restart-time {:.10g}s", task.restart_s);
  if (task.run_s) flags += fmt::format(" --run-time {:.10g}s", *task.run_s);
  return flags;
}

std::string limit_sentence(const AdviceQuestion& question, const Advice& advice) {
  const AdvisedScheme& best = advice.best();
  const int workers = question.setting.configuration.workers;
  const Limit& limit = advice.limits.front();
  std::string text = fmt::format(
      "The limit is {}: {} of the {} that a step of {} takes. {} {} {} rows/s, {} of what {} if "
      "none waited.\n",
      limit.name, human_duration(limit.seconds), human_duration(best.prediction.step_s),
      best.prediction.contestant.label, counted(workers, "worker"), workers == 1 ? "does" : "do",
      human_count(best.rate), share_text(best.share), workers == 1 ? "it would" : "they would");
  for (std::size_t i = 1; i < advice.limits.size(); ++i) {
    text += fmt::format("{}{}, {}", i == 1 ? "Then " : "; ", advice.limits[i].name,
                        human_duration(advice.limits[i].seconds));
  }
  if (advice.limits.size() > 1) text += ".\n";
  if (workers > 1 && best.rate <= advice.alone_rate) {
    text += fmt::format("One worker alone does {} rows/s: {} are no faster than one.\n",
                        human_count(advice.alone_rate), workers);
  }
  return text;
}

std::string scheme_table(const AdviceQuestion& question, const Advice& advice) {
  const Configuration& c = question.setting.configuration;
  const double best = advice.best().rate;
  std::vector<TableRow> lines{{"scheme", "a step", "rows/s", "of linear", "passes"}};
  for (const AdvisedScheme& scheme : advice.schemes) {
    lines.push_back({scheme.prediction.contestant.label, human_duration(scheme.prediction.step_s),
                     human_count(scheme.rate), share_text(scheme.share),
                     scheme.as_one ? "1" : fmt::format("≤ {:.3g}", scheme.rate / best)});
  }
  return aligned(lines) + fmt::format(
                              "passes: 1: a step learns what one worker with {} rows learns; ≤: "
                              "how many times as many\n"
                              "passes over the data it may need and not be slower than {}; "
                              "`trainyard compare` says how many\n",
                              static_cast<std::size_t>(c.workers) * c.batch,
                              advice.best().prediction.contestant.label);
}

std::string lever_table(const Advice& advice) {
  if (advice.levers.empty()) return "Nothing else here makes it 2 % faster.\n";
  constexpr std::size_t most = 8;
  std::vector<TableRow> lines{{"what would change it", "a step", "rows/s", "times", "with"}};
  std::string costs;
  for (const Lever& lever : advice.levers) {
    if (lines.size() > most) break;
    lines.push_back({lever.what, human_duration(lever.step_s), human_count(lever.rate),
                     fmt::format("{:.2f}", lever.factor),
                     lever.changes.empty() ? "itself" : lever.scheme});
    if (!lever.cost.empty()) costs += fmt::format("  {}: {}\n", lever.what, lever.cost);
  }
  return aligned(lines) + costs;
}

std::string need_sentence(const AdviceQuestion& question, const Advice& advice) {
  const BandwidthNeed& need = advice.need;
  const Network& network = question.setting.configuration.network;
  const std::string share = share_text(need.share);
  const char* const where = need.between_racks        ? " between racks"
                            : network.unequal_ports() ? " in both directions"
                                                      : "";
  if (need.bytes_per_second) {
    const double there =
        need.between_racks
            ? *network.between_bytes_per_second
            : std::min({network.bytes_per_second, network.worker_up(), network.worker_down()});
    return fmt::format("{} of linear {} {}{}.\n", share,
                       there >= *need.bytes_per_second ? "holds down to" : "needs",
                       bits_per_second(*need.bytes_per_second), where);
  }
  if (need.most_share >= need.share) {
    return fmt::format("{} of linear needs hardly any bandwidth.\n", share);
  }
  return fmt::format("No bandwidth{} brings {} of linear: without its limit it is {}.\n", where,
                     share, share_text(need.most_share));
}

std::string workers_text(const AdviceQuestion& question, const Advice& advice) {
  if (advice.workers.empty()) return "";
  const auto best = std::ranges::min_element(advice.workers, {}, &WorkerCount::time);
  std::string text = fmt::format(
      "\nWith a noise scale of {:.6g} rows a target takes, by the number of workers, relative to "
      "{}:\n",
      *question.noise_scale, question.setting.configuration.workers);
  std::vector<TableRow> lines{{"workers", "a step", "time"}};
  for (const WorkerCount& count : advice.workers) {
    lines.push_back({fmt::to_string(count.workers), human_duration(count.step_s),
                     fmt::format("{:.3g}{}", count.time, &count == &*best ? " *" : "")});
  }
  const bool is_last = &*best == &advice.workers.back();
  return text + aligned(lines) +
         fmt::format("* the fastest of these{}\n", is_last ? "; more may be faster still" : "");
}

std::string measured_text(const AdviceQuestion& question, const Advice& advice) {
  if (!question.measured_rate) return "";
  const std::string& label =
      question.measured ? question.measured->label : advice.best().prediction.contestant.label;
  const double times = *question.measured_rate / advice.expected_rate;
  std::string text = fmt::format(
      "\nMeasured: {} rows/s, {} the {} that {} should do.", human_count(*question.measured_rate),
      times > 1.5 ? fmt::format("{:.3g} times", times) : share_text(times) + " of",
      human_count(advice.expected_rate), label);
  if (advice.explanations.empty()) {
    return text + (std::abs(times - 1.0) < 0.05 ? " That is as expected.\n"
                                                : " Nothing that is known here explains it.\n");
  }
  text += " One of these alone would explain it:\n";
  for (const Explanation& one : advice.explanations) {
    text += fmt::format("  {}\n", one.what);
    if (one.changes.empty()) continue;
    text += fmt::format("    {}\n", predict_line(question, label, one.changes));
  }
  return text;
}

std::string memory_text(const AdviceQuestion& question, const Advice& advice) {
  if (!question.memory_bytes) return "";
  const AdvisedScheme& best = advice.best();
  return fmt::format(
      "\nA worker of {} has at least {} of the {}: {} vectors of the model's length, for the "
      "model, its gradient\nand, where no server does, what steps it ({}). Rows, activations and "
      "what is under way come "
      "on top.\n",
      best.prediction.contestant.label, human_bytes(best.memory.bytes),
      human_bytes(static_cast<double>(*question.memory_bytes)), best.memory.vectors,
      optimizer_text(question.optimizer.kind));
}

std::string checkpoint_text(const AdviceQuestion& question, const Advice& advice) {
  if (!advice.checkpoints) return "";
  const CheckpointTask& task = *question.checkpoints;
  const CheckpointedSteps& found = *advice.checkpoints;
  const std::string label = advice.best().prediction.contestant.label;
  std::string text = fmt::format(
      "\nWhere a checkpoint takes {} and something fails every {}, one every {} is best, {} of {}. "
      "The run\ntakes {:.4g} times as long then: {} of it are checkpoints, {} are lost to "
      "failures.\n",
      long_duration(task.checkpoint_s), long_duration(task.mtbf_s),
      long_duration(found.run.interval_s), counted(found.steps, "step"), label, found.run.factor,
      share_text(found.run.checkpoint_share), share_text(found.run.lost_share));
  if (found.run.expected_s) {
    text += fmt::format("{} of work take {} on average, with {:.3g} failures.\n",
                        long_duration(*task.run_s), long_duration(*found.run.expected_s),
                        *found.run.failures);
  }
  return text + fmt::format("  {}{}\n", predict_line(question, label), checkpoint_flags(task));
}

Json checkpoints_object(const AdviceQuestion& question, const Advice& advice) {
  if (!advice.checkpoints) return nullptr;
  const CheckpointedRun& run = advice.checkpoints->run;
  return {{"checkpoint_s", question.checkpoints->checkpoint_s},
          {"mtbf_s", question.checkpoints->mtbf_s},
          {"steps", advice.checkpoints->steps},
          {"interval_s", run.interval_s},
          {"factor", run.factor},
          {"checkpoint_share", run.checkpoint_share},
          {"lost_share", run.lost_share},
          {"expected_s", run.expected_s ? Json(*run.expected_s) : Json(nullptr)}};
}

Json changes_object(const std::vector<OptionText>& changes) {
  Json object = Json::object();
  for (const auto& [option, text] : changes) object[option] = text;
  return object;
}

Json schemes_array(const Advice& advice) {
  Json list = Json::array();
  for (const AdvisedScheme& s : advice.schemes) {
    list.push_back({{"label", s.prediction.contestant.label},
                    {"as_one", s.as_one},
                    {"learns", s.as_one ? Json(nullptr) : Json(s.learns)},
                    {"step_s", s.prediction.step_s},
                    {"rows_per_s", s.rate},
                    {"share", s.share},
                    {"memory_bytes", s.memory.bytes}});
  }
  return list;
}

Json levers_array(const Advice& advice) {
  Json list = Json::array();
  for (const Lever& lever : advice.levers) {
    list.push_back({{"what", lever.what},
                    {"scheme", lever.scheme},
                    {"changes", changes_object(lever.changes)},
                    {"step_s", lever.step_s},
                    {"rows_per_s", lever.rate},
                    {"factor", lever.factor},
                    {"cost", lever.cost.empty() ? Json(nullptr) : Json(lever.cost)}});
  }
  return list;
}

/// Each line of the text that is a sentence.
Json sentences_of(const AdviceQuestion& question, const Advice& advice, const TargetTimes* times) {
  Json list = Json::array();
  std::string text = times == nullptr ? "" : first_at_target_sentence(*times) + remarks_on(*times);
  text += limit_sentence(question, advice) + need_sentence(question, advice);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    list.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return list;
}

Json map_object(const AdviceMap& map) {
  Json cells = Json::array();
  for (const AdviceCell& cell : map.cells) {
    cells.push_back({{"first", cell.first}, {"step_s", cell.step_s}, {"ahead", cell.ahead}});
  }
  return {{"latencies_s", map.latencies_s},
          {"bandwidths_bytes_per_s", map.bytes_per_second},
          {"by_passes", map.by_passes},
          {"cells", cells}};
}

Json measured_object(const AdviceQuestion& question, const Advice& advice) {
  if (!question.measured_rate) return nullptr;
  Json list = Json::array();
  for (const Explanation& one : advice.explanations) {
    list.push_back({{"what", one.what}, {"changes", changes_object(one.changes)}});
  }
  return {{"rows_per_s", *question.measured_rate},
          {"scheme", question.measured ? question.measured->label
                                       : advice.best().prediction.contestant.label},
          {"expected_rows_per_s", advice.expected_rate},
          {"explanations", list}};
}

}  // namespace

std::string advice_text(const AdviceQuestion& question, const Advice& advice,
                        const TargetTimes* times) {
  const std::string soonest = times == nullptr ? "" : target_times_text(*times) + "\n";
  std::string text = setting_text(question.setting) + "\n" + soonest +
                     limit_sentence(question, advice) + need_sentence(question, advice) + "\n" +
                     lever_table(advice) + "\n" + scheme_table(question, advice);
  for (const std::string& one : advice.left_out) text += fmt::format("not {}\n", one);
  text += workers_text(question, advice) + memory_text(question, advice) +
          checkpoint_text(question, advice) + measured_text(question, advice);
  return text + fmt::format("\nEach row is a prediction, like that of\n  {}\n",
                            predict_line(question, advice.best().prediction.contestant.label));
}

std::string advice_json(const AdviceQuestion& question, const Advice& advice,
                        const TargetTimes* times, const AdviceMap* map) {
  const Configuration& c = question.setting.configuration;
  Json limits = Json::array(), counts = Json::array();
  for (const Limit& limit : advice.limits) {
    limits.push_back({{"name", limit.name}, {"seconds", limit.seconds}});
  }
  for (const WorkerCount& count : advice.workers) {
    counts.push_back(
        {{"workers", count.workers}, {"step_s", count.step_s}, {"relative_time", count.time}});
  }
  const Json document = {
      {"workers", c.workers},
      {"parameters", question.setting.parameters},
      {"batch", c.batch},
      {"compute_s", to_seconds(*c.compute_time)},
      {"latency_s", to_seconds(c.network.latency)},
      {"bandwidth_bytes_per_s", bandwidth_value(c.network)},
      {"settings", other_settings(question.setting)},
      {"alone_rows_per_s", advice.alone_rate},
      {"ideal_rows_per_s", advice.ideal_rate},
      {"schemes", schemes_array(advice)},
      {"left_out", advice.left_out},
      {"limits", limits},
      {"levers", levers_array(advice)},
      {"need",
       {{"share", advice.need.share},
        {"bandwidth_bytes_per_s",
         advice.need.bytes_per_second ? Json(*advice.need.bytes_per_second) : Json(nullptr)},
        {"most_share", advice.need.most_share}}},
      {"worker_counts", counts},
      {"checkpoints", checkpoints_object(question, advice)},
      {"measured", measured_object(question, advice)},
      {"sentences", sentences_of(question, advice, times)},
      {"map", map == nullptr ? Json(nullptr) : map_object(*map)},
      {"target", times == nullptr ? Json(nullptr) : target_times_object(*times)}};
  return document.dump(2) + "\n";
}

}  // namespace trainyard
