#include "trainyard/report/reproduction_format.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/counted.hpp"
#include "trainyard/report/aligned.hpp"
#include "trainyard/report/json_text.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;  // keys in the order they are written here

constexpr std::size_t text_width = 100;

/// Lines of at most so many columns, the first of which begins with `head`, all others indented.
std::string wrapped(const std::string& head, const std::string& text, std::size_t indent) {
  std::string made, line = head;
  const std::string pad(indent, ' ');
  bool begins = true;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    if (!begins && width_of(line) + 1 + width_of(word) > text_width) {
      made += line + "\n";
      line = pad;
      begins = true;
    }
    line += (begins ? "" : " ") + word;
    begins = false;
  }
  return made + line + "\n";
}

std::string wrapped(const std::string& text, std::size_t indent) {
  return wrapped("", text, indent);
}

std::string number_text(double value) {
  if (!std::isfinite(value)) return "never";
  if (std::floor(value) == value && std::abs(value) < 1e6) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

/// "116.7 (117)", and a mark where that is not within the tolerance.
std::string cell_text(const PublishedCell& cell, double ours, bool agrees) {
  if (cell.published.empty()) return number_text(ours) + "  ";
  return fmt::format("{} ({}){}", number_text(ours), cell.published, agrees ? "  " : " ≠");
}

std::vector<std::string> commands_of(const PublishedTable& table) {
  std::vector<std::string> commands;
  for (const auto& row : table.cells) {
    for (const PublishedCell& cell : row) {
      if (std::ranges::find(commands, cell.command) == commands.end()) {
        commands.push_back(cell.command);
      }
    }
  }
  return commands;
}

bool has_numbers(const PublishedTable& table) {
  return std::ranges::any_of(table.cells, [](const auto& row) {
    return std::ranges::any_of(row, [](const auto& cell) { return !cell.published.empty(); });
  });
}

std::string table_text(const PublishedTable& table, const ReproducedTable& found) {
  std::vector<TableRow> lines{{""}};
  for (const std::string& column : table.columns) lines[0].push_back(column + "  ");
  std::string known;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    lines.push_back({table.rows[r]});
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const PublishedCell& cell = table.cells[r][c];
      lines.back().push_back(cell_text(cell, found.ours[r][c], found.agrees[r][c]));
      if (cell.differs.empty()) continue;
      known +=
          wrapped(fmt::format("≠ {}, {}: {}", table.rows[r], table.columns[c], cell.differs), 2);
    }
  }
  const std::string in = table.unit.empty() ? "" : ", in " + table.unit;
  const std::string beside =
      has_numbers(table)
          ? fmt::format(": ours (theirs), {}{}",
                        table.tolerance.text == "as printed" ? "" : "within ", table.tolerance.text)
          : "";
  const std::vector<std::string> commands = commands_of(table);
  const std::string more =
      commands.size() == 1 ? "" : fmt::format(", and {} like it (--json)", commands.size() - 1);
  return wrapped(table.title + in + beside, 0) + aligned(lines) + known +
         wrapped(fmt::format("by {}{}", commands.front(), more), 3) + "\n";
}

std::string side_text(const InequalitySide& side, const Reproduction& found) {
  if (!side.cell) return number_text(side.factor);
  const std::string value =
      number_text(found.tables[side.cell->table].ours[side.cell->row][side.cell->column]);
  return side.factor == 1.0 ? value : fmt::format("{} × {}", number_text(side.factor), value);
}

/// "9.87 > 9 × 1.01".
std::string inequality_figures(const Inequality& one, const Reproduction& found) {
  return fmt::format("{} {} {}", side_text(one.left, found), one.sign, side_text(one.right, found));
}

std::string claim_text(const PublishedClaim& claim, bool holds, const Reproduction& found) {
  std::vector<std::string> figures;
  for (const Inequality& one : claim.holds) {
    figures.push_back(fmt::format("{}: {}", one.text, inequality_figures(one, found)));
  }
  std::string text = fmt::format("{} {}", holds ? "holds:" : "DOES NOT HOLD:", claim.published);
  if (!claim.fails.empty()) text += " " + claim.fails;
  return wrapped(text, 3) + wrapped("   ", fmt::format("({})", fmt::join(figures, "; ")), 4);
}

std::string reproduction_text(const Reproduction& found) {
  const PublishedResult& result = *found.result;
  std::string text = fmt::format("{}: {}\n", result.name, result.title) +
                     wrapped(fmt::format("{} ({})", result.source, kind_name(result.kind)), 0) +
                     wrapped(fmt::format("Verdict: {}", verdict_of(found)), 9) + "\n";
  if (!found.skipped.empty()) return text;
  text += wrapped(result.computes, 0) + "\n";
  for (std::size_t t = 0; t < result.tables.size(); ++t) {
    text += table_text(result.tables[t], found.tables[t]);
  }
  for (std::size_t i = 0; i < result.claims.size(); ++i) {
    text += claim_text(result.claims[i], found.holds[i], found);
  }
  if (!result.claims.empty()) text += "\n";
  text += wrapped("Not comparable: " + result.not_comparable, 0);
  for (const std::string& one : found.unlike) text += wrapped("NOT AS EXPECTED: " + one, 3);
  return text;
}

