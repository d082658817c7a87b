#include "trainyard/study/scheme_selection.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "base/echoed.hpp"

namespace trainyard {

namespace {

void add_group(const std::vector<std::string>& names, std::vector<SelectedScheme>& selection) {
  for (const std::string& name : names) {
    if (std::ranges::find(selection, name, &SelectedScheme::scheme) == selection.end()) {
      selection.push_back({name, false});
    }
  }
}

void add_scheme(const std::string& name, std::vector<SelectedScheme>& selection) {
  (void)find_scheme_beside_groups(name);
  const auto there = std::ranges::find(selection, name, &SelectedScheme::scheme);
  if (there == selection.end()) {
    selection.push_back({name, true});
  } else {
    there->named = true;
  }
}

}  // namespace

std::vector<SelectedScheme> parse_scheme_selection(std::string_view text) {
  std::vector<SelectedScheme> selection;
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string word(text.substr(begin, end - begin));
    begin = end + 1;
    if (std::ranges::find(words, word) != words.end()) {
      throw OptionError("schemes",
                        fmt::format("{} is there twice; each scheme runs once", echoed(word)));
    }
    words.push_back(word);
    if (const auto group = schemes_of_group(word); !group.empty()) {
      add_group(group, selection);
    } else {
      add_scheme(word, selection);
    }
  }
  return selection;
}

std::vector<std::string> able_to_run(const std::vector<SelectedScheme>& selection,
                                     const Configuration& configuration, const LoadedData& data,
                                     const std::function<void(const std::string&)>& remark) {
  std::vector<std::string> able;
  Configuration c = configuration;
  c.model = model_name(c, data);
  const auto model = make_model({c.model, c.l2}, data.train);
  std::string last_reason;
  for (const SelectedScheme& selected : selection) {
    try {
      (void)check_scheme(find_scheme(selected.scheme), c, *model);
      able.push_back(selected.scheme);
    } catch (const UsageError& error) {
      if (selected.named) throw;
      last_reason = error.what();
      // A warning, so that it is heard with --quiet too: the table will lack a line.
      if (remark) {
        remark(fmt::format("warning: {} is skipped: {}", selected.scheme, error.what()));
      }
    }
  }
  if (able.empty()) {
    throw OptionError("schemes",
                      fmt::format("none of them can run this; the last one: {}", last_reason));
  }
  return able;
}

}  // namespace trainyard
