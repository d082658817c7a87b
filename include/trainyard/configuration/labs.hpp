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
//
//   [[page.slider]]
//   option = "latency"
//   label = "time a message takes besides its transfer"
//   values = ["10us", "1ms"]          # as they would be typed; one is the configuration's own
//   texts = ["10 µs", "1 ms"]         # the same for people
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

struct LabPage {
  int number = 0;
  std::string title, question;
  std::vector<std::string> story;
  std::string x, y;          // quantities of the curves: "seconds", "train_loss"
  bool logarithmic = false;  // the upright axis
  std::string timeline;
  std::vector<PageSlider> sliders;
};

struct Lab {
  std::string name;
  std::string_view text;  // TOML
  LabPage page;
};

/// By number.
const std::vector<Lab>& labs();

/// The text of "lab:NAME"; empty for what does not begin with "lab:". Throws UsageError for an
/// unknown name.
std::optional<std::string_view> lab_text(std::string_view configuration);

}  // namespace trainyard
