// The formula of a step's time is written once, in the scheme's row: docs/schemes/ has the same,
// and what the closed form computes is what the formula says.
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/scheme/scheme.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"
#include "support/left_out.hpp"

using namespace trainyard;

namespace {

using Symbols = std::map<std::string, double, std::less<>>;

/// Sums, products (also without a sign), quotients, parentheses, max(x, y), numbers, and symbols of
/// one character. Empty where the text goes on in words.
class Formula {
 public:
  Formula(std::string_view text, const Symbols& symbols) : rest_(text), symbols_(symbols) {}

  std::optional<double> value() {
    const double result = sum();
    const bool ends = rest_.empty() || rest_.starts_with(",") || rest_.starts_with(";");
    return understood_ && ends ? std::optional(result) : std::nullopt;
  }

 private:
  bool take(std::string_view text) {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  double sum() {
    double result = product();
    while (understood_) {
      if (take("+")) {
        result += product();
      } else if (take("-")) {
        result -= product();
      } else {
        return result;
      }
    }
    return 0.0;
  }
  double product() {
    std::optional<double> result = factor();
    if (!result) understood_ = false;
    while (understood_) {
      if (take("/")) {
        *result /= factor().value_or(NAN);
      } else if (const auto next = factor()) {
        *result *= *next;
      } else {
        return *result;
      }
    }
    return 0.0;
  }
  std::optional<double> factor() {
    if (take("max(")) {
      const double first = sum();
      understood_ = understood_ && take(",");
      const double second = sum();
      understood_ = understood_ && take(")");
      return std::max(first, second);
    }
    if (take("(")) {
      const double inner = sum();
      understood_ = understood_ && take(")");
      return inner;
    }
    return number_or_symbol();
  }
  std::optional<double> number_or_symbol() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    if (!rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_.front())) != 0) {
      const double digit = rest_.front() - '0';
      rest_.remove_prefix(1);
      return digit;
    }
    for (const auto& [symbol, value] : symbols_) {
      if (!rest_.starts_with(symbol)) continue;
      // A symbol before a letter is the beginning of a word.
      const std::string_view after = rest_.substr(symbol.size());
      const bool word = !after.empty() && after.front() >= 'a' && after.front() <= 'z' &&
                        !symbols_.contains(after.substr(0, 1));
      if (word) return std::nullopt;
      rest_ = after;
      return value;
    }
    return std::nullopt;
  }

  std::string_view rest_;
  const Symbols& symbols_;
  bool understood_ = true;
};

constexpr int workers = 8, neighbours = 2;

struct Problem {
  Network network;
  Ingredients ingredients;
  std::size_t parameters = 240'000;  // into 8 and into 2 parts of one size
  Duration compute = std::chrono::milliseconds(7);
  CodingTime coding{std::chrono::nanoseconds(3), std::chrono::nanoseconds(2)};

  Problem() {
    network.latency = std::chrono::milliseconds(1);
    network.bytes_per_second = 1e8;
    ingredients.put("topology",
                    std::make_shared<const Topology>(make_topology("ring", workers, 1)));
    ingredients.put("codec", make_codec("qsgd:127"));
    ingredients.put("collective", std::make_shared<const AllReduce>(find_all_reduce("ring")));
  }
  Symbols symbols(int servers, const Hyperparameters& given) const {
    const auto of = [&](const char* name) {
      const auto found = given.find(name);
      return found == given.end() ? 0.0 : found->second;
    };
    return {{"n", workers},
            {"k", static_cast<double>(servers)},
            {"G", static_cast<double>(servers)},
            {"c", to_seconds(compute)},
            {"α", to_seconds(network.latency)},
            {"t", static_cast<double>(parameters * sizeof(float)) / network.bytes_per_second},
            {"Δ", neighbours},
            {"e", to_seconds(coding.encode) * static_cast<double>(parameters)},
            {"d", to_seconds(coding.decode) * static_cast<double>(parameters)},
            {"m",
             to_seconds(network.message_time(parameters + sizeof(float)))},  // a byte each, and ‖x‖
            {"b", of("backups")},
            {"s", of("stragglers")},
            {"D", of("distinct")},
            {"B", of("gradients")},
            {"⌈log2 g⌉", std::ceil(std::log2(std::max(1.0, of("group-size"))))}};
  }
};

