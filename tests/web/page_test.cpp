#include "trainyard/web/page.hpp"

#include <algorithm>
#include <array>
#include <regex>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "trainyard/scheme/scheme.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

/// What the page's script would parse.
nlohmann::json held_document(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"document\" data-kind=\"";
  const std::size_t from = page.find('>', page.find(begin) + begin.size()) + 1;
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

std::string kind_of(const std::string& page) {
  std::smatch found;
  REQUIRE(std::regex_search(page, found, std::regex("data-kind=\"([a-z-]+)\"")));
  return found[1];
}

constexpr std::array kinds{PageKind::comparison, PageKind::map,        PageKind::prediction,
                           PageKind::sweep,      PageKind::break_even, PageKind::advice,
                           PageKind::netcheck,   PageKind::topology,   PageKind::consensus,
                           PageKind::timeline,   PageKind::score,      PageKind::lab,
                           PageKind::free,       PageKind::labs};

}  // namespace

TEST_CASE("a page holds its document whatever words are in it", "[web]") {
  const nlohmann::json document{{"label", "</script><script>alert(1)</script>"},
                                {"more", "<!-- & ]]> \" ' \\ ünïcode"},
                                {"number", 0.1}};
  const std::string page = html_page(PageKind::comparison, "<b>&", document.dump());
  CHECK(held_document(page) == document);
  CHECK_THAT(page, ContainsSubstring("<title>&lt;b&gt;&amp;</title>"));
}

TEST_CASE("every kind of page has one who draws it", "[web]") {
  const std::string main =
      read_file(std::filesystem::path(TRAINYARD_SOURCE_DIR) / "src/web/page/main.js");
  for (const PageKind kind : kinds) {
    const std::string name = kind_of(html_page(kind, "a title", "{}"));
    INFO(name);
    CHECK_THAT(main, ContainsSubstring("\n  \"" + name + "\": "));
  }
}

TEST_CASE("a page holds the table of a curve's figures before its modules", "[web]") {
  const std::string page = html_page(PageKind::comparison, "a title", "{}");
  const std::string begin = "<script>const curve_figures = ";
  const std::size_t from = page.find(begin);
  REQUIRE(from != std::string::npos);
  CHECK(from < page.find("<script type=\"module\">"));
  const std::string rest = page.substr(from + begin.size());
  const auto rows = nlohmann::json::parse(rest.substr(0, rest.find(";</script>")));
  CHECK(rows.at(0) == nlohmann::json{{"key", "seconds"},
                                     {"axis", "over"},
                                     {"label", "time of the run"},
                                     {"format", "duration"}});
  const std::string formats =
      read_file(std::filesystem::path(TRAINYARD_SOURCE_DIR) / "src/web/page/format.js");
  for (const auto& row : rows) {
    CHECK_THAT(formats,
               ContainsSubstring("export function " + row["format"].get<std::string>() + "("));
  }
}

TEST_CASE("a page holds a sentence for each scheme, and for figures", "[web]") {
  const std::string page = html_page(PageKind::comparison, "a title", "{}");
  const std::string begin = "<script>const table_words = ";
  const std::size_t from = page.find(begin);
  REQUIRE(from != std::string::npos);
  CHECK(from < page.find("<script type=\"module\">"));
  const std::string rest = page.substr(from + begin.size());
  const auto words = nlohmann::json::parse(rest.substr(0, rest.find(";</script>")));
  CHECK(words["schemes"].size() == schemes().size());
  for (const Scheme& scheme : schemes()) CHECK(words["schemes"][scheme.name] == scheme.summary);
  CHECK(words["figures"]["staleness.mean"] ==
        "mean number of others' updates between reading a model and applying its gradient");
  CHECK(words["figures"]["time_split.compute"] == "its own arithmetic");
  std::size_t members = 0;
  for (const auto& family : words["families"]) members += family["schemes"].size();
  CHECK(members == schemes().size());
  CHECK(words["families"].at(1)["name"] == "asynchronous");
  CHECK(words["families"].at(1)["words"] == "nobody waits");
  const std::vector<std::string> nobody = words["families"].at(1)["schemes"];
  CHECK(std::ranges::count(nobody, "ps-async") == 1);
  CHECK(std::ranges::count(nobody, "ps-sync") == 0);
}

TEST_CASE("a page names nothing to be loaded", "[web]") {
  const std::string page = html_page(PageKind::comparison, "a title", "{}");
  const std::regex loads(" (src|href)=\"(?!data:)");
  CHECK_FALSE(std::regex_search(page, loads));
  CHECK(page.find("\nimport ") == std::string::npos);
  CHECK(page.find("\nexport ") == std::string::npos);
  CHECK_THAT(page, ContainsSubstring("default-src 'none'"));
  CHECK_THAT(page, ContainsSubstring("d3js.org"));  // its licence's notice
}

}  // namespace trainyard
