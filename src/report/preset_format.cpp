#include "trainyard/report/preset_format.hpp"

#include <nlohmann/json.hpp>

#include "trainyard/report/json_text.hpp"

namespace trainyard {

std::string presets_json(std::span<const Preset> presets) {
  using Json = nlohmann::ordered_json;
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

}  // namespace trainyard
