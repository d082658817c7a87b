#include "trainyard/configuration/split.hpp"

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/run/resolve.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;

TEST_CASE("a split is read in any order, and what is left out is one", "[configuration]") {
  CHECK(parse_split("dp=4,pp=2,tp=3", "--split") == Split{4, 2, 3});
  CHECK(parse_split("tp=3,dp=4", "--split") == Split{4, 1, 3});
  CHECK(parse_split("pp=5", "--split") == Split{1, 5, 1});
  CHECK(parse_split("dp=4,pp=2,tp=3", "--split").workers() == 24);
  CHECK(parse_split("tp=3,dp=4", "--split").text() == "dp=4,pp=1,tp=3");
}

TEST_CASE("what is no split is refused with what is one", "[configuration]") {
  for (const char* text : {"", "4", "dp", "dp=2,", ",dp=2", "dp=2,dp=2", "dq=2", "dp=2;tp=2"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_split(text, "--split"), UsageError);
  }
  CHECK_THROWS_WITH(parse_split("dp=2,xp=2", "--split"),
                    ContainsSubstring("--split: 'dp=2,xp=2' is no split of workers; accepted is "
                                      "dp=4,pp=2,tp=2"));
  CHECK_THROWS_WITH(parse_split("dp=0", "--split"), ContainsSubstring("--split: dp"));
  CHECK_THROWS_WITH(parse_split("dp=x", "--split"), ContainsSubstring("--split: dp"));
  CHECK_THROWS_WITH(parse_split("dp=32000,tp=32000,pp=32000", "--split"),
                    ContainsSubstring("accepted are up to 32000"));
}

TEST_CASE("a split is the workers, the stages and the tensor size", "[configuration]") {
  Configuration c;
  CHECK_FALSE(split_of(c));
  option_named("split").set(c, "dp=2,pp=3,tp=4", "--split");
  CHECK(c.workers == 24);
  CHECK(c.hyperparameters == Hyperparameters{{"stages", 3}, {"tensor-size", 4}});
  CHECK(split_of(c) == Split{2, 3, 4});
  CHECK(option_named("split").get(c) == "dp=2,pp=3,tp=4");
  // The resolved configuration has what it stands for, so that it is read back without it.
  CHECK(configuration_text(c).find("split") == std::string::npos);
  c.workers = 5;
  CHECK_FALSE(split_of(c));
}

TEST_CASE("a split and what it stands for are not given together", "[configuration]") {
  const LoadedData data = test::dense_problem();
  Configuration c = test::quick("gpipe", 4, 1);
  c.model = "mlp:8";
  set_split(c, {.data = 2, .pipeline = 2, .tensor = 1});
  c.given = {"split", "batch"};
  CHECK_NOTHROW(resolve(c, {"gpipe"}, data, {}));
  for (const char* beside : {"workers", "stages", "tensor-size"}) {
    c.given = {"split", beside};
    CHECK_THROWS_WITH(resolve(c, {"gpipe"}, data, {}),
                      std::string("--split: --") + beside +
                          " is given beside; a split says the workers, stages and tensor size");
  }
}

TEST_CASE("a split with stages is noted where a scheme has none", "[configuration]") {
  const auto notes = [](const char* scheme, const char* split) {
    Configuration c;
    option_named("split").set(c, split, "--split");
    const std::vector<OptionSetting> settings{{c, find_scheme(scheme)}};
    const std::vector<std::string> given{"split"};
    return idle_notes(settings, given);
  };
  for (const char* scheme : {"downpour", "tensor-split"}) {
    CAPTURE(scheme);
    CHECK(notes(scheme, "dp=2,tp=3").empty());
    const std::vector<std::string> with_stages = notes(scheme, "dp=2,pp=2,tp=3");
    REQUIRE(with_stages.size() == 1);
    CHECK_THAT(with_stages.front(),
               ContainsSubstring("has no stages; it has 4 copies of the model, each on 3 workers"));
  }
  CHECK(notes("gpipe", "dp=2,pp=2,tp=3").empty());
  CHECK_THAT(notes("ring", "dp=2").front(), ContainsSubstring("ring divides no model"));
}
