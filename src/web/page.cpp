#include "trainyard/web/page.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/report/list_format.hpp"
#include "trainyard/run/curve_figures.hpp"
#include "trainyard/run/figures.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "web/web_parts.hpp"

namespace trainyard {

namespace {

/// In the order of PageKind.
constexpr std::array names{"comparison", "map",       "prediction", "sweep",     "break-even",
                           "advice",     "netcheck",  "topology",   "consensus", "timeline",
                           "score",      "published", "lab",        "free",      "labs"};

/// Nothing is loaded from anywhere; a figure that is saved goes through a blob. A page of the lab
/// asks its own server.
std::string policy_of(PageKind kind, std::string_view scripts) {
  const bool asks = kind == PageKind::lab || kind == PageKind::free;
  return fmt::format(
      "default-src 'none'; style-src 'unsafe-inline'; script-src {}; img-src data: "
      "blob:; {}base-uri 'none'; form-action 'none'",
      scripts, asks ? "connect-src 'self'; " : "");
}

std::string replaced(std::string_view text, std::string_view marks,
                     std::string_view (*replacement)(char)) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (marks.find(c) == std::string_view::npos) {
      result += c;
    } else {
      result += replacement(c);
    }
  }
  return result;
}

std::string html_escaped(std::string_view text) {
  return replaced(text, "&<>", [](char c) -> std::string_view {
    return c == '&' ? "&amp;" : c == '<' ? "&lt;" : "&gt;";
  });
}

/// In JSON these stand only in words, where they may be written as numbers: so no word of a
/// document ends the element that it is in.
std::string script_safe(std::string_view json) {
  return replaced(json, "<>",
                  [](char c) -> std::string_view { return c == '<' ? "\\u003c" : "\\u003e"; });
}

/// A declaration of the table of a curve's figures, which src/web/page/curves.js reads.
std::string curve_figures_script() {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& [axis, name] :
       {std::pair(CurveAxis::over, "over"), {CurveAxis::shown, "shown"}}) {
    for (const CurveFigure* figure : curve_figures_on(axis)) {
      rows.push_back({{"key", figure->key},
                      {"axis", name},
                      {"label", figure->label},
                      {"format", figure->format}});
    }
  }
  return fmt::format("const curve_figures = {};", script_safe(rows.dump()));
}

/// "time of the whole run" of "total        time of the whole\n             run\n": what the legend
/// beneath a table says of a column, in one line.
std::string legend_words(std::string_view legend) {
  const std::size_t heading = legend.find_first_not_of(' ');
  const std::size_t gap = legend.find("  ", heading);
  std::string words;
  for (const char c : legend.substr(gap == std::string_view::npos ? legend.size() : gap)) {
    const bool is_blank = c == ' ' || c == '\n';
    if (!is_blank) words += c;
    if (is_blank && !words.empty() && words.back() != ' ') words += ' ';
  }
  if (words.ends_with(' ')) words.pop_back();
  return words;
}

/// In their order: {"name": "bounded", "words": "those wait who are too far ahead", "schemes":
/// […]}.
nlohmann::ordered_json families_of_schemes() {
  nlohmann::ordered_json families = nlohmann::ordered_json::array();
  for (int i = 0; i < scheme_families; ++i) {
    const auto family = static_cast<SchemeFamily>(i);
    const std::string_view text = family_text(family);
    nlohmann::ordered_json members = nlohmann::ordered_json::array();
    for (const Scheme& scheme : schemes()) {
      if (scheme.family == family) members.push_back(scheme.name);
    }
    const std::size_t colon = text.find(": ");
    families.push_back(
        {{"name", text.substr(0, colon)}, {"words", text.substr(colon + 2)}, {"schemes", members}});
  }
  return families;
}

/// What the program's tables say of each scheme and figure, for words under the pointer.
std::string table_words_script() {
  nlohmann::ordered_json words{{"schemes", nlohmann::ordered_json::object()},
                               {"figures", nlohmann::ordered_json::object()},
                               {"families", families_of_schemes()}};
  for (const Scheme& scheme : schemes()) words["schemes"][scheme.name] = scheme.summary;
  for (const Figure& figure : figures()) {
    if (!figure.column.legend.empty()) {
      words["figures"][std::string(json_path(figure))] = legend_words(figure.column.legend);
    }
  }
  return fmt::format("const table_words = {};", script_safe(words.dump()));
}

/// `allowed`: where scripts may be from; `scripts`: their elements.
std::string page_text(PageKind kind, const std::string& title, std::string_view json,
                      std::string_view allowed, std::string_view scripts) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main id=\"page\"></main>\n"
      "<noscript>The figures of this page are drawn by a script, which your browser does not run; "
      "the data are in the page's source.</noscript>\n"
      "<script type=\"application/json\" id=\"document\" data-kind=\"{}\">{}</script>\n"
      "{}</body>\n</html>\n",
      policy_of(kind, allowed), html_escaped(title), page_style(),
      names[static_cast<std::size_t>(kind)], script_safe(json), scripts);
}

}  // namespace

std::string html_page(PageKind kind, const std::string& title, std::string_view json) {
  return page_text(
      kind, title, json, "'unsafe-inline'",
      fmt::format("<script>{}</script>\n<script>{}</script>\n<script>{}</script>\n"
                  "<script type=\"module\">\n{}</script>\n",
                  page_d3(), curve_figures_script(), table_words_script(), page_program()));
}

std::string html_page_beside(const std::string& scripts, PageKind kind, const std::string& title,
                             std::string_view json) {
  return page_text(kind, title, json, "'self'",
                   fmt::format("<script src=\"{}\" defer></script>\n", scripts));
}

std::string page_scripts() {
  // No module: a browser loads none from a file.
  return fmt::format("{}\n{}\n{}\n(() => {{\n\"use strict\";\n{}}})();\n", page_d3(),
                     curve_figures_script(), table_words_script(), page_program());
}

}  // namespace trainyard
