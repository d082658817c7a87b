#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/standard_streams.hpp"
#include "trainyard/data/npy.hpp"
#include "trainyard/report/output_file.hpp"
#include "trainyard/report/score_format.hpp"
#include "trainyard/scoring/file_scoring.hpp"
#include "trainyard/web/page.hpp"

#include "app/commands.hpp"
#include "app/failures.hpp"
#include "app/read_files.hpp"

namespace trainyard::app {

namespace fs = std::filesystem;

namespace {

bool is_text(Format format) {
  return format == Format::libsvm || format == Format::csv || format == Format::tsv;
}

/// The training file's, unless the file is of another kind by its content or its name.
Format format_of(const ScoreQuestion& question, Format of_training) {
  if (!question.format.empty()) return parse_format(question.format, "--data-format");
  std::error_code error;
  if (!fs::is_regular_file(question.file, error)) return of_training;
  const Format guessed = guess_format(question.file);
  // Rows without labels look like columns that blanks separate.
  static const std::array<fs::path, 4> named{".csv", ".tsv", ".svm", ".libsvm"};
  const bool is_named = std::ranges::count(named, question.file.extension()) > 0;
  return is_text(guessed) && is_text(of_training) && !is_named ? of_training : guessed;
}

ReadOptions reading_for(const ScoreQuestion& question, const Preparation& preparation) {
  const Format format = format_of(question, preparation.format);
  ReadOptions options = reading_of(preparation, question.file, format);
  if (question.without_labels) options.labels = LabelUse::none;
  if (!question.weight_column.empty() && format != Format::csv && format != Format::tsv) {
    throw OptionError("weight-column", question.weight_column,
                      fmt::format("a file of format {} has no such column", format_text(format)));
  }
  options.other_weight_column = question.weight_column;
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
void write_npy_of(FileScoring& scoring, const OutputFile& out) {
  std::vector<float> numbers;
  std::vector<std::size_t> shape{0};
  while (const auto part = scoring.next()) {
    const Predictions& said = part->said;
    const std::vector<double>& from = said.values.empty() ? said.probabilities : said.values;
    for (const double number : from) numbers.push_back(static_cast<float>(number));
    shape[0] += said.rows;
    if (said.values.empty()) shape.resize(2, said.classes);
  }
  const std::string head = npy_head(Scalar::float32, shape);
  const std::array pieces{std::string_view(head),
                          std::string_view(reinterpret_cast<const char*>(numbers.data()),
                                           numbers.size() * sizeof(float))};
  out.finish(pieces);
}

void write_predictions(const ScoreQuestion& question, const OutputFile& out, FileScoring& scoring,
                       const std::vector<std::string>& classes) {
  if (question.out.extension() == ".npy") {
    write_npy_of(scoring, out);
    return;
  }
  CsvPieces pieces(scoring, classes);
  out.finish_in_pieces([&] { return pieces.next(); });
}

/// Throws UsageError for a name that says another format.
void check_format_of(const fs::path& out) {
  const fs::path extension = out.extension();
  std::error_code error;
  const bool is_device = fs::exists(out, error) && !fs::is_regular_file(out, error);
  if (out.empty() || is_device || extension == ".csv" || extension == ".npy") return;
  throw OptionError("out", out.string(),
                    "expected a name that ends in .csv or .npy, or - for standard output");
}

/// Throws UsageError for outputs that are read, or that are one.
void check_outputs(const ScoreQuestion& question, const fs::path& model) {
  std::vector<fs::path> read{question.file, question.labels};
  for (const char* name : {"model.json", "model.npy", "config.toml", "summary.json"}) {
    read.push_back(model / name);
  }
  check_not_read("out", question.out, read);
  check_not_read("html", question.html, read);
  if (!question.html.empty() && names_one_file(question.out, question.html)) {
    throw OptionError("html", question.html.string(), "is the file of --out as well");
  }
}

/// What is known of the predictions, as asked for.
class ScoreTexts {
 public:
  ScoreTexts(const ScoreQuestion& question, const std::vector<std::string>& classes,
             const Scored& scored)
      : model_(question.folder.string()),
        file_(question.file == "-" ? "standard input" : question.file.string()),
        classes_(&classes),
        scored_(&scored) {}

  std::string json() const { return scored_json(model_, file_, *classes_, *scored_); }
  std::string text() const {
    return scored_text(fmt::format("{} on {}", model_, file_), *classes_, *scored_);
  }

 private:
  const std::string model_, file_;
  const std::vector<std::string>* classes_;
  const Scored* scored_;
};

/// Beside the predictions, where those are on standard output.
void give_measures(const ScoreQuestion& question, const ScoreTexts& texts, bool beside) {
  if (question.json) {
    fmt::print("{}", texts.json());
  } else if (beside) {
    say(texts.text());
  } else {
    print_text(texts.text());
  }
}

}  // namespace

int score_command(const ScoreQuestion& question) {
  const bool to_output = question.out == "-" || (question.out.empty() && !question.json);
  if (!to_output) check_format_of(question.out);
  if (question.out == "-" && question.json) {
    throw OptionError("out", "-", "--json prints the measures there");
  }
  const TrainedModel trained = open_trained_model(question.folder);
  check_outputs(question, trained.folder);
  std::optional<OutputFile> out;
  if (to_output || !question.out.empty()) {
    out.emplace("--out", to_output ? "/dev/stdout" : question.out, question.force);
  }
  std::optional<OutputFile> page;
  if (!question.html.empty()) page.emplace("--html", question.html, question.force);
  const std::vector<std::string> classes = class_texts(trained.preparation);
  FileScoring scoring(trained, question.file, reading_for(question, trained.preparation));
  if (out) {
    write_predictions(question, *out, scoring, classes);
  } else {
    while (scoring.next()) continue;
  }
  const Scored scored = scoring.finish();
  const ScoreTexts texts(question, classes, scored);
  Failures failures;
  if (page) {
    failures.attempt([&] {
      page->finish(html_page(PageKind::score, "How good are the predictions?", texts.json()));
    });
  }
  failures.attempt([&] { give_measures(question, texts, to_output); });
  failures.rethrow();
  return exit_done;
}

}  // namespace trainyard::app
