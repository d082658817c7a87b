#include "trainyard/study/begun_comparison.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/run/checkpoint.hpp"

namespace trainyard {

namespace {

[[noreturn]] void refuse_continuing(const std::string& what) {
  throw OptionError("continue", fmt::format("{}; what has changed is another comparison, which "
                                            "takes another folder",
                                            what));
}

/// Where one of them has a run that the other has not.
void require_same_runs(const BegunComparison& before, const BegunComparison& now) {
  for (const BegunCase& one : now.cases) {
    if (find_case(before, one.folder) != nullptr) continue;
    refuse_continuing(
        fmt::format("the comparison that was begun has no run '{}', and this one has", one.folder));
  }
  for (const BegunCase& one : before.cases) {
    if (find_case(now, one.folder) != nullptr) continue;
    refuse_continuing(fmt::format(
        "the comparison that was begun has a run '{}', and this one has none", one.folder));
  }
}

/// All options that differ, but for the steps that others come to.
void require_same_options(const BegunCase& before, const BegunCase& now) {
  if (before.configuration == now.configuration) return;
  Configuration was, is;
  parse_configuration(before.configuration, "the comparison that was begun", was);
  parse_configuration(now.configuration, "this comparison", is);
  std::vector<const Option*> differing;
  for (const Option& option : options()) {
    if (is_of_run(option) && option.get(was) != option.get(is)) differing.push_back(&option);
  }
  if (differing.size() > 1) {
    std::erase_if(differing, [](const Option* option) { return option->name == "steps"; });
  }
  if (differing.empty()) return;
  const auto text = [&](const Configuration& c) {
    std::vector<std::string> texts;
    for (const Option* option : differing) {
      const std::string value = option->get(c);
      texts.push_back(value.empty() ? fmt::format("no --{}", option->name)
                                    : fmt::format("--{} {}", option->name, value));
    }
    return joined(texts);
  };
  refuse_continuing(fmt::format("{}: the comparison that was begun had {}, and this one {}",
                                now.folder, text(was), text(is)));
}

}  // namespace

std::vector<std::string> not_measured_yet(const Configuration& c) {
  std::vector<std::string> names;
  for (const char* name : {"compute-time", "decode-time", "encode-time", "line-time"}) {
    const std::string text = option_named(name).get(c);
    if (text.empty() || text == "auto") names.emplace_back(name);
  }
  return names;
}

void recall_measured(const BegunCase& begun, Configuration& c) {
  Configuration before;
  parse_configuration(begun.configuration, "the comparison that was begun", before);
  for (const std::string& name : not_measured_yet(c)) {
    if (std::ranges::count(begun.measured, name) == 0) continue;
    const Option& option = option_named(name);
    option.set(c, option.get(before), name);
  }
}

const BegunCase* find_case(const BegunComparison& begun, const std::string& folder) {
  const auto found = std::ranges::find(begun.cases, folder, &BegunCase::folder);
  return found == begun.cases.end() ? nullptr : &*found;
}

BegunComparison begun_of(const std::vector<Case>& cases) {
  BegunComparison begun{.program = program_print()};
  std::map<const LoadedData*, std::uint64_t> prints;
  for (const Case& one : cases) {
    const auto [print, is_new] = prints.try_emplace(one.data.get(), 0);
    if (is_new) print->second = fingerprint_of_rows(*one.data);
    begun.cases.push_back({.folder = folder_of(one).string(),
                           .configuration = configuration_text(one.configuration),
                           .measured = one.measured,
                           .tuned = one.tuned,
                           .notes = one.notes,
                           .rows = print->second});
  }
  return begun;
}

void exchange_comparison(Archive& archive, BegunComparison& begun) {
  archive.exchange("program", begun.program);
  std::uint64_t count = begun.cases.size();
  archive.exchange("runs/count", count);
  begun.cases.resize(count);
  for (std::size_t i = 0; i < begun.cases.size(); ++i) {
    BegunCase& one = begun.cases[i];
    const std::string name = fmt::format("runs/{}/", i);
    archive.exchange(name + "folder", one.folder);
    archive.exchange(name + "configuration", one.configuration);
    archive.exchange(name + "measured", one.measured);
    archive.exchange(name + "tuned", one.tuned);
    std::vector<std::string> notes;
    for (const Note& note : one.notes) notes.insert(notes.end(), {note.about, note.text});
    archive.exchange(name + "notes", notes);
    one.notes.clear();
    for (std::size_t note = 0; note + 1 < notes.size(); note += 2) {
      one.notes.push_back({notes[note], notes[note + 1]});
    }
    archive.exchange(name + "rows", one.rows);
  }
}

void require_same(const BegunComparison& before, const BegunComparison& now) {
  if (before.program != now.program) {
    refuse_continuing(
        "another build of the program began the comparison, and this one may compute other bits");
  }
  require_same_runs(before, now);
  for (const BegunCase& one : now.cases) {
    const BegunCase& earlier = *find_case(before, one.folder);
    require_same_options(earlier, one);
    if (earlier.tuned != one.tuned) {
      const auto names = [](const std::vector<std::string>& tuned) {
        return tuned.empty() ? std::string("no step size") : joined(tuned);
      };
      refuse_continuing(
          fmt::format("{}: the comparison that was begun tunes {}, and this one {} (--lr, "
                      "--tune-lr)",
                      one.folder, names(earlier.tuned), names(one.tuned)));
    }
    if (earlier.rows == one.rows) continue;
    refuse_continuing(
        fmt::format("{}: the training rows are not those of the comparison that was "
                    "begun",
                    one.folder));
  }
}

}  // namespace trainyard
