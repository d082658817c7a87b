// Who is what: the casts of the published schemes, by hand.
#include "trainyard/scheme/cast.hpp"

#include <vector>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"

using namespace trainyard;

namespace {

Cast cast_with(const char* scheme, int workers, int servers, const char* collective = "ring",
               Hyperparameters given = {}) {
  const Scheme& row = find_scheme(scheme);
  given = with_fallbacks(row, given, workers);
  return cast_of(row, workers, servers, {{"collective", collective}}, given);
}

}  // namespace

TEST_CASE("casts say how many ranks there are of each kind, and where the model is", "[scheme]") {
  struct Case {
    const char* scheme;
    const char* collective;
    int workers, servers;                     // asked for
    int ranks, are_servers, proxies, shared;  // expected
    ModelHome model;
  };
  for (const Case& row : {
           Case{"ring", "ring", 8, 3, 8, 0, 0, 1, ModelHome::replicas},
           Case{"ps-sync", "ring", 8, 3, 11, 3, 0, 1, ModelHome::replicas},
           Case{"ps-async", "ring", 8, 3, 11, 3, 0, 1, ModelHome::servers},
           Case{"ps-backup-interrupt", "ring", 8, 3, 9, 1, 0, 1, ModelHome::servers},
           Case{"ps-hierarchical", "ring", 8, 3, 12, 4, 3, 1, ModelHome::replicas},
           Case{"ps-hierarchical", "ring", 2, 3, 5, 3, 2, 1, ModelHome::replicas},
           Case{"ps-hierarchical-async", "ring", 8, 3, 12, 4, 3, 1, ModelHome::servers},
           Case{"all-reduce", "tree-root", 8, 3, 9, 1, 0, 1, ModelHome::replicas},
           Case{"all-reduce", "ring", 8, 3, 8, 0, 0, 1, ModelHome::replicas},
           Case{"all-reduce", "ps", 8, 3, 9, 1, 0, 1, ModelHome::replicas},
           Case{"all-reduce", "ps-sharded", 2, 3, 4, 2, 0, 1, ModelHome::replicas},
           Case{"all-reduce", "hierarchical", 8, 3, 12, 4, 0, 1, ModelHome::replicas},
           Case{"fused-all-reduce", "ring", 8, 3, 9, 1, 0, 1, ModelHome::replicas},
           Case{"hogwild", "ring", 8, 3, 8, 0, 0, 1, ModelHome::shared},
           Case{"gradient-coding", "ring", 8, 3, 9, 1, 0, 1, ModelHome::servers},
           Case{"uncoded", "ring", 8, 3, 9, 1, 0, 1, ModelHome::servers},
           Case{"exact-gradient-gossip", "ps", 8, 3, 9, 1, 0, 1, ModelHome::replicas},
           Case{"sequential", "ring", 8, 3, 1, 0, 0, 1, ModelHome::replicas},
       }) {
    CAPTURE(row.scheme, row.collective, row.workers, row.servers);
    const Cast found = cast_with(row.scheme, row.workers, row.servers, row.collective);
    CHECK(found.ranks() == row.ranks);
    CHECK(found.servers == row.are_servers);
    CHECK(found.proxies == row.proxies);
    CHECK(found.shared_models == row.shared);
    CHECK(found.model == row.model);
  }
  const Cast grouped = cast_with("key-value", 8, 3, "ring", {{"proxies", 2}});
  CHECK(grouped.servers == 5);  // --servers are those with shards
  CHECK(grouped.proxies == 2);
  CHECK(grouped.model == ModelHome::servers);
  CHECK(cast_with("key-value", 8, 3).servers == 3);
  CHECK(cast_with("hogwild-split", 8, 1, "ring", {{"exchange-uses", 16}}).uses_of_slices == 16);
  CHECK_FALSE(cast_with("hogwild", 8, 1).uses_of_slices);
  CHECK(cast_with("hogwild-numa", 8, 1, "ring", {{"groups", 3}}).shared_models == 3);
  CHECK(cast_with("hogwild-numa", 2, 1, "ring", {{"groups", 3}}).shared_models == 2);
}

TEST_CASE("neighbours are the stages of a pipeline and take each other's minibatches", "[scheme]") {
  const Cast two = cast_with("gpipe", 6, 1, "ring", {{"stages", 3}});
  const std::vector<int> first{0, 1, 2}, second{3, 4, 5};
  CHECK(two.shares == std::vector<std::vector<int>>{first, first, first, second, second, second});
  CHECK(two.holds != nullptr);
  const Cast flat = cast_with("gpipe", 3, 1, "ring", {{"stages", 1}});
  CHECK(flat.shares == std::vector<std::vector<int>>{{0}, {1}, {2}});
  CHECK(flat.holds == nullptr);  // the whole model, whether it has layers or not
}

TEST_CASE("neighbours hold a stage together, and then the next one", "[scheme]") {
  const Cast hybrid = cast_with("gpipe", 8, 1, "ring", {{"stages", 2}, {"tensor-size", 2}});
  const std::vector<int> first{0, 1, 2, 3}, second{4, 5, 6, 7};
  CHECK(hybrid.tensor_size == 2);
  for (int w = 0; w < 8; ++w) CHECK(hybrid.shares_of(w) == (w < 4 ? first : second));
  CHECK(hybrid.holds != nullptr);
}

TEST_CASE("neighbours are a replica of a model that lies on servers", "[scheme]") {
  const Cast split = cast_with("downpour", 6, 2, "ring", {{"tensor-size", 3}});
  const std::vector<int> first{0, 1, 2}, second{3, 4, 5};
  CHECK(split.shares == std::vector<std::vector<int>>{first, first, first, second, second, second});
  CHECK(split.model == ModelHome::servers);
  CHECK(split.servers == 2);
  CHECK(split.tensor_size == 3);
  CHECK(split.holds != nullptr);
  const Cast whole = cast_with("downpour", 6, 2);
  CHECK(whole.shares.empty());
  CHECK(whole.holds == nullptr);
}

TEST_CASE("a row sees its own hyperparameters and not those of others", "[scheme]") {
  const Hyperparameters of_others{{"stages", 2}};
  const Scheme& scheme = find_scheme("tensor-split");
  CHECK(with_fallbacks(scheme, of_others, 8).at("tensor-size") == 8);
  for (const char* other : {"gpipe", "1f1b", "pipedream", "downpour"}) {
    CHECK(with_fallbacks(find_scheme(other), {}, 8).at("tensor-size") == 1);
    CHECK(with_fallbacks(find_scheme(other), of_others, 8).at("tensor-size") == 1);
  }
  const Cast made = cast_with("tensor-split", 8, 1, "ring", {{"stages", 2}, {"tensor-size", 4}});
  CHECK(made.shares_of(7) == std::vector<int>{4, 5, 6, 7});
}

TEST_CASE("casts say whose minibatches a worker takes", "[scheme]") {
  CHECK(cast_with("ring", 4, 1).shares_of(2) == std::vector{2});
  CHECK(cast_with("sequential", 4, 1).shares_of(0) == std::vector{0, 1, 2, 3});
  // Of n = 4 workers and one straggler each takes those of two.
  const Cast coded = cast_with("gradient-coding", 4, 1, "ring", {{"stragglers", 1}});
  std::vector<int> taken(4);
  for (int w = 0; w < 4; ++w) {
    CHECK(coded.shares_of(w).size() == 2);
    for (const int share : coded.shares_of(w)) ++taken[static_cast<std::size_t>(share)];
  }
  CHECK(taken == std::vector{2, 2, 2, 2});
}
