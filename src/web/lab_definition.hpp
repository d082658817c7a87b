// The labs as pages: what each asks, shows and lets one move, from the part [page] of its file
// (trainyard/configuration/labs.hpp), as JSON for the page's program.
//
//   {"name", "title", "question", "story": ["a paragraph", …], "options": {"epochs": "1.5"},
//    "sliders": [{"option", "label", "values": ["0:1", …], "texts": ["1", …], "value": "0:10"}, …],
//    "show": {"x", "y", "log": true}, "timeline": "ring"}
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
  std::vector<LabSlider> sliders;
  std::string json;  // the whole definition
};

/// In the order in which a class takes them.
const std::vector<LabDefinition>& lab_definitions();
/// Throws UsageError for a name that is none, with those there are.
const LabDefinition& lab_definition(std::string_view name);

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
