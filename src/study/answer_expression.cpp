#include "study/answer_expression.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::json;

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

const Json* element_of(const Json& from, std::string_view key) {
  if (from.is_object()) {
    const auto found = from.find(key);
    return found == from.end() ? nullptr : &*found;
  }
  if (!from.is_array()) return nullptr;
  std::size_t place = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), place);
  if (error == std::errc{} && end == key.data() + key.size()) {
    return place < from.size() ? &from[place] : nullptr;
  }
  for (const Json& element : from) {
    if (!element.is_object()) continue;
    for (const Json& member : element) {
      if (member.is_string() && member.get_ref<const std::string&>() == key) return &element;
    }
  }
  return nullptr;
}

/// By recursive descent, from `rest_` on.
class Expression {
 public:
  Expression(std::string_view text, const Json& answer)
      : text_(text), rest_(text), answer_(answer) {}

  double whole() {
    const double value = sum();
    if (!rest_.empty()) fail(fmt::format("'{}' is left", rest_));
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InternalError(fmt::format("{}: {}", text_, what));
  }

  void skip_blanks() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }

  bool takes(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    skip_blanks();
    return true;
  }

  double sum() {
    double value = product();
    for (;;) {
      if (takes('+'))
        value += product();
      else if (takes('-'))
        value -= product();
      else
        return value;
    }
  }

  double product() {
    double value = factor();
    for (;;) {
      if (takes('*'))
        value *= factor();
      else if (takes('/'))
        value /= factor();
      else
        return value;
    }
  }

  double factor() {
    if (takes('-')) return -factor();
    if (takes('(')) return in_brackets();
    skip_blanks();
    if (!rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_.front())) != 0) {
      return number();
    }
    const std::string_view name = taken_name();
    if (name == "log" && takes('(')) return std::log(in_brackets());
    return value_from(name);
  }

  double in_brackets() {
    const double value = sum();
    if (!takes(')')) fail("a ) is missing");
    return value;
  }

  double number() {
    double value = 0.0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{}) fail("a number is out of range");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  std::string_view taken_name() {
    std::size_t size = 0;
    while (size < rest_.size() && is_of_name(rest_[size])) ++size;
    const std::string_view name = rest_.substr(0, size);
    if (name.empty()) fail(fmt::format("found '{}'; expected a number or a name", rest_));
    rest_.remove_prefix(size);
    return name;
  }

  double value_from(std::string_view first) {
    const Json* at = member_of(answer_, first);
    for (;;) {
      if (rest_.starts_with('.')) {
        rest_.remove_prefix(1);
        at = member_of(*at, taken_name());
      } else if (rest_.starts_with('[')) {
        const std::size_t end = rest_.find(']');
        if (end == std::string_view::npos) fail("a ] is missing");
        at = member_of(*at, rest_.substr(1, end - 1));
        rest_.remove_prefix(end + 1);
      } else {
        break;
      }
    }
    if (at->is_null()) return std::numeric_limits<double>::infinity();
    if (!at->is_number()) fail(fmt::format("no number, but {}", at->dump().substr(0, 40)));
    return at->get<double>();
  }

  const Json* member_of(const Json& from, std::string_view key) const {
    const Json* found = element_of(from, key);
    if (found == nullptr) fail(fmt::format("the answer has no '{}' there", key));
    return found;
  }

  const std::string_view text_;
  std::string_view rest_;
  const Json& answer_;
};

}  // namespace

double evaluated(std::string_view expression, const nlohmann::json& answer) {
  return Expression(expression, answer).whole();
}

}  // namespace trainyard
