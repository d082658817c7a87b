#include "trainyard/report/list_format.hpp"

#include <array>

#include <nlohmann/json.hpp>

#include "trainyard/data/catalog.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/report/json_text.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

/// In the order of SchemeFamily.
constexpr std::array<std::string_view, scheme_families> families{
    "synchronous: everybody waits for everybody, or for as many as it takes, at every step",
    "asynchronous: nobody waits",
    "bounded: those wait who are too far ahead",
    "local updates: replicas meet every so many steps",
    "shared memory: no messages, all write to the same memory",
    "decentralised: neighbours in a graph",
};

Json fallback_of(const HyperparameterInfo& parameter) {
  if (parameter.machine_fallback != nullptr || parameter.run_fallback != nullptr) return nullptr;
  if (parameter.choices.empty()) return parameter.fallback;
  return parameter.choices.at(static_cast<std::size_t>(parameter.fallback));
}

Json json_of(const Scheme& scheme) {
  Json hyperparameters = Json::array();
  for (const HyperparameterInfo& parameter : scheme.hyperparameters) {
    hyperparameters.push_back({{"name", parameter.name},
                               {"argument", parameter.argument},
                               {"help", parameter.help},
                               {"fallback", fallback_of(parameter)}});
  }
  const std::string_view family = family_text(scheme.family);
  return {{"name", scheme.name},
          {"summary", scheme.summary},
          {"step", scheme.step},
          {"time", scheme.cost.formula},
          {"rate", scheme.cost.rate},
          {"source", scheme.source},
          {"family", family.substr(0, family.find(':'))},
          {"takes_servers", takes_servers(scheme)},
          {"takes", scheme.takes},
          {"hyperparameters", hyperparameters},
          {"optimizers", optimizers_text(scheme.optimizers.range)},
          {"refuses",
           {{"l1", scheme.optimizers.no_l1},
            {"clip_norm", scheme.optimizers.no_clip_norm},
            {"muon", scheme.optimizers.no_muon}}},
          {"repeats_on_threads", !by_arrival(scheme)},
          {"outlives_worker", scheme.order.outlives_worker},
          {"members_may_change", scheme.order.members_may_change},
          {"rows_by_speed", scheme.order.rows_by_speed != RowsBySpeed::no},
          {"takes_datagrams", scheme.order.takes_datagrams}};
}

}  // namespace

std::string_view family_text(SchemeFamily family) {
  return families.at(static_cast<std::size_t>(family));
}

bool takes_servers(const Scheme& scheme) {
  if (takes(scheme, "collective")) return true;
  Configuration c;
  const int of_one = cast_of(scheme, c).servers;
  c.servers = 2;
  return cast_of(scheme, c).servers != of_one;
}

std::string_view optimizers_text(OptimizerRange range) {
  constexpr std::array<std::string_view, 3> texts{"sgd without momentum", "sgd, nesterov", "any"};
  return texts.at(static_cast<std::size_t>(range));
}

std::string schemes_json(std::span<const Scheme* const> schemes) {
  Json list = Json::array();
  for (const Scheme* scheme : schemes) list.push_back(json_of(*scheme));
  return json_text(Json{{"schemes", list}});
}

std::string presets_json(std::span<const Preset> presets) {
  Json list = Json::array();
  for (const Preset& preset : presets) {
    Json settings = Json::object();
    for (const auto& [option, text] : preset.settings) settings[option] = text;
    const Criteria& by = preset.criteria;
    list.push_back({{"name", preset.name},
                    {"system", preset.system},
                    {"source", preset.source},
                    {"scheme", preset.scheme},
                    {"settings", settings},
                    {"spelt_out", preset.spelt_out()},
                    {"criteria",
                     {{"parallelism", by.parallelism},
                      {"schedule", by.schedule},
                      {"optimisation", by.optimisation},
                      {"exchange", by.exchange},
                      {"topology", by.topology}}},
                    {"emulated", preset.emulated},
                    {"not_emulated", preset.not_emulated}});
  }
  return json_text(Json{{"presets", list}});
}

std::string ingredients_json(const IngredientKind& kind) {
  Json list = Json::array();
  for (const IngredientInfo& info : kind.all()) {
    Json details = Json::object();
    for (const auto& [what, text] : info.details) details[what] = text;
    list.push_back({{"name", info.typed}, {"summary", info.summary}, {"details", details}});
  }
  return json_text(Json{{kind.plural, list}});
}

std::string models_json() {
  Json list = Json::array();
  for (const ModelInfo& model : models()) {
    list.push_back({{"name", model.name}, {"summary", model.summary}});
  }
  return json_text(Json{{"models", list}});
}

std::string datasets_json() {
  Json list = Json::array();
  for (const GeneratorInfo& generator : generators()) {
    list.push_back({{"name", generator.name},
                    {"origin", "generated"},
                    {"rows", generator.rows},
                    {"test_rows", nullptr},
                    {"features", nullptr},
                    {"classes", nullptr},
                    {"summary", generator.summary}});
  }
  for (const CatalogEntry& entry : catalog()) {
    list.push_back({{"name", entry.name},
                    {"origin", "catalogue"},
                    {"rows", entry.rows},
                    {"test_rows", entry.test_rows},
                    {"features", entry.features},
                    {"classes", entry.classes},
                    {"summary", entry.summary}});
  }
  return json_text(Json{{"datasets", list}});
}

std::string labs_json(std::span<const Lab> labs) {
  Json list = Json::array();
  for (const Lab& lab : labs) {
    list.push_back({{"number", lab.page.number},
                    {"name", lab.name},
                    {"title", lab.page.title},
                    {"question", lab.page.question},
                    {"configuration", lab.text}});
  }
  return json_text(Json{{"labs", list}});
}

}  // namespace trainyard
