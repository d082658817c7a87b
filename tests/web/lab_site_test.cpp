#include "web/lab_site.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/contestant.hpp"
#include "trainyard/configuration/labs.hpp"

#include "app/program.hpp"
#include "support/catch.hpp"
#include "web/free_start.hpp"
#include "web/lab_answer.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::json;

const std::atomic<bool> never{false};

Json document_of(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"document\" data-kind=\"";
  const std::size_t from = page.find('>', page.find(begin) + begin.size()) + 1;
  return Json::parse(page.substr(from, page.find("</script>", from) - from));
}

Json answer_at(const LabDefinition& lab, const LabPosition& position) {
  LabQuestion question = parse_lab_question(
      question_at(lab, position),
      [](std::string_view) -> std::shared_ptr<const UploadedData> { return nullptr; });
  const LoadedData data = load_dataset(dataset_request(question.request.configuration));
  return Json::parse(lab_answer(question, data, never, true));
}

/// What was run, without how it was printed.
std::string without_output(const std::string& configuration) {
  return configuration.substr(0, configuration.find("[output]"));
}

}  // namespace

TEST_CASE("the lab has a page for each definition and one with everything", "[web]") {
  LabSite site(never);
  const Json index = document_of(site.page("/").value());
  REQUIRE(index["labs"].size() == lab_definitions().size());
  for (const Json& lab : index["labs"]) {
    INFO(lab["name"]);
    const Json page = document_of(site.page(lab["href"]).value());
    CHECK(page["lab"]["question"] == lab["question"]);
    CHECK_FALSE(page["first"]["runs"].empty());
    CHECK(page["grid"].is_null());
  }
  const Json free = document_of(site.page("/free").value());
  CHECK(free["first"]["runs"].size() == 6);
  CHECK(free["schemes"].size() > 40);
  for (const std::string path : {"/lab/", "/lab/none", "/index.html", "", "/lab/straggler/"}) {
    CHECK_FALSE(site.page(path).has_value());
  }
}

TEST_CASE("a lab's page begins with the answer to where its sliders stand", "[web]") {
  LabSite site(never);
  const LabDefinition& lab = lab_definition("straggler");
  const Json page = document_of(site.page("/lab/straggler").value());
  const Json expected = answer_at(lab, first_position(lab));
  CHECK(page["first"] == expected);
  CHECK(page["first"]["runs"][0]["first_steps"].is_object());
}

TEST_CASE("a lab's page says what the free page asks to show the same", "[web][labs]") {
  LabSite site(never);
  for (const LabDefinition& lab : lab_definitions()) {
    CAPTURE(lab.name);
    Json body = free_start(*std::ranges::find(labs(), lab.name, &Lab::name));
    const auto no_upload = [](std::string_view) -> std::shared_ptr<const UploadedData> {
      return nullptr;
    };
    for (const auto& [option, value] : first_position(lab)) body["options"][option] = value;
    const ComparisonRequest free = parse_lab_question(body.dump(), no_upload).request;
    const ComparisonRequest here =
        parse_lab_question(question_at(lab, first_position(lab)), no_upload).request;
    REQUIRE(free.contestants.size() == here.contestants.size());
    for (std::size_t i = 0; i < here.contestants.size(); ++i) {
      CHECK(free.contestants[i].label == here.contestants[i].label);
      Configuration there = free.configuration, expected = here.configuration;
      apply(free.contestants[i], there);
      apply(here.contestants[i], expected);
      for (const Option* option : options_taken_by(taker::lab)) {
        CAPTURE(option->name);
        CHECK(option->get(there) == option->get(expected));
      }
    }
  }
  const Json page = document_of(site.page("/lab/straggler").value());
  CHECK(page["start"]["schemes"] == "ps-sync,ring,gossip,ps-async{lr=0.125},ad-psgd");
  CHECK(page["start"]["options"]["straggler"] == "0:10");
  LabSite untold(never, true);
  CHECK_FALSE(document_of(untold.page("/lab/straggler").value()).contains("start"));
}

