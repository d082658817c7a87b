#include "module/rows.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/data/preparation.hpp"

#include "data/settled_weights.hpp"
#include "module/model.hpp"

namespace trainyard::python {

namespace {

template <typename T>
std::span<const T> values_of(const Array<T>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

[[noreturn]] void refuse(std::string_view set, const std::string& what) {
  throw DataError(fmt::format("{}: {}", set, what));
}

/// Adding up 0 · x finds what is not finite at the speed of memory, and needs none.
bool all_finite(std::span<const float> values) {
  constexpr std::size_t lanes = 16;
  float sums[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= values.size(); i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += 0.0F * values[i + lane];
  }
  for (; i < values.size(); ++i) sums[0] += 0.0F * values[i];
  return std::ranges::all_of(sums, [](float sum) { return sum == 0.0F; });
}

void check_finite(std::span<const float> values, std::size_t features, std::string_view set) {
  if (all_finite(values)) return;
  const auto found =
      std::ranges::find_if(values, [](float value) { return !std::isfinite(value); });
  const auto at = static_cast<std::size_t>(found - values.begin());
  const std::string where = features == 0
                                ? fmt::format("entry {}", at)
                                : fmt::format("row {}, column {}", at / features, at % features);
  refuse(set, fmt::format("{} is {}; expected finite numbers, as float32 holds them", where,
                          std::isnan(*found) ? "NaN" : "infinite"));
}

std::size_t rows_of(const ArraySet& set, std::string_view name) {
  if (set.dense) {
    if (set.dense->ndim() != 2) {
      refuse(name,
             fmt::format("X has {} dimensions; expected 2, rows and features", set.dense->ndim()));
    }
    return static_cast<std::size_t>(set.dense->shape(0));
  }
  if (!set.row_begin || !set.columns || !set.values || set.row_begin->size() == 0) {
    refuse(name, "neither dense nor sparse rows are given");
  }
  return static_cast<std::size_t>(set.row_begin->size()) - 1;
}

std::size_t features_of(const ArraySet& set) {
  return set.dense ? static_cast<std::size_t>(set.dense->shape(1)) : set.features;
}

void check_sparse(const ArraySet& set, std::string_view name) {
  const auto begins = values_of(*set.row_begin);
  const auto columns = values_of(*set.columns);
  if (columns.size() != static_cast<std::size_t>(set.values->size()) || begins.front() != 0 ||
      begins.back() != static_cast<std::int64_t>(columns.size()) ||
      !std::ranges::is_sorted(begins)) {
    refuse(name, "its rows do not lie one behind the other, as indptr says");
  }
  for (std::size_t row = 0; row + 1 < begins.size(); ++row) {
    const auto begin = static_cast<std::size_t>(begins[row]);
    std::int64_t last = -1;
    for (const std::int32_t column :
         columns.subspan(begin, static_cast<std::size_t>(begins[row + 1]) - begin)) {
      if (column <= last || static_cast<std::size_t>(column) >= set.features) {
        refuse(name, fmt::format("row {} has column {} behind {}; expected increasing ones below "
                                 "{}",
                                 row, column, last, set.features));
      }
      last = column;
    }
  }
  check_finite(values_of(*set.values), 0, name);
}

void check_features(const ArraySet& set, std::string_view name) {
  const std::size_t rows = rows_of(set, name);
  const std::size_t features = features_of(set);
  constexpr std::size_t most = std::size_t{1} << 31U;
  if (rows == 0 || features == 0) {
    refuse(name, fmt::format("{} rows of {} features; expected some of both", rows, features));
  }
  if (rows >= most || features >= most) {
    refuse(name,
           fmt::format("{} rows of {} features; less than 2^31 are accepted", rows, features));
  }
  if (set.dense) {
    check_finite(values_of(*set.dense), features, name);
  } else {
    check_sparse(set, name);
  }
}

template <typename T>
void check_length(const std::optional<Array<T>>& array, std::size_t rows, std::string_view name,
                  std::string_view what) {
  if (!array) return;
  if (array->ndim() == 1 && static_cast<std::size_t>(array->shape(0)) == rows) return;
  refuse(name, fmt::format("{} has {} in {} dimensions, and X has {} rows; expected one for each",
                           what, array->size(), array->ndim(), rows));
}

void check_set(const ArraySet& set, const ArrayNames& names, std::string_view name) {
  check_features(set, name);
  const std::size_t rows = rows_of(set, name);
  check_length(set.codes, rows, name, "y");
  check_length(set.numbers, rows, name, "y");
  check_length(set.weights, rows, name, "sample_weight");
  if (!set.codes && !set.numbers) refuse(name, "there is no y");
  if (set.numbers) check_finite(values_of(*set.numbers), 0, fmt::format("{}: y", name));
  if (set.codes) {
    for (const std::int32_t code : values_of(*set.codes)) {
      if (code < 0 || code >= names.classes) {
        refuse(name, fmt::format("a label is of no class; there are {}", names.classes));
      }
    }
  }
  if (set.weights) {
    for (const float weight : values_of(*set.weights)) {
      if (weight >= 0.0F && std::isfinite(weight)) continue;
      refuse(name, fmt::format("a row's weight is {}; expected 0 or more", weight));
    }
  }
}

void fill_features(const ArraySet& set, Dataset& rows) {
  rows.features = features_of(set);
  if (set.dense) {
    rows.dense = AlignedBuffer<float>::view_of(values_of(*set.dense));
    return;
  }
  rows.sparse = true;
  rows.values = AlignedBuffer<float>::view_of(values_of(*set.values));
  const auto begins = values_of(*set.row_begin);
  rows.row_begin = AlignedBuffer<std::uint64_t>(begins.size());
  std::ranges::copy(begins, rows.row_begin.begin());
  const auto columns = values_of(*set.columns);
  rows.columns = AlignedBuffer<std::uint32_t>(columns.size());
  std::ranges::copy(columns, rows.columns.begin());
}

Dataset dataset_of(const ArraySet& set, const ArrayNames& names, bool real_labels) {
  Dataset rows;
  rows.rows = rows_of(set, "");
  fill_features(set, rows);
  rows.labels = AlignedBuffer<Label>::zeroed(rows.rows);
  if (real_labels) {
    if (!set.numbers) {
      throw DataError("y is of words; expected numbers, or a model of classes");
    }
    rows.classes = 1;
    rows.targets = AlignedBuffer<float>::copy_of(values_of(*set.numbers));
  } else {
    if (!set.codes) {
      throw DataError(
          "y is of real numbers; expected classes: whole numbers or words; "
          "model=\"least-squares\" takes numbers");
    }
    rows.classes = std::max(names.classes, 2);
    std::ranges::copy(values_of(*set.codes), rows.labels.begin());
  }
  if (set.weights) rows.weights = AlignedBuffer<float>::copy_of(values_of(*set.weights));
  return rows;
}

/// With which names a table's first row would name them.
std::shared_ptr<const TableSchema> schema_of(const ArrayNames& names, std::size_t features) {
  if (names.features.empty() && names.class_names.empty()) return nullptr;
  auto schema = std::make_shared<TableSchema>();
  schema->file_columns = features + 1;
  schema->has_names = !names.features.empty();
  schema->label_column = features;
  schema->label_name = "y";
  schema->features = features;
  schema->class_names = names.class_names;
  for (std::size_t f = 0; f < features; ++f) {
    const std::string name = names.features.empty() ? fmt::to_string(f) : names.features[f];
    schema->columns.push_back({.column = f, .name = name, .first = f});
  }
  return schema;
}

LabelCoding coding_of(const ArrayNames& names) {
  const std::vector<std::int32_t>& values = names.class_values;
  if (values.empty()) return LabelCoding::from_zero;
  if (values == std::vector<std::int32_t>{-1, 1}) return LabelCoding::plus_minus;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (static_cast<std::size_t>(values[k] - values.front()) != k) return LabelCoding::listed;
  }
  if (values.front() == 0) return LabelCoding::from_zero;
  return values.front() == 1 ? LabelCoding::from_one : LabelCoding::listed;
}

}  // namespace

ArrayRows::ArrayRows(ArraySet train, std::optional<ArraySet> test,
                     std::optional<ArraySet> validation, ArrayNames names)
    : train_(std::move(train)),
      test_(std::move(test)),
      validation_(std::move(validation)),
      names_(std::move(names)) {
  check_set(train_, names_, "data");
  rows_ = rows_of(train_, "data");
  const std::size_t features = features_of(train_);
  if (!names_.features.empty() && names_.features.size() != features) {
    refuse("data", fmt::format("{} names of {} features", names_.features.size(), features));
  }
  for (const auto& [set, name] : {std::pair(&test_, "test"), {&validation_, "validation"}}) {
    if (!*set) continue;
    check_set(**set, names_, name);
    if (features_of(**set) != features) {
      refuse(name, fmt::format("it has {} features, and the training rows have {}",
                               features_of(**set), features));
    }
    if ((*set)->dense.has_value() != train_.dense.has_value()) {
      refuse(name, "one of it and the training rows is sparse; expected both or none");
    }
  }
}

void ArrayRows::begin_with(const KeptModel& model) {
  const Preparation& before = model.preparation;
  if (features_of(train_) != before.features || train_.dense.has_value() == before.sparse) {
    throw DataError(
        fmt::format("data: found {} rows of {} features; the model was trained on {} ones of {}",
                    train_.dense ? "dense" : "sparse", features_of(train_),
                    before.sparse ? "sparse" : "dense", before.features));
  }
  start_ = std::make_shared<const StartingModel>(
      StartingModel{.folder = "an earlier fit",
                    .model = model.name,
                    .preparation = before,
                    .parameters = VectorBuffer::copy_of(model.parameters.view())});
}

namespace {

/// As the model's rows were made; scaling writes where rows lie, and these are somebody else's.
LoadedData loaded_as_before(Dataset train, const DatasetRequest& request,
                            std::shared_ptr<const StartingModel> start) {
  if (start->preparation.scaling != FeatureScaling::none) {
    train.dense = AlignedBuffer<float>::copy_of(train.dense.span());
    train.values = AlignedBuffer<float>::copy_of(train.values.span());
  }
  LoadedData loaded{.name = request.dataset};
  loaded.train = prepared(std::move(train), start->preparation);
  loaded.preparation = start->preparation;
  loaded.start = std::move(start);
  settle_weights(request, loaded);
  return loaded;
}

}  // namespace

LoadedData ArrayRows::load(const DatasetRequest& request) const {
  const auto made = [&](const ArraySet& set) {
    return dataset_of(set, names_, request.real_labels);
  };
  if (start_ != nullptr) return loaded_as_before(made(train_), request, start_);
  RowsInMemory rows{.name = request.dataset, .train = {}};
  rows.train.data = made(train_);
  rows.train.coding = coding_of(names_);
  if (rows.train.coding == LabelCoding::listed) rows.train.class_values = names_.class_values;
  rows.train.schema = schema_of(names_, features_of(train_));
  if (test_) rows.test = made(*test_);
  if (validation_) rows.validation = made(*validation_);
  return load_rows(std::move(rows), request);
}

Dataset rows_without_labels(const ArraySet& set, std::size_t features) {
  check_features(set, "X");
  if (features_of(set) != features) {
    refuse("X", fmt::format("it has {} features, and the model was trained on {}", features_of(set),
                            features));
  }
  Dataset rows;
  rows.rows = rows_of(set, "X");
  fill_features(set, rows);
  rows.labels = AlignedBuffer<Label>::zeroed(rows.rows);
  return rows;
}

}  // namespace trainyard::python
