#include <string>

#include <fmt/format.h>

#include "trainyard/analysis/break_even.hpp"
#include "trainyard/analysis/split_search.hpp"
#include "trainyard/report/break_even_format.hpp"
#include "trainyard/report/prediction_format.hpp"
#include "trainyard/report/split_search_format.hpp"
#include "trainyard/report/status_line.hpp"
#include "trainyard/report/training_time_format.hpp"
#include "trainyard/run/resolve.hpp"

#include "app/commands.hpp"
#include "base/standard_streams.hpp"

namespace trainyard::app {

namespace {

std::vector<Prediction> predict_all(const std::vector<Variant>& variants,
                                    const PredictionSetting& setting, const AnswerOutput& output) {
  StatusLine status_line(output.progress_to());
  std::vector<Prediction> predictions;
  for (const Variant& variant : variants) {
    status_line.show(
        fmt::format("{}, {} of {}", variant.text(), predictions.size() + 1, variants.size()));
    predictions.push_back(predict(variant, setting));
  }
  return predictions;
}

SweepResult swept(const Sweep& values, const std::vector<Variant>& variants,
                  const PredictionSetting& setting, const AnswerOutput& output) {
  StatusLine status_line(output.progress_to());
  status_line.show(fmt::format("{} schemes at {} values of {}, and where they cross",
                               variants.size(), values.values.size(), values.quantity->name));
  return sweep(values, variants, setting);
}

std::vector<BreakEven> break_evens(const PredictionSetting& setting,
                                   const std::vector<Variant>& schemes,
                                   const std::vector<std::string>& codecs,
                                   const AnswerOutput& output) {
  StatusLine status_line(output.progress_to());
  std::vector<BreakEven> rows;
  for (const Variant& scheme : schemes) {
    for (const std::string& codec : codecs) {
      status_line.show(fmt::format("{} with {}", scheme.text(), codec));
      rows.push_back(break_even(scheme, codec, setting));
    }
  }
  return rows;
}

}  // namespace

int predict_command(const PredictionSetting& setting, const std::vector<Variant>& variants,
                    const ExchangeCosts& costs, const AnswerOutput& output) {
  const Answer answer(output);
  const std::vector<Prediction> predictions = predict_all(variants, setting, output);
  answer.give(PageKind::prediction, "What a step of each scheme takes",
              {.text = [&] { return prediction_table(setting, predictions, costs); },
               .json = [&] { return prediction_json(setting, predictions, costs); },
               .notes = prediction_notes(predictions)});
  return exit_done;
}

int predict_command(const PredictionSetting& setting, const std::vector<Variant>& variants,
                    const Sweep& values, const std::vector<ExchangeCosts>& costs,
                    const AnswerOutput& output) {
  const Answer answer(output);
  const SweepResult result = swept(values, variants, setting, output);
  answer.give(PageKind::sweep, fmt::format("A step by {}", values.quantity->name),
              {.text = [&] { return sweep_table(*values.quantity, result, costs); },
               .json = [&] { return sweep_json(setting, *values.quantity, result, costs); }});
  return exit_done;
}

int break_even_command(const PredictionSetting& setting, const std::vector<Variant>& schemes,
                       const std::vector<std::string>& codecs, const AnswerOutput& output) {
  const Answer answer(output);
  const std::vector<BreakEven> rows = break_evens(setting, schemes, codecs, output);
  answer.give(PageKind::break_even, "The bandwidth below which codecs pay",
              {.text = [&] { return break_even_table(setting, rows); },
               .json = [&] { return break_even_json(setting, rows); }});
  return exit_done;
}

int training_time_command(const std::optional<TrainingTask>& task, const AnswerOutput& output) {
  std::string text;
  if (task) {
    text = output.json ? with_notes(training_time_json(*task), output.notes)
                       : training_time_table(*task);
  } else {
    const auto& all = published_trainings();
    text =
        output.json ? with_notes(training_time_json(all), output.notes) : training_time_table(all);
  }
  fmt::print("{}", text);
  return exit_done;
}

int split_search_command(const Configuration& configuration, const AnswerOutput& output) {
  Configuration c = configuration;
  const LoadedData data = load_dataset(dataset_request(c));
  c.model = model_name(c, data);
  const auto model = make_model({c.model, c.l2}, data.train);
  const SplitSearch search = search_splits(*model, c);
  if (output.json) {
    fmt::print("{}", with_notes(split_search_json(c, search), output.notes));
  } else {
    print_text(split_search_table(c, search));
  }
  return exit_done;
}

}  // namespace trainyard::app
