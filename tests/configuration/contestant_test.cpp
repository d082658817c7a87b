#include "trainyard/configuration/contestant.hpp"

#include <algorithm>

#include "trainyard/base/error.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

std::vector<std::string> labels_of(const std::vector<Contestant>& contestants) {
  std::vector<std::string> labels;
  for (const Contestant& contestant : contestants) labels.push_back(contestant.label);
  return labels;
}

bool is_named(const std::vector<Contestant>& contestants, const std::string& label) {
  return std::ranges::find(contestants, label, &Contestant::label)->named;
}

}  // namespace

TEST_CASE("groups of schemes are by family, and names go with them", "[study]") {
  CHECK(labels_of(parse_contestants("ring,gossip")) == std::vector<std::string>{"ring", "gossip"});
  const auto centralised = parse_contestants("all-centralised");
  const auto decentralised = parse_contestants("all-decentralised");
  CHECK(centralised.size() + decentralised.size() == schemes().size());
  for (const auto& [list, expected] : {std::pair(&centralised, false), {&decentralised, true}}) {
    for (const Contestant& contestant : *list) {
      CHECK_FALSE(contestant.named);
      CHECK((find_scheme(contestant.scheme).family == SchemeFamily::decentralised) == expected);
    }
  }
  CHECK(parse_contestants("all").size() == schemes().size());
  CHECK(parse_contestants("all,all-decentralised,all-centralised").size() == schemes().size());

  const auto mixed = parse_contestants("gossip,all-centralised,ring");
  CHECK(mixed.size() == centralised.size() + 1);
  CHECK(mixed.front().scheme == "gossip");
  CHECK(is_named(mixed, "gossip"));
  CHECK(is_named(mixed, "ring"));
  CHECK_FALSE(is_named(mixed, "hogwild"));
}

TEST_CASE("a contestant is a scheme with settings of its own", "[study]") {
  using Settings = std::vector<OptionText>;
  const auto made = parse_contestants(
      "gossip:one-peer-exp, gossip{topology=torus}, local-sgd{period=8,lr=0.2}, "
      "all-reduce:tree{l2=1e-3}, ring{model=mlp:20,10,batch=4}, ring");
  CHECK(labels_of(made) == std::vector<std::string>{"gossip:one-peer-exp", "gossip{topology=torus}",
                                                    "local-sgd{period=8,lr=0.2}",
                                                    "all-reduce:tree{l2=1e-3}",
                                                    "ring{model=mlp:20,10,batch=4}", "ring"});
  CHECK(made[0].settings == Settings{{"topology", "one-peer-exp"}});
  CHECK(made[1].scheme == "gossip");
  CHECK(made[1].settings == Settings{{"topology", "torus"}});
  CHECK(made[2].settings == Settings{{"period", "8"}, {"lr", "0.2"}});
  CHECK(made[3].settings == Settings{{"collective", "tree"}, {"l2", "1e-3"}});
  CHECK(made[4].settings == Settings{{"model", "mlp:20,10"}, {"batch", "4"}});
  CHECK(made[5].settings.empty());

  Configuration c;
  apply(made[2].settings, c);
  CHECK(c.optimizer.lr == 0.2);
  CHECK(c.hyperparameters.at("period") == 8);

  const auto group = parse_contestants("all-decentralised{workers=4}");
  for (const Contestant& each : group) {
    CHECK(each.settings == Settings{{"workers", "4"}});
    CHECK(each.label == each.scheme + "{workers=4}");
  }
}

TEST_CASE("what is no contestant is refused", "[study]") {
  for (const auto& [text, why] : {
           std::pair("all-centralized", "did you mean 'all-centralised'?"),
           {"all,rnig", "did you mean 'ring'?"},
           {"ring,all,ring", "'ring' is there twice; each contestant runs once"},
           {"ring:tree", "ring leaves no choice; it is written without ':'"},
           {"gossip:toruss", "toruss"},
           {"ring{", "expected SCHEME{OPTION=VALUE,…}"},
           {"ring{lr=1}x", "expected SCHEME{OPTION=VALUE,…}"},
           {"ring{lr}", "'lr' is no OPTION=VALUE, like period=8"},
           {"ring{}", "is no OPTION=VALUE"},
           {"ring{lr=1,lr=2}", "lr is there twice"},
           {"ring{lr=-1}", "--schemes: 'ring{lr=-1}': lr: '-1' is not greater than 0"},
           {"ring{lr=}", "lr: the value is empty"},
           {"ring{perid=8}", "did you mean 'period'?"},
           {"ring{out=x}", "'out' is no option in which runs of a comparison can differ"},
           {"ring{scheme=gossip}", "'scheme' is no option in which runs"},
       }) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_contestants(text), UsageError);
    CHECK_THROWS_WITH(parse_contestants(text), ContainsSubstring(why));
  }
  CHECK_THROWS_AS(parse_contestants(""), UsageError);
}

TEST_CASE("contestants are tables of a configuration, too", "[study]") {
  const std::string text =
      "[run]\nworkers = 4\n"
      "[[contestant]]\nscheme = \"ring\"\n"
      "[[contestant]]\nlabel = \"rare\"\nscheme = \"local-sgd\"\nperiod = 64\nlr = 0.5\n";
  Configuration c;
  std::vector<ContestantTable> tables;
  parse_configuration(text, "some.toml", c, &tables);
  CHECK(c.workers == 4);
  const auto made = contestants_of(tables);
  CHECK(labels_of(made) == std::vector<std::string>{"ring", "rare"});
  CHECK(made[1].settings == std::vector<OptionText>{{"lr", "0.5"}, {"period", "64"}});

  CHECK_THROWS_WITH(
      parse_configuration(text, "some.toml", c),
      "some.toml:3: [[contestant]] is for `trainyard compare`; --scheme NAME runs one "
      "in their place");
  const auto refused = [&](const std::string& table, const char* why) {
    CAPTURE(table);
    std::vector<ContestantTable> found;
    CHECK_THROWS_WITH(
        [&] {
          parse_configuration(table, "some.toml", c, &found);
          (void)contestants_of(found);
        }(),
        ContainsSubstring(why));
  };
  refused("[contestant]\nscheme = \"ring\"", "expected [[contestant]]");
  refused("contestant = 3", "expected [[contestant]]");
  refused("[[contestant]]\nlabel = \"x\"", "some.toml:1: a [[contestant]] without its scheme");
  refused("[[contestant]]\nscheme = \"rnig\"", "did you mean 'ring'?");
  refused("[[contestant]]\nscheme = \"ring\"\n[[contestant]]\nscheme = \"ring\"",
          "a label tells them apart");
  refused("[[contestant]]\nscheme = \"ring\"\nlr = -1", "some.toml:1: lr: '-1' is not greater");
  refused("[[contestant]]\nscheme = \"ring\"\nlr = [1]", "found a list");
}

TEST_CASE("labels become names of files", "[study]") {
  CHECK(file_name_of("ring") == "ring");
  CHECK(file_name_of("hogwild++") == "hogwild++");
  CHECK(file_name_of("local-sgd{period=8,lr=0.2}") == "local-sgd-period-8-lr-0.2");
  CHECK(file_name_of("../../etc/passwd") == "-..-etc-passwd");
  CHECK(file_name_of("...") == "contestant");
  CHECK(file_name_of("größer als") == "gr-er-als");
}

}  // namespace trainyard
