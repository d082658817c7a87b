#include "trainyard/study/reproduction.hpp"

#include <charconv>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"

#include "study/answer_expression.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::json;

/// Answers by their command, each asked for once.
class Answers {
 public:
  explicit Answers(const AnswerOf& answer_of) : answer_of_(answer_of) {}

  const Json& of(const std::string& command) {
    const auto known = answers_.find(command);
    if (known != answers_.end()) return known->second;
    Json answer = Json::parse(answer_of_(command), nullptr, false);
    if (answer.is_discarded()) throw InternalError(command + ": its answer is no JSON");
    return answers_.emplace(command, std::move(answer)).first->second;
  }

 private:
  const AnswerOf& answer_of_;
  std::map<std::string, Json> answers_;
};

double ours_of(const PublishedCell& cell, Answers& answers) {
  try {
    return evaluated(cell.ours, answers.of(cell.command));
  } catch (const InternalError& error) {
    throw InternalError(fmt::format("{}: {}", cell.command, error.what()));
  }
}

double parsed(const std::string& published) {
  double value = 0.0;
  std::from_chars(published.data(), published.data() + published.size(), value);
  return value;
}

/// Half of the last digit that is printed: 0.05 of "9.1", 0.5 of "117".
double half_of_last_digit(const std::string& published) {
  const std::size_t point = published.find('.');
  const std::size_t digits = point == std::string::npos ? 0 : published.size() - point - 1;
  return 0.5 * std::pow(10.0, -static_cast<double>(digits));
}

std::string place_text(const PublishedTable& table, std::size_t row, std::size_t column) {
  return fmt::format("{}, {}", table.rows[row], table.columns[column]);
}

void judge_cell(const PublishedTable& table, std::size_t row, std::size_t column, bool agrees,
                Reproduction& found) {
  const PublishedCell& cell = table.cells[row][column];
  if (cell.published.empty()) return;
  ++found.printed;
  if (agrees) ++found.agreeing;
  if (agrees == cell.differs.empty()) return;
  found.unlike.push_back(fmt::format("{}: {}", place_text(table, row, column),
                                     agrees ? "agrees, and is said to differ" : "does not agree"));
}

ReproducedTable reproduced(const PublishedTable& table, Answers& answers, Reproduction& found) {
  ReproducedTable made;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    std::vector<double> ours;
    std::vector<bool> agrees;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const PublishedCell& cell = table.cells[r][c];
      ours.push_back(ours_of(cell, answers));
      agrees.push_back(cell.published.empty() ||
                       agrees_with(cell.published, ours.back(), table.tolerance));
      judge_cell(table, r, c, agrees.back(), found);
    }
    made.ours.push_back(std::move(ours));
    made.agrees.push_back(std::move(agrees));
  }
  return made;
}

double value_of(const InequalitySide& side, const std::vector<ReproducedTable>& tables) {
  if (!side.cell) return side.factor;
  return side.factor * tables[side.cell->table].ours[side.cell->row][side.cell->column];
}

bool is_true(const Inequality& one, const std::vector<ReproducedTable>& tables) {
  const double left = value_of(one.left, tables), right = value_of(one.right, tables);
  if (one.sign == "<") return left < right;
  if (one.sign == "<=") return left <= right;
  if (one.sign == ">") return left > right;
  return left >= right;
}

void judge_claim(const PublishedClaim& claim, Reproduction& found) {
  bool holds = true;
  for (const Inequality& one : claim.holds) holds = holds && is_true(one, found.tables);
  found.holds.push_back(holds);
  if (holds) ++found.holding;
  if (holds == claim.fails.empty()) return;
  found.unlike.push_back(fmt::format("“{}”: {}", claim.published,
                                     holds ? "holds, and is said not to" : "does not hold"));
}

}  // namespace

bool agrees_with(const std::string& published, double ours, const Tolerance& tolerance) {
  const double theirs = parsed(published), off = std::abs(ours - theirs);
  if (!std::isfinite(ours)) return false;
  switch (tolerance.of) {
    case Tolerance::Of::digits:
      return off <= half_of_last_digit(published) * (1.0 + 1e-9);
    case Tolerance::Of::share:
      return off <= tolerance.amount * std::abs(theirs);
    case Tolerance::Of::factor:
      return ours * theirs > 0.0 && std::abs(std::log(ours / theirs)) <= std::log(tolerance.amount);
    case Tolerance::Of::amount:
      return off <= tolerance.amount;
  }
  throw InternalError("a tolerance is of one of four kinds");
}

Reproduction reproduce(const PublishedResult& result, const AnswerOf& answer_of) {
  Reproduction found{.result = &result};
  Answers answers(answer_of);
  for (const PublishedTable& table : result.tables) {
    found.tables.push_back(reproduced(table, answers, found));
  }
  for (const PublishedClaim& claim : result.claims) judge_claim(claim, found);
  return found;
}

std::string verdict_of(const Reproduction& found) {
  if (!found.skipped.empty()) return "not computed: " + found.skipped;
  std::string text;
  if (found.printed > 0) {
    // Tables of one result mostly share their tolerance; where not, each table says its own.
    const std::string& first = found.result->tables.front().tolerance.text;
    bool alike = true;
    for (const PublishedTable& table : found.result->tables) {
      alike = alike && table.tolerance.text == first;
    }
    const std::string within = !alike                  ? "within their tolerance"
                               : first == "as printed" ? "as printed"
                                                       : "within " + first;
    text = fmt::format("{} of {} {}", found.agreeing, counted(found.printed, "number"), within);
  }
  if (!found.holds.empty()) {
    text += fmt::format("{}{} of {} hold", text.empty() ? "" : "; ", found.holding,
                        counted(found.holds.size(), "claim"));
    if (found.holds.size() == 1) text += "s";
  }
  const std::size_t known = found.printed - found.agreeing + found.holds.size() - found.holding;
  if (known > 0 && found.as_said()) text += fmt::format("; {} known not to", known);
  return text;
}

}  // namespace trainyard
