#include "trainyard/network/goal_schedule.hpp"

#include <string>
#include <vector>

#include "trainyard/base/error.hpp"

#include "support/catch.hpp"

using namespace trainyard;

namespace {

Network network() {
  return {.latency = seconds(1e-6), .bytes_per_second = 1e9};  // 1 us a message, 1 ns a byte
}

GoalReplay replayed(const std::string& text) {
  return replay(parse_goal_schedule(text, "f"), network());
}

double nanoseconds(Time time) {
  return static_cast<double>(time.count()) / 1000.0;
}

std::string block(int rank, const std::string& lines) {
  return "rank " + std::to_string(rank) + " {\n" + lines + "}\n";
}

}  // namespace

TEST_CASE("a schedule by hand: computing, a message, an answer", "[network]") {
  const GoalReplay r = replayed(
      "// as LogGOPSim reads it\nnum_ranks 2\n\n" +
      block(0, "a: calc 3000\nb: send 500b to 1 tag 7\nb requires a\nc: recv 8b from 1 tag 9;\n") +
      block(1,
            "l1: recv 500b from 0 tag 7 cpu 0\nl2: calc 100 cpu 0\nl3: send 8b to 0 tag 9 nic 0\n"
            "l2 requires l1\nl3 requires l2\n"));
  CHECK(nanoseconds(r.operations[0][0].ended) == 3000);
  CHECK(nanoseconds(r.operations[0][1].begun) == 3000);
  CHECK(nanoseconds(r.operations[0][1].ended) == 3000);  // it is given to the network
  CHECK(nanoseconds(r.operations[1][0].ended) == 3000 + 1000 + 500);
  CHECK(nanoseconds(r.operations[1][1].ended) == 4600);
  CHECK(nanoseconds(r.operations[0][2].begun) == 0);
  CHECK(nanoseconds(r.operations[0][2].ended) == 4600 + 1000 + 8);
  CHECK(nanoseconds(r.until) == 5608);
  REQUIRE(r.messages.size() == 2);
  CHECK(nanoseconds(r.messages[0].posted) == 3000);
}

TEST_CASE("a rank computes one thing at a time, and sends meanwhile", "[network]") {
  const GoalReplay r = replayed("num_ranks 2\n" +
                                block(0,
                                      "calc 100\ncalc 0\nl: calc 50\ns: send 10b to 1\n"
                                      "s irequires l\n") +
                                block(1, "recv 10b from 0\n"));
  CHECK(nanoseconds(r.operations[0][0].ended) == 100);
  CHECK(nanoseconds(r.operations[0][1].ended) == 100);
  CHECK(nanoseconds(r.operations[0][2].begun) == 100);
  CHECK(nanoseconds(r.operations[0][3].begun) == 100);  // with l, and not behind it
  CHECK(nanoseconds(r.until) == 1110);
}

TEST_CASE("a message that comes before it is asked for is there when it is", "[network]") {
  const GoalReplay r = replayed("num_ranks 2\n" + block(0, "send 10b to 1\n") +
                                block(1, "a: calc 5000\nb: recv 10b from 0\nb requires a\n"));
  CHECK(nanoseconds(r.operations[1][1].begun) == 5000);
  CHECK(nanoseconds(r.operations[1][1].ended) == 5000);
}

TEST_CASE("messages of one tag are received in the order of their lines", "[network]") {
  const GoalReplay r =
      replayed("num_ranks 3\n" + block(0, "a: calc 9000\ns: send 10b to 2 tag 1\ns requires a\n") +
               block(1, "send 100b to 2 tag 1\nsend 200b to 2 tag 1\n") +
               block(2, "recv 100b from 1 tag 1\nrecv 200b from 1 tag 1\nrecv 10b from 0 tag 1\n"));
  CHECK(nanoseconds(r.operations[2][0].ended) == 1100);
  CHECK(nanoseconds(r.operations[2][1].ended) == 2300);
  CHECK(nanoseconds(r.operations[2][2].ended) == 10010);
}

