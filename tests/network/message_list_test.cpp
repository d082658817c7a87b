#include "trainyard/network/message_list.hpp"

#include "trainyard/base/error.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

std::string error_of(const std::string& text) {
  const TemporaryFolder folder;
  try {
    (void)read_message_list(folder.write("list.txt", text));
  } catch (const UsageError& error) {
    const std::string message = error.what();
    return message.substr(message.rfind('/') + 1);
  }
  return "no error";
}

}  // namespace

TEST_CASE("a message list is read, with comments, blank lines and units", "[network]") {
  const TemporaryFolder folder;
  const auto messages = read_message_list(
      folder.write("list.txt", "# a list\n5 0 1 1MB\n\n  6.5\t1  0 250 # late\r\n1.5ms 11 0 1KiB"));
  REQUIRE(messages.size() == 3);
  CHECK(messages[0].posted == seconds(5));
  CHECK(messages[0].bytes == 1'000'000);
  CHECK(messages[1].posted == seconds(6.5));
  CHECK(messages[1].from == 1);
  CHECK(messages[1].to == 0);
  CHECK(messages[1].bytes == 250);
  CHECK(messages[2].posted == std::chrono::microseconds(1500));
  CHECK(messages[2].bytes == 1024);
  CHECK(ranks_of(messages) == 12);
}

TEST_CASE("what is wrong in a message list is named with its line", "[network]") {
  CHECK_THAT(error_of("5 0 1 1\n6 0 1\n"), ContainsSubstring("list.txt:2: found 3 words"));
  CHECK_THAT(error_of("5 0 0 1"), ContainsSubstring("list.txt:1: rank 0 sends to itself"));
  CHECK_THAT(error_of("x 0 1 1"), ContainsSubstring("list.txt:1: time: 'x'"));
  CHECK_THAT(error_of("-5 0 1 1"), ContainsSubstring("list.txt:1: time: '-5'"));
  CHECK_THAT(error_of("5 0 1024 1"), ContainsSubstring("list.txt:1: to: '1024'"));
  CHECK_THAT(error_of("5 -1 1 1"), ContainsSubstring("list.txt:1: from: '-1'"));
  CHECK_THAT(error_of("5 0 1 1.5"), ContainsSubstring("list.txt:1: bytes: '1.5'"));
  CHECK_THAT(error_of("# nothing\n\n"), ContainsSubstring("list.txt: no messages"));
  CHECK_THROWS_AS(read_message_list("/nowhere/at/all"), UsageError);
  CHECK_THROWS_WITH(read_message_list("/dev/zero"),
                    ContainsSubstring("/dev/zero: found a line of more than 1 MiB"));
  CHECK(parse_message_list("0 0 1 1MB\n", "list").size() == 1);
}

TEST_CASE("messages are played in the order of their times, of one moment, as they are listed",
          "[network]") {
  const Network network{.latency = seconds(1), .bytes_per_second = 1.0};
  const std::vector<PreparedMessage> list{
      {seconds(9), 2, 1, 3}, {seconds(4), 0, 1, 2}, {seconds(4), 0, 2, 5}};
  const std::vector<Transfer> played = play_messages(network, list);
  REQUIRE(played.size() == 3);
  CHECK(played[0].bytes == 2);
  CHECK(played[0].start == seconds(4));
  CHECK(played[0].end == seconds(7));
  CHECK(played[1].bytes == 5);
  CHECK(played[1].start == seconds(7));
  CHECK(played[2].from == 2);
  CHECK(played[2].start == seconds(9));
  CHECK(play_messages(network, {}).empty());
}

TEST_CASE("a message list that would outlast the clock is refused", "[network]") {
  const std::vector<PreparedMessage> list(3, {seconds(0), 0, 1, 4'000'000});
  const Network slow{.latency = seconds(0), .bytes_per_second = 1.0};
  CHECK_THROWS_AS(play_messages(slow, list), UsageError);
}

}  // namespace trainyard
