#include "app/report_flags.hpp"

namespace trainyard::app {

ReportFlags::ReportFlags(CLI::App& command) {
  folders_ = command
                 .add_option("DIR",
                             "folders that --out has made, of any day and machine, or folders of "
                             "such folders")
                 ->type_name("…")
                 ->expected(-1)
                 ->take_all();
  output_.emplace(command, "the document of the page", AnswerFiles::page);
  command.footer(
      "Runs without a target that minimise the same get the one that compare gives: the training\n"
      "loss that all of them reached.");
}

ReportQuestion ReportFlags::question() const {
  ReportQuestion question{.folders = {}, .output = output_->read()};
  for (const std::string& folder : folders_->results()) question.folders.emplace_back(folder);
  return question;
}

std::vector<std::string> ReportFlags::notes() const {
  return output_->notes();
}

}  // namespace trainyard::app
