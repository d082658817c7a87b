#include "trainyard/study/published.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "trainyard/base/error.hpp"

#include "study/published_texts.hpp"

namespace trainyard {

namespace {

constexpr std::array kinds{
    std::pair{PublishedKind::exact, std::string_view("exact")},
    std::pair{PublishedKind::measured, std::string_view("measured")},
    std::pair{PublishedKind::shape, std::string_view("shape")},
    std::pair{PublishedKind::order, std::string_view("order")},
};

std::string replaced(std::string text, std::string_view mark, std::string_view by) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    text.replace(at, mark.size(), by);
    at += by.size();
  }
  return text;
}

double number_of(std::string_view text, std::string_view what) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw InternalError(fmt::format("{}: '{}' is no number", what, text));
  }
  return value;
}

struct Labelled {
  std::string label, key;
};

/// "24h" or { label = "1 day", key = "24h" }.
Labelled labelled(const toml::node& node) {
  if (const auto text = node.value<std::string>()) return {*text, *text};
  const toml::table* table = node.as_table();
  require(table != nullptr, "a column is a word or a table");
  const auto label = (*table)["label"].value<std::string>();
  require(label.has_value(), "a label is missing");
  return {*label, (*table)["key"].value_or(*label)};
}

Tolerance tolerance_of(const std::string& text) {
  constexpr std::string_view factor = "a factor of ";
  Tolerance tolerance{.text = text};
  if (text == "as printed") return tolerance;
  const std::string_view view = text;
  if (view.starts_with(factor)) {
    tolerance.of = Tolerance::Of::factor;
    tolerance.amount = number_of(view.substr(factor.size()), "tolerance");
  } else if (view.ends_with('%')) {
    tolerance.of = Tolerance::Of::share;
    tolerance.amount = number_of(view.substr(0, view.size() - 1), "tolerance") / 100.0;
  } else {
    tolerance.of = Tolerance::Of::amount;
    tolerance.amount = number_of(view, "tolerance");
  }
  return tolerance;
}

std::vector<std::string> words_in(const toml::node_view<const toml::node>& node) {
  std::vector<std::string> words;
  if (const toml::array* array = node.as_array()) {
    for (const toml::node& word : *array) words.push_back(word.value<std::string>().value());
  }
  return words;
}

/// What a table says for all its rows.
struct Templates {
  std::string command, ours;
};

Templates templates_of(const toml::table& table, const Templates& above) {
  return {table["command"].value_or(above.command), table["ours"].value_or(above.ours)};
}

void read_row(const toml::table& row, const std::vector<Labelled>& columns, const Templates& above,
              PublishedTable& into) {
  const Labelled name = labelled(row);
  const Templates templates = templates_of(row, above);
  const std::vector<std::string> published = words_in(row["published"]);
  require(published.empty() || published.size() == columns.size(),
          "a row has as many numbers as columns");
  std::vector<PublishedCell> cells;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto filled = [&](const std::string& text) {
      return replaced(replaced(text, "{row}", name.key), "{column}", columns[i].key);
    };
    PublishedCell cell{.published = published.empty() ? "" : published[i],
                       .command = filled(templates.command),
                       .ours = filled(templates.ours)};
    if (!cell.published.empty()) (void)number_of(cell.published, name.label);
    require(!cell.command.empty() && !cell.ours.empty(), "a command or where ours is is missing");
    cells.push_back(std::move(cell));
  }
  if (const toml::table* known = row["differs"].as_table()) {
    for (const auto& [label, why] : *known) {
      const auto at = std::ranges::find(columns, label.str(), &Labelled::label);
      require(at != columns.end(), "what differs is no column");
      cells[static_cast<std::size_t>(at - columns.begin())].differs =
          why.value<std::string>().value();
    }
  }
  into.rows.push_back(name.label);
  into.cells.push_back(std::move(cells));
}

PublishedTable read_table(const toml::table& table) {
  PublishedTable made{.title = table["title"].value_or(std::string()),
                      .unit = table["unit"].value_or(std::string()),
                      .tolerance = tolerance_of(table["tolerance"].value_or("as printed"))};
  std::vector<Labelled> columns;
  const toml::array* named = table["columns"].as_array();
  require(named != nullptr, "a table has columns");
  for (const toml::node& node : *named) {
    columns.push_back(labelled(node));
    made.columns.push_back(columns.back().label);
  }
  const toml::array* rows = table["row"].as_array();
  require(rows != nullptr, "a table has rows");
  for (const toml::node& row : *rows) {
    read_row(*row.as_table(), columns, templates_of(table, {}), made);
  }
  return made;
}

