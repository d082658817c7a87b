// The server of pages: its address, its end, its flags.
#include <filesystem>
#include <set>
#include <string>

#include "app/program.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("the lab prints its address and ends with an interrupt", "[app]") {
  for (const std::string signal : {"INT", "TERM"}) {
    INFO(signal);
    const TemporaryFolder folder;
    const Outcome outcome = run_script(
        "\"$P\" lab straggler >output & program=$!\n"
        "until [ -s output ] || ! kill -0 $program; do sleep 0.02; done\n"
        "kill -" +
            signal + " $program; wait $program; s=$?; cat output; exit $s",
        folder.path());
    CHECK(outcome.status == 0);
    CHECK(outcome.errors.empty());
    CHECK_THAT(outcome.output,
               Catch::Matchers::Matches("http://127\\.0\\.0\\.1:[0-9]+/lab/straggler\n"));
  }
}

TEST_CASE("the lab says that --force is for files", "[app]") {
  const TemporaryFolder folder;
  const Outcome outcome = run_script(
      "\"$P\" lab --force >output & program=$!\n"
      "until [ -s output ] || ! kill -0 $program; do sleep 0.02; done\n"
      "kill -INT $program; wait $program",
      folder.path());
  CHECK(outcome.status == 0);
  CHECK(outcome.errors == "note: --force has no effect: it is for --export, which is not given\n");
}

TEST_CASE("labs are exported one by one into the same folder", "[app][slow]") {
  const TemporaryFolder folder;
  const auto exported = [&](const std::string& arguments) {
    const Outcome outcome = run_script("\"$P\" lab " + arguments + " --quiet", folder.path());
    CHECK(outcome.status == (outcome.errors.empty() ? 0 : 2));
    return outcome.output + outcome.errors;
  };
  CHECK(exported("bubble --export pages") == "pages/bubble.html\n");
  CHECK(exported("lab:activations --export pages") == "pages/activations.html\n");
  std::set<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(folder.path() / "pages")) {
    names.insert(file.path().filename());
  }
  CHECK(names == std::set<std::string>{"activations.html", "bubble.html", "trainyard.js"});
  CHECK_THAT(exported("bubble --export pages"), ContainsSubstring("pages/bubble.html"));
  // Another program's.
  folder.write("pages/trainyard.js", "// other scripts");
  CHECK_THAT(exported("bubble --export pages"), ContainsSubstring("pages/trainyard.js"));
  CHECK(exported("activations --export one.zip") == "one.zip\n");
}

TEST_CASE("the lab refuses what it cannot listen to", "[app]") {
  const auto refused = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "lab");
    const Outcome outcome = run_program(arguments);
    CHECK(outcome.output.empty());
    return std::to_string(outcome.status) + " " + outcome.errors;
  };
  CHECK_THAT(refused({"stragler"}), ContainsSubstring("did you mean 'straggler'?"));
  CHECK_THAT(refused({"--port", "70000"}), ContainsSubstring("2 trainyard: --port: '70000'"));
  CHECK_THAT(refused({"--listen-to-network", "0.0.0.0"}),
             ContainsSubstring("2 trainyard: --listen-to-network: 0.0.0.0 stands for all"));
  CHECK_THAT(refused({"--listen-to-network", "::"}), ContainsSubstring("2 trainyard: "));
  CHECK_THAT(refused({"--listen-to-network", "localhost"}),
             ContainsSubstring("2 trainyard: --listen-to-network: 'localhost' is no address"));
  // Of documentation (RFC 5737): no machine has it.
  CHECK_THAT(refused({"--listen-to-network", "192.0.2.1"}),
             ContainsSubstring("1 trainyard: cannot listen on 192.0.2.1"));
}

}  // namespace trainyard
