// docs/bibliography.md has every paper that the program names as a source.
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "trainyard/aggregation/aggregator.hpp"
#include "trainyard/aggregation/attack.hpp"
#include "trainyard/codec/codec.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/primitive_table.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/study/published.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

/// The papers in a source like "Zhang & Ré 2014, §3; catalogue 2.16": names and a year each.
std::vector<std::string> papers_in(const std::string& source) {
  static const std::regex paper(R"((?:^|; )([^;0-9]+ (?:19|20)[0-9]{2})\b)");
  std::vector<std::string> papers;
  for (std::sregex_iterator at(source.begin(), source.end(), paper), end; at != end; ++at) {
    papers.push_back((*at)[1]);
  }
  return papers;
}

}  // namespace

TEST_CASE(
    "every paper that a scheme, a collective, a codec, a rule or a result names is in the "
    "bibliography",
    "[structure]") {
  std::vector<std::string> papers;
  for (const Scheme& scheme : schemes()) {
    for (const std::string& paper : papers_in(scheme.source)) papers.push_back(paper);
  }
  for (const AllReduce& collective : all_reduces()) {
    for (const std::string& paper : papers_in(collective.source)) papers.push_back(paper);
  }
  for (const Primitive& primitive : primitives()) {
    for (const std::string& paper : papers_in(primitive.source)) papers.push_back(paper);
  }
  for (const CodecInfo& codec : codecs()) {
    for (const std::string& paper : papers_in(codec.source)) papers.push_back(paper);
  }
  for (const AggregationInfo& rule : aggregations()) {
    for (const std::string& paper : papers_in(rule.source)) papers.push_back(paper);
  }
  for (const AttackInfo& attack : attacks()) {
    for (const std::string& paper : papers_in(attack.source)) papers.push_back(paper);
  }
  for (const PublishedResult& result : published_results()) {
    for (const std::string& paper : papers_in(result.source)) papers.push_back(paper);
  }
  REQUIRE(papers.size() > 40);
  const std::string bibliography =
      read_file(std::filesystem::path(TRAINYARD_SOURCE_DIR) / "docs/bibliography.md");
  for (const std::string& paper : papers) {
    CHECK_THAT(bibliography, ContainsSubstring("\n- **" + paper + ".** "));
  }
}

TEST_CASE("papers are found in the text of a source", "[structure]") {
  using Papers = std::vector<std::string>;
  CHECK(papers_in("catalogue 2.1, 3").empty());
  CHECK(papers_in("Stich 2019; catalogue 4.1") == Papers{"Stich 2019"});
  CHECK(papers_in("Assran et al. 2019, 1-OSGP; Zhang, Hsieh & Akella 2016") ==
        Papers{"Assran et al. 2019", "Zhang, Hsieh & Akella 2016"});
}

}  // namespace trainyard
