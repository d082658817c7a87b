// Every rule against its definition worked out with NumPy (tests/oracles/robust_aggregation.py),
// and against what others publish of it.
#include <set>

#include "aggregation/inputs.hpp"
#include "support/catch.hpp"
#include "support/oracles.hpp"

namespace trainyard {

using namespace test;

namespace {

const nlohmann::json& oracle() {
  static const nlohmann::json read = read_oracle("robust_aggregation");
  return read;
}

void check_results(const nlohmann::json& sample, double relative, double absolute) {
  const auto rows = sample.at("vectors").get<std::vector<Numbers>>();
  AggregatorScratch scratch(RandomStream(1, Purpose::scheme));
  for (const auto& [text, expected] : sample.at("results").items()) {
    INFO(text);
    const auto wanted = expected.get<Numbers>();
    // ByzFL's Krum takes fewer vectors than its bound asks for.
    const Numbers result = text == "krum:1" || text == "multi-krum:1"
                               ? stepped(text, rows, scratch).front()
                               : combined(text, rows);
    CHECK(gap(result, wanted) <= relative * largest(wanted) + absolute);
  }
  if (!sample.contains("steps")) return;
  for (const auto& [text, expected] : sample.at("steps").items()) {
    INFO(text);
    const auto wanted = expected.get<std::vector<Numbers>>();
    const std::vector<Numbers> made = stepped(text, rows, scratch);
    REQUIRE(made.size() == wanted.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      INFO("vector " << i);
      CHECK(gap(made[i], wanted[i]) <= relative * largest(wanted[i]) + absolute);
    }
  }
}

}  // namespace

TEST_CASE("every rule and step is in the oracle, but bucketing, which is random", "[aggregation]") {
  std::set<std::string> checked, known;
  for (const auto& sample : oracle().at("cases")) {
    for (const char* kind : {"results", "steps"}) {
      for (const auto& entry : sample.at(kind).items()) {
        checked.insert(entry.key().substr(0, entry.key().find_first_of(":+")));
      }
    }
  }
  for (const AggregationInfo& info : aggregations()) {
    INFO(info.name);
    CHECK_FALSE(info.summary.empty());
    CHECK_FALSE(info.bound.empty());
    CHECK_FALSE(info.source.empty());
    CHECK(known.insert(info.name).second);
  }
  known.erase("bucketing");
  CHECK(checked == known);
}

TEST_CASE("rules are what NumPy makes of them", "[aggregation]") {
  for (const auto& sample : oracle().at("cases")) {
    INFO(sample.at("name").get<std::string>());
    check_results(sample, 1e-12, 1e-12 * sample.at("scale").get<double>());
  }
}

TEST_CASE("seven vectors, two of them lies", "[aggregation]") {
  check_results(oracle().at("seven"), 1e-13, 0.0);
}

TEST_CASE("rules and steps are what ByzFL's documentation says", "[aggregation]") {
  check_results(oracle().at("byzfl"), 0.0, 0.6e-8);
}

TEST_CASE("buckets are means of what the stream shuffles together", "[aggregation]") {
  const auto& seven = oracle().at("seven");
  const auto rows = seven.at("vectors").get<std::vector<Numbers>>();
  constexpr std::uint64_t seed = 5;
  INFO("seed " << seed);
  AggregatorScratch scratch(RandomStream(seed, Purpose::scheme));
  RandomStream twin(seed, Purpose::scheme);
  std::set<std::vector<std::uint32_t>> permutations;
  for (int draw = 0; draw < 4; ++draw) {
    std::vector<std::uint32_t> order{0, 1, 2, 3, 4, 5, 6};
    twin.shuffle(order);
    permutations.insert(order);
    // Placed so that the shuffle puts them back.
    std::vector<Numbers> placed(7);
    for (std::size_t k = 0; k < 7; ++k) placed[order[k]] = rows[k];
    const auto made = stepped("bucketing:2", placed, scratch);
    const auto wanted = seven.at("buckets").get<std::vector<Numbers>>();
    REQUIRE(made.size() == 4);
    for (std::size_t i = 0; i < 4; ++i)
      CHECK(gap(made[i], wanted[i]) <= 1e-14 * largest(wanted[i]));
    CHECK(gap(combined("median", made), seven.at("median of buckets").get<Numbers>()) <= 1e-14);
  }
  CHECK(permutations.size() == 4);
}

}  // namespace trainyard
