#include <string>

#include "trainyard/base/error.hpp"
#include "trainyard/topology/spectrum.hpp"
#include "trainyard/topology/topology.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

using namespace trainyard;

namespace {

/// Made from a file with this text.
Topology made(const std::string& text, int ranks) {
  const TemporaryFolder folder;
  return make_topology("file:" + folder.write("links.txt", text).string(), ranks, 1);
}

std::string complaint(const std::string& text, int ranks) {
  try {
    (void)made(text, ranks);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("links without weights get those of Metropolis and Hastings", "[topology]") {
  const std::string star = "# the office\n0 1\n\n  2\t0 # the printer\n0 3\n";
  CHECK(dense(made(star, 4).matrices[0]) == dense(make_topology("star", 4, 1).matrices[0]));
  // The last worker has no link: it keeps what it has.
  const auto w = dense(made(star, 5).matrices[0]);
  CHECK(w[4] == std::vector<double>{0, 0, 0, 0, 1});
  CHECK_FALSE(analyse(made(star, 5)).connected);
}

TEST_CASE("weights are taken as they are, one way", "[topology]") {
  const auto w = dense(made("0 1 0.5\n1 2 0.5\n2 0 0.5\n", 3).matrices[0]);
  CHECK(w == std::vector<std::vector<double>>{{0.5, 0.5, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}});
  CHECK(doubly_stochastic(made("0 1 0.333333333\n1 0 0.333333333\n", 2).matrices[0]));
}

TEST_CASE("a file of links may begin with a byte order mark, and not be endless", "[topology]") {
  CHECK(dense(made("\xEF\xBB\xBF"
                   "0 1\n",
                   2)
                  .matrices[0]) == dense(made("0 1\n", 2).matrices[0]));
  for (const std::string name : {"file", "digraph"}) {
    CHECK_THROWS_WITH(make_topology(name + ":/dev/zero", 3, 1),
                      ContainsSubstring(name + ": /dev/zero: found a line of more than 1 MiB"));
  }
}

TEST_CASE("a wrong file of links names the line, what is there and what may be", "[topology]") {
  const auto at_line = [](int line) { return "links.txt:" + std::to_string(line); };
  CHECK_THAT(complaint("0 1\n0 7\n", 5), ContainsSubstring(at_line(2)) &&
                                             ContainsSubstring("'7'") &&
                                             ContainsSubstring("from 0 to 4"));
  CHECK_THAT(complaint("0 one\n", 5), ContainsSubstring(at_line(1)) && ContainsSubstring("'one'"));
  CHECK_THAT(complaint("#\n0\n", 5), ContainsSubstring(at_line(2)) &&
                                         ContainsSubstring("found 1 field") &&
                                         ContainsSubstring("'i j' or 'i j weight'"));
  CHECK_THAT(complaint("0 1 0.5 9\n", 5), ContainsSubstring("found 4 fields"));
  CHECK_THAT(complaint("0 1\n1 1\n", 5),
             ContainsSubstring(at_line(2)) && ContainsSubstring("worker 1 to itself"));
  CHECK_THAT(complaint("0 1\n2 1\n1 0\n", 5),
             ContainsSubstring(at_line(3)) && ContainsSubstring("twice, first in line 1"));
  CHECK_THAT(complaint("0 1 0.1\n0 1 0.1\n", 5), ContainsSubstring("twice, first in line 1"));
  CHECK_THAT(complaint("0 1\n1 2 0.5\n", 5),
             ContainsSubstring(at_line(2)) && ContainsSubstring("all or none"));
  CHECK_THAT(complaint("0 1 1.5\n", 5),
             ContainsSubstring(at_line(1)) && ContainsSubstring("not above 0 and at most 1"));
  CHECK_THAT(complaint("0 1 -0.5\n", 5), ContainsSubstring("not above 0"));
  CHECK_THAT(complaint("0 1 nan\n", 5), ContainsSubstring("'nan'"));
  CHECK_THAT(complaint("0 1 0.5\n1 0 0.25\n", 2),
             ContainsSubstring("worker 0 gives others 0.5 in all and they give it 0.25"));
  CHECK_THAT(complaint("0 1 0.6\n0 2 0.6\n1 0 0.6\n2 0 0.6\n", 3),
             ContainsSubstring("worker 0 gives others weights that add up to 1.2; at most 1"));
  CHECK_THAT(complaint("# nothing\n", 5), ContainsSubstring("no links in it"));
  CHECK_THROWS_WITH(make_topology("file:nowhere.txt", 3, 1),
                    ContainsSubstring("nowhere.txt: no such file; expected"));
}
