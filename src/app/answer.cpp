#include "app/answer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "app/failures.hpp"
#include "app/training_flags.hpp"
#include "base/standard_streams.hpp"

namespace trainyard::app {

int AnswerOutput::progress_to() const {
  constexpr int nowhere = -1;
  return quiet ? nowhere : STDERR_FILENO;
}

AnswerFlags::AnswerFlags(CLI::App& command, const std::string& json_help, bool has_svg) {
  json_ = add_switch(command, "json", json_help);
  if (has_svg) svg_ = add_value_flag(command, "svg", "FILE", "draw it as a figure, besides");
  html_ = add_value_flag(command, "html", "FILE", "write a report to look at, besides");
  force_ = add_switch(command, "force",
                      has_svg ? "overwrite --svg FILE and --html FILE" : "overwrite --html FILE");
  quiet_ = add_switch(command, "quiet", "no progress on standard error");
}

AnswerOutput AnswerFlags::read() const {
  AnswerOutput output{.json = is_given(*json_), .html = only_value(*html_)};
  if (svg_) output.svg = only_value(*svg_);
  output.force = is_given(*force_);
  output.quiet = is_given(*quiet_);
  return output;
}

std::vector<std::string> AnswerFlags::notes() const {
  const bool writes = html_->count() > 0 || (svg_ && svg_->count() > 0);
  if (force_->count() == 0 || writes) return {};
  return {svg_ ? "note: --force has no effect: it is for --svg and --html, which are not given"
               : "note: --force has no effect: it is for --html, which is not given"};
}

Answer::Answer(const AnswerOutput& output) : json_(output.json) {
  if (!output.svg.empty()) svg_.emplace("--svg", output.svg, output.force);
  if (!output.html.empty()) html_.emplace("--html", output.html, output.force);
}

void Answer::give(PageKind kind, const std::string& title, const AnswerTexts& texts) const {
  Failures failures;
  if (svg_) failures.attempt([&] { svg_->finish(texts.svg()); });
  if (html_) failures.attempt([&] { html_->finish(html_page(kind, title, texts.json())); });
  failures.attempt([&] {
    if (json_) {
      fmt::print("{}", texts.json());
    } else {
      print_text(texts.text());
    }
  });
  failures.rethrow();
}

}  // namespace trainyard::app
