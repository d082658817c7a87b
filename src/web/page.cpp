#include "trainyard/web/page.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/run/curve_figures.hpp"

#include "web/web_parts.hpp"

namespace trainyard {

namespace {

/// In the order of PageKind.
constexpr std::array names{"comparison", "map",      "prediction", "sweep",    "break-even",
                           "netcheck",   "topology", "consensus",  "timeline", "score",
                           "lab",        "free",     "labs"};

/// Nothing is loaded from anywhere; a figure that is saved goes through a blob. A page of the lab
/// asks its own server.
std::string policy_of(PageKind kind) {
  const bool asks = kind == PageKind::lab || kind == PageKind::free;
  return fmt::format(
      "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: "
      "blob:; {}base-uri 'none'; form-action 'none'",
      asks ? "connect-src 'self'; " : "");
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

}  // namespace

std::string html_page(PageKind kind, const std::string& title, std::string_view json) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main id=\"page\"></main>\n"
      "<noscript>The figures of this page are drawn by a script, which your browser does not run; "
      "the data are in the page's source.</noscript>\n"
      "<script type=\"application/json\" id=\"document\" data-kind=\"{}\">{}</script>\n"
      "<script>{}</script>\n<script>{}</script>\n<script type=\"module\">\n{}</script>\n</body>\n"
      "</html>\n",
      policy_of(kind), html_escaped(title), page_style(), names[static_cast<std::size_t>(kind)],
      script_safe(json), page_d3(), curve_figures_script(), page_program());
}

}  // namespace trainyard
