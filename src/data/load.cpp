// From what the user asked for to data in memory: a generator, a set of the catalogue, or a file.
#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/shell.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/data/fetch_script.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/data/rows_in_memory.hpp"
#include "trainyard/data/split_file.hpp"

#include "data/hold_out.hpp"
#include "data/label_checks.hpp"
#include "data/load_as_before.hpp"
#include "data/settled_weights.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

/// A file that is held against the model is read to fit the training data it will be made for.
Dataset read_held_out(const fs::path& file, ReadOptions options, const CodedDataset& train,
                      LoadedData& loaded) {
  options.features = train.data.features;
  options.drop_unknown_features = true;
  options.classes = train.data.classes;
  options.coding = train.coding;
  options.class_values = train.class_values;
  if (!options.first_index) options.first_index = train.first_index;
  options.schema = train.schema;
  if (options.schema == nullptr) {
    options.table.columns = options.table.drop_columns = "";
    // The means of a table come from its training file, and that is none.
    if (options.table.missing == MissingFields::mean) options.table.missing = MissingFields::error;
  }
  CodedDataset read = read_coded_dataset(file, options);
  std::ranges::move(read.remarks, std::back_inserter(loaded.remarks));
  return std::move(read.data);
}

fs::path find_file(const CatalogEntry& entry, const CatalogFile& file,
                   const std::string& data_dir) {
  fs::path path = fs::path(data_dir) / file.path;
  std::error_code error;
  if (fs::exists(path, error)) return path;
  throw DataError(fmt::format("data set '{}': no file {}; get it with: {} {} --data-dir {}",
                              entry.name, path.string(), quoted_for_shell(fetch_script()),
                              entry.name, data_dir));
}

Dataset read_catalog_test(const CatalogEntry& entry, ReadOptions options, const CodedDataset& train,
                          const std::string& data_dir, LoadedData& loaded) {
  if (entry.test.size() > 1) options.labels_file = find_file(entry, entry.test[1], data_dir);
  return read_held_out(find_file(entry, entry.test[0], data_dir), options, train, loaded);
}

/// `labels` is what the user named; empty: guessed.
ReadOptions options_of(const fs::path& file, const std::string& labels,
                       const DatasetRequest& request) {
  ReadOptions options;
  options.format =
      request.format.empty() ? guess_format(file) : parse_format(request.format, "--data-format");
  options.label_column = request.label_column;
  options.table = request.table;
  options.first_index = request.first_index;
  options.real_labels = request.real_labels;
  if (has_labels_file(options.format)) {
    options.labels_file = labels.empty() ? guess_labels_file(file) : fs::path(labels);
  }
  // Pixels, as those of the known sets.
  if (options.format == Format::idx) options.scale = 1.0F / 255.0F;
  return options;
}

/// The test and validation files that the user named, with the training file's scaling.
void read_named_files(const DatasetRequest& request, const ReadOptions& train_options,
                      const CodedDataset& train, LoadedData& loaded) {
  const auto read = [&](const std::string& file, const std::string& labels) {
    ReadOptions options = options_of(file, labels, request);
    options.scale = train_options.scale;
    options.subtracted = train_options.subtracted;
    options.label_column = train_options.label_column;
    return read_held_out(file, options, train, loaded);
  };
  if (is_test_file(request)) loaded.test = read(test_file(request), request.test_labels);
  if (is_validation_file(request)) loaded.validation = read(validation_file(request), "");
}

/// Takes from a training file, read with these options, everything but its rows.
LoadedData loaded_from(const std::string& name, const ReadOptions& options,
                       const CodedDataset& train) {
  LoadedData loaded{.name = name, .largest_feature_line = train.largest_feature_line};
  Preparation& preparation = loaded.preparation;
  preparation.format = options.format;
  preparation.table = options.table;
  preparation.value_scale = static_cast<double>(options.scale);
  preparation.coding = train.coding;
  preparation.class_values = train.class_values;
  preparation.first_index = train.first_index;
  preparation.label_weights = options.format == Format::libsvm && !train.data.weights.empty();
  preparation.schema = train.schema;
  loaded.remarks = train.remarks;
  return loaded;
}

