#include "app/reproduce_flags.hpp"

#include <algorithm>

#include "trainyard/base/error.hpp"

#include "app/training_flags.hpp"

namespace trainyard::app {

ReproduceFlags::ReproduceFlags(CLI::App& command) {
  name_ = command
              .add_option("NAME",
                          "of a published result, a kind (exact, measured, shape, order), or all "
                          "[a list of them]")
              ->type_name("");
  data_dir_ = add_value_flag(command, "data-dir", "DIR", "where the data sets lie [data]");
  output_.emplace(command, "all figures as JSON", AnswerFiles::page);
  command.footer(
      "Ours beside theirs, and whether they agree. Each number is of a command that is printed, "
      "too,\nfor a reader to repeat. Exit status 5: something is not as its page says, 3: data are "
      "missing.");
}

ReproduceQuestion ReproduceFlags::question() const {
  ReproduceQuestion question;
  if (name_->count() > 0) question.results = published_named(only_word(*name_));
  if (const std::string text = only_value(*data_dir_); data_dir_->count() > 0) {
    question.data_dir = text;
  }
  question.output = output_->read();
  if (name_->count() == 0 && !question.output.html.empty()) {
    throw UsageError("--html: draws ours beside theirs; of which result? NAME is missing");
  }
  return question;
}

std::vector<std::string> ReproduceFlags::notes() const {
  std::vector<std::string> notes = output_->notes();
  if (data_dir_->count() == 0) return notes;
  if (name_->count() == 0) {
    notes.emplace_back("note: --data-dir has no effect: nothing is computed without a NAME");
    return notes;
  }
  const auto named = published_named(only_word(*name_));
  if (std::ranges::all_of(named, [](const auto* result) { return result->data.empty(); })) {
    notes.emplace_back("note: --data-dir has no effect: no data set is read");
  }
  return notes;
}

}  // namespace trainyard::app
