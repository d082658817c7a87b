#include <cstdio>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "trainyard/report/output_file.hpp"
#include "trainyard/report/status_line.hpp"
#include "trainyard/report/timeline_format.hpp"

#include "app/commands.hpp"
#include "app/failures.hpp"

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

Timeline computed(const std::string& what, const TimelineOptions& options) {
  StatusLine status_line;
  status_line.show("timeline of " + what);
  return make_timeline(what, options);
}

}  // namespace

int timeline_command(const std::string& what, const TimelineOptions& options,
                     const TimelineOutput& output) {
  std::optional<OutputFile> figure;
  if (!output.svg.empty()) figure.emplace("--svg", output.svg, output.force);
  const Timeline timeline = computed(what, options);
  Failures failures;  // a figure that cannot be written does not cost the text
  if (figure) failures.attempt([&] { figure->finish(timeline_svg(timeline)); });
  failures.attempt([&] {
    fmt::print("{}",
               output.json ? timeline_json(timeline) : timeline_text(timeline, style_of_output()));
  });
  failures.rethrow();
  return exit_done;
}

}  // namespace trainyard::app
