#include "app/score_flags.hpp"

#include "trainyard/base/error.hpp"

#include "app/training_flags.hpp"

namespace trainyard::app {

ScoreFlags::ScoreFlags(CLI::App& command) {
  folder_ = command.add_option("DIR", "of a run, which --out wrote")->type_name("");
  file_ = command.add_option("FILE", "rows like those of the training file; - for standard input")
              ->type_name("");
  format_ = add_value_flag(command, "data-format", "FORMAT",
                           "of FILE: libsvm, csv, tsv, idx, npy or npz [by its content and name; "
                           "of a pipe the training file's]");
  labels_ = add_value_flag(command, "labels", "FILE",
                           "the labels of an IDX or npy file [beside it, by its name]");
  without_labels_ = add_switch(command, "no-labels", "pass labels over that FILE has");
  weight_column_ = add_value_flag(command, "weight-column", "COLUMN",
                                  "by which rows count in the measures [the training file's, where "
                                  "FILE has it]");
  out_ = add_value_flag(
      command, "out", "FILE",
      "predictions go there: a .csv or an .npy file, or -, standard output [-, as CSV]");
  html_ = add_value_flag(command, "html", "FILE",
                         "write a report to look at, besides: confusions and curves");
  force_ = add_switch(command, "force", "overwrite --out FILE and --html FILE");
  json_ = add_switch(command, "json", "the measures as JSON, and predictions only into --out FILE");
  command.footer(
      "A row's prediction is its class and the probability of each class, or a number where "
      "labels\n"
      "are real. Where FILE has labels it is measured how good they are: on standard output, or "
      "on\n"
      "standard error where that has the predictions. Rows are made as in training: columns by\n"
      "their names, the same words, means and deviations. A label that training did not see is\n"
      "refused; a word is taken as none of those it saw, and a missing field is filled where\n"
      "--missing mean was given. Text of any length is scored as it is read; npy, npz and IDX "
      "files\n"
      "are read whole.\n"
      "\n"
      "  trainyard run --dataset customers.csv --label-column left --test every-fifth --out "
      "answer\n"
      "  trainyard score answer new.csv > predictions.csv\n"
      "  zcat new.csv.gz | trainyard score answer - --out predictions.npy");
}

ScoreQuestion ScoreFlags::question() const {
  ScoreQuestion question;
  question.folder = only_word(*folder_);
  question.file = only_word(*file_);
  if (question.folder.empty() || question.file.empty()) {
    throw UsageError(
        "score: expected the folder of a run and a file of rows, as in 'trainyard score "
        "results/ring new.csv'");
  }
  question.format = only_value(*format_);
  question.labels = only_value(*labels_);
  question.without_labels = is_given(*without_labels_);
  question.weight_column = only_value(*weight_column_);
  question.out = only_value(*out_);
  question.html = only_value(*html_);
  question.force = is_given(*force_);
  question.json = is_given(*json_);
  return question;
}

std::vector<std::string> ScoreFlags::notes() const {
  if (force_->count() == 0 || out_->count() > 0 || html_->count() > 0) return {};
  return {"note: --force has no effect: it is for --out and --html, which are not given"};
}

}  // namespace trainyard::app
