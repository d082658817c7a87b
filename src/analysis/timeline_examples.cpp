// The four examples of Liu & Zhang 2020, §1.3 (catalogue §1.1-1.2), with their numbers.
#include <vector>

#include <fmt/format.h>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/runtime/rank.hpp"

#include "analysis/timeline_of_programs.hpp"

namespace trainyard {

namespace {

constexpr std::uint64_t megabyte = 1'000'000;
constexpr int machines = 4;  // of examples 1.3 and 1.4

/// M1 → M2 at 5; M2 → M1 and M3 → M1 at 6.
std::vector<PreparedMessage> three_messages(std::uint64_t bytes) {
  return {{seconds(5), 0, 1, bytes}, {seconds(6), 1, 0, bytes}, {seconds(6), 2, 0, bytes}};
}

Timeline named_machines(Timeline timeline) {
  for (std::size_t i = 0; i < timeline.names.size(); ++i) {
    timeline.names[i] = fmt::format("M{}", i + 1);
  }
  return timeline;
}

Timeline example_1_1(const Network& network) {
  return named_machines(timeline_of_messages("Example 1.1: three messages of 1 MB",
                                             three_messages(megabyte), network));
}

Timeline example_1_2(const Network& network) {
  return named_machines(timeline_of_messages(
      "Example 1.2: the messages of example 1.1, compressed to half their size",
      three_messages(megabyte / 2), network));
}

/// In round s machine w passes partition w − s on; n−1 rounds add, n−1 overwrite.
Timeline example_1_3(const Network& network) {
  return named_machines(timeline_of_programs("Example 1.3: all-reduce of 1 MB around a ring",
                                             machines, 0, network, [](Rank& rank) {
                                               std::vector<float> vector(megabyte / sizeof(float));
                                               ring_sum(rank, vector);
                                             }));
}

/// Everyone owns a partition. First i and j swap theirs, in rounds i XOR j; when an owner has all,
/// it sends the sum to those after it in turn.
void exchange_with_owners(Rank& rank) {
  const std::vector<std::byte> partition(megabyte / machines);
  const int self = rank.rank();
  for (int round = 1; round < machines; ++round) rank.send_encoded(self ^ round, partition);
  for (int round = 1; round < machines; ++round) (void)rank.receive(self ^ round);
  for (int hop = 1; hop < machines; ++hop) rank.send_encoded((self + hop) % machines, partition);
  for (int hop = 1; hop < machines; ++hop) (void)rank.receive((self + machines - hop) % machines);
}

Timeline example_1_4(const Network& network) {
  return named_machines(
      timeline_of_programs("Example 1.4: parameter servers on the workers, a quarter of 1 MB each",
                           machines, 0, network, exchange_with_owners));
}

}  // namespace

Network textbook_network() {
  return {.latency = seconds(1.5), .bytes_per_second = static_cast<double>(megabyte) / 5.0};
}

const std::vector<TimelineExample>& timeline_examples() {
  static const std::vector<TimelineExample> table{
      {"example-1.1", "three messages, two of them to the same machine: takes 14", example_1_1},
      {"example-1.2", "the same, compressed to half the size: takes 9", example_1_2},
      {"example-1.3", "ring all-reduce of four machines: 6 rounds", example_1_3},
      {"example-1.4", "four machines, each the server of a quarter: 3 + 3 rounds", example_1_4},
  };
  return table;
}

}  // namespace trainyard
