#include "web/lab_site.hpp"

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "trainyard/base/error.hpp"

#include "app/program.hpp"
#include "support/catch.hpp"
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
    CHECK(page["first"]["runs"].size() >= 1);
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

TEST_CASE("a page's first steps go as far as workers meet for the first time", "[web][labs]") {
  LabSite site(never);
  for (const char* name : {"datacentres", "client-drift", "local-steps", "elastic"}) {
    const Json page = document_of(site.page(std::string("/lab/") + name).value());
    for (const Json& run : page["first"]["runs"]) {
      CAPTURE(name, run["label"]);
      CHECK(run["first_steps"]["messages"]["from"].size() > 0);
    }
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
      [&](const std::string& name, const std::string& html) {
        pages[name] = html;
        last_taken = name;
      },
      [](const std::string&) {}, few);
  CHECK(last_taken == "index.html");  // what it links to is there before it is
  CHECK(pages.size() == LabSite::exported_names().size());
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

TEST_CASE("an export that is interrupted ends, and leaves no index of what is not there", "[web]") {
  const std::atomic<bool> at_once{true};
  std::vector<std::string> taken;
  CHECK_THROWS_AS(LabSite(at_once).export_pages(
                      [&](const std::string& name, const std::string&) { taken.push_back(name); },
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
