#include "app/answer.hpp"

#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/standard_streams.hpp"
#include "trainyard/report/json_text.hpp"

#include "app/failures.hpp"
#include "app/training_flags.hpp"

namespace trainyard::app {

int AnswerOutput::progress_to() const {
  constexpr int nowhere = -1;
  return quiet ? nowhere : STDERR_FILENO;
}

std::string AnswerFlags::files_text(const std::string& what, const std::string& last) const {
  std::vector<std::string> names;
  for (const CLI::Option* flag : of_files()) {
    if (flag != nullptr) names.push_back(flag->get_name() + (what.empty() ? "" : " " + what));
  }
  std::string text = names.front();
  for (std::size_t i = 1; i < names.size(); ++i) {
    text += (i + 1 < names.size() ? ", " : last) + names[i];
  }
  return text;
}

AnswerFlags::AnswerFlags(CLI::App& command, const std::string& json_help, AnswerFiles files) {
  json_ = add_switch(command, "json", json_help);
  const bool has_schedules = files == AnswerFiles::page_figure_and_schedules;
  const bool has_svg = has_schedules || files == AnswerFiles::page_and_figure;
  if (has_svg) svg_ = add_value_flag(command, "svg", "FILE", "draw it as a figure, besides");
  if (has_schedules) {
    goal_ = add_value_flag(command, "goal", "FILE",
                           "write it as a GOAL schedule, which LogGOPSim reads, besides");
    chakra_ =
        add_value_flag(command, "chakra", "FILE",
                       "write it as Chakra's traces, which ASTRA-sim reads, besides: FILE.0.et "
                       "of the first rank, FILE.1.et …");
  }
  if (files != AnswerFiles::none) {
    html_ = add_value_flag(command, "html", "FILE", "write a report to look at, besides");
    force_ = add_switch(command, "force", "overwrite " + files_text("FILE", " and "));
  }
  quiet_ = add_switch(command, "quiet", "no progress on standard error");
}

AnswerOutput AnswerFlags::read() const {
  AnswerOutput output{.json = is_given(*json_)};
  if (svg_) output.svg = only_value(*svg_);
  if (goal_) output.goal = only_value(*goal_);
  if (chakra_) output.chakra = only_value(*chakra_);
  if (html_) output.html = only_value(*html_);
  if (force_) output.force = is_given(*force_);
  output.quiet = is_given(*quiet_);
  output.notes = notes();
  return output;
}

std::vector<std::string> AnswerFlags::notes() const {
  if (!force_ || force_->count() == 0) return {};
  std::size_t files = 0;
  for (const CLI::Option* flag : of_files()) {
    if (flag == nullptr) continue;
    if (flag->count() > 0) return {};
    ++files;
  }
  return {fmt::format("note: --force has no effect: it is for {}, which {} not given",
                      files_text("", " and "), files > 1 ? "are" : "is")};
}

std::string with_notes(const std::string& document, const std::vector<std::string>& of_call,
                       const std::vector<Note>& others) {
  constexpr std::string_view end = "\n}\n";
  require(document.ends_with(end), "a document ends with its closing brace");
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const std::string& note : of_call) array.push_back({{"about", ""}, {"text", note}});
  for (const Note& note : others) array.push_back({{"about", note.about}, {"text", note.text}});
  // Joined as text, since a timeline may have a million messages.
  return fmt::format("{},\n  \"notes\": {}{}", document.substr(0, document.size() - end.size()),
                     json_line(array), end);
}

namespace {

std::string json_of(const AnswerOutput& output, const AnswerTexts& texts) {
  if (texts.json_has_notes) return texts.json();
  return with_notes(texts.json(), output.notes, texts.notes);
}

}  // namespace

void print_answer(const AnswerOutput& output, const AnswerTexts& texts) {
  if (output.json) {
    fmt::print("{}", json_of(output, texts));
  } else {
    print_text(texts.text());
  }
}

namespace {

/// Throws UsageError where it is no name that files can begin with.
void check_chakra_name(const std::filesystem::path& name) {
  std::error_code error;
  const bool is_device = std::filesystem::is_other(name, error);
  if (!is_device && name.has_filename() && name.filename() != "." && name.filename() != "..")
    return;
  throw UsageError(fmt::format(
      "--chakra: {} is {}; a file for each rank is written, and expected is what their names begin "
      "with, like 'ring' of ring.0.et",
      echoed(name.string()), is_device ? "a device" : "a folder"));
}

OutputFile chakra_file(const AnswerOutput& output, std::size_t rank) {
  return {"--chakra", fmt::format("{}.{}.et", output.chakra.string(), rank), output.force};
}

}  // namespace

Answer::Answer(const AnswerOutput& output) : output_(output) {
  if (!output.svg.empty()) svg_.emplace("--svg", output.svg, output.force);
  if (!output.goal.empty()) goal_.emplace("--goal", output.goal, output.force);
  if (!output.chakra.empty()) {
    check_chakra_name(output.chakra);
    (void)chakra_file(output, 0);  // whether it can be written
  }
  if (!output.html.empty()) html_.emplace("--html", output.html, output.force);
}

/// All of them, or none where one is in the way.
void Answer::write_chakra(const std::vector<std::string>& traces) const {
  std::vector<OutputFile> files;
  for (std::size_t rank = 0; rank < traces.size(); ++rank) {
    files.push_back(chakra_file(output_, rank));
  }
  for (std::size_t rank = 0; rank < traces.size(); ++rank) files[rank].finish(traces[rank]);
}

void Answer::give(PageKind kind, const std::string& title, const AnswerTexts& texts) const {
  Failures failures;
  if (svg_) failures.attempt([&] { svg_->finish(texts.svg()); });
  if (goal_) failures.attempt([&] { goal_->finish(texts.goal()); });
  if (!output_.chakra.empty()) failures.attempt([&] { write_chakra(texts.chakra()); });
  if (html_)
    failures.attempt([&] { html_->finish(html_page(kind, title, json_of(output_, texts))); });
  failures.attempt([&] { print_answer(output_, texts); });
  failures.rethrow();
}

}  // namespace trainyard::app
