// From what the user asked for to data in memory: a generator, a set of the catalogue, or a file.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/data/partition.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view every_fifth = "every-fifth";

void split_every_fifth(LoadedData& loaded) {
  std::vector<std::uint32_t> train;
  std::vector<std::uint32_t> test;
  for (std::uint32_t row = 0; row < loaded.train.rows; ++row) {
    (row % 5 == 4 ? test : train).push_back(row);
  }
  if (test.empty()) {
    throw OptionError(
        "test", every_fifth,
        fmt::format("needs at least 5 rows; '{}' has {}", loaded.name, loaded.train.rows));
  }
  loaded.test = copy_rows(loaded.train, test);
  loaded.train = copy_rows(loaded.train, train);
}

/// A test file is read to fit the training data that the model will be made for.
Dataset read_test(const fs::path& file, ReadOptions options, const CodedDataset& train) {
  options.features = train.data.features;
  options.drop_unknown_features = true;
  options.classes = train.data.classes;
  options.coding = train.coding;
  return read_dataset(file, options);
}

fs::path find_file(const CatalogEntry& entry, const CatalogFile& file,
                   const std::string& data_dir) {
  fs::path path = fs::path(data_dir) / file.path;
  std::error_code error;
  if (fs::exists(path, error)) return path;
  throw DataError(fmt::format(
      "data set '{}': no file {}; get it with: scripts/fetch_datasets.sh {} --data-dir {}",
      entry.name, path.string(), entry.name, data_dir));
}

Dataset read_catalog_test(const CatalogEntry& entry, ReadOptions options, const CodedDataset& train,
                          const std::string& data_dir) {
  if (entry.test.size() > 1) options.labels_file = find_file(entry, entry.test[1], data_dir);
  return read_test(find_file(entry, entry.test[0], data_dir), options, train);
}

ReadOptions options_of(const fs::path& file, const DatasetRequest& request) {
  ReadOptions options;
  options.format =
      request.format.empty() ? guess_format(file) : parse_format(request.format, "--format");
  options.label_column = request.label_column;
  if (options.format == Format::idx) options.labels_file = guess_labels_file(file);
  return options;
}

/// The test file that the user named, with the training file's scaling.
Dataset read_named_test(const DatasetRequest& request, const ReadOptions& train_options,
                        const CodedDataset& train) {
  ReadOptions options = options_of(request.test, request);
  options.scale = train_options.scale;
  options.label_column = train_options.label_column;
  return read_test(request.test, options, train);
}

LoadedData load_from_catalog(const CatalogEntry& entry, const DatasetRequest& request) {
  ReadOptions options;
  options.format = entry.format;
  options.features = entry.features;
  options.classes = entry.classes;
  options.label_column = entry.label_column;
  options.scale = static_cast<float>(entry.scale);
  if (entry.train.size() > 1)
    options.labels_file = find_file(entry, entry.train[1], request.data_dir);
  CodedDataset train =
      read_coded_dataset(find_file(entry, entry.train[0], request.data_dir), options);
  LoadedData loaded{entry.name, {}, {}, train.largest_feature_line};
  if (!request.test.empty() && request.test != every_fifth) {
    loaded.test = read_named_test(request, options, train);
  } else if (request.test.empty() && !entry.test.empty()) {
    loaded.test = read_catalog_test(entry, options, train, request.data_dir);
  }
  loaded.train = std::move(train.data);
  return loaded;
}

LoadedData load_from_file(const fs::path& file, const DatasetRequest& request) {
  const ReadOptions options = options_of(file, request);
  CodedDataset train = read_coded_dataset(file, options);
  LoadedData loaded{file.filename().string(), {}, {}, train.largest_feature_line};
  if (!request.test.empty() && request.test != every_fifth) {
    loaded.test = read_named_test(request, options, train);
  }
  loaded.train = std::move(train.data);
  return loaded;
}

LoadedData generate(const GeneratorInfo& generator, const DatasetRequest& request) {
  if (!request.test.empty() && request.test != every_fifth) {
    throw OptionError(
        "test", request.test,
        fmt::format("the generated data set '{}' brings its own test rows", generator.name));
  }
  TrainTest made = generator.make(request.seed);
  return {generator.name, std::move(made.train), std::move(made.test), 0};
}

bool is_path(const std::string& text) {
  std::error_code error;
  return text.find_first_of("/.") != std::string::npos || fs::exists(text, error);
}

LoadedData load(const DatasetRequest& request) {
  std::vector<std::string> known;
  for (const GeneratorInfo& generator : generators()) {
    if (generator.name == request.dataset) return generate(generator, request);
    known.push_back(generator.name);
  }
  for (const CatalogEntry& entry : catalog()) {
    if (entry.name == request.dataset) return load_from_catalog(entry, request);
    known.push_back(entry.name);
  }
  if (is_path(request.dataset)) return load_from_file(request.dataset, request);
  throw_unknown("data set", request.dataset, known);
}

}  // namespace

DataOrigin origin_of(const std::string& dataset) {
  const auto has_name = [&](const auto& row) { return row.name == dataset; };
  if (std::ranges::any_of(generators(), has_name)) return DataOrigin::generated;
  return std::ranges::any_of(catalog(), has_name) ? DataOrigin::known : DataOrigin::file;
}

LoadedData load_dataset(const DatasetRequest& request) {
  LoadedData loaded = load(request);
  if (request.test == every_fifth) split_every_fifth(loaded);
  return loaded;
}

}  // namespace trainyard
