// Timelines as Chakra's traces, read by a parser of protocol buffers' wire format that is written
// anew here, beside the GOAL schedules of the same timelines, which LogGOPSim's rule confirms
// (goal_text_test.cpp). tests/report/chakra_reader.py reads files by protobuf's own.
#include "trainyard/report/chakra_trace.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/report/goal_text.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

/// A field of a message: a number, or bytes.
struct Field {
  int number = 0;
  std::uint64_t value = 0;
  std::string_view bytes{};
};

std::uint64_t take_varint(std::string_view& from) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    REQUIRE_FALSE(from.empty());
    const auto byte = static_cast<unsigned char>(from.front());
    from.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return value;
  }
}

std::string_view take_bytes(std::string_view& from) {
  const std::uint64_t length = take_varint(from);
  REQUIRE(length <= from.size());
  const std::string_view taken = from.substr(0, length);
  from.remove_prefix(length);
  return taken;
}

std::vector<Field> fields_of(std::string_view message) {
  std::vector<Field> fields;
  while (!message.empty()) {
    const std::uint64_t key = take_varint(message);
    Field field{.number = static_cast<int>(key >> 3U)};
    REQUIRE(((key & 7U) == 0 || (key & 7U) == 2));
    if ((key & 7U) == 0) {
      field.value = take_varint(message);
    } else {
      field.bytes = take_bytes(message);
    }
    fields.push_back(field);
  }
  return fields;
}

/// What a node says, or a line of a GOAL schedule and those below it.
struct Node {
  char kind = 'c';  // calc, send, recv
  std::uint64_t took = 0;
  std::map<std::string, std::uint64_t> attributes{};
  std::vector<std::uint64_t> after{};
};

Node node_of(std::string_view message, std::size_t place) {
  Node node;
  std::uint64_t id = 0;
  for (const Field& field : fields_of(message)) {
    if (field.number == 1) id = field.value;
    if (field.number == 3) node.kind = field.value == 4 ? 'c' : field.value == 5 ? 's' : 'r';
    if (field.number == 7) node.took = field.value;
    if (field.number == 5) {
      for (std::string_view left = field.bytes; !left.empty();) {
        node.after.push_back(take_varint(left));
      }
    }
    if (field.number == 10) {
      const std::vector<Field> attribute = fields_of(field.bytes);
      REQUIRE(attribute.size() == 2);
      node.attributes[std::string(attribute[0].bytes)] = attribute[1].value;
    }
  }
  CHECK(id == place);
  return node;
}

std::vector<Node> nodes_of(std::string_view file) {
  CHECK(fields_of(take_bytes(file)).front().bytes == "0.0.4");
  std::vector<Node> nodes;
  while (!file.empty()) nodes.push_back(node_of(take_bytes(file), nodes.size()));
  return nodes;
}

/// Of each rank, with what a message says as Chakra's attributes.
std::vector<std::vector<Node>> of_goal(const std::string& text) {
  std::vector<std::vector<Node>> ranks;
  std::istringstream lines(text);
  for (std::string one; std::getline(lines, one);) {
    std::istringstream words(one);
    std::string first, kind, bytes, word;
    words >> first >> kind;
    if (first == "rank") ranks.emplace_back();
    if (kind == "requires") {
      words >> word;
      ranks.back()[std::stoul(first.substr(1))].after.push_back(std::stoull(word.substr(1)));
    }
    if (!first.ends_with(":")) continue;
    Node node{.kind = kind[0]};
    if (node.kind == 'c') {
      words >> node.took;
    } else {
      std::uint64_t peer = 0, tag = 0;
      words >> bytes >> word >> peer >> word >> tag;
      const std::uint64_t rank = ranks.size() - 1;
      node.attributes = {{"comm_src", node.kind == 's' ? rank : peer},
                         {"comm_dst", node.kind == 's' ? peer : rank},
                         {"comm_tag", tag},
                         {"comm_size", std::stoull(bytes)}};
    }
    ranks.back().push_back(std::move(node));
  }
  return ranks;
}

}  // namespace

TEST_CASE("Chakra's traces are the GOAL schedule of the same timeline", "[report]") {
  for (const char* what : {"ring", "ps-sync", "gossip:one-peer-exp", "gossip:ring", "ddp"}) {
    CAPTURE(what);
    const Timeline timeline = make_timeline(what, {{"workers", "16"}});
    const std::vector<std::string> files = chakra_traces(timeline);
    const auto goal = of_goal(goal_text(timeline));
    REQUIRE(files.size() == timeline.names.size());
    REQUIRE(goal.size() == files.size());
    double longest = 0.0;
    for (std::size_t rank = 0; rank < files.size(); ++rank) {
      const std::vector<Node> nodes = nodes_of(files[rank]);
      REQUIRE(nodes.size() == goal[rank].size());
      double chakra_us = 0.0, goal_ns = 0.0;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node& line = goal[rank][i];
        CHECK(nodes[i].kind == line.kind);
        CHECK(nodes[i].after == line.after);
        auto attributes = nodes[i].attributes;
        CHECK(attributes.extract("is_cpu_op").mapped() == 0);
        CHECK(attributes == line.attributes);
        chakra_us += static_cast<double>(nodes[i].took);
        goal_ns += static_cast<double>(line.took);
        // Each to a microsecond, and so all together but for gaps between them.
        CHECK(std::abs(1e3 * static_cast<double>(nodes[i].took) - static_cast<double>(line.took)) <=
              1001.0);
      }
      CHECK(std::abs(1e3 * chakra_us - goal_ns) <= 1001.0 * static_cast<double>(nodes.size()));
      longest = std::max(longest, chakra_us);
    }
    CHECK(longest >= 3000.0);  // 3 ms a minibatch
  }
}

TEST_CASE("Chakra's traces are refused where messages take no time", "[report]") {
  const Timeline perfect = make_timeline("ring", {{"latency", "0s"}, {"bandwidth", "infinite"}});
  CHECK_THROWS_WITH(chakra_traces(perfect), ContainsSubstring("--chakra: a message from rank"));
}

}  // namespace trainyard
