#include "web/lab_site.hpp"

#include <map>

#include <nlohmann/json.hpp>

#include "trainyard/base/error.hpp"

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

}  // namespace

TEST_CASE("the lab has a page for each definition and one with everything", "[web]") {
  LabSite site;
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
  LabSite site;
  const LabDefinition& lab = lab_definition("straggler");
  const Json page = document_of(site.page("/lab/straggler").value());
  const Json expected = answer_at(lab, first_position(lab));
  CHECK(page["first"] == expected);
  CHECK(page["first"]["runs"][0]["first_steps"].is_object());
}

TEST_CASE("exported pages have the answers to all positions of their sliders", "[web][slow]") {
  std::map<std::string, std::string> pages;
  LabSite().export_pages(
      [&](const std::string& name, const std::string& html) { pages[name] = html; },
      [](const std::string&) {}, never);
  CHECK(pages.size() == LabSite::exported_names().size());
  for (const LabDefinition& whole : lab_definitions()) {
    INFO(whole.name);
    const LabDefinition lab = thinned(whole, 48);
    const Json page = document_of(pages.at(whole.name + ".html"));
    const auto positions = positions_of(lab);
    CHECK(page["grid"].size() == positions.size());
    CHECK(page["first"] == page["grid"][position_key(lab, first_position(lab))]);
    const LabPosition& last = positions.back();
    CHECK(page["grid"][position_key(lab, last)] == answer_at(whole, last));
  }
}

TEST_CASE("an export that is interrupted ends", "[web]") {
  const std::atomic<bool> at_once{true};
  CHECK_THROWS_AS(LabSite().export_pages([](const std::string&, const std::string&) {},
                                         [](const std::string&) {}, at_once),
                  Interrupted);
}

}  // namespace trainyard
