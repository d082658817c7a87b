// The stories of the pages about workers who meet rarely (stories_test.cpp has the others').
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "labs/shown.hpp"

namespace trainyard::story {

TEST_CASE("story: datacentres", "[labs][slow]") {
  const std::string ring = "ring{lr=0.4}", averages = "local-sgd{lr=0.2}",
                    momentum = "diloco{lr=0.07}",
                    streams = "streaming-diloco{lr=0.2,fragment-delay=3}";
  const auto passes = [](const Shown& page, const std::string& label) {
    return *page.of(label).epochs_to_target;
  };
  const Shown page = shown("datacentres");
  CHECK(page.of(ring).parameters == 4810);
  CHECK(page.to_target(ring) == about(70.9));
  CHECK(page.of(ring).compute_s == Approx(0.15 * page.seconds(ring)).epsilon(0.03));
  CHECK(page.to_target(averages) == about(18.3));
  CHECK(passes(page, averages) == about(1.5 * passes(page, ring)));
  CHECK(page.to_target(streams) == about(15.3));
  CHECK(page.of(streams).compute_s == Approx(page.seconds(streams)));
  const Shown apart = shown("datacentres", {{"partition", "shards"}});
  CHECK(apart.to_target(averages) == Approx(70).epsilon(0.05));
  CHECK(apart.to_target(momentum) == Approx(70).epsilon(0.05));
  CHECK(apart.to_target(streams) == never);
  const Shown rarely = shown("datacentres", {{"partition", "shards"}, {"period", "128"}}),
              often = shown("datacentres", {{"partition", "shards"}, {"period", "8"}});
  for (const std::string& label : {averages, momentum, streams}) {
    CHECK(rarely.to_target(label) == never);
    CHECK(often.to_target(label) < 0.65 * often.to_target(ring));
  }
  CHECK(often.to_target(momentum) == about(39.2));
  CHECK(often.to_target(streams) == about(39.3));
  CHECK(often.to_target(averages) == about(49));
  CHECK(passes(often, momentum) < 0.85 * passes(often, averages));
  CHECK(passes(page, momentum) > passes(page, averages));
  for (const char* rows : {"iid", "shards"}) {
    CHECK(shown("datacentres", {{"bandwidth", "40Mbps"}, {"partition", rows}}).first() == ring);
  }
}

namespace {

/// How much (x - 1)²/2 and (x + 1)²/20, half of each, are above their minimum where ways of `part`
/// of what is left to 1 and to -1 cancel.
template <typename Part>
double cost_of_rest(Part part) {
  const double steep = part(1.0), flat = part(0.1);
  const double off = (steep - flat) / (steep + flat) - 9.0 / 11.0;
  return 0.5 * 0.55 * off * off;
}

}  // namespace

TEST_CASE("story: client drift", "[labs]") {
  const std::string fedprox = "fedprox{proximal-mu=1}", feddyn = "feddyn{dynamic-alpha=1}";
  const auto above = [](const Shown& page, const std::string& label) {
    return page.of(label).suboptimality.value();
  };
  for (const int steps : {1, 4, 16, 64}) {
    for (const double lr : {0.05, 0.2, 0.5}) {
      const Shown page =
          shown("client-drift", {{"period", fmt::to_string(steps)}, {"lr", fmt::to_string(lr)}});
      const double expected =
          cost_of_rest([&](double h) { return 1 - std::pow(1 - lr * h, steps); });
      CHECK(above(page, "fedavg") == Approx(expected).epsilon(2e-3).margin(1e-12));
      CHECK(above(page, "ps-sync") < 1e-12);
      if (steps < 64) CHECK(above(page, "scaffold") < 1e-12);
      if (steps < 64) CHECK(above(page, feddyn) < 1e-12);
    }
  }
  const Shown page = shown("client-drift");
  CHECK(above(page, "fedavg") == about(0.0187));
  CHECK(above(page, fedprox) == about(0.0040));
  // Of the way to (h a + μ c)/(h + μ), which is h/(h + μ) of that to a.
  CHECK(above(page, fedprox) == Approx(cost_of_rest([](double h) {
                                  return h / (h + 1) * (1 - std::pow(1 - 0.2 * (h + 1), 16));
                                })).epsilon(2e-3));
  CHECK(page.bytes("scaffold") == 2 * page.bytes("fedavg"));
  CHECK(page.bytes(feddyn) == page.bytes("fedavg"));
  CHECK(above(shown("client-drift", {{"lr", "0.05"}}), "fedavg") == about(0.0010));
  const Shown mixed = shown("client-drift", {{"partition", "iid"}});
  CHECK(above(mixed, "fedavg") == Approx(0.00014).epsilon(0.05));
  const Shown far = shown("client-drift", {{"period", "64"}, {"lr", "0.5"}});
  CHECK(above(far, "scaffold") > 1e3 * above(far, feddyn));
}

}  // namespace trainyard::story
