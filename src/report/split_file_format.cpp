#include "trainyard/report/split_file_format.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/counted.hpp"
#include "trainyard/report/json_text.hpp"

namespace trainyard {

std::string split_file_text(const SplitFileReport& report) {
  const auto [fewest, most] = std::ranges::minmax(report.rows_of_parts);
  const std::string range =
      fewest == most ? fmt::to_string(most) : fmt::format("{} to {}", fewest, most);
  return fmt::format("{}: {} of {} in {} of {}, by {} with seed {}\n", report.file,
                     counted(report.rows, "row"), report.dataset,
                     counted(report.rows_of_parts.size(), "part"), counted(range, "row"),
                     report.rule, report.seed);
}

std::string split_file_json(const SplitFileReport& report) {
  return json_text(nlohmann::ordered_json{{"file", report.file},
                                          {"dataset", report.dataset},
                                          {"rows", report.rows},
                                          {"parts", report.rows_of_parts.size()},
                                          {"partition", report.rule},
                                          {"seed", report.seed},
                                          {"rows_of_parts", report.rows_of_parts}});
}

}  // namespace trainyard
