// The stories of the pages about what more workers cost: noise, cache lines, pushes
// (stories_test.cpp has the others').
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/run/gradient_noise.hpp"

#include "labs/shown.hpp"

namespace trainyard::story {

namespace {

/// Training loss and noise scale along the way of the first contestant.
std::vector<std::pair<double, double>> noise_on_the_way(const std::string& lab) {
  ComparisonRequest request{.configuration = default_configuration(), .contestants = {}};
  std::vector<ContestantTable> contestants;
  read_configuration("lab:" + lab, request.configuration, &contestants);
  contestants.resize(1);
  request.contestants = contestants_of(contestants);
  std::vector<std::pair<double, double>> way;
  const Compared compared = run_comparison(request, {});  // a loop would keep none of it
  for (const Metrics& at : compared.runs.front().metrics) {
    if (at.gradient_noise.scale) {
      way.emplace_back(at.train_loss, *at.gradient_noise.scale);
    }
  }
  return way;
}

/// Where the loss first comes to that.
double noise_at(const std::vector<std::pair<double, double>>& way, double loss) {
  const auto found = std::ranges::find_if(way, [&](const auto& at) { return at.first <= loss; });
  REQUIRE(found != way.end());
  return found->second;
}

}  // namespace

TEST_CASE("story: how-many-workers", "[labs]") {
  const std::string one = "ring{workers=1,lr=0.1}", four = "ring{workers=4,lr=0.4}",
                    sixteen = "ring{workers=16,lr=1.6}", most = "ring{workers=64,lr=3.2}";
  const Shown page = shown("how-many-workers");
  const auto passes = [](const Shown& of, const std::string& label) {
    return of.of(label).epochs_to_target.value();
  };
  for (const std::string& label : {four, sixteen}) {
    CAPTURE(label);
    CHECK(passes(page, label) == about(passes(page, one)));
  }
  CHECK(passes(page, most) == Approx(1.5 * passes(page, one)).epsilon(0.05));
  CHECK((1 + 2048.0 / 3700) / (1 + 32.0 / 3700) == about(passes(page, most) / passes(page, one)));
  const auto way = noise_on_the_way("how-many-workers");
  CHECK(way.front().second == Approx(190).epsilon(0.03));
  CHECK(noise_at(way, 0.345) == Approx(2700).epsilon(0.1));
  CHECK(noise_at(way, 0.32) == Approx(10000).epsilon(0.15));

  CHECK(page.first() == sixteen);
  CHECK(page.to_target(one) / page.to_target(sixteen) == about(3.9));
  const auto step = [&](const std::string& label) {
    return page.seconds(label) / page.of(label).steps;
  };
  CHECK(step(sixteen) == about(3 * ms + 1 * ms));
  CHECK(step(most) == about(12.6 * ms + 1 * ms));
  const Shown quick = shown("how-many-workers", {{"latency", "1us"}});
  CHECK(quick.first() == most);
  CHECK(quick.to_target(one) / quick.to_target(most) == about(37));
  CHECK(shown("how-many-workers", {{"latency", "1ms"}}).first() == one);

  const auto bill = [&](const std::string& label, int workers) {
    return workers * page.to_target(label) / page.to_target(one);
  };
  CHECK(bill(four, 4) == about(1.6));
  CHECK(bill(sixteen, 16) == about(4.1));
  CHECK(bill(most, 64) == about(21));
  const Shown early = shown("how-many-workers", {{"target-loss", "0.4"}});
  CHECK(early.first() == sixteen);
  CHECK(early.to_target(most) < early.to_target(four));
  CHECK(early.to_target(four) < early.to_target(one));
  CHECK(page.to_target(most) < page.to_target(four));
  CHECK(passes(early, one) == Approx(passes(page, one) / 8).epsilon(0.05));
}

TEST_CASE("story: cache-lines", "[labs]") {
  const std::string one = "hogwild{workers=1}", eight = "hogwild{workers=8}",
                    many = "hogwild{workers=64}", split = "hogwild-split{workers=8}";
  const auto millions = [](const Shown& of, const std::string& label) {
    return of.of(label).samples_per_second / mega;
  };
  const Shown page = shown("cache-lines");
  CHECK(millions(page, one) == about(1));
  CHECK(millions(page, eight) == about(2.2));
  CHECK(millions(page, many) == about(2.2));
  // Four line times a row.
  CHECK(1e-6 / (4 * 115e-9) == about(2.2));
  CHECK(millions(shown("cache-lines", {{"line-time", "0ns"}}), many) == about(64));
  CHECK(page.first() == split);
  CHECK(millions(page, split) == about(7.8));

  const Shown spread = shown("cache-lines", {{"dataset", "spread-logistic"}});
  CHECK(millions(spread, eight) == about(2.7));
  CHECK(millions(spread, many) == about(5.6));
  CHECK(millions(spread, split) == about(7.8));
  CHECK(spread.first() == split);
  // Of 625 lines, by 64 draws of a feature.
  CHECK(625 * (1 - std::pow(1 - 1 / 625.0, 64)) == about(60));

  const Shown slow = shown("cache-lines", {{"compute-time", "10us"}});
  CHECK(millions(slow, eight) / millions(slow, one) == about(7.3));
  CHECK(millions(slow, many) == about(2.2));
  const Shown fast = shown("cache-lines", {{"compute-time", "200ns"}});
  CHECK(millions(fast, one) == about(5));
  CHECK(millions(fast, eight) == about(2.2));
}

TEST_CASE("story: sparse-pushes", "[labs]") {
  const std::string whole = "ps-async{sparse-wire=off,lr=0.5}", keys = "ps-async{lr=0.5}",
                    lock_step = "ps-sync";
  const Shown page = shown("sparse-pushes");
  CHECK(page.seconds("ring") <
        std::min(page.seconds(whole), page.seconds("ps-sync{sparse-wire=off}")));
  CHECK(page.bytes(keys) == about(8.3 * mega));
  CHECK(page.bytes(whole) == about(253 * mega));
  CHECK(page.bytes(whole) / page.bytes(keys) == about(30.5));
  CHECK(page.first() == keys);
  CHECK(page.shortest() == keys);
  CHECK(page.seconds(whole) / page.seconds(keys) == about(9.9));
  CHECK(page.seconds("ring") / page.seconds(keys) == about(3.8));
  CHECK(page.loss(keys) == Approx(page.loss(whole)).epsilon(1e-4));
  CHECK(page.loss(lock_step) == Approx(page.loss("ps-sync{sparse-wire=off}")).epsilon(1e-4));

  const Shown large = shown("sparse-pushes", {{"batch", "256"}});
  CHECK(large.bytes(whole) / large.bytes(keys) == Approx(6).epsilon(0.1));
  CHECK(large.seconds(lock_step) > large.seconds("ring"));
  const Shown small = shown("sparse-pushes", {{"batch", "4"}});
  CHECK(small.bytes(keys) < 0.01 * small.bytes(whole));
  const auto gain = [&](const char* bandwidth) {
    const Shown of = shown("sparse-pushes", {{"bandwidth", bandwidth}});
    return of.seconds(whole) / of.seconds(keys);
  };
  CHECK(gain("10Gbps") == about(1.7));
  CHECK(gain("100Mbps") == about(20));
}

}  // namespace trainyard::story
