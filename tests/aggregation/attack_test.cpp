// Every attack against its closed form.
#include "trainyard/aggregation/attack.hpp"

#include <set>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

#include "aggregation/attack_arguments.hpp"
#include "aggregation/inputs.hpp"
#include "support/catch.hpp"
#include "support/oracles.hpp"

namespace trainyard {

using namespace test;

namespace {

constexpr std::uint64_t seed = 41;

/// What the liars of "F:ATTACK" send beside honest vectors, of whom each would have sent `own`.
std::vector<Numbers> lies_of(const std::string& text, const std::vector<Numbers>& honest,
                             const Numbers& own, const Audience* audience = nullptr,
                             Scalar scalar = Scalar::float64) {
  const int liars = std::stoi(text);
  const Byzantine byzantine = make_byzantine(text, static_cast<int>(honest.size()) + liars);
  CHECK(byzantine.liars == liars);
  RandomStream random(seed, Purpose::scheme);
  const Inputs inputs(honest, scalar);
  const Inputs lies(std::vector<Numbers>(static_cast<std::size_t>(liars), own), scalar);
  byzantine.attack->lie(inputs.views, audience, lies.written, random);
  std::vector<Numbers> result;
  for (const ConstVector lie : lies.views) result.push_back(numbers_of(lie));
  return result;
}

const Numbers own{3.0, -4.0};

}  // namespace

TEST_CASE("lies about seven vectors", "[aggregation]") {
  const auto seven = read_oracle("robust_aggregation").at("seven");
  auto honest = seven.at("vectors").get<std::vector<Numbers>>();
  honest.resize(5);
  for (const auto& [attack, expected] : seven.at("attacks").items()) {
    INFO(attack);
    const auto lies = lies_of("2:" + attack, honest, own);
    CHECK(gap(lies[0], expected.get<Numbers>()) < 1e-14);
    CHECK(lies[1] == lies[0]);
  }
  const std::vector<std::pair<std::string, Numbers>> plain{{"2:sign-flip", {-3.0, 4.0}},
                                                           {"2:zero", {0.0, 0.0}},
                                                           {"2:mimic", {1.0, 2.0}},
                                                           {"2:mimic:3", {2.0, 2.0}}};
  for (const Scalar scalar : {Scalar::float32, Scalar::float64}) {
    for (const auto& [text, lie] : plain) {
      INFO(text);
      CHECK(lies_of(text, honest, own, nullptr, scalar) == std::vector<Numbers>{lie, lie});
    }
  }
}

TEST_CASE("how little is enough", "[aggregation]") {
  const auto oracle = read_oracle("robust_aggregation");
  for (const auto& row : oracle.at("seven").at("z")) {
    const int workers = row[0].get<int>(), liars = row[1].get<int>();
    INFO(workers << " workers, " << liars << " liars");
    const double z = row[2].get<double>();
    CHECK(little_enough(workers, liars) == Approx(z).epsilon(1e-13));
    // Half of the honest at ±1: μ = 0, σ² = m/(m − 1).
    std::vector<Numbers> honest;
    for (int i = 0; i < workers - liars; ++i) honest.push_back({i % 2 == 0 ? 1.0 : -1.0});
    if (honest.size() % 2 == 1) honest.back() = {0.0};
    const double m = static_cast<double>(honest.size());
    const double squares = m - static_cast<double>(honest.size() % 2);
    const auto lies = lies_of(fmt::format("{}:alie", liars), honest, {0.0});
    CHECK(lies.front().front() == Approx(-z * std::sqrt(squares / (m - 1.0))).epsilon(1e-12));
  }
  CHECK(normal_quantile(0.5) == 0.0);
  CHECK(normal_quantile(0.975) == Approx(1.959963984540054).epsilon(1e-14));
  CHECK_THROWS_WITH(make_byzantine("2:alie", 10),
                    ContainsSubstring("is 0 for 10 workers of whom 2"));
  CHECK_THROWS_WITH(make_byzantine("2:alie", 10), ContainsSubstring("alie:1.5"));
  CHECK_THROWS_WITH(make_byzantine("1:alie", 10), ContainsSubstring("is -0.1397 for 10 workers"));
  CHECK_NOTHROW(make_byzantine("2:alie:1.5", 10));
}

// Under the mean a step of f liars among n is (1 − 2f/n) of the honest one with their signs
// flipped, and (1 − (f/n)(1 + ε)) of it by −ε μ: it ascends if and only if ε > (n − f)/f.
TEST_CASE("what lies make of the mean", "[aggregation]") {
  for (const int liars : {1, 2, 4}) {
    constexpr int workers = 9;
    const Numbers g{2.0, -3.0};
    const std::vector<Numbers> honest(static_cast<std::size_t>(workers - liars), g);
    const auto share = [&](const std::string& attack) {
      auto rows = honest;
      for (const Numbers& lie : lies_of(fmt::format("{}:{}", liars, attack), honest, g)) {
        rows.push_back(lie);
      }
      const Numbers mean = combined("mean", rows);
      CHECK(mean[1] / g[1] == Approx(mean[0] / g[0]).margin(1e-15));
      return mean[0] / g[0];
    };
    const double f = liars, n = workers;
    CHECK(share("sign-flip") == Approx(1.0 - 2.0 * f / n).epsilon(1e-14));
    for (const double epsilon : {0.1, 1.0, 2.0}) {
      CHECK(share(fmt::format("ipm:{}", epsilon)) ==
            Approx(1.0 - f / n * (1.0 + epsilon)).epsilon(1e-13));
    }
    CHECK(share(fmt::format("ipm:{}", 1.01 * (n - f) / f)) < 0.0);
    CHECK(share(fmt::format("ipm:{}", 0.99 * (n - f) / f)) > 0.0);
    CHECK(share("mimic") == 1.0);
    CHECK(share("alie:1.5") == 1.0);
  }
}

TEST_CASE("normal lies have their moments, and each its own numbers", "[aggregation]") {
  INFO("seed " << seed);
  constexpr std::size_t d = 100'000;
  const auto lies = lies_of("2:gaussian:3", std::vector<Numbers>(3, Numbers(d)), Numbers(d));
  CHECK(lies[0] != lies[1]);
  for (const Numbers& lie : lies) {
    double sum = 0.0, squares = 0.0;
    for (const double value : lie) {
      sum += value;
      squares += value * value;
    }
    // Five deviations of what is measured: 3/√d, and 9 √(2/d).
    CHECK(std::abs(sum / d) < 5.0 * 3.0 / std::sqrt(d));
    CHECK(std::abs(squares / d - 9.0) < 5.0 * 9.0 * std::sqrt(2.0 / d));
  }
}

TEST_CASE("dissensus undoes what a listener hears of the others", "[aggregation]") {
  const std::vector<Numbers> honest{{1.0, 0.0}, {2.0, 2.0}, {0.5, -1.0}};
  const Numbers weights{0.25, 0.2, 0.0};
  const Inputs listener({{2.0, 2.0}});
  const Audience audience{listener.views.front(), weights, 0.3};
  for (const double epsilon : {1.0, 2.5}) {
    const auto lies = lies_of(fmt::format("2:dissensus:{}", epsilon), honest, own, &audience);
    // x_i + Σ W_ij (x_j − x_i), over a liar of weight 0.1 and one of 0.2.
    for (std::size_t k = 0; k < 2; ++k) {
      const double x = numbers_of(listener.views.front())[k];
      double heard = 0.0;
      for (std::size_t j = 0; j < 3; ++j) heard += weights[j] * (honest[j][k] - x);
      const double lied = 0.1 * (lies[0][k] - x) + 0.2 * (lies[1][k] - x);
      CHECK(lied == Approx(-epsilon * heard).epsilon(1e-14));
    }
  }
  CHECK(make_byzantine("2:dissensus", 5).attack->of_graphs());
  CHECK_FALSE(make_byzantine("2:ipm", 5).attack->of_graphs());
}

TEST_CASE("liars are the last workers, and some only flip labels", "[aggregation]") {
  const Byzantine byzantine = make_byzantine("2:label-flip", 5);
  CHECK(byzantine.attack->flips_labels());
  for (int worker = 0; worker < 5; ++worker) CHECK(byzantine.is_liar(worker, 5) == (worker >= 3));
  const Byzantine none = make_byzantine("none", 5);
  CHECK(none.liars == 0);
  CHECK(none.attack == nullptr);
  CHECK_FALSE(none.is_liar(4, 5));
  std::set<std::string> names;
  for (const AttackInfo& info : attacks()) {
    INFO(info.name);
    CHECK(names.insert(info.name).second);
    CHECK_FALSE(info.summary.empty());
    CHECK_FALSE(info.source.empty());
    CHECK_NOTHROW(check_byzantine("3:" + info.name));
    CHECK(make_byzantine("12:" + info.name, 50).attack->flips_labels() ==
          (info.name == "label-flip"));
  }
  CHECK(names == std::set<std::string>{"sign-flip", "gaussian", "zero", "alie", "ipm", "mimic",
                                       "label-flip", "dissensus"});
}

TEST_CASE("an attack that is typed wrong is refused, with what is accepted", "[aggregation]") {
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"sign-flip", "neither none nor F:ATTACK"},
           {"", "neither none nor F:ATTACK"},
           {"0:zero", "Byzantine workers: F"},
           {"x:zero", "Byzantine workers: F"},
           {"2:zeros", "did you mean 'zero'"},
           {"2:zero:1", "attack zero: it takes no argument"},
           {"2:ipm:x", "attack ipm: EPS"},
           {"2:ipm:-1", "EPS: '-1' is not a number above 0; ipm:EPS [0.1] is accepted"},
           {"2:alie:0", "attack alie: Z"},
           {"2:mimic:6", "attack mimic: R"},
           {"4:zero", "4 of 8 workers lie"}}) {
    INFO(text);
    CHECK_THROWS_WITH(make_byzantine(text, 8), ContainsSubstring(message));
    CHECK_THROWS_AS(make_byzantine(text, 8), UsageError);
  }
  CHECK_THROWS_WITH(make_byzantine("1:alie:1", 2), ContainsSubstring("1 of 2 workers lie"));
  CHECK_NOTHROW(make_byzantine("3:zero", 8));
  CHECK_NOTHROW(check_byzantine("none"));
  CHECK_NOTHROW(check_byzantine("2:alie"));
  CHECK_NOTHROW(check_byzantine("2:mimic:600"));
  CHECK_THROWS_AS(check_byzantine("2:ipm:x"), UsageError);
}

}  // namespace trainyard