const std::vector<test::LeftOut>& left_out() {
  static const std::vector<test::LeftOut> table{
      {"all-reduce", "the formula is the collective's, which all_reduce_test evaluates"},
      {"fused-all-reduce", "the formula is in words; fused_all_reduce_test has its cycles"},
      {"post-local-sgd", "the formula is in words; its first step is all-reduce's"},
      {"local-sgd", "the formula is in words; its first step only computes"},
      {"local-sgd-sum", "the formula is in words; its first step only computes"},
      {"diloco", "the formula is in words; its first step only computes"},
      {"streaming-diloco", "the formula is in words; its first step only computes"},
      {"slowmo", "the formula is in words; its first step only computes"},
      {"noloco", "the formula is in words; its first step only computes"},
      {"palsgd", "the formula is in words; its first step only computes"},
      {"eager-diloco", "the formula is in words; its first step only computes"},
      {"coded-diloco", "the formula is in words; its first step only computes"},
      {"async-local-sgd", "the formula is in words; its first step only computes"},
      {"halos", "the formula is in words; its first step only computes"},
      {"k-gt", "the formula is in words; its first step only computes"},
      {"lt-admm", "the formula is in words; its first step only computes"},
      {"dinno", "the formula is in words; its first step only computes"},
      {"admm", "the formula is in words; its first step only computes"},
      {"led", "the formula is in words; its first step only computes"},
      {"des-loc", "the formula is in words; its first step only computes"},
      {"sparse-loco", "the formula is in words; its first step only computes"},
      {"sparta", "the formula is of the mean; sparta_test has how many numbers a step sends"},
      {"tensor-split", "it is of layers, of which there are none here; tensor_split_test has that"},
      {"staleness-aware", "'as ps-async'"},
      {"dc-asgd-c", "'as ps-async'"},
      {"dc-asgd-a", "'as ps-async'"},
      {"ringmaster", "'as ps-async'"},
      {"ringmaster-interrupt", "'as ps-async'"},
      {"downpour", "'as ps-async', in words"},
      {"ps-async", "the formula is of a round; the first step of one is c + (n+1)(α + t)"},
      {"gradient-tracking", "the first step, which the closed form is, has half the messages"},
      {"coded-all-reduce", "known where coding takes no time; coded_step_time_test has that"},
      {"terngrad", "its messages have two bits a number and a few; terngrad_test has that"},
      {"sign-sgd", "its message is two bits a number, and that of the formulas here a byte"},
      {"nids", "the first step, which the closed form is, only computes"},
      {"sgp-overlap", "the first step, which the closed form is, only computes"},
      {"gpipe", "it is of stages, of which there are none here; gpipe_test has that"},
      {"1f1b", "'as gpipe'"},
      {"uncoded", "not known here, where messages take longer than a part; prediction_test has it"},
      {"sgp", "a message has one float more than the model"}};
  return table;
}

}  // namespace

TEST_CASE("the closed form of a step is what its formula says", "[scheme]") {
  const Problem problem;
  const auto compared = test::schemes_where(
      [](const Scheme& scheme) { return scheme.cost.time != nullptr; }, left_out());
  for (const std::string& name : compared) {
    const Scheme& scheme = find_scheme(name);
    bool known = false;
    for (const int servers : {1, 2}) {  // some are known for one server only
      const Hyperparameters given = with_fallbacks(scheme, {}, workers);
      const int are_servers = cast_of(scheme, workers, servers, {}, given).servers;
      const auto found = scheme.cost.time({.workers = workers,
                                           .servers = std::clamp(are_servers, 1, servers),
                                           .parameters = problem.parameters,
                                           .compute = problem.compute,
                                           .message = FloatMessages{problem.network},
                                           .message_of_bytes = ByteMessages{problem.network},
                                           .coding = problem.coding,
                                           .ingredients = problem.ingredients,
                                           .hyperparameters = given});
      if (!found) continue;
      known = true;
      const auto expected = Formula(scheme.cost.formula, problem.symbols(servers, given)).value();
      CAPTURE(name, scheme.cost.formula, servers);
      REQUIRE(expected.has_value());
      CHECK(to_seconds(*found) == Approx(*expected).epsilon(1e-9));
    }
    CAPTURE(name);
    CHECK(known);
  }
}

TEST_CASE("docs/schemes/ has the formula of every scheme, as its row says", "[scheme]") {
  const std::string table =
      read_file(std::filesystem::path(TRAINYARD_SOURCE_DIR) / "docs/schemes/README.md");
  std::map<std::string, std::string> formulas;
  static const std::regex line(R"(\| \[`([^`]*)`\]\(.*\) \| .* \| (.*) \|)");
  for (std::sregex_iterator row(table.begin(), table.end(), line), end; row != end; ++row) {
    formulas[(*row)[1]] = (*row)[2];
  }
  for (const Scheme& scheme : schemes()) {
    CAPTURE(scheme.name);
    CHECK(formulas[scheme.name] == scheme.cost.formula);
  }
  CHECK(formulas.size() == schemes().size());
}
