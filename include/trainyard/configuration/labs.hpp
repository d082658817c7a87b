// Prepared experiments with one question each, which the program brings along: configurations with
// their contestants and a page. docs/labs/README.md says what to look at.
//
//   trainyard compare lab:local-steps
//   trainyard lab local-steps
//
// What a page says and shows is the part [page] of the same file:
//
//   [page]
//   number = 5                        # in the order in which a class takes them
//   title = "Steps between averages"
//   question = "How many steps should a worker make between two averages?"
//   story = ["A paragraph.", "And another one."]
//   show = { x = "seconds", y = "train_loss", log = true }
//   timeline = "ring"                 # the label of the contestant whose first steps it shows
//   watch = { curve = "ring", slider = "latency" }   # what is seen to move, and by which slider
//
//   [page.guess]                      # asked before the curves are shown
//   question = "Who is first?"
//   figure = "seconds_to_target"      # of a run's summary; the answer is who has the least of it
//   wanted = "least"                  # or the most
//   # Marked on a line, where that is asked, instead of chosen from the contestants:
//   drawn = { option = "period", from = 1, to = 128, units = ["step", "steps"], right = [5, 28],
//   tolerance = 1.1 }
//
//   [[page.slider]]
//   option = "latency"
//   label = "time a message takes besides its transfer"
//   values = ["10us", "1ms"]          # as they would be typed; one is the configuration's own
//   texts = ["10 µs", "1 ms"]         # the same for people
//
// Where a loss above its minimum is shown (y = "suboptimality") and runs need not find that minimum
// each time, `show` has it: minimum = 0.4243660980.
//
// Threads: any; the table is built at the first call and never changes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

struct PageSlider {
  std::string option, label;
  std::vector<std::string> values, texts;  // as many
};

/// A guess that is a place on a line: where the best value of an option lies. From `right_from` to
/// `right_to` the figure is at most `tolerance` times the least there is, as tests recompute.
struct DrawnGuess {
  std::string option;              // of the contestants
  std::vector<std::string> units;  // of one and of several: "step", "steps"
  double from = 0.0, to = 0.0;     // of the line, which is logarithmic
  double right_from = 0.0, right_to = 0.0;
  double tolerance = 1.0;
};

/// Answered by the contestants with the least of a figure, or with the most.
struct PageGuess {
  std::string question, figure;
  bool most = false;
  std::optional<DrawnGuess> drawn{};  // in whose place a line is marked
};

/// The curve that is seen to move, and the slider that moves it.
struct PageWatch {
  std::string curve, slider;
};

struct LabPage {
  int number = 0;
  std::string title, question;
  std::vector<std::string> story;
  std::string x, y;               // quantities of the curves: "seconds", "train_loss"
  bool logarithmic = false;       // the upright axis
  std::optional<double> minimum;  // of the training loss, where runs do not find it
  std::string timeline;
  PageWatch watch;
  PageGuess guess;
  std::vector<PageSlider> sliders;
};

struct Lab {
  std::string name;
  std::string_view text;  // TOML
  LabPage page;
};

/// By number.
const std::vector<Lab>& labs();

/// NAME of "lab:NAME", as of NAME: both are typed.
std::string_view lab_name(std::string_view name);

/// The text of "lab:NAME"; empty for what does not begin with "lab:". Throws UsageError for an
/// unknown name.
std::optional<std::string_view> lab_text(std::string_view configuration);

}  // namespace trainyard
