#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/report/aligned.hpp"
#include "trainyard/report/prediction_format.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;  // keys in the order they are written here

}  // namespace

std::string optimal_time_json(const PredictionSetting& setting, double noise_ratio,
                              const OptimalTime& found) {
  Json rows = Json::array();
  for (const FastestWorkers& way : found.ways) {
    rows.push_back({{"workers", way.workers},
                    {"slowest_s", way.slowest_s},
                    {"asynchronous_s", way.asynchronous_s},
                    {"minibatch_s", way.minibatch_s}});
  }
  const Json document = {{"workers", setting.configuration.workers},
                         {"noise_ratio", noise_ratio},
                         {"threshold", found.threshold},
                         {"best_asynchronous_workers", found.ways[found.best_asynchronous].workers},
                         {"best_minibatch_workers", found.ways[found.best_minibatch].workers},
                         {"rows", rows}};
  return document.dump(2) + "\n";
}

std::string optimal_time_table(const PredictionSetting& setting, double noise_ratio,
                               const OptimalTime& found) {
  const std::string text = fmt::format(
      "{} workers, {} a gradient of the fastest, σ²/ε = {:.6g}\n\n", setting.configuration.workers,
      human_duration(found.ways.front().slowest_s), noise_ratio);
  std::vector<TableRow> lines{{"the fastest", "slowest of them", "asynchronous", "minibatches"}};
  for (std::size_t i = 0; i < found.ways.size(); ++i) {
    const FastestWorkers& way = found.ways[i];
    lines.push_back(
        {fmt::format("{}", way.workers), human_duration(way.slowest_s),
         human_duration(way.asynchronous_s) + (i == found.best_asynchronous ? " <" : "  "),
         human_duration(way.minibatch_s) + (i == found.best_minibatch ? " <" : "  ")});
  }
  return text + aligned(lines) +
         fmt::format(
             "\n<: the best. Seconds times LΔ/ε, the steps that it takes without noise, to "
             "‖∇f‖² ≤ ε in the\n"
             "worst case and up to a constant; messages take none. asynchronous: updates by so "
             "many workers,\n"
             "the others left out; the best of it is optimal, and rennala --gradients {0} and "
             "ringmaster\n"
             "--delay-threshold {0} reach it with all of them. minibatches: a gradient of each, "
             "the slowest\n"
             "waited for.\n",
             found.threshold);
}

}  // namespace trainyard
