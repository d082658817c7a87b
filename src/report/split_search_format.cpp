#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/report/aligned.hpp"
#include "trainyard/report/prediction_format.hpp"

namespace trainyard {

namespace {

constexpr std::size_t best_shown = 10;

constexpr const char* legend_of_splits =
    "\n"
    "step         of all workers' rows, as gpipe has it; with both pp and tp an estimate\n"
    "  compute    of the stage with the most to do\n"
    "  in stages  sums of units and slopes over the tp workers that hold it\n"
    "  gradients  their sum over the dp copies of the model\n"
    "  wait       the bubble, and what comes from other stages\n"
    "held         a worker's parameters, gradients, optimizer and units on their way, as 1f1b has\n"
    "             them\n";

TableRow cells_of(const SplitCost& cost) {
  return {cost.split.text(),
          fmt::to_string(cost.microbatches),
          human_duration(cost.step_s),
          human_duration(cost.compute_s),
          human_duration(cost.in_stages_s),
          human_duration(cost.gradients_s),
          human_duration(cost.wait_s),
          human_bytes(cost.bytes_held)};
}

bool is_data_parallel(const SplitCost& cost) {
  return cost.split.pipeline == 1 && cost.split.tensor == 1;
}

}  // namespace

std::string split_search_table(const Configuration& setting, const SplitSearch& search) {
  std::vector<TableRow> lines{
      {"split", "microbatches", "step", "compute", "in stages", "gradients", "wait", "held"}};
  const std::size_t shown = std::min(best_shown, search.found.size());
  for (std::size_t i = 0; i < shown; ++i) lines.push_back(cells_of(search.found[i]));
  const auto alone = std::ranges::find_if(search.found, is_data_parallel);
  if (alone - search.found.begin() >= static_cast<std::ptrdiff_t>(shown)) {
    lines.push_back(cells_of(*alone));
  }
  std::string text =
      fmt::format("{} on {}, {} of each; {} of {} that there are", setting.model,
                  counted(setting.workers, "worker"), counted(setting.batch, "row"),
                  counted(search.found.size(), "split"), search.found.size() + search.left_out);
  if (search.left_out > 0) {
    text +=
        "; the others have more stages\nthan layers, or fewer units than workers that share them";
  }
  return text + "\n\n" + aligned(lines) + legend_of_splits;
}

std::string split_search_json(const Configuration& setting, const SplitSearch& search) {
  using Json = nlohmann::ordered_json;  // keys in the order they are written here
  Json rows = Json::array();
  for (const SplitCost& cost : search.found) {
    rows.push_back({{"split", cost.split.text()},
                    {"dp", cost.split.data},
                    {"pp", cost.split.pipeline},
                    {"tp", cost.split.tensor},
                    {"microbatches", cost.microbatches},
                    {"step_s", cost.step_s},
                    {"compute_s", cost.compute_s},
                    {"in_stages_s", cost.in_stages_s},
                    {"gradients_s", cost.gradients_s},
                    {"wait_s", cost.wait_s},
                    {"bytes_held", cost.bytes_held}});
  }
  return Json{{"workers", setting.workers},
              {"model", setting.model},
              {"batch", setting.batch},
              {"left_out", search.left_out},
              {"rows", rows}}
             .dump(2) +
         "\n";
}

}  // namespace trainyard
