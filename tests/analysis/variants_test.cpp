// What a name that `predict` is given stands for.
#include <algorithm>

#include "trainyard/analysis/prediction.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"

using namespace trainyard;

TEST_CASE("variants: a scheme, or one way of it", "[analysis]") {
  CHECK(parse_variants("ring", "--schemes") == std::vector<Variant>{{"ring", ""}});
  CHECK(parse_variants("all-reduce:tree", "--schemes") ==
        std::vector<Variant>{{"all-reduce", "tree"}});
  CHECK(parse_variants("gossip", "--schemes").size() > 3);
  const auto decentralised = parse_variants("all-decentralised", "--schemes");
  CHECK(std::ranges::count(decentralised, std::string("gosgd"), &Variant::scheme) == 1);
  CHECK(std::ranges::count(decentralised, std::string("gossip-aga"), &Variant::scheme) == 0);
  CHECK(std::ranges::count(decentralised, std::string("ring"), &Variant::scheme) == 0);
  CHECK(parse_variants("all", "").size() ==
        decentralised.size() + parse_variants("all-centralised", "").size());
  CHECK_THROWS_WITH(parse_variants("all-decentralized", "--schemes"),
                    ContainsSubstring("did you mean 'all-decentralised'?"));
  // Servers add up vectors of one length alone.
  for (const Variant& variant : parse_variants("tensor-split", "--schemes")) {
    for (const char* with_servers : {"ps", "ps-sharded", "hierarchical", "tree-root"}) {
      CHECK(variant.way != with_servers);
    }
  }
  CHECK(std::ranges::count(parse_variants("all", ""), std::string("tensor-split"),
                           &Variant::scheme) == 0);
  // What may divide layers and need not does not, of a model without any.
  CHECK(std::ranges::count(parse_variants("all", ""), std::string("downpour"), &Variant::scheme) ==
        1);
  CHECK_THROWS_WITH(parse_variants("gossip:rung", "--schemes"),
                    ContainsSubstring("did you mean 'ring'?"));
  CHECK_THROWS_WITH(parse_variants("ring:tree", "--schemes"), ContainsSubstring("no choice"));
  CHECK_THROWS_WITH(parse_variants("rnig", "--schemes"), ContainsSubstring("did you mean 'ring'?"));
  // Of a kind that is given there is no other way.
  CHECK(parse_variants("csgd", "--schemes", {{"codec", "top-k:5%"}}) ==
        std::vector<Variant>{{"csgd", "top-k:5%"}});
  CHECK_THROWS_WITH(parse_variants("csgd:top-k:1%", "--schemes", {{"codec", "top-k:5%"}}),
                    ContainsSubstring("--codec is given beside"));
}
