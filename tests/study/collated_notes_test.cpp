// Notes that differ only in their numbers are one.
#include "trainyard/study/collated_notes.hpp"

#include <fmt/format.h>

#include "trainyard/study/repeated_notes.hpp"

#include "report/results.hpp"
#include "study/numbers_apart.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Texts = std::vector<std::string>;

bool are_alike(const std::string& one, const std::string& other) {
  return kind_of_sentence(one) == kind_of_sentence(other);
}

/// A run of each label and seed, with the note that `said` has for it; empty: none.
template <typename Said>
std::vector<RunResult> runs_with(const Texts& labels, std::uint64_t seeds, Said said) {
  std::vector<RunResult> runs;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    for (const std::string& label : labels) {
      runs.push_back(bare_result("ring"));
      runs.back().summary.label = label;
      runs.back().summary.seed = seed;
      if (const std::string text = said(label, seed); !text.empty()) {
        runs.back().summary.notes = {{"", text}};
      }
    }
  }
  return runs;
}

}  // namespace

TEST_CASE("sentences are alike that count and measure other numbers", "[study]") {
  CHECK(are_alike("note: 2 crashes: 367.6 ms of the time lost",
                  "note: 1 crash: 2 s of the time lost"));
  CHECK(are_alike("1 message was under way", "8 messages were under way"));
  CHECK(are_alike("after 3 % (σ ≈ 0.1), 1e-9", "after 55 % (σ ≈ 12), 7"));
  CHECK_FALSE(are_alike("worker 3 is away for 2 s", "worker 4 is away for 2 s"));
  CHECK(are_alike("worker 3 is away for 2 s", "worker 3 is away for 7 ms"));
  CHECK_FALSE(are_alike("workers 1, 3 and 5 are away", "workers 1, 3 and 6 are away"));
  CHECK_FALSE(are_alike("with --lr 0.1 it diverges", "with --lr 0.2 it diverges"));
  CHECK_FALSE(are_alike("ssp{staleness=1} waits", "ssp{staleness=2} waits"));
  CHECK_FALSE(are_alike("crash:3@100ms", "crash:3@200ms"));
  CHECK_FALSE(are_alike("the loss is 3", "the loss is inf"));
  CHECK_FALSE(are_alike("2 rows are left out", "2 columns are left out"));
  CHECK_FALSE(are_alike("after 3 steps", "after 3 s"));
}

TEST_CASE("one sentence has the ranges of several", "[study]") {
  CHECK(with_ranges(Texts{"note: 2 crashes: 367.6 ms of it", "note: 1 crash: 922 ms of it",
                          "note: 17 crashes: 900 ms of it"}) ==
        "note: 1 to 17 crashes: 367.6 to 922 ms of it");
  CHECK(with_ranges(Texts{"a crash costs 955.9 ms.", "a crash costs 2.035 s."}) ==
        "a crash costs 955.9 ms to 2.035 s.");
  CHECK(with_ranges(Texts{"workers have 3 to 40 of the 96 rows; (at most ×1.5)",
                          "workers have 7 to 31 of the 96 rows; (at most ×3)"}) ==
        "workers have 3 to 40 of the 96 rows; (at most ×1.5 to 3)");
  CHECK(with_ranges(Texts{"1 message was late", "1 message was late"}) == "1 message was late");
  CHECK(with_ranges(Texts{"1 message was late, by 3 %", "2 messages were late, by 12 %"}) ==
        "1 to 2 messages were late, by 3 to 12 %");
}

TEST_CASE("notes of many seeds are one for each contestant", "[study]") {
  const auto crashes = [](const std::string& label, std::uint64_t seed) {
    if (label == "gossip" && seed == 2) return std::string("warning: diverged");
    if (label == "ring" && seed == 7) return std::string();
    return fmt::format("note: {} crashes: {} ms lost", label == "ring" ? 10 + seed : 2, 100 * seed);
  };
  const std::vector<RunResult> runs = runs_with({"ring", "gossip"}, 8, crashes);
  CHECK(collated_notes(runs, {}) ==
        std::vector<Note>{{"ring, seeds 1 to 6, 8", "note: 11 to 18 crashes: 100 to 800 ms lost"},
                          {"gossip, seeds 1, 3 to 8", "note: 2 crashes: 100 to 800 ms lost"},
                          {"gossip, seed 2", "warning: diverged"}});
  CHECK(runs.front().summary.notes == std::vector<Note>{{"", "note: 11 crashes: 100 ms lost"}});
}

