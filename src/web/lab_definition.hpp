// The labs as pages: what each asks, shows and lets one move, from the part [page] of its file
// (trainyard/configuration/labs.hpp), as JSON for the page's program.
//
//   {"name", "title", "number": 3, "question", "story": ["a paragraph", …],
//    "options": {"epochs": "1.5"},
//    "sliders": [{"option", "label", "values": ["0:1", …], "texts": ["1", …], "value": "0:10"}, …],
//    "show": {"x", "y", "log": true, "minimum": 0.42}, "timeline": "ring",
//    "guess": {"question", "figure": "seconds_to_target", "most": false,
//              "drawn": {"option": "period", "units": ["step", "steps"], "from": 1, "to": 128,
//                        "right": [5, 28], "tolerance": 1.1}},
//    "watch": {"curve": "ring", "slider": "latency"}}
//
// `options` are those that say how long its runs are. A slider's `value` is the configuration's.
//
// Threads: any; the definitions are read at the first call and never change.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace trainyard {

struct LabSlider {
  std::string option;
  std::vector<std::string> values;
  std::string value;  // at first
};

struct LabDefinition {
  std::string name, title, question;
  int number = 0;
  std::vector<LabSlider> sliders;
  std::string json;  // the whole definition
};

/// In the order in which a class takes them.
const std::vector<LabDefinition>& lab_definitions();
/// Throws UsageError for a name that is none, with those there are.
const LabDefinition& lab_definition(std::string_view name);

/// Its JSON without what tells the answer: the story has its first paragraph, and a line to be
/// marked does not say where that is right; "untold" is true.
std::string without_answers(const LabDefinition& lab);

/// The positions of the sliders: option → value.
using LabPosition = std::map<std::string, std::string>;
LabPosition first_position(const LabDefinition& lab);

/// The question of a page with its sliders there (lab_question.hpp), as JSON.
std::string question_at(const LabDefinition& lab, const LabPosition& position);
/// "latency=1ms&straggler=0:5", in the order of the sliders.
std::string position_key(const LabDefinition& lab, const LabPosition& position);

/// The lab whose sliders have `most` positions together at most: every other one of the longest
/// slider is left out, but not its ends and not where it stands at first.
LabDefinition thinned(const LabDefinition& lab, std::size_t most);
/// All of them.
std::vector<LabPosition> positions_of(const LabDefinition& lab);

}  // namespace trainyard
