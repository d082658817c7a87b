// Where a mark on a line is right: from there to there the figure is within the tolerance of the
// least of many values, and beyond it is not.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/analysis/checkpointing.hpp"
#include "trainyard/base/named_table.hpp"

#include "labs/shown.hpp"

namespace trainyard {

namespace {

struct Place {
  double value;
  double seconds;  // until the target
};

/// Of the lab's runs with other contestants, up to the target that the lab's own have.
std::vector<Place> places_of(const std::string& lab, double target,
                             const std::vector<std::pair<double, std::string>>& typed) {
  ComparisonRequest request{.configuration = default_configuration(), .contestants = {}};
  std::vector<ContestantTable> others;
  parse_configuration(*lab_text("lab:" + lab), "lab:" + lab, request.configuration, &others);
  request.configuration.target_loss = target;
  std::vector<Place> places;
  for (const auto& [value, text] : typed) {
    request.contestants = parse_contestants(text);
    const Compared compared = run_comparison(request, {});
    REQUIRE(compared.runs.size() == 1);
    places.push_back(
        {value, compared.runs.front().summary.seconds_to_target.value_or(story::never)});
  }
  return places;
}

const DrawnGuess& drawn_of(const std::string& lab) {
  const auto& drawn = find_named(labs(), lab, "lab").page.guess.drawn;
  REQUIRE(drawn);
  return *drawn;
}

void check_right(const DrawnGuess& drawn, const std::vector<Place>& places) {
  const double least = std::ranges::min_element(places, {}, &Place::seconds)->seconds;
  for (const Place& place : places) {
    CAPTURE(place.value, place.seconds, least);
    const bool is_right = drawn.right_from <= place.value && place.value <= drawn.right_to;
    CHECK((place.seconds <= drawn.tolerance * least) == is_right);
  }
}

}  // namespace

TEST_CASE("a mark is right where periods are within a fifth of the best", "[labs]") {
  std::vector<std::pair<double, std::string>> typed;
  for (const int period : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 14, 16, 20, 24, 28, 32, 36, 40, 48, 64}) {
    typed.emplace_back(period, fmt::format("local-sgd{{period={}}}", period));
  }
  // The loss that all of the lab's own contestants reach.
  const double target = story::shown("local-steps").loss("local-sgd{period=64}");
  check_right(drawn_of("local-steps"), places_of("local-steps", target, typed));
}

TEST_CASE("a mark is right where numbers of workers are within a fifth of the best", "[labs]") {
  // Step sizes grow with the workers up to what the largest ones still bear, as in the lab.
  std::vector<std::pair<double, std::string>> typed;
  for (const auto& [workers, lr] : std::vector<std::pair<int, double>>{{1, 0.1},
                                                                       {4, 0.4},
                                                                       {8, 0.8},
                                                                       {12, 1.2},
                                                                       {14, 1.4},
                                                                       {16, 1.6},
                                                                       {20, 2.0},
                                                                       {24, 2.4},
                                                                       {32, 3.2},
                                                                       {40, 4.0},
                                                                       {48, 4.0},
                                                                       {52, 4.0},
                                                                       {64, 3.2}}) {
    typed.emplace_back(workers, fmt::format("ring{{workers={},lr={}}}", workers, lr));
  }
  check_right(drawn_of("how-many-workers"), places_of("how-many-workers", 0.308, typed));
}

TEST_CASE("a mark is right where checkpoints are within a tenth of the expected best", "[labs]") {
  const DrawnGuess& drawn = drawn_of("when-to-checkpoint");
  // A worker fails after 8 s, of eight; a pass takes 0.45 s without failures and checkpoints.
  const double pass_s =
      story::shown("when-to-checkpoint", {{"fault", "none"}, {"checkpoint-time", "0s"}})
          .seconds("ring{checkpoint-every=4}") /
      8.0;
  CHECK(pass_s == Approx(0.45).epsilon(0.02));
  const CheckpointTask task{
      .checkpoint_s = 0.05, .restart_s = 0.1, .mtbf_s = mtbf_of_all({8, 8.0}), .run_s = 8 * pass_s};
  std::vector<Place> places;
  for (const double passes :
       {0.02, 0.1, 0.2, 0.25, 0.29, 0.4, 0.6, 0.7, 0.8, 1.0, 1.2, 1.3, 1.45, 2.0, 4.0, 8.0}) {
    places.push_back({passes, *checkpointed(task, passes * pass_s).expected_s});
  }
  check_right(drawn, places);
}

}  // namespace trainyard
