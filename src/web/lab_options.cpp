// Which options a question of the lab may set.
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "trainyard/data/generate.hpp"
#include "trainyard/scheme/ingredient.hpp"
#include "trainyard/topology/topology.hpp"

#include "base/echoed.hpp"
#include "web/lab_limits.hpp"
#include "web/lab_question.hpp"

namespace trainyard {

namespace {

/// A new option is refused until somebody has thought about it and written it down here. Not here:
/// what names files or folders (links, labels, out, …), what is said with an upload (label-column,
/// …), what only `wall` has (placement, counters), what stands for others (split), what takes
/// longer than training does (gradient-noise), and what is the same for all questions (time,
/// scheme).
constexpr std::array accepted{
    std::string_view("workers"),
    std::string_view("servers"),
    std::string_view("epochs"),
    std::string_view("steps"),
    std::string_view("seconds"),
    std::string_view("target-loss"),
    std::string_view("target-accuracy"),
    std::string_view("target-gradient"),
    std::string_view("seed"),
    std::string_view("evaluate-every"),
    std::string_view("gradient-norm"),
    std::string_view("topology"),
    std::string_view("collective"),
    std::string_view("codec"),
    std::string_view("dataset"),
    std::string_view("test"),
    std::string_view("data-seed"),
    std::string_view("scale"),
    std::string_view("intercept"),
    std::string_view("partition"),
    std::string_view("weights"),
    std::string_view("order"),
    std::string_view("replacement"),
    std::string_view("data-source"),
    std::string_view("model"),
    std::string_view("l2"),
    std::string_view("batch"),
    std::string_view("global-batch"),
    std::string_view("optimizer"),
    std::string_view("lr"),
    std::string_view("lr-schedule"),
    std::string_view("lr-decay"),
    std::string_view("warmup"),
    std::string_view("momentum"),
    std::string_view("beta1"),
    std::string_view("beta2"),
    std::string_view("latency"),
    std::string_view("bandwidth"),
    std::string_view("ports"),
    std::string_view("server-placement"),
    std::string_view("racks"),
    std::string_view("between-latency"),
    std::string_view("between-bandwidth"),
    std::string_view("jitter"),
    std::string_view("sparse-wire"),
    std::string_view("charge-control"),
    std::string_view("compute-time"),
    std::string_view("encode-time"),
    std::string_view("decode-time"),
    std::string_view("line-time"),
    std::string_view("straggler"),
    std::string_view("compute-noise"),
    std::string_view("pause"),
};

bool is_a_file(std::string_view topology) {
  const std::string_view name = topology.substr(0, topology.find(':'));
  return std::ranges::any_of(topologies(), [&](const TopologyInfo& info) {
    return info.name == name && info.takes_file();
  });
}

[[noreturn]] void refuse_option(const std::string& name) {
  std::vector<std::string> names;
  bool known = false;
  for (const Option& option : options()) {
    known = known || option.name == name;
    if (is_lab_option(option)) names.push_back(option.name);
  }
  if (known) {
    throw OptionError(name,
                      "the lab does not take it; the command line does ('trainyard compare')");
  }
  const std::string nearest = nearest_name(name, names);
  throw UsageError(
      fmt::format("no option named {}{}", echoed(name),
                  nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
}

}  // namespace

bool is_lab_option(const Option& option) {
  // Numbers and words of schemes' own rules: none of them leaves the run.
  return option.section == "scheme" || std::ranges::count(accepted, option.name) > 0;
}

void check_lab_option(const OptionText& setting) {
  const auto& [name, text] = setting;
  const auto option = std::ranges::find(options(), name, &Option::name);
  if (option == options().end() || !is_lab_option(*option)) refuse_option(name);
  if (text.size() > most_option_text) {
    throw OptionError(name, fmt::format("a value of {} bytes; the lab takes up to {}", text.size(),
                                        most_option_text));
  }
  if (text.empty() && !option->argument.empty()) refuse_empty("--" + name, option->argument);
  if (name == "topology" && is_a_file(text)) {
    throw OptionError(name, text, "the lab reads no files; the command line does");
  }
  if (name == "dataset" &&
      std::ranges::find(generators(), text, &GeneratorInfo::name) == generators().end()) {
    std::vector<std::string> known;
    for (const GeneratorInfo& generator : generators()) known.push_back(generator.name);
    throw OptionError(name, fmt::format("{} is none of the generated sets {}; a file of your own "
                                        "is uploaded",
                                        echoed(text), joined(known)));
  }
  if (name == "test" && text != "every-fifth") {
    throw OptionError(name, fmt::format("{}: the lab takes every-fifth", echoed(text)));
  }
  // The machine's clock would be in the result, and a measurement is seconds for everybody.
  if ((name == "compute-time" || name == "line-time") && text == "auto") {
    throw OptionError(name, "auto: the lab measures nothing; a duration like 1ms is accepted");
  }
}

}  // namespace trainyard
