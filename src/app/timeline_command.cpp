#include <cstdio>
#include <optional>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "trainyard/report/output_file.hpp"
#include "trainyard/report/timeline_format.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

namespace {

/// As wide as the terminal, and 100 columns into a file; in colour on a terminal.
TextStyle style_of_output() {
  TextStyle style;
  if (isatty(STDOUT_FILENO) != 1) return style;
  style.color = true;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) style.columns = size.ws_col;
  return style;
}

}  // namespace

int timeline_command(const std::string& what, const TimelineOptions& options,
                     const TimelineOutput& output) {
  std::optional<OutputFile> figure;
  if (!output.svg.empty()) figure.emplace("--svg", output.svg, output.force);
  const Timeline timeline = make_timeline(what, options);
  if (figure) figure->finish(timeline_svg(timeline));
  fmt::print("{}",
             output.json ? timeline_json(timeline) : timeline_text(timeline, style_of_output()));
  return exit_done;
}

}  // namespace trainyard::app