TEST_CASE("a schedule that cannot go on says who waits for what", "[network]") {
  struct Row {
    std::string lines_0, lines_1;
    const char* words;
  };
  const std::vector<Row> rows{
      {"a: recv 1b from 1 tag 1\nb: send 1b to 1 tag 2\nb requires a\n",
       "c: recv 1b from 0 tag 2\nd: send 1b to 0 tag 1\nd requires c\n",
       "nothing goes on after 0 s: rank 0's a (line 3) waits for a message that rank 1's d (line "
       "9) has not sent"},
      {"a: calc 5\nb: calc 5\na requires b\nb requires a\n", "",
       "rank 0's a (line 3) waits until its b (line 4) has ended"},
      {"a: calc 5\na irequires a\n", "",
       "rank 0's a (line 3) waits until its a (line 3) has begun"},
      {"a: send 1b to 1 tag 5\n", "", "f:3: rank 1 never receives this message from 0 with tag 5"},
      {"", "recv 1b from 0 tag 5\n", "f:5: rank 0 never sends rank 1 this message with tag 5"},
      {"send 1b to 1 tag 5\n", "recv 2b from 0 tag 5\n",
       "f:6: 2 bytes are received, and line 3 sends 1"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.words);
    const std::string text = "num_ranks 2\n" + block(0, row.lines_0) + block(1, row.lines_1);
    CHECK_THROWS_WITH(replayed(text), ContainsSubstring(row.words));
    CHECK_THROWS_AS(replayed(text), UsageError);
  }
}

TEST_CASE("a schedule that is no schedule says what is accepted, with its line", "[network]") {
  struct Row {
    std::string text;
    const char* words;
  };
  const std::vector<Row> rows{
      {"", "f: no schedule in it; expected 'num_ranks N'"},
      {"rank 0 {\n}\n", "f:1: 'rank 0 {' is not known here; accepted is num_ranks N"},
      {"num_ranks 0\n", "f:1: num_ranks"},
      {"num_ranks 2\nrank 2 {\n", "f:2: rank"},
      {"num_ranks 2\ncalc 5\n", "accepted is rank NUMBER {"},
      {"num_ranks 2\nrank 0 {\ncalc 5\n", "the block of rank 0 has no } at its end"},
      {"num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n", "f:4: rank 0 has a block already"},
      {"num_ranks 2\nrank 0 {\nrank 1 {\n", "f:3: 'rank 1 {' is not known here"},
      {"num_ranks 2\nrank 0 {\nl: calc 1\nl: calc 1\n}\n", "f:4: 'l' is a label already"},
      {"num_ranks 2\nrank 0 {\nl requires m\n}\n", "f:3: rank 0 has no 'l' above"},
      {"num_ranks 2\nrank 0 {\nsend 5 to 1\n}\n", "accepted is a length like 1000b"},
      {"num_ranks 2\nrank 0 {\nsend 5b to 0\n}\n", "f:3: rank 0 talks to itself"},
      {"num_ranks 2\nrank 0 {\nsend 5b from 1\n}\n", "send BYTESb to RANK"},
      {"num_ranks 2\nrank 0 {\ncalc 5 cpu 1\n}\n", "f:3: cpu"},
      {"num_ranks 2\nrank 0 {\ncalc 5 tag 1\n}\n", "tag TAG, cpu 0 and nic 0"},
      {"num_ranks 2\nrank 0 {\ncalc -5\n}\n", "f:3: calc"},
      {"num_ranks 2\nrank 0 {\nwait 5\n}\n",
       "f:3: 'wait 5' is not known here; accepted is [LABEL:] calc"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK_THROWS_WITH(parse_goal_schedule(row.text, "f"), ContainsSubstring(row.words));
  }
  CHECK(is_goal_schedule("// c\n\nnum_ranks 3\n"));
  CHECK_FALSE(is_goal_schedule("0 0 1 5\nnum_ranks 3\n"));
  CHECK_FALSE(is_goal_schedule(""));
}
