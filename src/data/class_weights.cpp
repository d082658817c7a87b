#include "trainyard/data/class_weights.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"

#include "data/number_form.hpp"
#include "data/table_rows.hpp"

namespace trainyard {

namespace {

void give_ones(Dataset& data) {
  if (!data.weights.empty()) return;
  data.weights = AlignedBuffer<float>(data.rows);
  std::fill(data.weights.begin(), data.weights.end(), 1.0F);
}

/// The place of the class that `name` means: as files write it, "+1" for 1 too.
std::size_t place_of_class(const std::string& name, const std::vector<std::string>& names) {
  auto found = std::ranges::find(names, name);
  if (found == names.end() && name.starts_with('+')) {
    found = std::ranges::find(names, name.substr(1));
  }
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  // A number may be a class's place, as other programs count them, and no misspelt name.
  const std::string nearest = whole_number(name) ? "" : nearest_name(name, names);
  const std::string guess =
      nearest.empty() ? "" : fmt::format("; did you mean {}?", echoed(nearest));
  throw OptionError("class-weight", name,
                    fmt::format("the training rows have no such class{} Expected one of {}",
                                guess.empty() ? "." : guess, shortened(joined(names))));
}

std::vector<double> balanced_weights(std::size_t classes, const Dataset& train) {
  std::vector<std::size_t> rows(classes, 0);
  for (const Label label : train.labels) ++rows[static_cast<std::size_t>(label)];
  const auto present = static_cast<std::size_t>(
      std::ranges::count_if(rows, [](std::size_t count) { return count > 0; }));
  std::vector<double> weights(classes, 1.0);
  for (std::size_t c = 0; c < classes; ++c) {
    if (rows[c] == 0) continue;
    weights[c] = static_cast<double>(train.rows) / static_cast<double>(present) /
                 static_cast<double>(rows[c]);
  }
  return weights;
}

}  // namespace

ClassWeights parse_class_weights(std::string_view text, std::string_view what) {
  ClassWeights weights;
  if (text == "balanced") {
    weights.balanced = true;
    return weights;
  }
  for (const std::string& field : fields_of(text, ',')) {
    const std::size_t colon = field.rfind(':');
    if (colon == std::string::npos || colon == 0) {
      throw UsageError(fmt::format(
          "{}: found {}; expected balanced, or classes and their weights, as no:1,yes:5", what,
          echoed(field)));
    }
    std::string name = field.substr(0, colon);
    const auto is_it = [&](const auto& one) { return one.first == name; };
    if (std::ranges::any_of(weights.named, is_it)) {
      throw UsageError(fmt::format("{}: names class {} twice", what, echoed(name)));
    }
    const double weight =
        parse_number(std::string_view(field).substr(colon + 1), std::string(what));
    constexpr double most = 1e12;  // beyond it floats lose the rows of other classes
    if (!(weight >= 0.0 && weight <= most)) {
      throw UsageError(
          fmt::format("{}: found {}; expected a weight from 0 to {:g}", what, echoed(field), most));
    }
    weights.named.emplace_back(std::move(name), weight);
  }
  return weights;
}

std::vector<double> weights_of_classes(const ClassWeights& weights,
                                       const std::vector<std::string>& names,
                                       const Dataset& train) {
  if (weights.balanced) return balanced_weights(names.size(), train);
  std::vector<double> all(names.size(), 1.0);
  for (const auto& [name, weight] : weights.named) all[place_of_class(name, names)] = weight;
  return all;
}

void weigh_classes(const std::vector<double>& of_class, Dataset& train) {
  give_ones(train);
  for (std::size_t row = 0; row < train.rows; ++row) {
    const double weight = of_class[static_cast<std::size_t>(train.labels[row])];
    train.weights[row] = static_cast<float>(weight * static_cast<double>(train.weights[row]));
  }
}

double mean_weight(const std::string& name, const Dataset& data) {
  if (data.weights.empty()) return 1.0;
  double sum = 0.0;
  for (const float weight : data.weights) sum += static_cast<double>(weight);
  if (sum > 0.0) return sum / static_cast<double>(data.rows);
  throw DataError(
      fmt::format("{}: the weights of all {} rows are 0; expected one above it", name, data.rows));
}

void divide_by_mean_weight(const std::string& name, Dataset& train) {
  const double mean = mean_weight(name, train);
  for (float& weight : train.weights) {
    weight = static_cast<float>(static_cast<double>(weight) / mean);
  }
}

}  // namespace trainyard