/// The cell of "ROW @ COLUMN".
CellPlace place_of(std::string_view text, const std::vector<PublishedTable>& tables) {
  const std::size_t at = text.find(" @ ");
  require(at != std::string_view::npos, "a claim is about ROW @ COLUMN");
  const std::string_view row = text.substr(0, at), column = text.substr(at + 3);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const auto r = std::ranges::find(tables[t].rows, row);
    const auto c = std::ranges::find(tables[t].columns, column);
    if (r == tables[t].rows.end() || c == tables[t].columns.end()) continue;
    return {t, static_cast<std::size_t>(r - tables[t].rows.begin()),
            static_cast<std::size_t>(c - tables[t].columns.begin())};
  }
  throw InternalError(fmt::format("no cell is '{}'", text));
}

InequalitySide side_of(std::string_view text, const std::vector<PublishedTable>& tables) {
  constexpr std::string_view times = " * ";
  if (text.find(" @ ") == std::string_view::npos) return {number_of(text, text), {}};
  const std::size_t at = text.find(times);
  if (at == std::string_view::npos) return {1.0, place_of(text, tables)};
  return {number_of(text.substr(0, at), text), place_of(text.substr(at + times.size()), tables)};
}

Inequality read_inequality(const std::string& text, const std::vector<PublishedTable>& tables) {
  for (const char* sign : {"<=", ">=", "<", ">"}) {
    const std::string between = fmt::format(" {} ", sign);
    const std::size_t at = text.find(between);
    if (at == std::string::npos) continue;
    const std::string_view view = text;
    return {text, side_of(view.substr(0, at), tables),
            side_of(view.substr(at + between.size()), tables), sign};
  }
  throw InternalError(text + ": no inequality");
}

PublishedClaim read_claim(const toml::table& table, const std::vector<PublishedTable>& tables) {
  PublishedClaim claim{.published = table["published"].value_or(std::string()),
                       .holds = {},
                       .fails = table["fails"].value_or(std::string())};
  for (const std::string& text : words_in(table["holds"])) {
    claim.holds.push_back(read_inequality(text, tables));
  }
  require(!claim.published.empty() && !claim.holds.empty(), "a claim has words and inequalities");
  return claim;
}

PublishedKind kind_of(const std::string& name) {
  for (const auto& [kind, known] : kinds) {
    if (known == name) return kind;
  }
  throw InternalError(fmt::format("no kind is '{}'", name));
}

PublishedResult result_of(const std::string& name, const toml::table& root) {
  const auto text = [&](const char* key) { return root[key].value_or(std::string()); };
  PublishedResult result{.name = name,
                         .number = root["number"].value_or(0),
                         .title = text("title"),
                         .source = text("source"),
                         .kind = kind_of(text("kind")),
                         .takes = text("takes"),
                         .computes = text("computes"),
                         .not_comparable = text("not-comparable"),
                         .data = words_in(root["data"])};
  require(!result.title.empty() && !result.source.empty() && !result.takes.empty() &&
              !result.computes.empty() && !result.not_comparable.empty(),
          "title, source, takes, computes or not-comparable is missing");
  if (const toml::table* files = root["file"].as_table()) {
    for (const auto& [file, content] : *files) {
      result.files.emplace(file.str(), content.value<std::string>().value());
    }
  }
  if (const toml::array* tables = root["table"].as_array()) {
    for (const toml::node& table : *tables) result.tables.push_back(read_table(*table.as_table()));
  }
  if (const toml::array* claims = root["claim"].as_array()) {
    for (const toml::node& claim : *claims) {
      result.claims.push_back(read_claim(*claim.as_table(), result.tables));
    }
  }
  require(!result.tables.empty(), "a result has a table");
  return result;
}

}  // namespace

std::string_view kind_name(PublishedKind kind) {
  return kinds[static_cast<std::size_t>(kind)].second;
}

PublishedResult read_published(const std::string& name, std::string_view text) {
  try {
    return result_of(name, toml::parse(text, name));
  } catch (const toml::parse_error& error) {
    throw InternalError(
        fmt::format("published {}:{}: {}", name, error.source().begin.line, error.description()));
  } catch (const std::exception& error) {
    throw InternalError(fmt::format("published {}: {}", name, error.what()));
  }
}

const std::vector<PublishedResult>& published_results() {
  static const std::vector<PublishedResult> all = [] {
    std::vector<PublishedResult> made;
    for (const PublishedText& one : published_texts()) {
      made.push_back(read_published(std::string(one.name), one.text));
    }
    std::ranges::sort(made, {}, &PublishedResult::number);
    return made;
  }();
  return all;
}

std::vector<const PublishedResult*> published_named(const std::string& name) {
  std::vector<const PublishedResult*> named;
  std::vector<std::string> known{"all"};
  for (const auto& [kind, word] : kinds) known.emplace_back(word);
  for (const PublishedResult& result : published_results()) {
    known.push_back(result.name);
    if (name == "all" || name == result.name || name == kind_name(result.kind)) {
      named.push_back(&result);
    }
  }
  const bool is_kind =
      std::ranges::find(kinds, name, [](const auto& kind) { return kind.second; }) != kinds.end();
  if (named.empty() && !is_kind) throw_unknown("published result", name, known);
  return named;
}

}  // namespace trainyard
