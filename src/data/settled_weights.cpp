#include "data/settled_weights.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/data/class_weights.hpp"
#include "trainyard/data/partition.hpp"

namespace trainyard {

namespace {

/// So that those of a class can be measured together.
void put_in_order_of_classes(Dataset& rows) {
  if (rows.rows == 0) return;
  std::vector<std::uint32_t> order;
  order.reserve(rows.rows);
  for (const auto& of_class : rows_by_class(rows)) {
    order.insert(order.end(), of_class.begin(), of_class.end());
  }
  rows = copy_rows(rows, order);
}

/// Multiplies the weights of training rows by those of their classes. Returns "their classes (no 1,
/// yes 5)"; "" where classes have none.
std::string take_class_weights(const DatasetRequest& request, LoadedData& loaded) {
  if (request.class_weight.empty()) return "";
  if (!loaded.train.targets.empty()) {
    throw OptionError("class-weight", request.class_weight,
                      "labels are real numbers, and of no class; --weight-column weighs rows");
  }
  if (!request.labels_used) {
    throw OptionError("class-weight", request.class_weight,
                      "the quadratic does not look at labels");
  }
  const std::vector<std::string> names = class_texts(loaded.preparation);
  const std::vector<double> weights = weights_of_classes(
      parse_class_weights(request.class_weight, "--class-weight"), names, loaded.train);
  weigh_classes(weights, loaded.train);
  put_in_order_of_classes(loaded.validation);
  loaded.class_weights = weights;
  std::vector<std::string> parts;
  for (std::size_t c = 0; c < names.size(); ++c) {
    parts.push_back(fmt::format("{} {:.4g}", names[c], weights[c]));
  }
  return fmt::format("their classes ({})", shortened(fmt::format("{}", fmt::join(parts, ", "))));
}

/// What the weights in the file are called; "" where there are none.
std::string weights_of_file(const LoadedData& loaded) {
  if (loaded.train.weights.empty()) return "";
  const auto& schema = loaded.preparation.schema;
  if (schema == nullptr) return "the numbers behind their labels";
  return fmt::format("column {}", echoed(schema->weight_name));
}

std::string held_out_text(bool test, bool validation) {
  return test && validation ? "test and validation" : test ? "test" : "validation";
}

}  // namespace

void settle_weights(const DatasetRequest& request, LoadedData& loaded) {
  constexpr double rounding = 1e-6;
  const std::string of_file = weights_of_file(loaded);
  const std::string of_classes = take_class_weights(request, loaded);
  const double mean = mean_weight(loaded.name, loaded.train);
  divide_by_mean_weight(loaded.name, loaded.train);
  (void)mean_weight(fmt::format("{}: test rows", loaded.name), loaded.test);
  (void)mean_weight(fmt::format("{}: validation rows", loaded.name), loaded.validation);
  const bool of_test = !loaded.test.weights.empty();
  const bool of_validation = !loaded.validation.weights.empty();
  if (loaded.train.weights.empty()) {
    if (!of_test && !of_validation) return;
    loaded.remarks.push_back(
        fmt::format("note: {} rows have weights, and their figures are weighted means; training "
                    "rows have none",
                    held_out_text(of_test, of_validation)));
    return;
  }
  const bool both = !of_file.empty() && !of_classes.empty();
  std::string note = fmt::format("note: training rows are weighted by {}{}{}", of_file,
                                 both ? " and " : "", of_classes);
  if (std::abs(mean - 1.0) > rounding) note += fmt::format(", divided by their mean, {:.4g}", mean);
  if (of_test || of_validation) {
    note += fmt::format("; {} rows by {}, in weighted means", held_out_text(of_test, of_validation),
                        of_file.empty() ? "weights of their own" : of_file);
  } else if (loaded.test.rows + loaded.validation.rows > 0) {
    note += fmt::format("; {} rows are not",
                        held_out_text(loaded.test.rows > 0, loaded.validation.rows > 0));
  }
  if (!of_classes.empty() && loaded.validation.rows > 0) {
    note += "; but the validation loss has the weights of classes";
  }
  loaded.remarks.push_back(std::move(note));
}

}  // namespace trainyard
