#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/error.hpp"
#include "trainyard/base/standard_streams.hpp"
#include "trainyard/report/saved_runs.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

namespace {

std::string summary_line(const std::string& document, const std::filesystem::path& html) {
  const std::size_t runs = nlohmann::json::parse(document).at("runs").size();
  return fmt::format("{}: a report of {} run{}\n", html.string(), runs, runs == 1 ? "" : "s");
}

}  // namespace

int report_command(const ReportQuestion& question) {
  if (question.folders.empty()) {
    throw UsageError("report of which folders? --out DIR of run and compare makes them");
  }
  if (question.output.html.empty() && !question.output.json) {
    throw UsageError("report: --html FILE says where the page goes; --json prints what is in it");
  }
  const Answer answer(question.output);
  const std::string document =
      saved_runs_json(question.folders, [](const std::string& remark) { say(remark + "\n"); });
  answer.give(PageKind::comparison, "Saved runs",
              {.text = [&] { return summary_line(document, question.output.html); },
               .json = [&] { return std::string(document); },
               .json_has_notes = true});
  return exit_done;
}

}  // namespace trainyard::app
