#include "data/load_as_before.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

#include "data/hold_out.hpp"
#include "data/settled_weights.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

/// Throws OptionError where the user asks for what the model's rows do not have.
void check_against_start(const DatasetRequest& request, const StartingModel& start) {
  const Preparation& before = start.preparation;
  const std::string whose = fmt::format("the model in {} was trained", start.folder);
  if (request.scaling != FeatureScaling::none && request.scaling != before.scaling) {
    throw OptionError("scale", scaling_text(request.scaling),
                      fmt::format("{} with --scale {}", whose, scaling_text(before.scaling)));
  }
  if (request.intercept && !before.intercept) {
    throw OptionError("intercept", whose + " without one");
  }
  if (before.schema == nullptr) return;
  const TableSchema& schema = *before.schema;
  const std::string& label = request.label_column;
  if (label != DatasetRequest{}.label_column && label != schema.label_name &&
      label != fmt::to_string(schema.label_column)) {
    throw OptionError("label-column", label,
                      fmt::format("{} on column '{}'", whose, schema.label_name));
  }
  const std::string& weight = request.table.weight_column;
  if (!weight.empty() && weight != schema.weight_name) {
    throw OptionError("weight-column", weight,
                      schema.weight_column
                          ? fmt::format("{} with weights of column '{}'", whose, schema.weight_name)
                          : whose + " without weights of a column");
  }
}

bool says_how_tables_are_read(const DatasetRequest& request) {
  return request.table != TableOptions{} || request.first_index.has_value() ||
         request.label_column != DatasetRequest{}.label_column;
}

/// `group_column`: of training rows, else "".
Dataset read_like_before(const fs::path& file, const std::string& labels,
                         const std::string& group_column, const DatasetRequest& request,
                         LoadedData& loaded) {
  const Preparation& before = loaded.start->preparation;
  ReadOptions options = reading_of(
      before, file,
      request.format.empty() ? guess_format(file) : parse_format(request.format, "--data-format"));
  options.labels = LabelUse::required;
  options.table.missing = before.table.missing;
  options.group_column = group_column;
  if (!labels.empty()) options.labels_file = labels;
  CodedDataset read = read_coded_dataset(file, options);
  std::ranges::move(read.remarks, std::back_inserter(loaded.remarks));
  return prepared(std::move(read.data), before);
}

LoadedData load_file(const DatasetRequest& request, std::shared_ptr<const StartingModel> start) {
  const fs::path file = request.dataset;
  LoadedData loaded{.name = file.filename().string(), .start = std::move(start)};
  loaded.train = read_like_before(file, request.labels, request.group_column, request, loaded);
  if (is_test_file(request)) {
    loaded.test = read_like_before(test_file(request), request.test_labels, "", request, loaded);
  }
  if (is_validation_file(request)) {
    loaded.validation = read_like_before(validation_file(request), "", "", request, loaded);
  }
  hold_out(request, loaded);
  return loaded;
}

/// Of the catalogue, or generated: as they come, and then made as before.
LoadedData load_named(const DatasetRequest& request, std::shared_ptr<const StartingModel> start) {
  const Preparation& before = start->preparation;
  DatasetRequest bare = request;
  bare.start = {};
  bare.scaling = FeatureScaling::none;
  bare.intercept = false;
  bare.class_weight = "";
  LoadedData loaded = load_dataset(bare);
  const Dataset& train = loaded.train;
  if (train.features != before.features || train.classes != before.classes ||
      train.sparse != before.sparse) {
    throw DataError(fmt::format(
        "{}: {} {} features and {} classes; the model in {} was trained on {} {} and {}",
        loaded.name, train.sparse ? "sparse rows of" : "dense rows of", train.features,
        train.classes, start->folder, before.sparse ? "sparse rows of" : "dense rows of",
        before.features, before.classes));
  }
  for (Dataset* const set : {&loaded.train, &loaded.test, &loaded.validation}) {
    if (set->rows > 0) *set = prepared(std::move(*set), before);
  }
  loaded.start = std::move(start);
  return loaded;
}

}  // namespace

LoadedData load_as_before(const DatasetRequest& request,
                          std::shared_ptr<const StartingModel> start) {
  check_against_start(request, *start);
  const bool is_file = origin_of(request.dataset) == DataOrigin::file;
  LoadedData loaded =
      is_file ? load_file(request, std::move(start)) : load_named(request, std::move(start));
  if (is_file && says_how_tables_are_read(request)) {
    loaded.remarks.push_back(
        fmt::format("note: {} is read as the model in {} says, which takes the place of --missing, "
                    "--columns and all others of the kind",
                    loaded.name, loaded.start->folder));
  }
  loaded.preparation = loaded.start->preparation;
  settle_weights(request, loaded);
  return loaded;
}

void check_made_as_before(const StartingModel& start, const LoadedData& loaded) {
  if (preparation_json(start.preparation) == preparation_json(loaded.preparation)) return;
  throw DataError(
      fmt::format("{}: its rows were not made as those of the model in {}; expected a file that "
                  "'trainyard split --start {}' wrote",
                  loaded.name, start.folder, start.folder));
}

}  // namespace trainyard
