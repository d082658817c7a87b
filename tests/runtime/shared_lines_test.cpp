// The rule by which cache lines come, by hand.
#include "trainyard/runtime/shared_lines.hpp"

#include <cstdint>
#include <vector>

#include "trainyard/base/random.hpp"

#include "support/catch.hpp"

using namespace trainyard;
using Passage = SharedLines::Passage;

namespace {

constexpr Duration t{80};  // whole eighths
constexpr std::size_t width = 16;

SharedLines lines_of(int workers, std::size_t count, bool whole = false) {
  return SharedLines(t, {.workers = workers, .parameters = count * width, .touched_whole = whole});
}

/// How long the worker waits for these lines, asked for at `now`.
Duration wait(SharedLines& lines, int worker, Time now, const std::vector<std::size_t>& which,
              LineUse use) {
  Passage passage = SharedLines::begin(worker, now);
  for (const std::size_t line : which) lines.touch(passage, 0, line * width, 1, use);
  return passage.has - now;
}

}  // namespace

TEST_CASE("a line that nobody else has written is free", "[runtime]") {
  SharedLines lines = lines_of(2, 3);
  CHECK(wait(lines, 0, Time{0}, {0, 1, 2}, LineUse::read) == Duration{0});
  CHECK(wait(lines, 0, Time{0}, {0, 1, 2}, LineUse::write) == Duration{0});
  CHECK(wait(lines, 0, Time{7}, {2, 2, 0}, LineUse::write) == Duration{0});
}

TEST_CASE("a line that another wrote comes once, until it is written again", "[runtime]") {
  SharedLines lines = lines_of(3, 2);
  wait(lines, 0, Time{0}, {0}, LineUse::write);
  CHECK(wait(lines, 1, Time{1000}, {0}, LineUse::read) == t);
  CHECK(wait(lines, 1, Time{2000}, {0}, LineUse::read) == Duration{0});
  CHECK(wait(lines, 1, Time{2000}, {0}, LineUse::write) == Duration{0});
  // Who has written it before, and who has never touched it.
  CHECK(wait(lines, 0, Time{3000}, {0}, LineUse::read) == t);
  CHECK(wait(lines, 2, Time{4000}, {0}, LineUse::read) == t);
  CHECK(wait(lines, 1, Time{5000}, {0}, LineUse::read) == Duration{0});
  CHECK(wait(lines, 2, Time{6000}, {1}, LineUse::read) == Duration{0});
}

TEST_CASE("eight lines are under way at a time", "[runtime]") {
  SharedLines lines = lines_of(2, 11);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < 11; ++i) all.push_back(i);
  wait(lines, 0, Time{0}, all, LineUse::write);
  CHECK(wait(lines, 1, Time{5000}, all, LineUse::write) == t + 10 * t / 8);
}

TEST_CASE("a line is in one place at a time: who asks for it next waits twice as long",
          "[runtime]") {
  SharedLines lines = lines_of(4, 2);
  wait(lines, 0, Time{0}, {0, 1}, LineUse::write);
  CHECK(wait(lines, 1, Time{1000}, {0}, LineUse::write) == t);
  CHECK(wait(lines, 2, Time{1000}, {0}, LineUse::write) == 2 * t + t);
  CHECK(wait(lines, 3, Time{1050}, {0}, LineUse::write) == 4 * t + t - Duration{50});
  // What comes behind it is asked for when it has set out.
  wait(lines, 1, Time{1000}, {1}, LineUse::write);
  CHECK(wait(lines, 0, Time{1100}, {0, 1}, LineUse::write) == 6 * t - Duration{100} + t / 8 + t);
  CHECK(wait(lines, 1, Time{9000}, {0}, LineUse::write) == t);
}

TEST_CASE("lines of more workers than a word has bits are kept apart", "[runtime]") {
  SharedLines lines = lines_of(130, 1);
  wait(lines, 129, Time{0}, {0}, LineUse::write);
  for (const int worker : {0, 63, 64, 65, 128}) {
    CHECK(wait(lines, worker, Time{1000 * (worker + 1)}, {0}, LineUse::read) == t);
  }
  CHECK(wait(lines, 129, Time{900'000}, {0}, LineUse::read) == Duration{0});
}

TEST_CASE("a range of parameters has the lines that it lies on, and models are apart",
          "[runtime]") {
  SharedLines lines(t, {.workers = 2, .models = 2, .parameters = 4 * width});
  Passage writes = SharedLines::begin(0, Time{0});
  lines.touch(writes, 1, 15, 2, LineUse::write);  // of lines 0 and 1
  const auto wait_for = [&](int model, std::size_t first, Time now) {
    Passage passage = SharedLines::begin(1, now);
    lines.touch(passage, model, first, 1, LineUse::read);
    return passage.has - now;
  };
  CHECK(wait_for(0, 0, Time{1000}) == Duration{0});
  CHECK(wait_for(1, 0, Time{2000}) == t);
  CHECK(wait_for(1, 31, Time{3000}) == t);
  CHECK(wait_for(1, 32, Time{4000}) == Duration{0});
}

TEST_CASE("lines that are touched together may be kept as one", "[runtime]") {
  // Against the same lines one by one, over a long random history.
  for (const std::size_t count : {1U, 2U, 7U, 40U}) {
    constexpr int workers = 5;
    SharedLines apart = lines_of(workers, count), whole = lines_of(workers, count, true);
    RandomStream random(1, Purpose::scheme, static_cast<std::uint32_t>(count));
    Time now{0};
    for (int turn = 0; turn < 2000; ++turn) {
      const int worker = static_cast<int>(random.below(workers));
      const LineUse use = random.below(3) == 0 ? LineUse::read : LineUse::write;
      Passage one = SharedLines::begin(worker, now), other = one;
      apart.touch_all(one, 0, use);
      whole.touch_all(other, 0, use);
      REQUIRE(one.has == other.has);
      now += Duration{static_cast<std::int64_t>(random.below(1500))};
    }
  }
}
