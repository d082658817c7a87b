// The part [page] of a configuration: read from a lab's file, and checked in everybody's.
#include "configuration/page_part.hpp"

#include <string>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"

#include "configuration/toml_nodes.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

/// What is said of it as a configuration; "accepted" where nothing is.
std::string refusal(const std::string& text) {
  try {
    Configuration c;
    parse_configuration(text, "my.toml", c);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

const char* const whole = R"([run]
workers = 4

[page]
number = 3
title = "One slow worker"
question = "Who waits?"
story = ["A paragraph.", """\
  And another \
  one."""]
show = { x = "seconds", y = "train_loss", log = true, minimum = 0.25 }
timeline = "ring"
watch = { curve = "gossip", slider = "workers" }

[page.guess]
question = "Who is last?"
figure = "seconds_to_target"
wanted = "most"

[[page.slider]]
option = "latency"
label = "time of a message"
values = ["10us", "1ms"]
texts = ["10 µs", "1 ms"]

[[page.slider]]
option = "workers"
label = "workers"
values = [2, 4]
texts = ["2", "4"]
)";

std::string with_slider(const std::string& lines) {
  return "[[page.slider]]\n" + lines;
}

}  // namespace

TEST_CASE("a page says a title, a question, a story, what it shows and what moves",
          "[configuration]") {
  const toml::table root = parsed_toml(whole, "my.toml");
  const LabPage page = read_page(*root.get(page_key), "my.toml");
  CHECK(page.number == 3);
  CHECK(page.title == "One slow worker");
  CHECK(page.question == "Who waits?");
  CHECK(page.story == std::vector<std::string>{"A paragraph.", "And another one."});
  CHECK(page.x == "seconds");
  CHECK(page.y == "train_loss");
  CHECK(page.logarithmic);
  CHECK(page.minimum == 0.25);
  CHECK(page.watch.curve == "gossip");
  CHECK(page.watch.slider == "workers");
  CHECK(page.guess.question == "Who is last?");
  CHECK(page.guess.figure == "seconds_to_target");
  CHECK(page.guess.most);
  CHECK(page.timeline == "ring");
  REQUIRE(page.sliders.size() == 2);
  CHECK(page.sliders[0].option == "latency");
  CHECK(page.sliders[0].label == "time of a message");
  CHECK(page.sliders[0].texts == std::vector<std::string>{"10 µs", "1 ms"});
  CHECK(page.sliders[1].values == std::vector<std::string>{"2", "4"});
}

TEST_CASE("a configuration's page changes nothing of it", "[configuration]") {
  Configuration c, without;
  parse_configuration(whole, "my.toml", c);
  parse_configuration("[run]\nworkers = 4\n", "my.toml", without);
  CHECK(configuration_text(c) == configuration_text(without));
  CHECK(c.given == without.given);
}

TEST_CASE("what a page cannot have is refused with its line and what is accepted",
          "[configuration]") {
  CHECK(refusal("[page]\ntitel = \"x\"\n") ==
        "my.toml:2: no key of section [page] named 'titel'; did you mean 'title'? (known: guess, "
        "number, question, show, slider, story, timeline, title, watch)");
  CHECK(refusal("page = 3\n") ==
        "my.toml:1: 'page' is given a value; expected it as a section: [page]");
  CHECK(refusal("[pgae]\n").find("did you mean 'page'?") != std::string::npos);
  CHECK(refusal("[page]\ntitle = 3\n") == "my.toml:2: title: found no text; expected it in quotes");
  CHECK(refusal("[page]\nstory = \"x\"\n") ==
        "my.toml:2: story: found no list; expected [VALUE, …]");
  CHECK(refusal("[page]\nstory = [\n  \"x\",\n  3]\n") ==
        "my.toml:2: story: found no text; expected it in quotes");
  for (const char* number : {"0", "1000", "\"1\"", "1.5"}) {
    CHECK(refusal(std::string("[page]\nnumber = ") + number + "\n") ==
          "my.toml:2: number: expected a whole number from 1 to 999");
  }
  CHECK(refusal("[page]\nshow = \"seconds\"\n") ==
        "my.toml:2: show: expected { x = \"seconds\", y = \"train_loss\", log = true }");
  CHECK(refusal("[page]\nshow = { quantity = \"seconds\" }\n") ==
        "my.toml:2: no key of show named 'quantity' (known: log, minimum, x, y)");
  CHECK(refusal("[page]\nshow = { log = 1 }\n") == "my.toml:2: log: expected true or false");
  CHECK(refusal("[page]\nshow = { minimum = \"low\" }\n") ==
        "my.toml:2: minimum: expected a number");
  CHECK(refusal("[page]\nwatch = \"ring\"\n") ==
        "my.toml:2: watch: expected { curve = \"ring\", slider = \"latency\" }");
  CHECK(refusal("[page]\nguess = 1\n") ==
        "my.toml:2: guess: expected it as a section: [page.guess]");
  CHECK(refusal("[page.guess]\nwanted = \"best\"\n") ==
        "my.toml:2: wanted: found 'best'; expected \"least\" or \"most\"");
  CHECK(refusal("[page]\nslider = 3\n") ==
        "my.toml:2: slider: found no list of tables; expected [[page.slider]]");
}

TEST_CASE("a slider moves an option to values that it takes, each with a text", "[configuration]") {
  CHECK(refusal(with_slider("option = \"latncy\"\n")) ==
        "my.toml:1: a slider moves an option; none is named 'latncy'; did you mean 'latency'?");
  CHECK(refusal(with_slider("option = \"lr\"\nvalues = [1, 2]\ntexts = [\"1\"]\n")) ==
        "my.toml:1: 2 values and 1 texts; expected a text for each value");
  CHECK(refusal(with_slider("option = \"lr\"\n")) ==
        "my.toml:1: 0 values and 0 texts; expected a text for each value");
  CHECK(refusal(with_slider("option = \"lr\"\nvalues = [[1]]\ntexts = [\"1\"]\n"))
            .starts_with("my.toml:3: values: found a list"));
  CHECK(refusal(with_slider("option = \"workers\"\nvalues = [0]\ntexts = [\"0\"]\n"))
            .starts_with("my.toml:1: workers: '0'"));
  CHECK(refusal(with_slider("value = 1\n")) ==
        "my.toml:2: no key of [[page.slider]] named 'value'; did you mean 'values'? (known: label, "
        "option, texts, values)");
}

}  // namespace trainyard
