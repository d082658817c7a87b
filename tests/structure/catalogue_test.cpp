// docs/catalogue.md has each codec, collective and topology by its name, and each scheme whose row
// cites it, in that section, with the rate that `list schemes` prints. A scheme that came later may
// cite its paper alone: its rule is in its file, and its rate in its row.
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "trainyard/codec/codec.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/topology.hpp"

#include "data/files.hpp"
#include "structure/source_files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

/// Texts of sections by their numbers, like "2.11"; those that are there twice.
struct Sections {
  std::map<std::string, std::string> texts;
  std::set<std::string> twice;
};

/// A section begins with "## 5 Compression", "### 1.4 …" or, in bold at a line's beginning, "**2.11
/// …**".
Sections sections_of(const std::string& document) {
  static const std::regex heading(R"(^(?:#+ |\*\*)([0-9]+(?:\.[0-9]+)?) .*)");
  Sections found;
  std::string number, line;
  std::istringstream lines(document);
  while (std::getline(lines, line)) {
    std::smatch match;
    if (std::regex_match(line, match, heading)) {
      number = match[1];
      if (!found.texts.emplace(number, "").second) found.twice.insert(number);
    }
    found.texts[number] += line + "\n";
  }
  return found;
}

const Sections& catalogue() {
  static const Sections sections =
      sections_of(read_file(std::filesystem::path(TRAINYARD_SOURCE_DIR) / "docs/catalogue.md"));
  return sections;
}

/// The sections that a source like "Li et al. 2014; catalogue 2.9, 7" names.
std::vector<std::string> cited_in(const std::string& source) {
  static const std::regex number(R"([0-9]+(?:\.[0-9]+)?)");
  const std::string word = "catalogue ";
  const std::size_t at = source.find(word);
  if (at == std::string::npos) return {};
  const std::string numbers = source.substr(at + word.size());
  return {std::sregex_token_iterator(numbers.begin(), numbers.end(), number),
          std::sregex_token_iterator()};
}

std::string quoted(const std::string& name) {
  return "`" + name + "`";
}

/// Those sections together. Fails where one is missing.
std::string text_of(const std::vector<std::string>& numbers) {
  std::string text;
  for (const std::string& number : numbers) {
    const auto found = catalogue().texts.find(number);
    CAPTURE(number);
    CHECK(found != catalogue().texts.end());
    if (found != catalogue().texts.end()) text += found->second;
  }
  return text;
}

void check_citation(const std::string& name, const std::string& source) {
  CAPTURE(name, source);
  const std::vector<std::string> cited = cited_in(source);
  if (!cited.empty()) CHECK_THAT(text_of(cited), ContainsSubstring(quoted(name)));
}

}  // namespace

TEST_CASE("the catalogue has each section once", "[structure]") {
  CHECK(catalogue().texts.size() > 30);
  CHECK(catalogue().twice == std::set<std::string>{});
  const Sections made = sections_of("## 1 One\n**1.1 A.** x\n### 1.2 B\n**1.1 C** y\n");
  CHECK(made.texts.at("1.2") == "### 1.2 B\n");
  CHECK(made.twice == std::set<std::string>{"1.1"});
  CHECK(cited_in("Li et al. 2014; catalogue 2.9, 7") == std::vector<std::string>{"2.9", "7"});
}

TEST_CASE("what a row cites of the catalogue is there and names it", "[structure]") {
  for (const Scheme& scheme : schemes()) {
    CAPTURE(scheme.name);
    CHECK_FALSE(scheme.source.empty());
    check_citation(scheme.name, scheme.source);
  }
  for (const CodecInfo& codec : codecs()) {
    CAPTURE(codec.name);
    CHECK_FALSE(cited_in(codec.source).empty());
    check_citation(codec.name, codec.source);
  }
  for (const AllReduce& way : all_reduces()) {
    for (const std::string& number : cited_in(way.source)) (void)text_of({number});
    CHECK_THAT(text_of({"3"}), ContainsSubstring(quoted(way.name)));
  }
  for (const TopologyInfo& topology : topologies()) {
    CHECK_THAT(text_of({"4.3"}), ContainsSubstring(quoted(topology.name)));
  }
}

TEST_CASE("sections of the catalogue that comments cite are there", "[structure]") {
  static const std::regex citation(R"([Cc]atalogue[ \n/]*§([0-9]+(?:\.[0-9]+)?))");
  std::size_t citations = 0;
  for (const auto& [name, text] : test::source_files({"src", "include"}, {".cpp", ".hpp"})) {
    for (std::sregex_iterator at(text.begin(), text.end(), citation), end; at != end; ++at) {
      CAPTURE(name, at->str());
      CHECK(catalogue().texts.count((*at)[1]) == 1);
      ++citations;
    }
  }
  CHECK(citations > 80);
}

TEST_CASE("the rates of list schemes are those of the catalogue", "[structure]") {
  std::istringstream lines(text_of({"1.4"}));
  std::map<std::string, std::string> rates;  // by scheme
  std::string line;
  while (std::getline(lines, line)) {
    if (!line.starts_with("| ")) continue;
    const std::size_t end = line.find(" | ");
    static const std::regex name("`([^`]+)`");
    for (std::sregex_iterator at(line.begin(), line.end(), name), none; at != none; ++at) {
      CAPTURE(line);
      CHECK(rates.emplace((*at)[1], line.substr(2, end - 2)).second);
    }
  }
  for (const Scheme& scheme : schemes()) {
    CAPTURE(scheme.name);
    const auto found = rates.find(scheme.name);
    if (found == rates.end() && cited_in(scheme.source).empty()) continue;
    CHECK((found == rates.end() ? "" : found->second) == scheme.cost.rate);
  }
}

}  // namespace trainyard
