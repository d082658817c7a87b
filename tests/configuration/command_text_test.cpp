// The command that repeats a run, read as a shell and the program would.
#include <sstream>

#include "trainyard/base/echoed.hpp"
#include "trainyard/configuration/defaults.hpp"
#include "trainyard/configuration/options.hpp"

#include "support/catch.hpp"
#include "support/shell.hpp"

namespace trainyard {

namespace {

/// Each word on a line, as a shell takes them apart.
std::vector<std::string> words_of(const std::string& command) {
  const std::string line = "for word in " + command.substr(std::string("trainyard run").size()) +
                           "; do printf '%s\\n' \"$word\"; done";
  std::istringstream words(test::shell(line).output);
  std::vector<std::string> all;
  for (std::string word; std::getline(words, word);) all.push_back(word);
  return all;
}

/// What the flags make of the defaults.
Configuration read_back(const std::string& command) {
  Configuration c = default_configuration();
  const std::vector<std::string> words = words_of(command);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string name = words[i].substr(2), value = "true";
    if (const auto equals = name.find('='); equals != std::string::npos) {
      value = name.substr(equals + 1);
      name.resize(equals);
    } else if (!option_named(name).argument.empty()) {
      value = words.at(++i);
    }
    option_named(name).set(c, value, "--" + name);
  }
  return c;
}

}  // namespace

TEST_CASE("the command that repeats a run sets what the configuration says", "[configuration]") {
  Configuration c;
  c.scheme = "gossip";
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
           {"topology", "base:3"},
           {"workers", "12"},
           {"lr", "0.25"},
           {"intercept", "true"},
           {"dataset", "a name with 'quotes' $HOME.csv"},
           {"test", "latin\xe4 100% \\ 'quoted' \033[2J\u202e7.csv"},
           {"latency", "0us"},
           {"straggler", "0:10,3:2"},
           {"partition", "dirichlet:0.3"},
           {"columns", "one,two words"}}) {
    option_named(name).set(c, value, name);
  }
  const std::string command = run_command_text(c);
  INFO(command);
  CHECK(configuration_text(read_back(command)) == configuration_text(c));
  CHECK_THAT(command, ContainsSubstring(" --latency 0"));
  CHECK(printable(command) == command);
}

TEST_CASE("what is printed and written is no part of the command", "[configuration]") {
  Configuration c;
  c.format = "json";
  c.quiet = true;
  c.html = "report.html";
  CHECK(run_command_text(c) == run_command_text(Configuration{}));
}

}  // namespace trainyard
