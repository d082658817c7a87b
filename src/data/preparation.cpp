#include "trainyard/data/preparation.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

std::vector<std::string> feature_names(const Preparation& preparation) {
  if (preparation.schema == nullptr) return {};
  std::vector<std::string> names = preparation.schema->feature_names();
  if (!names.empty() && preparation.intercept) names.emplace_back("intercept");
  return names;
}

bool has_word_classes(const Preparation& preparation) {
  return preparation.schema != nullptr && !preparation.schema->class_names.empty();
}

std::vector<std::string> class_texts(const Preparation& preparation) {
  if (has_word_classes(preparation)) return preparation.schema->class_names;
  std::vector<std::string> texts;
  if (preparation.classes < 2) return texts;
  if (preparation.coding == LabelCoding::plus_minus) return {"-1", "1"};
  if (preparation.coding == LabelCoding::listed) {
    for (const std::int32_t value : preparation.class_values) {
      texts.push_back(fmt::to_string(value));
    }
    return texts;
  }
  const int first = preparation.coding == LabelCoding::from_one ? 1 : 0;
  for (int k = 0; k < preparation.classes; ++k) texts.push_back(fmt::to_string(first + k));
  return texts;
}

namespace {

/// Throws DataError where the training file's columns cannot be found in a file of this format.
void check_format(const Preparation& preparation, const std::filesystem::path& file,
                  Format format) {
  const auto refuse = [&](std::string_view trained_on, std::string_view expected) {
    throw DataError(fmt::format(
        "{}: found a file of format {}; the model was trained on {}: expected {} (--data-format)",
        file.string(), format_text(format), trained_on, expected));
  };
  if (is_own_format(format)) {
    if (format == preparation.format) return;
    refuse(fmt::format("a file of format {}", format_text(preparation.format)), "such a file");
  }
  const bool is_table = format == Format::csv || format == Format::tsv;
  const bool is_sparse = preparation.sparse && preparation.schema == nullptr;
  if (preparation.schema != nullptr && !is_table) {
    refuse("columns of a table", "a CSV or TSV file with these columns");
  }
  if (preparation.schema == nullptr && is_table) {
    refuse(fmt::format("a file of format {}", format_text(preparation.format)), "such a file");
  }
  if (is_sparse != (format == Format::libsvm)) {
    refuse(is_sparse ? "sparse rows" : "dense rows",
           is_sparse ? "a LIBSVM file" : "an npy, npz or IDX file");
  }
}

/// What the reader is to take off each feature before it rounds it to float. Only where that
/// matters: a float keeps 24 bits, and the numbers of such a column differ in the last ones alone.
std::vector<double> shifts_of(const FeatureTransform& transform) {
  constexpr double too_large = 1024.0;
  std::vector<double> shifts(transform.subtracted.size(), 0.0);
  bool any = false;
  for (std::size_t f = 0; f < shifts.size(); ++f) {
    if (std::abs(transform.subtracted[f]) <= too_large * transform.divided_by[f]) continue;
    shifts[f] = transform.subtracted[f];
    any = true;
  }
  return any ? shifts : std::vector<double>{};
}

}  // namespace

ReadOptions reading_of(const Preparation& preparation, const std::filesystem::path& file,
                       Format format) {
  check_format(preparation, file, format);
  ReadOptions options;
  options.format = format;
  options.features = preparation.features;
  options.drop_unknown_features = true;
  options.classes = preparation.classes < 2 ? 0 : preparation.classes;
  options.real_labels = preparation.classes < 2;
  options.coding = preparation.coding;
  options.class_values = preparation.class_values;
  options.first_index = preparation.first_index;
  options.labels = LabelUse::if_there;
  options.label_weights = preparation.label_weights;
  options.table = preparation.table;
  // Rows that lack a field were left out of training: here they are kept, and marked.
  if (options.table.missing == MissingFields::drop) options.table.missing = MissingFields::mean;
  options.schema = preparation.schema;
  options.scale = static_cast<float>(preparation.value_scale);
  options.subtracted = shifts_of(preparation.transform);
  if (has_labels_file(format)) options.labels_file = guess_labels_file(file);
  return options;
}

Dataset prepared(Dataset rows, const Preparation& preparation) {
  if (!preparation.filling.empty()) {
    std::vector<double> filling = preparation.filling;
    const std::vector<double> shifts = shifts_of(preparation.transform);
    for (std::size_t f = 0; f < shifts.size(); ++f) filling[f] -= shifts[f];
    fill_missing_with(filling, *preparation.schema, rows);
  }
  FeatureTransform rest = preparation.transform;
  const std::vector<double> shifts = shifts_of(rest);
  for (std::size_t f = 0; f < shifts.size(); ++f) rest.subtracted[f] -= shifts[f];
  apply_scaling(preparation.scaling, rest, rows);
  if (preparation.intercept) append_intercept(rows);
  return rows;
}

}  // namespace trainyard
