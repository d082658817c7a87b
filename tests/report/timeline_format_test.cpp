#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/report/network_format.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("example 1.1 as text, where two columns are a second", "[report]") {
  const std::string text = timeline_text(make_timeline("example-1.1", {}), {.columns = 48});
  CHECK(text ==
        "Example 1.1: three messages of 1 MB\n"
        "latency 1.5 s, bandwidth 1.6Mbps\n"
        "makespan 14 s; a column is 500 ms; abc: latency, ABC: bits\n"
        "\n"
        "          s  |5        |10       |15\n"
        "M1     send  aaaAAAAAAAAAA\n"
        "    receive    bbbBBBBBBBBBBcccCCCCCCCCCC\n"
        "\n"
        "M2     send    bbbBBBBBBBBBB\n"
        "    receive  aaaAAAAAAAAAA\n"
        "\n"
        "M3     send                 cccCCCCCCCCCC\n"
        "    receive\n"
        "\n"
        "   from   to      bytes     posted     starts  first bit    arrives\n"
        "A  M1 → M2       1 MB          5          5        6.5       11.5\n"
        "B  M2 → M1       1 MB          6          6        7.5       12.5\n"
        "C  M3 → M1       1 MB          6       12.5         14         19\n");
}

TEST_CASE("on a terminal, latency is in another colour and nothing else changes", "[report]") {
  const Timeline timeline = make_timeline("example-1.1", {});
  std::string text = timeline_text(timeline, {.columns = 48, .color = true});
  CHECK_THAT(text, ContainsSubstring("\033[33maaa\033[0mAAA"));
  for (const std::string code : {"\033[33m", "\033[0m"}) {
    for (auto at = text.find(code); at != std::string::npos; at = text.find(code)) {
      text.erase(at, code.size());
    }
  }
  CHECK(text == timeline_text(timeline, {.columns = 48}));
}

TEST_CASE("text of any timeline fits the width and leaves no message out", "[report]") {
  for (const char* what : {"ring", "ps-sync", "ps-async", "gossip", "hogwild", "rabenseifner"}) {
    for (const int workers : {1, 4, 16}) {
      CAPTURE(what, workers);
      const Timeline timeline = make_timeline(what, {{"workers", fmt::to_string(workers)}});
      const std::string text = timeline_text(timeline, {.columns = 100});
      std::size_t begin = text.find("\n\n") + 2;
      for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
        CHECK(end - begin <= 102);  // an arrow is three bytes
      }
      CHECK(count_of(text, " → ") == std::min<std::size_t>(52, timeline.trace.messages.size()));
    }
  }
}

TEST_CASE("a network that takes no time has a picture too", "[report]") {
  const Timeline timeline = make_timeline("tree", {{"latency", "0"}, {"bandwidth", "infinite"}});
  CHECK(timeline.makespan() == Duration{0});
  CHECK_THAT(timeline_text(timeline, {}), ContainsSubstring("makespan 0 ns"));
  CHECK_THAT(timeline_svg(timeline), ContainsSubstring("</svg>"));
}

TEST_CASE("a timeline as JSON: the keys of the design, in seconds", "[report]") {
  const auto json = nlohmann::json::parse(timeline_json(make_timeline("example-1.2", {})));
  CHECK(json.size() == 8);
  CHECK(json["from"] == 5);
  CHECK(json["makespan"] == 9);
  CHECK(json["ranks"] == nlohmann::json({"M1", "M2", "M3"}));
  REQUIRE(json["messages"].size() == 3);
  CHECK(json["messages"][2] == nlohmann::json({{"from", 2},
                                               {"to", 0},
                                               {"bytes", 500000},
                                               {"posted", 6},
                                               {"start", 10},
                                               {"first_bit", 11.5},
                                               {"end", 14}}));
}

