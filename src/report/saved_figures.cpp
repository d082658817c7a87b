#include "report/saved_figures.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/run/figures.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(std::string_view path, const Json& value, std::string_view expected) {
  const std::string found = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  throw UsageError(fmt::format("'{}' is {}; expected {}", path, echoed(found), expected));
}

/// The value at "staleness.mean"; null if it or the object around it is missing.
const Json* found_at(const Json& summary, std::string_view path) {
  const Json* here = &summary;
  for (std::size_t from = 0;;) {
    const std::size_t dot = path.find('.', from);
    const auto found = here->find(std::string(path.substr(from, dot - from)));
    if (found == here->end() || found->is_null()) return nullptr;
    if (dot == std::string_view::npos) return &*found;
    if (!found->is_object()) refuse(path.substr(0, dot), *found, "an object");
    here = &*found;
    from = dot + 1;
  }
}

/// A summary that nobody has filled in shows what kind a figure is, but for those that may lack:
/// they are numbers, and may be words where nobody takes a mean of them.
std::string_view expected_of(const Figure& figure, const Json& value) {
  const FigureValue kind = figure.of(Summary());
  if (std::holds_alternative<std::string>(kind)) return value.is_string() ? "" : "a text";
  if (std::holds_alternative<bool>(kind)) return value.is_boolean() ? "" : "true or false";
  if (std::holds_alternative<std::uint64_t>(kind)) {
    return value.is_number_unsigned() ? "" : "a whole number";
  }
  if (std::holds_alternative<std::monostate>(kind) && !holds(figure.shown, View::statistics)) {
    return value.is_number() || value.is_string() ? "" : "a number or a text";
  }
  return value.is_number() ? "" : "a number";
}

}  // namespace

void check_figures(const Json& summary) {
  for (const Figure* figure : figures_in(View::json)) {
    const std::string_view path = json_path(*figure);
    const Json* value = found_at(summary, path);
    if (value == nullptr) continue;
    const std::string_view expected = expected_of(*figure, *value);
    if (!expected.empty()) refuse(path, *value, expected);
  }
}

}  // namespace trainyard
