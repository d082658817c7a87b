// The rule behind next_step(): counts in, verdict out. What is expected is worked out by hand.
#include "trainyard/runtime/steps.hpp"

#include <limits>
#include <vector>

#include "support/catch.hpp"

namespace trainyard {

namespace {

constexpr Time no_time{0};

StepRule rule(Pace pace, const RunLimits& limits, int workers = 4, std::uint64_t lot = 1) {
  return {.pace = pace, .limits = limits, .workers = workers, .lot = lot};
}

/// What one free worker is told that takes all lots by itself: the sizes of its lots.
std::vector<std::uint64_t> lots_of_lone_worker(const StepRule& rule) {
  std::vector<std::uint64_t> lots;
  for (std::uint64_t claimed = 0;; claimed += rule.lot) {
    const std::uint64_t lot = rule.lot_from(claimed);
    if (lot == 0) return lots;
    lots.push_back(lot);
  }
}

}  // namespace

TEST_CASE("lockstep: a worker takes its steps and no more", "[runtime]") {
  const StepRule steps = rule(Pace::lockstep, {.steps = 3, .evaluate_every = 100});
  CHECK(steps.next({.done = 0, .last_step = 3}, no_time) == Verdict::go_on);
  CHECK(steps.next({.done = 2, .last_step = 3}, no_time) == Verdict::go_on);
  CHECK(steps.next({.done = 3, .last_step = 3}, no_time) == Verdict::stop);
  // None at all, as where the target is reached before the first.
  CHECK(steps.next({.done = 0, .last_step = 0}, no_time) == Verdict::stop);
}

TEST_CASE("lockstep: the run is looked at after every so many steps, the last one too",
          "[runtime]") {
  const StepRule steps = rule(Pace::lockstep, {.steps = 6, .evaluate_every = 3});
  std::vector<std::uint64_t> looks;
  for (std::uint64_t done = 0; done <= 6; ++done) {
    StepCounts counts{.done = done, .last_step = 6};
    if (steps.next(counts, no_time) == Verdict::look) {
      looks.push_back(done);
      counts.looked = true;  // and is asked again
    }
    CHECK(steps.next(counts, no_time) == (done < 6 ? Verdict::go_on : Verdict::stop));
  }
  CHECK(looks == std::vector<std::uint64_t>{3, 6});
}

TEST_CASE("lockstep: between two looks a worker need not ask, and no longer than that",
          "[runtime]") {
  for (const std::uint64_t every : {1U, 3U, 4U, 100U}) {
    for (const std::uint64_t last : {1U, 7U, 8U, 9U}) {
      const StepRule steps = rule(Pace::lockstep, {.steps = last, .evaluate_every = every});
      CAPTURE(every, last);
      for (std::uint64_t done = 0; done < last; ++done) {
        const std::uint64_t unasked = steps.steps_unasked({.done = done, .last_step = last});
        REQUIRE(unasked > 0);
        for (std::uint64_t other = done + 1; other < done + unasked; ++other) {
          CHECK(steps.next({.done = other, .last_step = last}, no_time) == Verdict::go_on);
        }
        CHECK(steps.next({.done = done + unasked, .last_step = last}, no_time) != Verdict::go_on);
      }
    }
  }
}

TEST_CASE("lockstep: out of time a run is wound up once, after the look", "[runtime]") {
  const StepRule steps =
      rule(Pace::lockstep, {.steps = 100, .evaluate_every = 5, .time = seconds(1.0)});
  StepCounts counts{.done = 5, .last_step = 100};
  CHECK(steps.next(counts, seconds(1.0)) == Verdict::look);
  counts.looked = true;
  CHECK(steps.next(counts, seconds(1.0) - Duration(1)) == Verdict::go_on);
  CHECK(steps.next(counts, seconds(1.0)) == Verdict::wind_up);
  // Another worker has begun step 6 already, the seventh: all do it, none does the eighth.
  counts.ending = true;
  counts.last_step = steps.end(7, 0, counts.last_step);
  for (std::uint64_t done = 5; done < 7; ++done) {
    counts.done = done;
    CHECK(steps.next(counts, seconds(2.0)) == Verdict::go_on);
  }
  counts.done = 7;
  CHECK(steps.next(counts, seconds(2.0)) == Verdict::stop);
}

TEST_CASE("winding up never makes a run longer", "[runtime]") {
  for (const Pace pace : {Pace::lockstep, Pace::free, Pace::server}) {
    CHECK(rule(pace, {.steps = 10}).end(10, 10, 10) == 10);
    CHECK(rule(pace, {.steps = 10}).end(4, 3, 2) == 2);
  }
}

TEST_CASE("an interrupted run is wound up, whatever its clock", "[runtime]") {
  for (const Pace pace : {Pace::lockstep, Pace::free, Pace::server}) {
    for (const Duration time : {Duration::max(), Duration(seconds(1.0))}) {
      CAPTURE(static_cast<int>(pace), time.count());
      const StepRule steps = rule(pace, {.steps = 10, .time = time});
      StepCounts counts{.interrupted = true, .last_step = 10, .lot_left = 1};
      CHECK(steps.next(counts, no_time) == Verdict::wind_up);
      counts.interrupted = false;
      CHECK(steps.next(counts, no_time) == Verdict::go_on);
    }
  }
}

TEST_CASE("a clock that stands still for so many steps of a worker is refused", "[runtime]") {
  for (const Pace pace : {Pace::lockstep, Pace::free, Pace::server}) {
    CAPTURE(static_cast<int>(pace));
    const RunLimits limits{.steps = 1'000'000,
                           .evaluate_every = 1'000'000,
                           .time = seconds(1.0),
                           .steps_of_instant = 10};
    StepCounts counts{.done = 509, .of_instant = 9, .last_step = 1'000'000, .lot_left = 1};
    CHECK(rule(pace, limits).next(counts, seconds(0.5)) == Verdict::go_on);
    counts.of_instant = 10;
    CHECK(rule(pace, limits).next(counts, seconds(0.5)) == Verdict::refuse);
    // A run that ends already is not refused; nor one that ends by its steps.
    counts.ending = true;
    CHECK(rule(pace, limits).next(counts, seconds(0.5)) != Verdict::refuse);
    counts.ending = false;
    RunLimits by_steps = limits;
    by_steps.steps_of_instant = 0;
    CHECK(rule(pace, by_steps).next(counts, seconds(0.5)) == Verdict::go_on);
    by_steps = limits;
    by_steps.time = Duration::max();
    CHECK_FALSE(rule(pace, by_steps).goes_by_clock());
    CHECK(rule(pace, by_steps).next(counts, no_time) == Verdict::go_on);
  }
}

TEST_CASE("free: the common count is given out in lots, the last one what is left", "[runtime]") {
  const StepRule steps = rule(Pace::free, {.steps = 5}, 4, 8);
  CHECK(steps.minibatches() == 20);
  CHECK(lots_of_lone_worker(steps) == std::vector<std::uint64_t>{8, 8, 4});
  CHECK(lots_of_lone_worker(rule(Pace::free, {.steps = 4}, 4, 8)) ==
        std::vector<std::uint64_t>{8, 8});
  CHECK(lots_of_lone_worker(rule(Pace::free, {.steps = 1}, 3, 1000)) ==
        std::vector<std::uint64_t>{3});
  CHECK(lots_of_lone_worker(rule(Pace::free, {.steps = 0}, 3, 2)).empty());
  // Many workers ask beyond the end: each finds nothing.
  CHECK(steps.lot_from(24) == 0);
  CHECK(steps.lot_from(std::numeric_limits<std::uint64_t>::max() - 8) == 0);
}

TEST_CASE("free: a limit of minibatches takes the place of that of steps", "[runtime]") {
  const StepRule steps = rule(Pace::free, {.steps = 1000, .minibatches = 7}, 4, 3);
  CHECK(steps.minibatches() == 7);
  CHECK(lots_of_lone_worker(steps) == std::vector<std::uint64_t>{3, 3, 1});
}

TEST_CASE("free: a worker claims when its lot is done, however many steps it took", "[runtime]") {
  const StepRule steps = rule(Pace::free, {.steps = 2, .evaluate_every = 100}, 4, 8);
  CHECK(steps.next({.done = 0, .lot_left = 0}, no_time) == Verdict::claim);
  CHECK(steps.next({.done = 7, .lot_left = 1}, no_time) == Verdict::go_on);
  CHECK(steps.next({.done = 1000, .lot_left = 1}, no_time) == Verdict::go_on);
  CHECK(steps.next({.done = 8, .lot_left = 0, .completed_before = 3, .completed = 11}, no_time) ==
        Verdict::claim);
}

TEST_CASE("free: the run is looked at by whose lot takes the common count past a mark",
          "[runtime]") {
  // Every 3 steps a worker: after 12 minibatches, 24, ...
  const StepRule steps = rule(Pace::free, {.steps = 100, .evaluate_every = 3}, 4, 5);
  const auto verdict = [&](std::uint64_t before, std::uint64_t after, bool looked = false) {
    return steps.next({.done = 5, .looked = looked, .completed_before = before, .completed = after},
                      no_time);
  };
  CHECK(verdict(0, 5) == Verdict::claim);
  CHECK(verdict(6, 11) == Verdict::claim);
  CHECK(verdict(7, 12) == Verdict::look);
  CHECK(verdict(7, 12, true) == Verdict::claim);
  CHECK(verdict(12, 17) == Verdict::claim);
  CHECK(verdict(10, 15) == Verdict::look);
  CHECK(verdict(8, 40) == Verdict::look);  // past two marks: once
  // In the middle of a lot nobody looks.
  CHECK(steps.next({.done = 5, .lot_left = 2, .completed_before = 7, .completed = 12}, no_time) ==
        Verdict::go_on);
}

TEST_CASE("free: out of time a worker stops in the middle of its lot", "[runtime]") {
  const StepRule steps = rule(Pace::free, {.steps = 100, .time = seconds(1.0)}, 4, 8);
  StepCounts counts{.done = 3, .lot_left = 5};
  CHECK(steps.next(counts, seconds(0.9)) == Verdict::go_on);
  CHECK(steps.next(counts, seconds(1.0)) == Verdict::wind_up);
  counts.ending = true;
  CHECK(steps.next(counts, seconds(1.0)) == Verdict::stop);
  counts.lot_left = 0;
  CHECK(steps.next(counts, seconds(1.0)) == Verdict::stop);
}

TEST_CASE("server: workers go on until all servers have closed the last step", "[runtime]") {
  const StepRule steps = rule(Pace::server, {.steps = 3, .evaluate_every = 2});
  // However many it took part in itself.
  for (const std::uint64_t done : {0U, 2U, 3U, 50U}) {
    CHECK(steps.next({.done = done, .last_step = 3, .closed = 2}, no_time) == Verdict::go_on);
    CHECK(steps.next({.done = done, .last_step = 3, .closed = 3}, no_time) == Verdict::stop);
  }
}

TEST_CASE("server: a worker asks for every step, as any may be the last one closed", "[runtime]") {
  const StepRule steps = rule(Pace::server, {.steps = 3, .evaluate_every = 2});
  CHECK(steps.steps_unasked({.done = 0, .last_step = 3, .closed = 0}) == 1);
}

TEST_CASE("free: a team's lot is as many steps as it takes, the last one beyond its end if need be",
          "[runtime]") {
  StepRule steps = rule(Pace::free, {.steps = 10}, 8, 8);
  CHECK(steps.steps_of(8) == 8);
  steps.team = 4;
  CHECK(steps.steps_of(0) == 0);
  CHECK(steps.steps_of(8) == 2);
  CHECK(steps.steps_of(9) == 3);
}

TEST_CASE("server: wound up, a run ends with the step after the foremost server's last",
          "[runtime]") {
  const StepRule steps = rule(Pace::server, {.steps = 100, .time = seconds(1.0)});
  StepCounts counts{.done = 9, .last_step = 100, .closed = 4};
  CHECK(steps.next(counts, seconds(1.0)) == Verdict::wind_up);
  // One server has closed 5 steps and may have what it takes for the sixth; workers' own counts,
  // which are of steps dropped as well, say nothing.
  counts.ending = true;
  counts.last_step = steps.end(12, 5, counts.last_step);
  CHECK(counts.last_step == 6);
  counts.closed = 5;
  CHECK(steps.next(counts, seconds(1.0)) == Verdict::go_on);
  counts.closed = 6;
  CHECK(steps.next(counts, seconds(1.0)) == Verdict::stop);
}

TEST_CASE("the last look is at a multiple of the steps between two", "[runtime]") {
  const StepRule steps = rule(Pace::server, {.steps = 100, .evaluate_every = 4});
  CHECK(steps.last_look(0) == 0);
  CHECK(steps.last_look(3) == 0);
  CHECK(steps.last_look(4) == 4);
  CHECK(steps.last_look(11) == 8);
}

TEST_CASE("when it is time to meet, what has begun is finished", "[runtime]") {
  const StepRule steps =
      rule(Pace::lockstep, {.steps = 20, .evaluate_every = 100, .meet_at = Time(7), .cycle = 4});
  StepCounts counts{.done = 3, .any_begun = true, .last_step = 20};
  CHECK(steps.next(counts, Time(6)) == Verdict::go_on);
  CHECK(steps.next(counts, Time(7)) == Verdict::meet);
  CHECK(steps.meeting(5, 0, 20) == 8);
  CHECK(steps.meeting(8, 0, 20) == 8);
  CHECK(steps.meeting(17, 0, 19) == 19);  // the run's last one
  counts = {.done = 7, .meeting = true, .last_step = 8};
  CHECK(steps.next(counts, Time(9)) == Verdict::go_on);
  counts.done = 8;
  CHECK(steps.next(counts, Time(9)) == Verdict::stop);

  const StepRule free = rule(Pace::free, {.steps = 20, .meet_at = Time(7)}, 4, 3);
  CHECK(free.next({.any_begun = false}, Time(8)) == Verdict::claim);  // a leg has a step
  CHECK(free.next({.any_begun = true, .lot_left = 2}, Time(8)) == Verdict::meet);
  CHECK(free.next({.meeting = true, .any_begun = true, .lot_left = 2}, Time(8)) == Verdict::go_on);
  CHECK(free.next({.meeting = true, .any_begun = true}, Time(8)) == Verdict::stop);
  // The run's own end comes first.
  const StepRule ends = rule(Pace::free, {.steps = 20, .time = Time(7), .meet_at = Time(7)});
  CHECK(ends.next({.any_begun = true}, Time(7)) == Verdict::wind_up);
}

}  // namespace trainyard