/// A user's own table of columns. Those of the known sets are no surprise, and pictures have rows
/// of pixels, of which some are hardly ever lit.
bool has_columns_of_its_own(const DatasetRequest& request) {
  if (origin_of(request.dataset) != DataOrigin::file) return false;
  const Format format = request.format.empty() ? guess_format(request.dataset)
                                               : parse_format(request.format, "--data-format");
  return format != Format::idx;
}

/// Only once test rows are taken out it is known which rows means are those of. `subtracted`: when
/// they were read.
void settle_rows(CodedDataset train, std::vector<double> subtracted, const DatasetRequest& request,
                 LoadedData& loaded) {
  loaded.train = std::move(train.data);
  Preparation& preparation = loaded.preparation;
  hold_out(request, loaded);
  if (train.schema != nullptr && request.table.missing == MissingFields::mean) {
    preparation.filling =
        fill_missing(*train.schema, loaded.train, {&loaded.validation, &loaded.test});
    for (std::size_t f = 0; f < subtracted.size(); ++f) preparation.filling[f] += subtracted[f];
  }
  if (request.scaling == FeatureScaling::none && has_columns_of_its_own(request)) {
    const auto warning = scale_warning(loaded.train, feature_names(preparation));
    if (warning) loaded.remarks.push_back(*warning);
  }
  FeatureOrigins origins{{}, std::move(subtracted)};
  if (train.schema != nullptr && !train.schema->scaled.empty()) {
    origins.left_alone = train.schema->scaled;
    origins.left_alone.flip();
  }
  preparation.transform =
      scale_features(request.scaling, loaded.train, {&loaded.validation, &loaded.test}, origins);
}

/// Reads a file once more where scaling would find rounding in its values and little else. A file
/// that can be read once only is left as it is, and that is said.
void read_shifted(const fs::path& file, FeatureScaling scaling, ReadOptions& options,
                  CodedDataset& train) {
  std::vector<double> shifts = features_to_shift(scaling, train.data);
  if (train.schema != nullptr && !train.schema->scaled.empty()) {
    for (std::size_t f = 0; f < shifts.size(); ++f) {
      if (!train.schema->scaled[f]) shifts[f] = 0.0;
    }
  }
  if (std::ranges::all_of(shifts, [](double shift) { return shift == 0.0; })) return;
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    train.remarks.push_back(fmt::format(
        "warning: {}: a column's values differ by less than a 1024th of their size, and of a pipe "
        "they are rounded to seven digits before they are scaled; expected a file",
        file.string()));
    return;
  }
  options.subtracted = std::move(shifts);
  train = read_coded_dataset(file, options);
}

LoadedData load_from_catalog(const CatalogEntry& entry, const DatasetRequest& request) {
  ReadOptions options;
  options.format = entry.format;
  options.features = entry.features;
  options.classes = entry.classes;
  options.label_column = fmt::to_string(entry.label_column);
  options.real_labels = request.real_labels;
  options.scale = static_cast<float>(entry.scale);
  if (entry.train.size() > 1)
    options.labels_file = find_file(entry, entry.train[1], request.data_dir);
  CodedDataset train =
      read_coded_dataset(find_file(entry, entry.train[0], request.data_dir), options);
  LoadedData loaded = loaded_from(entry.name, options, train);
  read_named_files(request, options, train, loaded);
  if (request.test.empty() && !entry.test.empty()) {
    loaded.test = read_catalog_test(entry, options, train, request.data_dir, loaded);
  }
  settle_rows(std::move(train), {}, request, loaded);
  return loaded;
}

