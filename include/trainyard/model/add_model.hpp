// Models of one's own, beside those of the table: a class that is a Model, and a row.
//
//   add_model({.name = "huber", .summary = "…", .real_labels = true,
//              .make = [](const Penalties& penalties, const Dataset& train) {
//                return std::make_unique<Huber>(penalties, train.features);
//              }});
//
// Threads: add_model() by one, while nothing else is going on; the rest by any.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "trainyard/model/model.hpp"

namespace trainyard {

struct OwnModel {
  std::string name;          // as typed after --model
  std::string summary;       // one line for `list models`
  bool real_labels = false;  // its labels are real numbers; else a file's are classes
  /// Why it takes no intercept (Dataset::intercept), as what follows its name; empty: it does not
  /// regularise that feature's weight.
  std::string no_intercept{};
  /// For a training set; also for rows of which only the shape is known, and called by any thread.
  /// Throws OptionError for "model" where it does not suit them.
  std::function<std::unique_ptr<Model>(const Penalties&, const Dataset& train)> make{};
};

/// Adds a model, which every command then knows by its name; in the place of one of the same name
/// that was added before. Throws UsageError for a name that cannot be typed or is there already,
/// and for a row without a summary or a maker.
void add_model(OwnModel model);

/// Whether the labels of a file are read as real numbers for it: of least-squares, and where a row
/// of one's own says so.
bool has_real_labels(std::string_view model);

}  // namespace trainyard
