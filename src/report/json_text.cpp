#include "trainyard/report/json_text.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_one_line(const Json& json) {
  if (json.empty()) return true;
  return json.is_array() &&
         std::ranges::none_of(json, [](const Json& element) { return element.is_structured(); });
}

void append(const Json& json, const std::string& indent, std::string& text) {
  if (!json.is_structured() || is_one_line(json)) {
    text += dumped(json);
    return;
  }
  const std::string inner = indent + "  ";
  text += json.is_object() ? "{" : "[";
  bool first = true;
  for (const auto& [key, value] : json.items()) {
    text += first ? "\n" : ",\n";
    first = false;
    text += inner;
    if (json.is_object()) text += dumped(key) + ": ";
    append(value, inner, text);
  }
  text += "\n" + indent + (json.is_object() ? "}" : "]");
}

}  // namespace

std::string json_text(const Json& json) {
  std::string text;
  append(json, "", text);
  return text + "\n";
}

std::string json_line(const Json& json) {
  return dumped(json) + "\n";
}

}  // namespace trainyard
