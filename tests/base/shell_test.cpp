// Words as a shell takes them.
#include "trainyard/base/shell.hpp"

#include "trainyard/base/error.hpp"

#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("a line is words between blanks, of which quotes may hold some", "[base]") {
  using Words = std::vector<std::string>;
  CHECK(shell_words("trainyard run  --lr 0.1 ") == Words{"trainyard", "run", "--lr", "0.1"});
  CHECK(shell_words("--schemes 'ring{lr=1},tree' ''") == Words{"--schemes", "ring{lr=1},tree", ""});
  CHECK(shell_words("a'b c'd") == Words{"ab cd"});
  CHECK(shell_words("").empty());
  CHECK_THROWS_AS(shell_words("a 'b"), UsageError);
}

TEST_CASE("a quoted word comes back as it was", "[base]") {
  for (const char* word : {"plain", "two words", "ring{period=8}", ""}) {
    CHECK(shell_words(quoted_for_shell(word)) == std::vector<std::string>{word});
  }
}

}  // namespace trainyard
