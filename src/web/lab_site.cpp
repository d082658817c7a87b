#include "web/lab_site.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/error.hpp"
#include "trainyard/codec/codec.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/configuration/defaults.hpp"
#include "trainyard/configuration/labs.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/data/generate.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/topology.hpp"
#include "trainyard/web/page.hpp"

#include "web/free_start.hpp"
#include "web/lab_answer.hpp"
#include "web/lab_question.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

/// `href` of a lab's name.
Json lab_list(const std::function<std::string(const std::string&)>& href,
              const std::vector<LabDefinition>& labs = lab_definitions()) {
  Json list = Json::array();
  for (const LabDefinition& lab : labs) {
    list.push_back({{"name", lab.name},
                    {"number", lab.number},
                    {"title", lab.title},
                    {"question", lab.question},
                    {"href", href(lab.name)}});
  }
  return list;
}

std::string live_href(const std::string& name) {
  return "/lab/" + name;
}

std::string file_href(const std::string& name) {
  return name + ".html";
}

/// Of all pages of an export.
const char* const scripts_file = "trainyard.js";

template <typename Table>
Json names_in(const Table& table) {
  Json names = Json::array();
  for (const auto& row : table) names.push_back({{"name", row.name}, {"summary", row.summary}});
  return names;
}

std::vector<GeneratorInfo> sets_of_lab() {
  std::vector<GeneratorInfo> sets = generators();
  std::erase_if(sets, [](const GeneratorInfo& generator) { return !generator.in_lab; });
  return sets;
}

Json option_list() {
  const Configuration defaults = built_in_defaults();
  Json list = Json::array();
  for (const Option* option : options_taken_by(taker::lab)) {
    list.push_back({{"section", option->section},
                    {"name", option->name},
                    {"argument", option->argument},
                    {"help", option->help},
                    {"value", option->get(defaults)}});
  }
  return list;
}

/// A document within a document, as it is: to read and write it again would be most of the time.
std::string with_member(const Json& object, const std::string& key, const std::string& document) {
  std::string text = object.dump();
  text.pop_back();
  return fmt::format("{}{}\"{}\":{}}}", text, object.empty() ? "" : ",", key, document);
}

/// An answer whose runs say nothing of what became of them.
std::string without_notes(const std::string& answer) {
  Json document = Json::parse(answer);
  document["notes"] = Json::array();
  for (Json& run : document["runs"]) run["notes"] = Json::array();
  return document.dump();
}

}  // namespace

/// Whole, or Interrupted: no page shows what an interrupt has left of an answer.
std::string LabSite::computed(const std::string& body) {
  LabQuestion question = parse_lab_question(
      body, [](std::string_view) { return std::shared_ptr<const UploadedData>(); });
  const auto loaded = data_.load(question.request.configuration, nullptr);
  std::string answer = lab_answer(question, *loaded, interrupted_, true);
  if (untold_) answer = without_notes(answer);
  // relaxed: a flag that a signal sets; nothing is published with it.
  if (interrupted_.load(std::memory_order_relaxed)) throw Interrupted("interrupted");
  return answer;
}

std::string LabSite::first_answer(const std::string& question) {
  std::promise<std::string> promise;
  std::shared_future<std::string> answer = promise.get_future().share();
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    const auto [at, is_new] = answers_.try_emplace(question, answer);
    is_first = is_new;
    answer = at->second;
  }
  if (!is_first) return answer.get();
  try {
    promise.set_value(computed(question));
  } catch (...) {
    {
      // Whoever asks next tries again.
      const std::lock_guard lock(mutex_);
      answers_.erase(question);
    }
    promise.set_exception(std::current_exception());
  }
  return answer.get();
}

/// None where nothing is told, as the free page tells.
nlohmann::json LabSite::free_href() const {
  return untold_ ? nlohmann::json(nullptr) : nlohmann::json("/free");
}

std::string LabSite::definition_of(const LabDefinition& lab) const {
  return untold_ ? without_answers(lab) : lab.json;
}

std::string LabSite::lab_page(const LabDefinition& lab) {
  Json page{{"lab", Json::parse(definition_of(lab))},
            {"grid", nullptr},
            {"labs", lab_list(live_href)},
            {"home", "/"},
            {"free", free_href()}};
  // The free page says who was first.
  if (!untold_) page["start"] = free_start(*std::ranges::find(labs(), lab.name, &Lab::name));
  const std::string first = first_answer(question_at(lab, first_position(lab)));
  return html_page(PageKind::lab, lab.title, with_member(page, "first", first));
}

std::string LabSite::free_page() {
  const Json page{{"options", option_list()},
                  {"schemes", names_in(schemes())},
                  {"topologies", names_in(topologies())},
                  {"codecs", names_in(codecs())},
                  {"collectives", names_in(all_reduces())},
                  {"datasets", names_in(sets_of_lab())},
                  {"labs", lab_list(live_href)}};
  return html_page(PageKind::free, "Everything at once",
                   with_member(page, "first", first_answer("{}")));
}

std::optional<std::string> LabSite::page(const std::string& path) {
  if (path == "/") {
    return html_page(PageKind::labs, "Labs",
                     Json{{"labs", lab_list(live_href)}, {"free", free_href()}}.dump());
  }
  if (path == "/free" && !untold_) return free_page();
  for (const LabDefinition& lab : lab_definitions()) {
    if (path == live_href(lab.name)) return lab_page(lab);
  }
  return std::nullopt;
}

std::vector<std::string> LabSite::exported_names(const std::string& only) {
  if (!only.empty()) return {scripts_file, file_href(lab_definition(only).name)};
  std::vector<std::string> names{"index.html", scripts_file};
  for (const LabDefinition& lab : lab_definitions()) names.push_back(file_href(lab.name));
  return names;
}

void LabSite::export_pages(
    const std::string& only,
    const std::function<void(const std::string& name, const std::string& html)>& take,
    const std::function<void(const std::string&)>& told, std::size_t most_positions) {
  std::vector<LabDefinition> exported = lab_definitions();
  if (!only.empty()) exported = {lab_definition(only)};
  const Json list = lab_list(file_href, exported);
  for (const LabDefinition& whole : exported) {
    const LabDefinition lab = thinned(whole, most_positions);
    std::string grid, first;
    const std::vector<LabPosition> positions = positions_of(lab);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      told(fmt::format("{}: {} of {} positions", lab.name, i + 1, positions.size()));
      const std::string answer = computed(question_at(lab, positions[i]));
      if (positions[i] == first_position(lab)) first = answer;
      grid += fmt::format("{}{}:{}", grid.empty() ? "{" : ",",
                          Json(position_key(lab, positions[i])).dump(), answer);
    }
    grid += fmt::format("}},\"first\":{}", first);
    Json page{{"lab", Json::parse(definition_of(lab))}, {"labs", list}, {"free", nullptr}};
    if (!only.empty()) page["home"] = nullptr;
    if (&whole == &exported.front()) take(scripts_file, page_scripts());
    take(file_href(lab.name),
         html_page_beside(scripts_file, PageKind::lab, lab.title, with_member(page, "grid", grid)));
  }
  if (!only.empty()) return;
  take("index.html", html_page_beside(scripts_file, PageKind::labs, "Labs",
                                      Json{{"labs", list}, {"free", nullptr}}.dump()));
}

}  // namespace trainyard