TEST_CASE("two notes stay two, and three of one run three", "[study]") {
  const auto crashes = [](const std::string&, std::uint64_t seed) {
    return fmt::format("note: {} crashes", seed + 1);
  };
  CHECK(collated_notes(runs_with({"ring", "gossip"}, 2, crashes), {}) ==
        std::vector<Note>{{"seed 1", "note: 2 crashes"}, {"seed 2", "note: 3 crashes"}});
  std::vector<RunResult> one = runs_with({"ring"}, 1, crashes);
  one[0].summary.notes = {
      {"", "note: 2 crashes"}, {"", "note: 3 crashes"}, {"", "note: 4 crashes"}};
  CHECK(collated_notes(one, {}).size() == 3);
}

TEST_CASE("what all contestants have of a seed is one note of the seeds", "[study]") {
  const auto shares = [](const std::string&, std::uint64_t seed) {
    return fmt::format("note: workers have {} to {} of 96 rows", seed, 90 - seed);
  };
  CHECK(collated_notes(runs_with({"ring", "gossip"}, 4, shares), {}) ==
        std::vector<Note>{{"seeds 1 to 4", "note: workers have 1 to 89 of 96 rows"}});
}

TEST_CASE("of notes that repeat the first is said at once, the others when all have ended",
          "[study]") {
  const auto crashes = [](const std::string& label, std::uint64_t seed) {
    return fmt::format("note: {} crashes", label == "ring" ? seed + 1 : seed + 20);
  };
  const std::vector<RunResult> runs = runs_with({"ring", "gossip"}, 3, crashes);
  RepeatedNotes notes(true);
  Texts said;
  for (const RunResult& run : runs) {
    const Summary& s = run.summary;
    Case one;
    one.label = s.label;
    one.configuration = run.resolved;
    one.folder = fmt::format("seed-{}", s.seed);
    const std::string& text = s.notes.front().text;
    if (notes.is_new(one, text)) said.push_back(text);
    // Another fact of the same run.
    if (s.seed == 1) CHECK(notes.is_new(one, "note: 99 crashes"));
  }
  CHECK(said == Texts{"note: 2 crashes", "note: 21 crashes"});
  CHECK(notes.lines_left(runs) == Texts{"note: ring, seeds 1 to 3: 2 to 4 crashes",
                                        "note: gossip, seeds 1 to 3: 21 to 23 crashes"});
  const std::span<const RunResult> first(runs.data(), 4);  // of two seeds
  CHECK(notes.lines_left(first) == Texts{"note: ring, seed 2: 3 crashes",
                                         "note: gossip, seed 2: 22 crashes",
                                         "note: gossip: 23 crashes", "note: ring: 4 crashes"});
}

TEST_CASE("notes of one seed at many points are one for each contestant", "[study]") {
  std::vector<RunResult> runs;
  for (const char* latency : {"0us", "1ms", "2ms", "3ms"}) {
    for (const char* label : {"ring", "gossip"}) {
      runs.push_back(bare_result("ring"));
      runs.back().summary.label = label;
      runs.back().summary.varied = {{"latency", latency}};
      runs.back().summary.notes = {{"", fmt::format("note: {} crashes", runs.size())}};
    }
  }
  runs[1].summary.notes.clear();
  CHECK(collated_notes(runs, {}) ==
        std::vector<Note>{{"ring", "note: 1 to 7 crashes"},
                          {"gossip at 3 of 4 points", "note: 4 to 8 crashes"}});
}

}  // namespace trainyard
