#include "data/label_checks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

#include "data/label_census.hpp"

namespace trainyard {

namespace {

constexpr std::size_t enough_rows = 10;
constexpr std::size_t most_usual_classes = 20;  // ages and counts have more

/// How many classes have a row. There may be more classes than rows.
std::size_t classes_with_rows(const Dataset& data) {
  std::vector<char> seen(static_cast<std::size_t>(data.classes), 0);  // a byte each is faster
  for (const Label label : data.labels) seen[static_cast<std::size_t>(label)] = 1;
  return static_cast<std::size_t>(std::ranges::count(seen, 1));
}

/// "the label", or "column 'Id', the label,".
std::string label_name(const CodedDataset& train) {
  if (train.schema == nullptr) return "the label";
  return fmt::format("column {}, the label,", echoed(train.schema->label_name));
}

std::string other_column(const CodedDataset& train) {
  if (!train.data.weights.empty() && train.schema == nullptr) {
    return "; what rows begin with is read as label:weight";
  }
  if (train.schema == nullptr) return "";
  return "; --label-column says which column is the label, -1 the last";
}

}  // namespace

void check_training_labels(const std::string& file, const CodedDataset& train, bool column_named,
                           std::vector<std::string>& remarks) {
  const Dataset& data = train.data;
  if (!data.targets.empty()) return;
  const std::size_t classes = classes_with_rows(data);
  if (classes == 1) {
    throw DataError(fmt::format(
        "{}: {} is the same in all {} rows, of which nothing can be learned; expected two classes "
        "or more{}",
        file, label_name(train), data.rows, other_column(train)));
  }
  if (data.rows < enough_rows) return;
  if (classes == data.rows) {
    throw DataError(fmt::format(
        "{}: {} differs in every row, as a number of the row does; expected classes that have "
        "several rows{}; {}",
        file, label_name(train), other_column(train), real_labels_hint));
  }
  if (2 * classes > data.rows) {
    remarks.push_back(fmt::format("warning: {}: {} is of {} classes in {} rows{}; {}", file,
                                  label_name(train), classes, data.rows, other_column(train),
                                  real_labels_hint));
  } else if (!column_named && train.schema != nullptr && train.schema->class_names.empty() &&
             classes > most_usual_classes) {
    remarks.push_back(fmt::format("note: {}: {} has {} classes{}; {}", file, label_name(train),
                                  classes, other_column(train), real_labels_hint));
  }
}

}  // namespace trainyard
