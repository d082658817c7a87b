#include "trainyard/analysis/consensus.hpp"

#include <string>
#include <vector>

#include "trainyard/base/error.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("values are numbers between blanks, one for each worker", "[analysis]") {
  const TemporaryFolder folder;
  const auto file = folder.write("values",
                                 "\xEF\xBB\xBF"
                                 "1 2.5 # two\n\n\t-3e1\r\n");
  CHECK(read_values(file, 3, "--from") == std::vector<double>{1.0, 2.5, -30.0});
  CHECK_THROWS_WITH(read_values(file, 4, "--from"),
                    ContainsSubstring("found 3 numbers; expected 4 numbers"));
  CHECK_THROWS_WITH(read_values(file, 2, "--from"),
                    ContainsSubstring("values:3: '-3e1' is one too many"));
  CHECK_THROWS_WITH(parse_values("1 two", 2, "name"), ContainsSubstring("name:1: 'two'"));
  CHECK_THROWS_WITH(read_values("/dev/zero", 2, "--from"),
                    ContainsSubstring("--from: /dev/zero: found a line of more than 1 MiB"));
}

}  // namespace trainyard
