#include <string>

#include <fmt/format.h>

#include "trainyard/analysis/break_even.hpp"
#include "trainyard/analysis/optimal_time.hpp"
#include "trainyard/analysis/split_search.hpp"
#include "trainyard/base/counted.hpp"
#include "trainyard/base/standard_streams.hpp"
#include "trainyard/report/prediction_format.hpp"
#include "trainyard/report/status_line.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

namespace {

std::vector<Prediction> predict_all(const std::vector<Contestant>& contestants,
                                    const PredictionSetting& setting, const AnswerOutput& output) {
  StatusLine status_line(output.progress_to());
  std::vector<Prediction> predictions;
  for (const Contestant& contestant : contestants) {
    status_line.show(
        fmt::format("{}, {} of {}", contestant.label, predictions.size() + 1, contestants.size()));
    predictions.push_back(predict(contestant, setting));
  }
  return predictions;
}

SweepResult swept(const PredictQuestion& question) {
  StatusLine status_line(question.output.progress_to());
  status_line.show(fmt::format("{} at {} of {}", counted(question.contestants.size(), "scheme"),
                               counted(question.varied->values.size(), "value"),
                               question.varied->option));
  return sweep(*question.varied, question.contestants, question.setting);
}

ExchangeCosts costs_of(const PredictQuestion& question, const PredictionSetting& setting) {
  const Configuration& c = setting.configuration;
  const auto bytes = static_cast<double>(setting.parameters * sizeof(float));
  ExchangeCosts costs =
      exchange_costs(c.workers, servers_of(c), bytes, c.network.default_link().bytes_per_second);
  if (question.reduce_rate) costs.reduce_s = bytes / *question.reduce_rate;
  if (question.update_rate) costs.update_s = bytes / *question.update_rate;
  const auto period = c.hyperparameters.find("period");
  costs.period = period != c.hyperparameters.end() ? period->second
                                                   : known_hyperparameter("period").default_value();
  return costs;
}

/// At each point of the sweep.
std::vector<ExchangeCosts> costs_of(const PredictQuestion& question, const SweepResult& result) {
  std::vector<ExchangeCosts> all;
  for (const SweepPoint& point : result.points) {
    PredictionSetting setting = question.setting;
    set_quantity(setting, {result.variation.option, point.text});
    all.push_back(costs_of(question, setting));
  }
  return all;
}

int sweep_command(const PredictQuestion& question) {
  const Answer answer(question.output);
  const SweepResult result = swept(question);
  const std::vector<ExchangeCosts> costs = costs_of(question, result);
  answer.give(PageKind::sweep, fmt::format("A step by {}", question.varied->option),
              {.text = [&] { return sweep_table(question.setting, result, costs); },
               .json = [&] { return sweep_json(question.setting, result, costs); },
               .notes = prediction_notes(result.points.front().predictions)});
  return exit_done;
}

std::vector<BreakEven> break_evens(const PredictionSetting& setting,
                                   const std::vector<CodedScheme>& schemes,
                                   const AnswerOutput& output) {
  StatusLine status_line(output.progress_to());
  std::vector<BreakEven> rows;
  for (const auto& [scheme, codec] : schemes) {
    status_line.show(fmt::format("{} with {}", scheme.label, codec));
    rows.push_back(break_even(scheme, codec, setting));
  }
  return rows;
}

/// Splits of the configuration's model on its data set; `c` gets the model's name.
SplitSearch searched_splits(Configuration& c, const AnswerOutput& output) {
  StatusLine status_line(output.progress_to());
  status_line.show("reading " + c.dataset);
  const LoadedData data = load_dataset(dataset_request(c));
  c.model = model_name(c, data);
  const auto model = make_model({c.model, c.l2, c.l1}, data.train);
  status_line.show(fmt::format("ways to divide {} among {} workers", c.model, c.workers));
  return search_splits(*model, c);
}

}  // namespace

int predict_command(const PredictQuestion& question) {
  if (question.varied) return sweep_command(question);
  const Answer answer(question.output);
  const PredictionSetting& setting = question.setting;
  const std::vector<Prediction> predictions =
      predict_all(question.contestants, setting, question.output);
  const ExchangeCosts costs = costs_of(question, setting);
  answer.give(PageKind::prediction, "What a step of each scheme takes",
              {.text = [&] { return prediction_table(setting, predictions, costs); },
               .json = [&] { return prediction_json(setting, predictions, costs); },
               .notes = prediction_notes(predictions)});
  return exit_done;
}

int break_even_command(const PredictionSetting& setting, const std::vector<CodedScheme>& schemes,
                       const AnswerOutput& output) {
  const Answer answer(output);
  const std::vector<BreakEven> rows = break_evens(setting, schemes, output);
  answer.give(PageKind::break_even, "The bandwidth below which codecs pay",
              {.text = [&] { return break_even_table(setting, rows); },
               .json = [&] { return break_even_json(setting, rows); }});
  return exit_done;
}

int training_time_command(const std::optional<TrainingTask>& task, const AnswerOutput& output) {
  const auto& all = published_trainings();
  print_answer(
      output, {.text = [&] { return task ? training_time_table(*task) : training_time_table(all); },
               .json = [&] { return task ? training_time_json(*task) : training_time_json(all); }});
  return exit_done;
}

int optimal_time_command(const PredictionSetting& setting, double noise_ratio,
                         const AnswerOutput& output) {
  const OptimalTime found = optimal_time(compute_seconds(setting.configuration), noise_ratio);
  print_answer(output, {.text = [&] { return optimal_time_table(setting, noise_ratio, found); },
                        .json = [&] { return optimal_time_json(setting, noise_ratio, found); }});
  return exit_done;
}

int compute_share_command(const ComputeShareQuestion& question, const AnswerOutput& output) {
  print_answer(output, {.text = [&] { return compute_share_table(question); },
                        .json = [&] { return compute_share_json(question); }});
  return exit_done;
}

int checkpoint_command(const CheckpointQuestion& question) {
  const std::vector<Prediction> predictions =
      predict_all(question.contestants, question.setting, question.output);
  const auto text = [&] {
    return checkpoint_table(question.task, question.workers, question.setting, predictions);
  };
  const auto json = [&] {
    return checkpoint_json(question.task, question.workers, question.setting, predictions);
  };
  print_answer(question.output,
               {.text = text, .json = json, .notes = prediction_notes(predictions)});
  return exit_done;
}

int split_search_command(const Configuration& configuration, const AnswerOutput& output) {
  Configuration c = configuration;
  const SplitSearch search = searched_splits(c, output);
  print_answer(output, {.text = [&] { return split_search_table(c, search); },
                        .json = [&] { return split_search_json(c, search); }});
  return exit_done;
}

}  // namespace trainyard::app