LoadedData load_from_file(const fs::path& file, const DatasetRequest& request) {
  ReadOptions options = options_of(file, request.labels, request);
  options.group_column = request.group_column;
  CodedDataset train = read_coded_dataset(file, options);
  read_shifted(file, request.scaling, options, train);
  if (request.labels_used && !train.class_values.empty()) {
    train.remarks.push_back(shortened(
        fmt::format("note: {}: the labels {} are taken for classes in this order; --model "
                    "least-squares takes them for numbers",
                    file.string(), fmt::join(train.class_values, ", "))));
  }
  if (request.labels_used) {
    const bool column_named = request.label_column != DatasetRequest{}.label_column;
    check_training_labels(file.string(), train, column_named, train.remarks);
  }
  LoadedData loaded = loaded_from(file.filename().string(), options, train);
  read_named_files(request, options, train, loaded);
  settle_rows(std::move(train), options.subtracted, request, loaded);
  return loaded;
}

LoadedData generate(const GeneratorChoice& choice, const DatasetRequest& request) {
  const GeneratorInfo& generator = *choice.generator;
  if (is_test_file(request)) {
    throw OptionError(
        "test", request.test,
        fmt::format("the generated data set '{}' brings its own test rows", generator.name));
  }
  if (is_validation_file(request)) {
    throw OptionError("validation", request.validation,
                      fmt::format("the generated data set '{}' has its rows from no file; expected "
                                  "a fraction, like 0.2",
                                  generator.name));
  }
  if (request.real_labels) {
    throw OptionError("dataset", request.dataset,
                      "its labels are two classes or more; expected a file with real labels");
  }
  TrainTest made = generator.make(request.seed, choice.rows);
  LoadedData loaded{
      .name = request.dataset, .train = std::move(made.train), .test = std::move(made.test)};
  Preparation& preparation = loaded.preparation;
  // As a file would have them that holds such rows.
  preparation.format = loaded.train.sparse ? Format::libsvm : Format::npy;
  preparation.coding = loaded.train.classes == 2 ? LabelCoding::plus_minus : LabelCoding::from_zero;
  hold_out(request, loaded);
  preparation.transform =
      scale_features(request.scaling, loaded.train, {&loaded.validation, &loaded.test});
  return loaded;
}

bool is_path(const std::string& text) {
  std::error_code error;
  return text.find_first_of("/.") != std::string::npos || fs::exists(text, error);
}

LoadedData load(const DatasetRequest& request) {
  if (const auto made = find_generator(request.dataset)) return generate(*made, request);
  std::vector<std::string> known;
  for (const GeneratorInfo& generator : generators()) known.push_back(generator.name);
  for (const CatalogEntry& entry : catalog()) {
    if (entry.name == request.dataset) return load_from_catalog(entry, request);
    known.push_back(entry.name);
  }
  if (is_path(request.dataset)) return load_from_file(request.dataset, request);
  throw_unknown("data set", request.dataset, known);
}

/// Its rows are as they were written: mapped, and not to be changed.
LoadedData load_split_file(const DatasetRequest& request, RowCheck check) {
  const std::string written = fmt::format(
      "{} has its rows as 'trainyard split' wrote them, which takes this option", request.dataset);
  if (!request.test.empty()) throw OptionError("test", request.test, written);
  if (!request.validation.empty() && request.validation != split_validation) {
    throw OptionError("validation", request.validation, written);
  }
  if (!request.format.empty()) throw OptionError("data-format", request.format, written);
  if (request.intercept) throw OptionError("intercept", written);
  if (request.scaling != FeatureScaling::none) {
    throw OptionError("scale", scaling_text(request.scaling), written);
  }
  if (!request.class_weight.empty()) {
    throw OptionError("class-weight", request.class_weight, written);
  }
  if (request.table != TableOptions{} || request.first_index ||
      request.label_column != DatasetRequest{}.label_column) {
    throw UsageError(
        fmt::format("{} has its rows as 'trainyard split' wrote them, which takes --header, "
                    "--label-column and all others that say how a file is to be read",
                    request.dataset));
  }
  LoadedData loaded = open_split_file(request.dataset, check);
  if (request.real_labels && loaded.train.targets.empty()) {
    throw DataError(fmt::format(
        "{}: its labels are classes; for least-squares write it with 'trainyard split --model "
        "least-squares'",
        request.dataset));
  }
  if (request.validation == split_validation && loaded.validation.rows == 0) {
    throw OptionError("validation", request.validation,
                      fmt::format("{} has no validation rows; 'trainyard split --validation 0.2' "
                                  "writes some",
                                  request.dataset));
  }
  if (request.start.folder.empty()) return loaded;
  loaded.start = request.start.open(request.start.folder);
  check_made_as_before(*loaded.start, loaded);
  return loaded;
}

