#include "web/lab_definition.hpp"

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/labs.hpp"

#include "support/catch.hpp"
#include "web/lab_question.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::json;

LabQuestion parsed(const std::string& question) {
  return parse_lab_question(
      question, [](std::string_view) -> std::shared_ptr<const UploadedData> { return nullptr; });
}

std::vector<std::string> sorted(const std::vector<OptionText>& settings) {
  std::vector<std::string> words;
  for (const auto& [option, text] : settings) words.push_back(option + "=" + text);
  std::ranges::sort(words);
  return words;
}

const LabDefinition two_sliders{
    .name = "n",
    .title = "t",
    .question = "q",
    .sliders = {{.option = "latency",
                 .values = {"1us", "2us", "3us", "4us", "5us"},
                 .value = "4us"},
                {.option = "workers", .values = {"2", "4"}, .value = "2"}},
    .json = R"({"options": {"epochs": "2", "workers": "8"},
                "sliders": [{"values": ["1us", "2us", "3us", "4us", "5us"],
                             "texts": ["a", "b", "c", "d", "e"]},
                            {"values": ["2", "4"], "texts": ["2", "4"]}]})"};

}  // namespace

TEST_CASE("every position of every lab is a question that the server takes", "[web]") {
  std::set<std::string> names;
  CHECK(lab_definitions().size() == 25);
  for (const LabDefinition& lab : lab_definitions()) {
    INFO(lab.name);
    CHECK(names.insert(lab.name).second);
    for (const LabPosition& position : positions_of(lab)) {
      INFO(position_key(lab, position));
      CHECK_NOTHROW(parsed(question_at(lab, position)));
    }
    for (const LabSlider& slider : lab.sliders) {
      CHECK(std::ranges::count(slider.values, slider.value) == 1);
      CHECK(option_named(slider.option).taken_by(taker::lab));
    }
  }
}

TEST_CASE("a page says and shows what its lab's file has", "[web]") {
  for (const Lab& lab : labs()) {
    INFO(lab.name);
    const Json page = Json::parse(lab_definition(lab.name).json);
    CHECK(page["name"] == lab.name);
    for (const char* text : {"title", "question"}) CHECK_FALSE(page[text].empty());
    CHECK(std::string(page["question"]).ends_with("?"));
    CHECK(page["story"].size() >= 2);
    CHECK(page["story"].size() <= 4);
    for (const Json& paragraph : page["story"]) {
      CHECK(std::string(paragraph).size() > 40);
      CHECK(std::string(paragraph).find_first_of("\n\\") == std::string::npos);
    }
    CHECK(lab.page.sliders.size() >= 1);
    CHECK(lab.page.sliders.size() <= 3);
    for (const Json& slider : page["sliders"]) {
      CHECK_FALSE(slider["label"].empty());
      for (const char* list : {"values", "texts"}) {
        const std::vector<std::string> all = slider[list];
        CHECK(all.size() >= 2);
        CHECK(all.size() <= 7);
        CHECK(std::set(all.begin(), all.end()).size() == all.size());
      }
    }
    CHECK(page["options"].size() >= 1);  // of which a page asks a quarter first
  }
}

TEST_CASE("a lab's contestants are called as they would be typed, and one is drawn in steps",
          "[web]") {
  for (const Lab& lab : labs()) {
    INFO(lab.name);
    const std::vector<Contestant> contestants =
        parsed(Json{{"lab", lab.name}}.dump()).request.contestants;
    CHECK(contestants.size() <= 6);
    CHECK(std::ranges::count(contestants, lab.page.timeline, &Contestant::label) == 1);
    for (const Contestant& contestant : contestants) {
      INFO(contestant.label);
      const std::vector<Contestant> typed = parse_contestants(contestant.label);
      REQUIRE(typed.size() == 1);
      CHECK(typed.front().scheme == contestant.scheme);
      CHECK(sorted(typed.front().settings) == sorted(contestant.settings));
    }
  }
}

TEST_CASE("a lab names a curve of its own and a slider that moves it", "[web]") {
  for (const Lab& lab : labs()) {
    INFO(lab.name);
    const PageWatch& watch = lab.page.watch;
    const std::vector<Contestant> contestants =
        parsed(Json{{"lab", lab.name}}.dump()).request.contestants;
    CHECK(std::ranges::count(contestants, watch.curve, &Contestant::label) == 1);
    const auto slider = std::ranges::find(lab.page.sliders, watch.slider, &PageSlider::option);
    REQUIRE(slider != lab.page.sliders.end());
    CHECK(slider->values.size() >= 3);
  }
}

TEST_CASE("a story's links move sliders to values that they have", "[web]") {
  const std::regex link(R"(\[[^\]]+\]\(([^)]+)\))");
  for (const Lab& lab : labs()) {
    INFO(lab.name);
    int links = 0;
    for (const std::string& paragraph : lab.page.story) {
      for (std::sregex_iterator at(paragraph.begin(), paragraph.end(), link), end; at != end;
           ++at, ++links) {
        std::istringstream pairs((*at)[1]);
        for (std::string pair; std::getline(pairs, pair, '&');) {
          INFO(pair);
          const std::size_t equals = pair.find('=');
          const auto slider =
              std::ranges::find(lab.page.sliders, pair.substr(0, equals), &PageSlider::option);
          REQUIRE(slider != lab.page.sliders.end());
          CHECK(std::ranges::count(slider->values, pair.substr(equals + 1)) == 1);
        }
      }
    }
    CHECK(links >= 1);
  }
}

TEST_CASE("a lab's question has its options and where its sliders stand", "[web]") {
  const LabPosition position{{"latency", "3us"}, {"workers", "4"}};
  CHECK(Json::parse(question_at(two_sliders, position)) == Json::parse(R"({"lab": "n",
                        "options": {"epochs": "2", "latency": "3us", "workers": "4"}})"));
  CHECK(position_key(two_sliders, position) == "latency=3us&workers=4");
  CHECK(first_position(two_sliders) == LabPosition{{"latency", "4us"}, {"workers", "2"}});
}

TEST_CASE("positions are all there are", "[web]") {
  const auto positions = positions_of(two_sliders);
  CHECK(positions.size() == 10);
  CHECK(std::set<LabPosition>(positions.begin(), positions.end()).size() == 10);
}

TEST_CASE("thinned sliders keep their ends and where they stand", "[web]") {
  const LabDefinition thin = thinned(two_sliders, 8);
  CHECK(thin.sliders[0].values == std::vector<std::string>{"1us", "3us", "4us", "5us"});
  CHECK(thin.sliders[1].values == two_sliders.sliders[1].values);
  const Json json = Json::parse(thin.json);
  CHECK(json["sliders"][0]["texts"] == Json({"a", "c", "d", "e"}));
  CHECK(json["sliders"][0]["values"] == Json(thin.sliders[0].values));
  CHECK(Json::parse(thinned(two_sliders, 10).json) == Json::parse(two_sliders.json));
  for (const LabDefinition& lab : lab_definitions()) {
    INFO(lab.name);
    CHECK(positions_of(thinned(lab, 48)).size() <= 48);
  }
}

TEST_CASE("a lab of another name is refused with those there are", "[web]") {
  CHECK_THROWS_WITH(lab_definition("stragler"), ContainsSubstring("did you mean 'straggler'?"));
}

}  // namespace trainyard
