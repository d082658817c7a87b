#include <fmt/format.h>

#include "trainyard/report/prediction_format.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

int predict_command(const PredictionSetting& setting, const std::vector<Variant>& variants,
                    const ExchangeCosts& costs, bool json) {
  std::vector<Prediction> predictions;
  for (const Variant& variant : variants) predictions.push_back(predict(variant, setting));
  fmt::print("{}", json ? prediction_json(setting, predictions, costs)
                        : prediction_table(setting, predictions, costs));
  return exit_done;
}

int predict_command(const PredictionSetting& setting, const std::vector<Variant>& variants,
                    const Sweep& values, bool json) {
  const SweepResult result = sweep(values, variants, setting);
  fmt::print("{}",
             json ? sweep_json(*values.quantity, result) : sweep_table(*values.quantity, result));
  return exit_done;
}

}  // namespace trainyard::app
