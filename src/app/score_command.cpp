#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/standard_streams.hpp"
#include "trainyard/report/output_file.hpp"
#include "trainyard/report/run_folder.hpp"
#include "trainyard/report/score_format.hpp"
#include "trainyard/scoring/file_scoring.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

namespace {

ReadOptions reading_for(const ScoreQuestion& question, const Preparation& preparation) {
  Format format = question.file == "-" ? preparation.format : guess_format(question.file);
  if (!question.format.empty()) format = parse_format(question.format, "--data-format");
  ReadOptions options = reading_of(preparation, question.file, format);
  if (question.without_labels) options.labels = LabelUse::none;
  if (question.labels.empty()) return options;
  if (!has_labels_file(format)) {
    throw OptionError("labels", question.labels.string(),
                      fmt::format("a file of format {} has its labels in it", format_text(format)));
  }
  options.labels = LabelUse::required;
  options.labels_file = question.labels;
  return options;
}

/// The predictions as CSV, a part of the file at a time.
class CsvPieces {
 public:
  CsvPieces(FileScoring& scoring, std::vector<std::string> classes)
      : scoring_(&scoring), classes_(std::move(classes)) {}

  /// Empty at the end.
  std::string_view next() {
    const auto part = scoring_->next();
    piece_.clear();
    if (!part) return piece_;
    if (!std::exchange(begun_, true)) piece_ = predictions_csv_header(classes_, *part);
    piece_ += predictions_csv(classes_, *part);
    return piece_;
  }

 private:
  FileScoring* scoring_;
  const std::vector<std::string> classes_;
  std::string piece_;
  bool begun_ = false;
};

/// All numbers of the predictions, since the header of an npy file says how many there are:
/// probabilities, rows × classes, or values.
std::string npy_of(FileScoring& scoring) {
  std::vector<float> numbers;
  std::vector<std::size_t> shape{0};
  while (const auto part = scoring.next()) {
    const Predictions& said = part->said;
    const std::vector<double>& from = said.values.empty() ? said.probabilities : said.values;
    for (const double number : from) numbers.push_back(static_cast<float>(number));
    shape[0] += said.rows;
    if (said.values.empty()) shape.resize(2, said.classes);
  }
  return npy_text(numbers, shape);
}

void write_predictions(const ScoreQuestion& question, const OutputFile& out, FileScoring& scoring,
                       const std::vector<std::string>& classes) {
  if (question.out.extension() == ".npy") {
    out.finish(npy_of(scoring));
    return;
  }
  CsvPieces pieces(scoring, classes);
  out.finish_in_pieces([&] { return pieces.next(); });
}

}  // namespace

int score_command(const ScoreQuestion& question) {
  const bool to_output = question.out.empty() && !question.json;
  std::optional<OutputFile> out;
  if (to_output || !question.out.empty()) {
    out.emplace("--out", to_output ? "/dev/stdout" : question.out, question.force);
  }
  const TrainedModel trained = open_trained_model(question.folder);
  const std::vector<std::string> classes = class_texts(trained.preparation);
  FileScoring scoring(trained, question.file, reading_for(question, trained.preparation));
  if (out) {
    write_predictions(question, *out, scoring, classes);
  } else {
    while (scoring.next()) continue;
  }
  const Scored scored = scoring.finish();
  if (question.json) {
    fmt::print("{}", scored_json(classes, scored));
    return exit_done;
  }
  const std::string text =
      scored_text(fmt::format("{} on {}", question.folder.string(),
                              question.file == "-" ? "standard input" : question.file.string()),
                  classes, scored);
  if (to_output) {
    say(text);
  } else {
    print_text(text);
  }
  return exit_done;
}

}  // namespace trainyard::app