TEST_CASE("a contestant with a label of its own is typed as its scheme with settings", "[web]") {
  const Lab lab{.name = "x",
                .text =
                    "[network]\nlatency = \"1ms\"\ncharge-control = true\n"
                    "[[contestant]]\nlabel = \"long periods\"\nscheme = \"local-sgd\"\n"
                    "period = 64\nlr = 0.5\n"
                    "[[contestant]]\nscheme = \"ring\"\n"
                    "[[contestant]]\nlabel = \"gossip\"\nscheme = \"ps-sync\"\n",
                .page = {}};
  const Json start = free_start(lab);
  CHECK(start["schemes"] == "local-sgd{lr=0.5,period=64},ring,ps-sync");
  CHECK(start["options"] == Json{{"latency", "1ms"}, {"charge-control", ""}});
}

TEST_CASE("a page's first steps go as far as workers meet for the first time", "[web][labs]") {
  LabSite site(never);
  for (const char* name : {"datacentres", "client-drift", "local-steps", "elastic"}) {
    const Json page = document_of(site.page(std::string("/lab/") + name).value());
    for (const Json& run : page["first"]["runs"]) {
      CAPTURE(name, run["label"]);
      CHECK_FALSE(run["first_steps"]["messages"]["from"].empty());
    }
  }
}

TEST_CASE("first steps of a pipeline say which microbatch a message carries", "[web][labs]") {
  LabSite site(never);
  const Json page = document_of(site.page("/lab/bubble").value());
  for (const Json& run : page["first"]["runs"]) {
    CAPTURE(run["label"]);
    const Json& steps = run["first_steps"];
    const bool has_stages = run["label"] != "ring";
    REQUIRE(steps.contains("carries") == has_stages);
    REQUIRE(steps["messages"].contains("carried") == has_stages);
    if (!has_stages) continue;
    CHECK(steps["carries"] == (run["label"] == "pipedream" ? "minibatch" : "microbatch"));
    CHECK(steps["messages"]["carried"].size() == steps["messages"]["from"].size());
    CHECK(steps["messages"]["carried"][1] == 1);
  }
}

TEST_CASE("compare lab:NAME prints what the page of the lab shows first", "[web][labs][slow]") {
  LabSite site(never);
  for (const LabDefinition& lab : lab_definitions()) {
    INFO(lab.name);
    const Outcome outcome = run_program({"compare", "lab:" + lab.name, "--json", "--quiet"});
    const Json terminal = Json::parse(outcome.output);
    const Json page = document_of(site.page("/lab/" + lab.name).value());
    for (const char* axis : {"x", "y"}) {
      CHECK(page["first"]["runs"][0]["evaluations"].contains(page["lab"]["show"][axis]));
    }
    const Json& shown = page["first"];
    CHECK(shown["notes"] == terminal["notes"]);
    CHECK(shown["lacking"] == terminal["lacking"]);
    REQUIRE(shown["runs"].size() == terminal["runs"].size());
    for (std::size_t i = 0; i < terminal["runs"].size(); ++i) {
      const Json &there = shown["runs"][i], &here = terminal["runs"][i];
      INFO(here["label"]);
      CHECK(there.size() == here.size());
      for (const auto& [key, value] : here.items()) {
        INFO(key);
        if (key == "configuration") {
          CHECK(without_output(there[key]) == without_output(value));
        } else if (key != "first_steps") {  // for the page's animation
          CHECK(there[key] == value);
        }
      }
    }
  }
}

TEST_CASE("exported pages have the answers to all positions of their sliders", "[web][slow]") {
  constexpr std::size_t few = 9;  // the browser's test looks at pages of as many as people get
  std::map<std::string, std::string> pages;
  std::string last_taken;
  LabSite(never).export_pages(
      "",
      [&](const std::string& name, const std::string& html) {
        pages[name] = html;
        last_taken = name;
      },
      [](const std::string&) {}, few);
  CHECK(last_taken == "index.html");  // what it links to is there before it is
  CHECK(pages.size() == LabSite::exported_names("").size());
  for (const LabDefinition& whole : lab_definitions()) {
    INFO(whole.name);
    const LabDefinition lab = thinned(whole, few);
    const Json page = document_of(pages.at(whole.name + ".html"));
    const auto positions = positions_of(lab);
    CHECK(page["grid"].size() == positions.size());
    CHECK(page["first"] == page["grid"][position_key(lab, first_position(lab))]);
    const LabPosition& last = positions.back();
    CHECK(page["grid"][position_key(lab, last)] == answer_at(whole, last));
  }
}

