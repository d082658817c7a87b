#include "configuration/page_part.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"

#include "configuration/toml_nodes.hpp"

namespace trainyard {

namespace {

/// The readers of a table's keys: each is given its value and "FILE:LINE: KEY".
using Readers =
    std::map<std::string, std::function<void(const toml::node&, const std::string& what)>>;

void read_table(const toml::table& table, const std::string& name, const std::string& file,
                const Readers& readers) {
  for (const auto& [key, node] : table) {
    const auto reader = readers.find(std::string(key.str()));
    if (reader == readers.end()) {
      std::vector<std::string> known;
      for (const auto& [word, unused] : readers) known.push_back(word);
      refuse_name(place(file, node), fmt::format("key of {}", name), key.str(), known);
    }
    reader->second(node, fmt::format("{}: {}", place(file, node), reader->first));
  }
}

std::string text_of(const toml::node& node, const std::string& what) {
  const auto* text = node.as_string();
  if (text == nullptr) throw UsageError(what + ": found no text; expected it in quotes");
  return text->get();
}

using TextReader = std::string (*)(const toml::node&, const std::string& what);

std::vector<std::string> list_of(const toml::node& node, const std::string& what,
                                 TextReader reader) {
  const toml::array* array = node.as_array();
  if (array == nullptr) throw UsageError(what + ": found no list; expected [VALUE, …]");
  std::vector<std::string> texts;
  for (const toml::node& each : *array) texts.push_back(reader(each, what));
  return texts;
}

int number_of(const toml::node& node, const std::string& what) {
  const auto* number = node.as_integer();
  constexpr int most = 999;
  if (number == nullptr || number->get() < 1 || number->get() > most) {
    throw UsageError(fmt::format("{}: expected a whole number from 1 to {}", what, most));
  }
  return static_cast<int>(number->get());
}

void read_show(const toml::node& node, const std::string& what, const std::string& file,
               LabPage& page) {
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    throw UsageError(what + R"(: expected { x = "seconds", y = "train_loss", log = true })");
  }
  const auto read_log = [&](const toml::node& flag, const std::string& where) {
    if (!flag.is_boolean()) throw UsageError(where + ": expected true or false");
    page.logarithmic = flag.as_boolean()->get();
  };
  const auto read_minimum = [&](const toml::node& number, const std::string& where) {
    page.minimum = number.value<double>();
    if (!page.minimum) throw UsageError(where + ": expected a number");
  };
  read_table(*table, "show", file,
             {{"x", [&](const auto& x, const auto& where) { page.x = text_of(x, where); }},
              {"y", [&](const auto& y, const auto& where) { page.y = text_of(y, where); }},
              {"log", read_log},
              {"minimum", read_minimum}});
}

const toml::table& table_of(const toml::node& node, const std::string& what, const char* expected) {
  const toml::table* table = node.as_table();
  if (table == nullptr) throw UsageError(fmt::format("{}: expected {}", what, expected));
  return *table;
}

PageWatch watch_of(const toml::node& node, const std::string& what, const std::string& file) {
  PageWatch watch;
  read_table(
      table_of(node, what, R"({ curve = "ring", slider = "latency" })"), "watch", file,
      {{"curve", [&](const auto& text, const auto& at) { watch.curve = text_of(text, at); }},
       {"slider", [&](const auto& text, const auto& at) { watch.slider = text_of(text, at); }}});
  return watch;
}

double real_of(const toml::node& node, const std::string& what) {
  const std::optional<double> number = node.value<double>();
  if (!number || !(*number > 0.0)) throw UsageError(what + ": expected a number above 0");
  return *number;
}

/// Two numbers, the lower one first.
void read_range(const toml::node& node, const std::string& what, double& low, double& high) {
  const toml::array* array = node.as_array();
  if (array == nullptr || array->size() != 2) throw UsageError(what + ": expected [LOW, HIGH]");
  low = real_of(*array->get(0), what);
  high = real_of(*array->get(1), what);
  if (low > high) throw UsageError(what + ": expected [LOW, HIGH], with LOW not above HIGH");
}

DrawnGuess drawn_of(const toml::node& node, const std::string& what, const std::string& file) {
  const auto* const expected =
      R"({ option = "period", from = 1, to = 128, units = ["step", "steps"], right = [5, 28], tolerance = 1.1 })";
  DrawnGuess drawn;
  const auto number_into = [](double& number) {
    return
        [&number](const toml::node& value, const std::string& at) { number = real_of(value, at); };
  };
  read_table(
      table_of(node, what, expected), "drawn", file,
      {{"option", [&](const auto& text, const auto& at) { drawn.option = text_of(text, at); }},
       {"units",
        [&](const auto& words, const auto& at) { drawn.units = list_of(words, at, text_of); }},
       {"from", number_into(drawn.from)},
       {"to", number_into(drawn.to)},
       {"right", [&](const auto& range,
                     const auto& at) { read_range(range, at, drawn.right_from, drawn.right_to); }},
       {"tolerance", number_into(drawn.tolerance)}});
  const bool ascends = drawn.from < drawn.right_from && drawn.right_from <= drawn.right_to &&
                       drawn.right_to < drawn.to && drawn.from > 0.0;
  if (!ascends || drawn.tolerance < 1.0 || drawn.units.size() != 2) {
    throw UsageError(fmt::format("{}: expected {}, with `right` within the line", what, expected));
  }
  return drawn;
}

PageGuess guess_of(const toml::node& node, const std::string& what, const std::string& file) {
  PageGuess guess;
  const auto read_wanted = [&](const toml::node& word, const std::string& at) {
    const std::string wanted = text_of(word, at);
    if (wanted != "least" && wanted != "most") {
      throw UsageError(
          fmt::format("{}: found {}; expected \"least\" or \"most\"", at, echoed(wanted)));
    }
    guess.most = wanted == "most";
  };
  read_table(
      table_of(node, what, "it as a section: [page.guess]"), "section [page.guess]", file,
      {{"question", [&](const auto& text, const auto& at) { guess.question = text_of(text, at); }},
       {"figure", [&](const auto& text, const auto& at) { guess.figure = text_of(text, at); }},
       {"drawn", [&](const auto& line, const auto& at) { guess.drawn = drawn_of(line, at, file); }},
       {"wanted", read_wanted}});
  return guess;
}

/// Its option is there, and takes its values.
void check_slider(const PageSlider& slider, const std::string& where) {
  const auto option = std::ranges::find(options(), slider.option, &Option::name);
  if (option == options().end()) {
    std::vector<std::string> names;
    for (const Option& one : options()) names.push_back(one.name);
    const std::string nearest = nearest_name(slider.option, names);
    throw UsageError(fmt::format(
        "{}: a slider moves an option; none is named {}{}", where, echoed(slider.option),
        nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
  }
  if (slider.values.empty() || slider.values.size() != slider.texts.size()) {
    throw UsageError(fmt::format("{}: {} values and {} texts; expected a text for each value",
                                 where, slider.values.size(), slider.texts.size()));
  }
  for (const std::string& value : slider.values) {
    Configuration scratch;
    option->set(scratch, value, fmt::format("{}: {}", where, slider.option));
  }
}

std::vector<PageSlider> sliders_of(const toml::node& node, const std::string& what,
                                   const std::string& file) {
  const toml::array* tables = node.as_array();
  if (tables == nullptr || !tables->is_array_of_tables()) {
    throw UsageError(what + ": found no list of tables; expected [[page.slider]]");
  }
  std::vector<PageSlider> sliders;
  for (const toml::node& each : *tables) {
    PageSlider made;
    const auto text_into = [](std::string& text) {
      return [&text](const toml::node& value, const std::string& at) { text = text_of(value, at); };
    };
    read_table(*each.as_table(), "[[page.slider]]", file,
               {{"option", text_into(made.option)},
                {"label", text_into(made.label)},
                {"values", [&](const auto& values,
                               const auto& at) { made.values = list_of(values, at, value_text); }},
                {"texts", [&](const auto& texts, const auto& at) {
                   made.texts = list_of(texts, at, text_of);
                 }}});
    check_slider(made, place(file, each));
    sliders.push_back(std::move(made));
  }
  return sliders;
}

}  // namespace

LabPage read_page(const toml::node& part, const std::string& file) {
  const toml::table* table = part.as_table();
  if (table == nullptr) {
    throw UsageError(fmt::format("{}: 'page' is given a value; expected it as a section: [page]",
                                 place(file, part)));
  }
  LabPage page;
  const auto text_into = [](std::string& text) {
    return [&text](const toml::node& node, const std::string& what) { text = text_of(node, what); };
  };
  read_table(
      *table, "section [page]", file,
      {{"number", [&](const auto& node, const auto& what) { page.number = number_of(node, what); }},
       {"title", text_into(page.title)},
       {"question", text_into(page.question)},
       {"story",
        [&](const auto& node, const auto& what) { page.story = list_of(node, what, text_of); }},
       {"show", [&](const auto& node, const auto& what) { read_show(node, what, file, page); }},
       {"timeline", text_into(page.timeline)},
       {"watch",
        [&](const auto& node, const auto& what) { page.watch = watch_of(node, what, file); }},
       {"guess",
        [&](const auto& node, const auto& what) { page.guess = guess_of(node, what, file); }},
       {"slider",
        [&](const auto& node, const auto& what) { page.sliders = sliders_of(node, what, file); }}});
  return page;
}

}  // namespace trainyard
