// What a lab's page asks and shows before it tells: the guess has an answer, and a minimum is one.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "trainyard/run/figures.hpp"

#include "labs/shown.hpp"

namespace trainyard {

namespace {

using story::Shown;
using story::shown;

const Figure& figure_of(const std::string& key) {
  const auto found = std::ranges::find(figures(), key, &Figure::key);
  REQUIRE(found != figures().end());
  return *found;
}

std::vector<std::string> contestants_of(const Lab& lab) {
  Configuration c = default_configuration();
  std::vector<ContestantTable> tables;
  parse_configuration(lab.text, "lab:" + lab.name, c, &tables);
  std::vector<std::string> labels;
  for (const Contestant& one : contestants_of(tables)) labels.push_back(one.label);
  return labels;
}

/// Who did not come to it has the most.
double value_of(const Figure& figure, const Summary& summary) {
  constexpr double none = std::numeric_limits<double>::infinity();
  if (figure.key == "train_loss" && summary.diverged) return none;
  return number_of(figure.of(summary)).value_or(none);
}

/// As the page has it: a straight line between two evaluations decides who is sooner.
bool is_near(const PageGuess& guess, const Summary& first, const Summary& own) {
  if (guess.figure != "seconds_to_target" || !own.seconds_to_target || &own == &first) return false;
  const bool is_one_curve = std::abs(*own.epochs_to_target / *first.epochs_to_target - 1.0) < 1e-3;
  return !is_one_curve && std::abs(*own.seconds_to_target - *first.seconds_to_target) <
                              std::min(*own.target_interval_s, *first.target_interval_s);
}

}  // namespace

TEST_CASE("what a lab asks before it shows has an answer that is not everybody", "[labs]") {
  for (const Lab& lab : labs()) {
    INFO(lab.name);
    const PageGuess& guess = lab.page.guess;
    CHECK(guess.question.ends_with("?"));
    const Figure& figure = figure_of(guess.figure);
    const Shown of_lab = shown(lab.name);
    std::vector<double> values;
    for (const std::string& label : contestants_of(lab)) {
      values.push_back(value_of(figure, of_lab.of(label)));
    }
    const auto [least, most] = std::ranges::minmax(values);
    const double best = guess.most ? most : least;
    const std::vector<std::string> labels = contestants_of(lab);
    const auto place = std::ranges::find(values, best) - values.begin();
    const Summary& first = of_lab.of(labels[static_cast<std::size_t>(place)]);
    std::ptrdiff_t right = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Summary& own = of_lab.of(labels[i]);
      // The page takes within half a percent for the same, and what is within an evaluation.
      const double apart = values[i] == best ? 0.0 : std::abs(values[i] - best);
      right += apart <= 0.005 * std::min(values[i], best) || is_near(guess, first, own) ? 1 : 0;
      const double interval =
          std::min(first.target_interval_s.value_or(0.0), own.target_interval_s.value_or(0.0));
      CHECK((interval == 0.0 || apart < 0.98 * interval || apart > 1.02 * interval));
    }
    CHECK(right < std::ssize(values));
    // And nobody is so close to the answer that another processor's rounding would decide.
    for (const double value : values) {
      const double apart = value == best ? 0 : std::abs(value - best) / std::min(value, best);
      CHECK((apart < 0.0045 || apart > 0.0055));
    }
  }
}

TEST_CASE("the minimum of a lab's file is that of its training loss, wherever sliders stand",
          "[labs]") {
  int with_minimum = 0;
  for (const Lab& lab : labs()) {
    if (!lab.page.minimum) continue;
    INFO(lab.name);
    ++with_minimum;
    for (const PageSlider& slider : lab.page.sliders) {
      for (const std::string& value : {slider.values.front(), slider.values.back()}) {
        INFO(slider.option << " " << value);
        const Shown found = shown(lab.name, {{slider.option, value}, {"optimum", "auto"}});
        const Summary& one = found.of(contestants_of(lab).front());
        REQUIRE(one.optimum_loss.has_value());
        CHECK(*one.optimum_loss == Approx(*lab.page.minimum).margin(1e-8));
      }
    }
  }
  CHECK(with_minimum == 2);
}

}  // namespace trainyard