/// What is done to rows of any origin, once it is settled which are for training.
void complete(const DatasetRequest& request, LoadedData& loaded) {
  Preparation& preparation = loaded.preparation;
  preparation.sparse = loaded.train.sparse;
  preparation.features = loaded.train.features;
  preparation.classes = loaded.train.classes;
  preparation.scaling = request.scaling;
  preparation.intercept = request.intercept;
  settle_weights(request, loaded);
  if (!request.intercept) return;
  for (Dataset* const set : {&loaded.train, &loaded.validation, &loaded.test}) {
    if (set->rows > 0) append_intercept(*set);
  }
}

void check_no_files(const RowsInMemory& rows, const DatasetRequest& request) {
  constexpr const char* as_arrays = "the training rows are in memory, and these have to be, too";
  if (is_test_file(request)) {
    const bool is_share = validation_fraction(request.test).has_value();
    throw OptionError("test", request.test,
                      is_share ? "every-fifth takes a fifth of the training rows, and --validation "
                                 "takes other shares"
                               : as_arrays);
  }
  if (is_validation_file(request)) throw OptionError("validation", request.validation, as_arrays);
  if (!request.start.folder.empty()) {
    throw OptionError("start", request.start.folder,
                      "the training rows are in memory, and what made the model's is not known");
  }
  if (!request.test.empty() && rows.test.rows > 0) {
    throw OptionError("test", request.test, "test rows are given, too; one of them is accepted");
  }
  if (!request.validation.empty() && rows.validation.rows > 0) {
    throw OptionError("validation", request.validation,
                      "validation rows are given, too; one of them is accepted");
  }
}

/// Scaling writes where rows lie, and a view's are somebody else's.
void own_rows(Dataset& rows) {
  rows.dense = AlignedBuffer<float>::copy_of(rows.dense.span());
  rows.values = AlignedBuffer<float>::copy_of(rows.values.span());
}

}  // namespace

LoadedData load_rows(RowsInMemory rows, const DatasetRequest& request) {
  check_no_files(rows, request);
  if (request.scaling != FeatureScaling::none) {
    for (Dataset* const set : {&rows.train.data, &rows.test, &rows.validation}) own_rows(*set);
  }
  ReadOptions options;
  options.format = rows.train.data.sparse ? Format::libsvm : Format::npy;
  if (request.labels_used) check_training_labels(rows.name, rows.train, true, rows.train.remarks);
  LoadedData loaded = loaded_from(rows.name, options, rows.train);
  loaded.test = std::move(rows.test);
  loaded.validation = std::move(rows.validation);
  settle_rows(std::move(rows.train), {}, request, loaded);
  complete(request, loaded);
  return loaded;
}

bool asks_for_split_file(const DatasetRequest& request) {
  return origin_of(request.dataset) == DataOrigin::file && is_split_file(request.dataset);
}

DataOrigin origin_of(const std::string& dataset) {
  const auto has_name = [name = std::string_view(dataset).substr(0, dataset.find(':'))](
                            const auto& row) { return row.name == name; };
  if (std::ranges::any_of(generators(), has_name)) return DataOrigin::generated;
  const bool is_known =
      std::ranges::find(catalog(), dataset, &CatalogEntry::name) != catalog().end();
  return is_known ? DataOrigin::known : DataOrigin::file;
}

LoadedData load_dataset(const DatasetRequest& request, RowCheck check) {
  if (asks_for_split_file(request)) return load_split_file(request, check);
  if (!request.start.folder.empty()) {
    return load_as_before(request, request.start.open(request.start.folder));
  }
  LoadedData loaded = load(request);
  complete(request, loaded);
  return loaded;
}

}  // namespace trainyard
