// The kinds of components that schemes take: one declaration serves flag, list and predictions.
#include "trainyard/scheme/ingredient.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/runtime/robust_mean.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/topology.hpp"

#include "support/catch.hpp"

using namespace trainyard;

TEST_CASE("every kind is a flag with its fallback, and some scheme takes it", "[scheme]") {
  for (const IngredientKind& kind : ingredient_kinds()) {
    CAPTURE(kind.name);
    const Option& option = option_named(kind.name);
    Configuration c;
    CHECK(option.get(c) == kind.fallback);
    CHECK_NOTHROW(kind.check(kind.fallback));
    CHECK_THROWS_AS(kind.check("no-such-thing"), UsageError);
    const std::string other = kind.usual != nullptr         ? kind.usual(schemes().back()).back()
                              : kind.name == aggregate_kind ? "median"
                                                            : "1:zero";
    option.set(c, other, "--" + kind.name);
    CHECK(ingredient_name(c.ingredients, kind.name) == other);
    CHECK(std::ranges::any_of(schemes(),
                              [&](const Scheme& scheme) { return takes(scheme, kind.name); }));
    CHECK(!kind.all().empty());
  }
}

TEST_CASE("what is usual of a kind is one of it, for every scheme that takes it", "[scheme]") {
  for (const Scheme& scheme : schemes()) {
    for (const std::string& kind : scheme.takes) {
      if (ingredient_kind(kind).usual == nullptr) continue;
      const std::vector<std::string> usual = ingredient_kind(kind).usual(scheme);
      CAPTURE(scheme.name, kind, usual);
      CHECK(!usual.empty());
      for (const std::string& name : usual) CHECK_NOTHROW(ingredient_kind(kind).check(name));
    }
  }
}

TEST_CASE("a run is given what its scheme takes, and nothing else", "[scheme]") {
  const Hyperparameters none;
  const auto made = [&](const char* scheme) {
    const Scheme& row = find_scheme(scheme);
    const Hyperparameters complete = with_fallbacks(row, none, 4);
    return make_ingredients({{"topology", "full"}, {"collective", "tree"}},
                            {.scheme = row, .workers = 4, .hyperparameters = complete});
  };
  CHECK(made("ring").find<Topology>("topology") == nullptr);
  CHECK(made("ring").find<AllReduce>("collective") == nullptr);
  const Ingredients both = made("gossip-pga");
  REQUIRE(both.find<Topology>("topology") != nullptr);
  CHECK(both.find<Topology>("topology")->row(0, 0).receives.size() == 3);
  REQUIRE(both.find<AllReduce>("collective") != nullptr);
  CHECK(both.find<AllReduce>("collective")->name == "tree");
  CHECK_THROWS_AS(both.find<AllReduce>("topology"), InternalError);
}
