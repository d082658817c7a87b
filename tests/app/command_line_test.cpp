// The command line, parsed and not run.
#include "app/command_line.hpp"

#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

using Words = std::vector<std::string>;

/// The message of the UsageError, or "parsed".
std::string parsed(Words words) {
  static app::CommandLine line;
  words.insert(words.begin(), "trainyard");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  try {
    (void)line.parse(static_cast<int>(words.size()), argv.data());
  } catch (const UsageError& error) {
    return error.what();
  }
  return "parsed";
}

void check_empty_is_refused(const std::string& command, const std::string& name) {
  INFO(command << " --" << name);
  const std::string message = "--" + name + ": the value is empty; expected ";
  const std::string of_two_words = parsed({command, "--" + name, ""});
  CHECK_THAT(of_two_words, StartsWith(message));
  CHECK(parsed({command, "--" + name + "="}) == of_two_words);
  // The next word is not taken for the value.
  CHECK(parsed({command, "--" + name + "=", "3"}) == of_two_words);
}

}  // namespace

TEST_CASE("an empty value of a flag is refused, by every command", "[app]") {
  for (const Option& option : options()) {
    if (option.argument.empty()) continue;
    check_empty_is_refused("run", option.name);
    if (option.name != "scheme") check_empty_is_refused("compare", option.name);
  }
  const std::vector<std::pair<std::string, Words>> others{
      {"compare", {"schemes", "seeds"}},
      {"timeline", {"workers", "topology", "compute-time", "svg"}},
      {"netcheck", {"workers", "time", "size", "repetitions", "collectives"}},
      {"predict", {"schemes", "size", "rows", "vary", "links", "reduce-rate", "update-rate"}},
      {"predict", {"tokens", "parameters", "devices", "peak", "utilisation"}},
      {"topology", {"workers", "seed", "size", "svg"}},
      {"consensus", {"topology", "workers", "seed", "rounds", "from"}},
      {"lab", {"port", "listen-to-network"}},
      {"machine", {"workers", "placement"}}};
  for (const auto& [command, names] : others) {
    for (const std::string& name : names) {
      if (command == "timeline" || command == "topology") {
        CHECK_THAT(parsed({command, "ring", "--" + name, ""}),
                   StartsWith("--" + name + ": the value is empty; expected "));
      }
      if (command != "timeline" && command != "topology") check_empty_is_refused(command, name);
    }
  }
  CHECK(parsed({"run", "--quiet="}) == "--quiet: the value is empty; expected true or false");
  CHECK_THAT(parsed({"run", "--nosuch="}), StartsWith("no flag named '--nosuch'"));
}

TEST_CASE("an empty word is none", "[app]") {
  for (const char* command : {"run", "compare", "timeline", "topology", "list"}) {
    INFO(command);
    CHECK_THAT(parsed({command, ""}), ContainsSubstring("the value is empty; expected"));
  }
}

TEST_CASE("a switch of any command takes no value", "[app]") {
  for (const Words& words :
       {Words{"run", "--json=false"}, Words{"compare", "--tune-lr=no"},
        Words{"netcheck", "--json=false"}, Words{"predict", "--json=0"},
        Words{"predict", "--training-time=1"}, Words{"timeline", "ring", "--force=false"},
        Words{"topology", "ring", "--json=false"}, Words{"consensus", "--json=false"}}) {
    INFO(words.front());
    CHECK_THAT(parsed(words), EndsWith(": takes no value"));
  }
  CHECK(parsed({"run", "--quiet=false"}) == "parsed");
}

TEST_CASE("unknown words are echoed in short", "[app]") {
  const std::string word(1000, 'x');
  const std::string shown = "'" + std::string(80, 'x') + "…'";
  CHECK_THAT(parsed({word}), ContainsSubstring("no command named " + shown));
  CHECK_THAT(parsed({"run", "--scheme", word}), ContainsSubstring("no scheme named " + shown));
  CHECK_THAT(parsed({"run", "--" + word}),
             ContainsSubstring("no flag named '--" + std::string(78, 'x') + "…'"));
  CHECK_THAT(parsed({"run", "--lr", word}), ContainsSubstring(shown + " is not a finite number"));
  CHECK_THAT(parsed({"run", "a", word}), ContainsSubstring(shown + " is one word too many"));
  CHECK_THAT(parsed({"run", "--model", "mlp:\033[2J"}), ContainsSubstring("'\\x1b[2J'"));
}

TEST_CASE("a command line is parsed again and again", "[app]") {
  for (int i = 0; i < 3; ++i) {
    CHECK(parsed({"run", "--workers", "3"}) == "parsed");
    CHECK_THAT(parsed({"run", "--workers", "3", "--workers", "4"}),
               ContainsSubstring("given twice"));
    CHECK(parsed({"run", "--fault", "loss:0.1", "--fault", "crash:1@2s"}) == "parsed");
    CHECK(parsed({"predict", "--vary", "workers=2:8"}) == "parsed");
    CHECK(parsed({"--version"}) == "parsed");
    CHECK_THAT(parsed({"predict", "--vary", "workers=2:8", "--workers", "3"}),
               ContainsSubstring("--vary"));
  }
}

TEST_CASE("what other programs call a flag is understood in the message", "[app]") {
  for (const auto& [command, word, flag] : {std::tuple("run", "--learning-rate", "--lr"),
                                            {"run", "--ranks", "--workers"},
                                            {"run", "--output", "--out"},
                                            {"predict", "--delay", "--latency"},
                                            {"compare", "--algorithms", "--schemes"},
                                            {"compare", "--repetitions", "--seeds"}}) {
    CAPTURE(command, word);
    CHECK_THAT(parsed({command, word, "1"}),
               ContainsSubstring(fmt::format("did you mean '{}'?", flag)));
  }
}

}  // namespace trainyard