TEST_CASE("a lab is exported alone, with nothing that leads elsewhere", "[web]") {
  std::vector<std::string> names, told;
  Json page;
  LabSite(never).export_pages(
      "when-to-checkpoint",
      [&](const std::string& name, const std::string& text) {
        names.push_back(name);
        if (name == "when-to-checkpoint.html") page = document_of(text);
      },
      [&](const std::string& what) { told.push_back(what); }, 4);
  CHECK(names == std::vector<std::string>{"trainyard.js", "when-to-checkpoint.html"});
  CHECK(names == LabSite::exported_names("when-to-checkpoint"));
  REQUIRE(page["labs"].size() == 1);
  CHECK(page["labs"][0]["name"] == "when-to-checkpoint");
  CHECK(page["home"].is_null());
  CHECK(page["free"].is_null());
  CHECK(page.contains("home"));  // absent: there is a list
  CHECK_FALSE(page.contains("start"));
  CHECK(page["grid"].size() == told.size());
  const LabDefinition& lab = lab_definition("when-to-checkpoint");
  CHECK(page["first"] == answer_at(lab, first_position(lab)));
  CHECK_THROWS_AS(LabSite::exported_names("stragler"), UsageError);
}

TEST_CASE("pages without answers have no story, no place that is right, and no notes", "[web]") {
  LabSite told(never), untold(never, true);
  for (const char* name : {"elastic", "local-steps"}) {
    CAPTURE(name);
    const std::string path = std::string("/lab/") + name;
    const Json whole = document_of(told.page(path).value());
    const std::string page = untold.page(path).value();
    const Json document = document_of(page);
    CHECK(whole["lab"]["story"].size() > 1);
    CHECK(document["lab"]["story"].size() == 1);
    CHECK(document["lab"]["untold"] == true);
    CHECK(document["lab"]["story"][0] == whole["lab"]["story"][0]);
    for (const Json& run : document["first"]["runs"]) CHECK(run["notes"].empty());
    CHECK(document["first"]["runs"].size() == whole["first"]["runs"].size());
    CHECK(page.find("\"right\"") == std::string::npos);
    CHECK(page.find("diverged: after") == std::string::npos);
  }
  CHECK(told.page("/lab/elastic")->find("diverged: after") != std::string::npos);
  CHECK_FALSE(untold.page("/free").has_value());
  CHECK(document_of(untold.page("/").value())["free"].is_null());
}

TEST_CASE("an export that is interrupted ends, and leaves no index of what is not there", "[web]") {
  const std::atomic<bool> at_once{true};
  std::vector<std::string> taken;
  CHECK_THROWS_AS(
      LabSite(at_once).export_pages(
          "", [&](const std::string& name, const std::string&) { taken.push_back(name); },
          [](const std::string&) {}),
      Interrupted);
  CHECK(taken.empty());
}

TEST_CASE("an interrupt ends what a page waits for, and nothing is kept of it", "[web]") {
  std::atomic<bool> interrupted{true};
  LabSite site(interrupted);
  for (int i = 0; i < 2; ++i) CHECK_THROWS_AS(site.page("/lab/straggler"), Interrupted);
  CHECK_THROWS_AS(site.page("/free"), Interrupted);
  CHECK(site.page("/").has_value());  // of which nothing is computed
  interrupted = false;
  const LabDefinition& lab = lab_definition("straggler");
  CHECK(document_of(site.page("/lab/straggler").value())["first"] ==
        answer_at(lab, first_position(lab)));
}

TEST_CASE("pages that are asked for at once are each what they are alone", "[web]") {
  LabSite site(never), other(never);
  std::vector<std::string> paths, pages(6);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    paths.push_back(i % 2 == 0 ? "/lab/straggler" : "/free");
  }
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < pages.size(); ++i) {
      threads.emplace_back([&, i] { pages[i] = site.page(paths[i]).value(); });
    }
  }
  for (std::size_t i = 0; i < pages.size(); ++i) CHECK(pages[i] == other.page(paths[i]).value());
}

}  // namespace trainyard