namespace {

/// From second 100,000 on, of 1 kB each: 1.5 s of latency and 5 ms of bits.
Timeline late_messages() {
  const std::vector<PreparedMessage> messages{{seconds(100'000), 0, 1, 1000},
                                              {seconds(100'000.5), 1, 2, 1000}};
  return timeline_of_messages("late", messages, textbook_network());
}

}  // namespace

TEST_CASE("moments of a late timeline have the digits that tell them apart", "[report]") {
  const std::string text = timeline_text(late_messages(), {.columns = 100});
  CHECK_THAT(text, ContainsSubstring("makespan 2.005 s"));
  CHECK_THAT(text, ContainsSubstring("|100000 "));
  CHECK_THAT(text, ContainsSubstring("|100000.5 "));
  CHECK_THAT(text, ContainsSubstring("100000.5     100000.5       100002   100002.005\n"));
  const std::string svg = timeline_svg(late_messages());
  CHECK_THAT(svg, ContainsSubstring(">100000.2</text>"));
  CHECK(count_of(svg, "e+0") == 0);
}

TEST_CASE("a timeline lasts until its last message has arrived", "[report]") {
  // Whose last push nobody waits for.
  for (const char* what : {"sgp-overlap", "downpour", "gosgd"}) {
    CAPTURE(what);
    const Timeline timeline = make_timeline(what, {{"steps", "2"}});
    REQUIRE_FALSE(timeline.trace.messages.empty());
    for (const Transfer& message : timeline.trace.messages) {
      CHECK(message.end <= timeline.trace.until);
    }
  }
}

TEST_CASE("the figure holds every message twice and nothing from elsewhere", "[report]") {
  const std::string svg = timeline_svg(make_timeline("example-1.3", {}));
  CHECK(svg.starts_with("<svg xmlns="));
  CHECK(count_of(svg, "fill=\"#f6c445\"") == 2 * 24 + 1);  // latencies, and the legend
  CHECK(count_of(svg, "<path") == 24);                     // heads of arrows
  CHECK(count_of(svg, "href") == 0);
  CHECK(count_of(svg, "makespan 16.5 s") == 1);
  CHECK(count_of(svg, "<rect") + count_of(svg, "<line") + count_of(svg, "<path") ==
        count_of(svg, "/>"));
}

TEST_CASE("a pipeline's timeline tells microbatches apart", "[report]") {
  const Timeline timeline = make_timeline("gpipe", {{"workers", "2"}, {"microbatches", "2"}});
  REQUIRE(timeline.trace.messages.size() == 4);
  const auto messages = nlohmann::json::parse(timeline_json(timeline))["messages"];
  std::string numbers;
  for (const auto& message : messages) numbers += message["microbatch"].dump();
  CHECK(numbers == "0101");  // up, then down
  const std::string text = timeline_text(timeline, {.columns = 100});
  CHECK(count_of(text, "arrives  microbatch\n") == 1);
  CHECK(count_of(text, "           1\n") == 2);
  const std::string svg = timeline_svg(timeline);
  CHECK(count_of(svg, "bits and arrows, in the colour of their microbatch, with its number") == 1);
  CHECK(count_of(svg, "\">1</text>") == 2 * 2);  // where they are sent and where received

  const Timeline others = make_timeline("ring", {{"workers", "2"}});
  CHECK(count_of(timeline_text(others, {.columns = 100}), "microbatch") == 0);
  CHECK(count_of(timeline_svg(others), "in their sender's colour") == 1);
}

TEST_CASE("the latency of example 1.1 is 1.5 / 14 of the figure's width", "[report]") {
  const std::string svg = timeline_svg(make_timeline("example-1.1", {}));
  // The plot is 760 wide and begins at 96: 760 · 1.5 / 14 = 81.43.
  CHECK_THAT(svg, ContainsSubstring("<rect x=\"96.00\" y=\"83.00\" width=\"81.43\""));
}

TEST_CASE("a name with markup in it stays text", "[report]") {
  Timeline timeline = make_timeline("example-1.1", {});
  timeline.title = "a<b> & \"c\"\x01\xff\u202e";  // no XML may have the first two
  CHECK_THAT(timeline_svg(timeline),
             ContainsSubstring("a&lt;b&gt; &amp; &quot;c&quot;\\x01\\xff\\xe2\\x80\\xae<"));
}

}  // namespace trainyard
