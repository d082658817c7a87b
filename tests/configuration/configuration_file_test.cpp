// What a configuration file may be, and what is refused.
#include <string>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Catch::Matchers::StartsWith;

}  // namespace

TEST_CASE("a configuration file may begin with a byte order mark, and not be endless",
          "[configuration]") {
  const TemporaryFolder folder;
  Configuration c;
  read_configuration(folder.write("mark.toml", "\xEF\xBB\xBF[run]\nworkers = 3\n"), c);
  CHECK(c.workers == 3);
  CHECK_THROWS_WITH(read_configuration("/dev/zero", c),
                    "/dev/zero: found more than 1 MiB; expected a TOML file with a configuration");
  CHECK_THROWS_WITH(parse_configuration("[run]\nworkers = \n", "file", c), StartsWith("file:2: "));
  CHECK_THROWS_WITH(parse_configuration("[run]\n\"a\\u001bb\" = 3\n", "file", c),
                    ContainsSubstring("no key of section [run] named 'a\\x1bb'"));
}

TEST_CASE("a configuration with more dots than a stack can hold is refused", "[configuration]") {
  const auto refusal = [](const std::string& text) -> std::string {
    Configuration c;
    try {
      parse_configuration(text, "input", c);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  const auto dotted = [](int dots) {
    std::string key = "a";
    for (int i = 0; i < dots; ++i) key += ".a";
    return key;
  };
  const auto too_many = [](int line) {
    return fmt::format(
        "input:{}: found more than 64 dots outside of quotes; expected [SECTION] or KEY = VALUE",
        line);
  };
  CHECK(refusal(fmt::format("{}{}{}", "[", dotted(65), "]\n")) == too_many(1));
  CHECK(refusal(fmt::format("{}{}{}", "\n", dotted(65), " = 1\n")) == too_many(2));
  CHECK(refusal(fmt::format("{}{}{}", "[[", dotted(60000), "]]")) == too_many(1));
  CHECK(refusal(fmt::format("{}{}{}", "[run]\nx = {", dotted(65), " = 1}\n")) == too_many(2));
  // A list goes on over lines; each nesting adds to those around it.
  CHECK(refusal(fmt::format("x = [{{{0} = [\n{{{0} = 1}}]}}]\n", dotted(40))) == too_many(2));
  // What looks like the end of a statement, or like a string or comment, and is none.
  const std::string key = fmt::format("{} = 1\n", dotted(65));
  CHECK(refusal("x = \"\\\"\"\n" + key) == too_many(2));
  CHECK(refusal("x = '\\'\n" + key) == too_many(2));
  CHECK(refusal("x = ''\n" + key) == too_many(2));
  CHECK(refusal("x = \"\"\"\n'\n\"\"\"\"\"\n" + key) == too_many(4));
  CHECK(refusal("x = '''#'''''\n" + key) == too_many(2));
  CHECK(refusal("# '\n" + key) == too_many(2));
  CHECK(refusal("'#'." + key) == too_many(1));
  // As many are toml's own affair.
  CHECK(refusal(fmt::format("[{}]\n", dotted(64))).starts_with("input:1: no section named 'a'"));
}

TEST_CASE("dots in quotes, in comments and in many lines are no harm", "[configuration]") {
  const std::string dots(1000, '.');
  std::string text = fmt::format("# {0}\n[output]\nout = \"{0}\" # {0}\n", dots);
  text += "trace = '" + dots + "'\n[data]\ndataset = \"\"\"\n" + dots + "\"\"\"\n";
  text += "data-dir = '''\n" + dots + "'''\n";
  for (int line = 0; line < 100; ++line) text += "# 1.5\n";
  text += "[compute]\nstraggler = \"0:1.5";
  for (int rank = 1; rank < 100; ++rank) text += fmt::format(",{}:1.5", rank);
  text += "\"\n[run]\nepochs = 0.5\n";
  Configuration c;
  REQUIRE_NOTHROW(parse_configuration(text, "input", c));
  CHECK(c.out == dots);
  CHECK(c.dataset == dots);
  CHECK(c.stragglers.size() == 100);
  CHECK(c.epochs == 0.5);
}

TEST_CASE("a list of faults is all of them", "[configuration]") {
  Configuration list, text;
  parse_configuration("[network]\nfault = ['loss:0.1', 'crash:1@2s']\n", "input", list);
  parse_configuration("[network]\nfault = 'loss:0.1+crash:1@2s'\n", "input", text);
  const Option& fault = option_named("fault");
  CHECK(fault.get(list) == "loss:0.1+crash:1@2s");
  CHECK(fault.get(list) == fault.get(text));
  Configuration c;
  CHECK_THROWS_WITH(parse_configuration("[network]\nfault = []\n", "input", c),
                    StartsWith("input:2: fault: the value is empty"));
  CHECK_THROWS_WITH(parse_configuration("[network]\nlatency = ['1ms']\n", "input", c),
                    ContainsSubstring("found a list, table or date"));
}

}  // namespace trainyard
