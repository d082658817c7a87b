// The table of models. A new one is a file with a maker, its line in factories.hpp, and a row here;
// one of one's own comes by add_model().
#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/open_table.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/model/add_model.hpp"
#include "trainyard/model/model.hpp"

#include "model/factories.hpp"

namespace trainyard {
namespace {

/// The numbers after the colon of a model's name, as in "mlp:256,128".
using Sizes = std::vector<std::size_t>;

struct Row {
  std::string name;   // up to the colon
  std::string typed;  // as users type it
  std::string summary;
  bool takes_sizes = false;
  bool needs_classes = false;  // labels that are real numbers will not do
  bool real_labels = false;    // those of a file are read as real numbers
  std::string no_intercept{};  // why it takes none, where it does not
  std::function<std::unique_ptr<Model>(const Penalties& penalties, const Dataset& train,
                                       const Sizes& sizes)>
      make{};
};

std::vector<Row> published_models() {
  return {
      {.name = "logistic",
       .typed = "logistic",
       .summary = "logistic regression, two classes; weights: features",
       .needs_classes = true,
       .make = [](const Penalties& penalties, const Dataset& train,
                  const Sizes&) { return make_logistic(penalties, train); }},
      {.name = "least-squares",
       .typed = "least-squares",
       .summary = "linear regression: mean of ½ (x·w - y)², y a real label, or ±1 of two classes; "
                  "weights: features",
       .real_labels = true,
       .make = [](const Penalties& penalties, const Dataset& train,
                  const Sizes&) { return make_least_squares(penalties, train); }},
      {.name = "softmax",
       .typed = "softmax",
       .summary = "softmax regression; weights: features × classes",
       .needs_classes = true,
       .make = [](const Penalties& penalties, const Dataset& train,
                  const Sizes&) { return make_softmax(penalties, train); }},
      {.name = "mlp",
       .typed = "mlp:H1,H2,…",
       .summary = "multi-layer perceptron with H1, H2, … hidden units, ReLU, He initialisation",
       .takes_sizes = true,
       .needs_classes = true,
       .no_intercept = "it has biases of its own",
       .make = [](const Penalties& penalties, const Dataset& train,
                  const Sizes& sizes) { return make_mlp(penalties, train, sizes); }},
      {.name = "quadratic",
       .typed = "quadratic",
       .summary = "f(x) = mean over rows of ½ Σ h_j (x_j - b_j)²; rows h_1 … h_d, b_1 … b_d after "
                  "an unused label; in double",
       .no_intercept = "its rows are h_1 … h_d, b_1 … b_d and nothing else",
       .make = [](const Penalties& penalties, const Dataset& train,
                  const Sizes&) { return make_quadratic(penalties, train); }},
  };
}

OpenTable<Row>& model_table() {
  static OpenTable<Row> all("model", published_models());
  return all;
}

/// The same as `list models` has it.
OpenTable<ModelInfo>& listed_models() {
  static OpenTable<ModelInfo> all("model", [] {
    std::vector<ModelInfo> list;
    for (const Row& row : published_models()) list.push_back({row.typed, row.summary});
    return list;
  }());
  return all;
}

const Row& find_row(std::string_view word) {
  std::vector<std::string> known;
  for (const Row& row : model_table().rows()) {
    if (row.name == word) return row;
    known.push_back(row.typed);
  }
  throw_unknown("model", word, known);
}

Sizes parse_sizes(std::string_view text, const std::string& what) {
  Sizes sizes;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    // A million units in one layer is far beyond what one machine trains.
    sizes.push_back(
        static_cast<std::size_t>(parse_integer(text.substr(0, comma), what, 1, 1000000)));
    if (comma == text.size()) return sizes;
    text.remove_prefix(comma + 1);
  }
}

/// Throws UsageError where the model does not suit the data, whatever their sizes.
void check_suits(const Row& row, const std::string& name, const Dataset& train) {
  if (row.needs_classes && !train.targets.empty()) {
    throw OptionError("model", name,
                      "it takes class labels; those of this data set are real numbers, for which "
                      "--model least-squares is there");
  }
  if (!row.no_intercept.empty() && train.intercept) {
    throw OptionError("model", name,
                      fmt::format("{}, so it takes no intercept; logistic, least-squares and "
                                  "softmax do",
                                  row.no_intercept));
  }
}

}  // namespace

std::unique_ptr<Model> make_model(const ModelOptions& options, const Dataset& train) {
  require(options.l2 >= 0.0 && options.l1 >= 0.0, "a negative regulariser");
  const std::size_t colon = std::min(options.name.find(':'), options.name.size());
  const Row& row = find_row(std::string_view(options.name).substr(0, colon));
  const bool has_sizes = colon < options.name.size();
  if (row.takes_sizes != has_sizes) {
    throw UsageError("model " + echoed(options.name) + " is to be written " + row.typed);
  }
  Sizes sizes;
  if (has_sizes) {
    sizes = parse_sizes(std::string_view(options.name).substr(colon + 1),
                        "hidden units of model '" + options.name + "'");
  }
  check_suits(row, options.name, train);
  return row.make({options.l2, options.l1}, train, sizes);
}

const std::vector<ModelInfo>& models() {
  return listed_models().rows();
}

void add_model(OwnModel model) {
  if (model.summary.empty() || !model.make) {
    throw UsageError(fmt::format(
        "model '{}': it needs .summary, its line in `list models`, and .make", model.name));
  }
  ModelInfo listed{model.name, model.summary};
  model_table().add({.name = model.name,
                     .typed = model.name,
                     .summary = std::move(model.summary),
                     .needs_classes = !model.real_labels,
                     .real_labels = model.real_labels,
                     .no_intercept = std::move(model.no_intercept),
                     .make = [make = std::move(model.make)](
                                 const Penalties& penalties, const Dataset& train,
                                 const Sizes& /*sizes*/) { return make(penalties, train); }});
  listed_models().add(std::move(listed));
}

bool has_real_labels(std::string_view model) {
  const std::vector<Row>& rows = model_table().rows();
  const auto found = std::ranges::find(rows, model, &Row::name);
  return found != rows.end() && found->real_labels;
}

}  // namespace trainyard
