#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "trainyard/report/chakra_trace.hpp"
#include "trainyard/report/goal_text.hpp"
#include "trainyard/report/network_format.hpp"
#include "trainyard/report/status_line.hpp"

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

Timeline computed(const std::string& what, const std::vector<OptionText>& options,
                  const AnswerOutput& output) {
  StatusLine status_line(output.progress_to());
  status_line.show("timeline of " + what);
  return make_timeline(what, options);
}

}  // namespace

int timeline_command(const std::string& what, const std::vector<OptionText>& options,
                     const AnswerOutput& output) {
  const Answer answer(output);
  const Timeline timeline = computed(what, options, output);
  answer.give(PageKind::timeline, timeline.title,
              {.text = [&] { return timeline_text(timeline, style_of_output()); },
               .json = [&] { return timeline_json(timeline); },
               .svg = [&] { return timeline_svg(timeline); },
               .goal = [&] { return goal_text(timeline); },
               .chakra = [&] { return chakra_traces(timeline); }});
  return exit_done;
}

}  // namespace trainyard::app