Json facts_of(const PublishedResult& result) {
  return {{"name", result.name},         {"title", result.title},
          {"source", result.source},     {"kind", kind_name(result.kind)},
          {"takes", result.takes},       {"data", result.data},
          {"computes", result.computes}, {"not_comparable", result.not_comparable}};
}

Json finite_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json table_object(const PublishedTable& table, const ReproducedTable& found) {
  Json cells = Json::array();
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const PublishedCell& cell = table.cells[r][c];
      cells.push_back(
          {{"row", table.rows[r]},
           {"column", table.columns[c]},
           {"published", text_or_null(cell.published)},
           {"ours", finite_or_null(found.ours[r][c])},
           {"agrees", cell.published.empty() ? Json(nullptr) : Json(bool{found.agrees[r][c]})},
           {"differs", text_or_null(cell.differs)},
           {"command", cell.command},
           {"value", cell.ours}});
    }
  }
  return {{"title", table.title},     {"unit", table.unit}, {"tolerance", table.tolerance.text},
          {"columns", table.columns}, {"rows", table.rows}, {"cells", cells}};
}

Json claim_object(const PublishedClaim& claim, bool holds, const Reproduction& found) {
  Json inequalities = Json::array();
  for (const Inequality& one : claim.holds) {
    inequalities.push_back({{"says", one.text}, {"figures", inequality_figures(one, found)}});
  }
  return {{"published", claim.published},
          {"holds", holds},
          {"fails", text_or_null(claim.fails)},
          {"inequalities", inequalities}};
}

Json reproduction_object(const Reproduction& found) {
  const PublishedResult& result = *found.result;
  Json object = facts_of(result);
  object["verdict"] = verdict_of(found);
  object["as_said"] = found.as_said();
  object["whole"] = found.whole();
  object["skipped"] = text_or_null(found.skipped);
  object["numbers"] = found.printed;
  object["numbers_agreeing"] = found.agreeing;
  object["claims_holding"] = found.holding;
  object["unlike"] = found.unlike;
  object["tables"] = Json::array();
  object["claims"] = Json::array();
  for (std::size_t t = 0; t < found.tables.size(); ++t) {
    object["tables"].push_back(table_object(result.tables[t], found.tables[t]));
  }
  for (std::size_t i = 0; i < found.holds.size(); ++i) {
    object["claims"].push_back(claim_object(result.claims[i], found.holds[i], found));
  }
  return object;
}

}  // namespace

std::string published_list_text(const std::vector<PublishedResult>& results) {
  std::vector<TableRow> lines;
  for (const PublishedResult& result : results) {
    std::string numbers = fmt::format("{}, {}", kind_name(result.kind), result.takes);
    if (!result.data.empty()) numbers += fmt::format(", on {}", fmt::join(result.data, ", "));
    lines.push_back({result.name, std::move(numbers)});
  }
  std::size_t widest = 0;
  for (const TableRow& line : lines) widest = std::max(widest, line[0].size());
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string pad(widest + 2, ' ');
    text += fmt::format("{:{}}  {}\n", lines[i][0], widest, results[i].title);
    text += fmt::format("{}{}\n{}{}\n", pad, results[i].source, pad, lines[i][1]);
  }
  return text +
         "\n'trainyard reproduce NAME' computes one and prints both, 'all' all of them, and a kind "
         "(exact,\nmeasured, shape, order) all of that kind. Times are of two cores.\n";
}

std::string published_list_json(const std::vector<PublishedResult>& results) {
  Json list = Json::array();
  for (const PublishedResult& result : results) list.push_back(facts_of(result));
  return json_text({{"results", list}});
}

std::string reproductions_text(const std::vector<Reproduction>& all) {
  std::string text;
  for (const Reproduction& found : all) {
    if (!text.empty()) text += "\n";
    text += reproduction_text(found);
  }
  if (all.size() == 1) return text;
  std::vector<TableRow> lines;
  std::size_t widest = 0;
  for (const Reproduction& found : all) widest = std::max(widest, found.result->name.size());
  text += "\n";
  for (const Reproduction& found : all) {
    text += wrapped(fmt::format("{:{}}  {}", found.result->name, widest, verdict_of(found)),
                    widest + 2);
  }
  return text;
}

std::string reproductions_json(const std::vector<Reproduction>& all) {
  Json list = Json::array();
  for (const Reproduction& found : all) list.push_back(reproduction_object(found));
  return json_text({{"results", list}});
}

}  // namespace trainyard
