#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/report/aligned.hpp"
#include "trainyard/report/prediction_format.hpp"

#include "report/prediction_setting.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;  // keys in the order they are written here

const char* pays(const BreakEven& row) {
  return row.always ? "always" : row.never ? "never" : "below";
}

}  // namespace

std::string break_even_json(const PredictionSetting& setting, const std::vector<BreakEven>& rows) {
  Json list = Json::array();
  for (const BreakEven& row : rows) {
    const std::string way = way_of(row.scheme);
    list.push_back({{"label", row.scheme.label},
                    {"scheme", row.scheme.scheme},
                    {"way", way.empty() ? Json(nullptr) : Json(way)},
                    {"codec", row.codec},
                    {"encode_s", to_seconds(row.coding.encode)},
                    {"decode_s", to_seconds(row.coding.decode)},
                    {"plain_step_s", row.plain_step_s},
                    {"step_s", row.step_s},
                    {"plain_bytes_per_step", row.plain_bytes},
                    {"bytes_per_step", row.bytes},
                    {"pays", pays(row)},
                    {"break_even_bytes_per_s",
                     row.bytes_per_second ? Json(*row.bytes_per_second) : Json(nullptr)}});
  }
  const Configuration& c = setting.configuration;
  const Json document = {{"workers", c.workers},
                         {"parameters", setting.parameters},
                         {"compute_s", to_seconds(*c.compute_time)},
                         {"latency_s", to_seconds(c.network.latency)},
                         {"bandwidth_bytes_per_s", bandwidth_value(c.network)},
                         {"settings", other_settings(setting)},
                         {"rows", list}};
  return document.dump(2) + "\n";
}

std::string break_even_table(const PredictionSetting& setting, const std::vector<BreakEven>& rows) {
  const Configuration& c = setting.configuration;
  const std::string text = setting_text(setting, "bandwidth") + "\n";
  std::vector<TableRow> lines{{"scheme", "codec", "pays", "below", "encode", "decode", "bytes",
                               "a step at " + bandwidth_text(c.network.bytes_per_second), "plain"}};
  for (const BreakEven& row : rows) {
    const auto length = static_cast<double>(setting.parameters);
    lines.push_back({row.scheme.label, row.codec, pays(row),
                     row.bytes_per_second ? bits_per_second(*row.bytes_per_second) : "-",
                     human_duration(to_seconds(row.coding.encode) * length),
                     human_duration(to_seconds(row.coding.decode) * length),
                     fmt::format("{:.1f} %", 100.0 * row.bytes / row.plain_bytes),
                     human_duration(row.step_s), human_duration(row.plain_step_s)});
  }
  return text + aligned(lines) +
         "\nbelow: the bandwidth up to which a step is shorter encoded than plain, the time of "
         "coding\n"
         "included. encode, decode: of the whole model. bytes: a step's, of those it sends plain. "
         "How\n"
         "many steps training then takes is another question, which compare answers.\n";
}

}  // namespace trainyard
