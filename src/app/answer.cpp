#include "app/answer.hpp"

#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

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

AnswerFlags::AnswerFlags(CLI::App& command, const std::string& json_help, AnswerFiles files) {
  json_ = add_switch(command, "json", json_help);
  const bool has_svg = files == AnswerFiles::page_and_figure;
  if (has_svg) svg_ = add_value_flag(command, "svg", "FILE", "draw it as a figure, besides");
  if (files != AnswerFiles::none) {
    html_ = add_value_flag(command, "html", "FILE", "write a report to look at, besides");
    force_ = add_switch(command, "force",
                        has_svg ? "overwrite --svg FILE and --html FILE" : "overwrite --html FILE");
  }
  quiet_ = add_switch(command, "quiet", "no progress on standard error");
}

AnswerOutput AnswerFlags::read() const {
  AnswerOutput output{.json = is_given(*json_)};
  if (svg_) output.svg = only_value(*svg_);
  if (html_) output.html = only_value(*html_);
  if (force_) output.force = is_given(*force_);
  output.quiet = is_given(*quiet_);
  output.notes = notes();
  return output;
}

std::vector<std::string> AnswerFlags::notes() const {
  if (!force_ || force_->count() == 0) return {};
  if ((html_ && html_->count() > 0) || (svg_ && svg_->count() > 0)) return {};
  return {svg_ ? "note: --force has no effect: it is for --svg and --html, which are not given"
               : "note: --force has no effect: it is for --html, which is not given"};
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

Answer::Answer(const AnswerOutput& output) : output_(output) {
  if (!output.svg.empty()) svg_.emplace("--svg", output.svg, output.force);
  if (!output.html.empty()) html_.emplace("--html", output.html, output.force);
}

void Answer::give(PageKind kind, const std::string& title, const AnswerTexts& texts) const {
  Failures failures;
  if (svg_) failures.attempt([&] { svg_->finish(texts.svg()); });
  if (html_)
    failures.attempt([&] { html_->finish(html_page(kind, title, json_of(output_, texts))); });
  failures.attempt([&] { print_answer(output_, texts); });
  failures.rethrow();
}

}  // namespace trainyard::app
