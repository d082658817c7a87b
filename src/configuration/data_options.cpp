#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/data/class_weights.hpp"

#include "configuration/option_rows.hpp"

namespace trainyard {

namespace {

using C = Configuration;
using Text = std::string_view;

bool has_test_file(const C& c) {
  return !c.test.empty() && c.test != "every-fifth";
}

/// "'a9a' is a known data set", "'blobs' is generated", "'rows.csv' is a file".
std::string what_it_is(const C& c) {
  switch (origin_of(c.dataset)) {
    case DataOrigin::known:
      return fmt::format("{} is a known data set", echoed(c.dataset));
    case DataOrigin::generated:
      return fmt::format("{} is generated", echoed(c.dataset));
    case DataOrigin::file:
      return fmt::format("{} is a file", echoed(c.dataset));
  }
  throw InternalError("a data set from nowhere");
}

Format format_of(const C& c, const std::string& file) {
  return c.data_format.empty() ? guess_format(file) : parse_format(c.data_format, "--data-format");
}

bool is_table(const C& c, const std::string& file) {
  const Format format = format_of(c, file);
  return format == Format::csv || format == Format::tsv;
}

std::string data_format_idle(const OptionSetting& s) {
  const C& c = s.configuration;
  if (origin_of(c.dataset) == DataOrigin::file || has_test_file(c)) return "";
  return what_it_is(c);
}

std::string data_dir_idle(const OptionSetting& s) {
  const C& c = s.configuration;
  if (origin_of(c.dataset) == DataOrigin::known) return "";
  return fmt::format("it is where the files of known data sets lie, and {} is none",
                     echoed(c.dataset));
}

std::string data_seed_idle(const OptionSetting& s) {
  const C& c = s.configuration;
  if (validation_fraction(c.validation)) return "";
  return origin_of(c.dataset) == DataOrigin::generated ? "" : what_it_is(c);
}

std::string labels_idle(const OptionSetting& s) {
  const C& c = s.configuration;
  if (origin_of(c.dataset) != DataOrigin::file) return what_it_is(c);
  if (has_labels_file(format_of(c, c.dataset))) return "";
  return fmt::format("{} is neither npy nor IDX, and has its labels in it", echoed(c.dataset));
}

std::string test_labels_idle(const OptionSetting& s) {
  const C& c = s.configuration;
  if (!has_test_file(c)) return "there is no --test FILE";
  if (has_labels_file(format_of(c, c.test))) return "";
  return fmt::format("{} is neither npy nor IDX, and has its labels in it", echoed(c.test));
}

/// Of what says how the training file's table is to be read; its test file follows that.
std::string training_table_idle(const OptionSetting& s) {
  const C& c = s.configuration;
  if (origin_of(c.dataset) != DataOrigin::file) return what_it_is(c);
  if (is_table(c, c.dataset)) return "";
  return fmt::format("{} is no table, as CSV and TSV are", echoed(c.dataset));
}

/// Of what holds for any table.
std::string table_idle(const OptionSetting& s) {
  const C& c = s.configuration;
  return has_test_file(c) && is_table(c, c.test) ? "" : training_table_idle(s);
}

std::string first_index_idle(const OptionSetting& s) {
  const C& c = s.configuration;
  const bool of_test = has_test_file(c) && format_of(c, c.test) == Format::libsvm;
  if (of_test ||
      (origin_of(c.dataset) == DataOrigin::file && format_of(c, c.dataset) == Format::libsvm)) {
    return "";
  }
  return "no file in the format of LIBSVM is read";
}

std::string scale_columns_idle(const OptionSetting& s) {
  const FeatureScaling scaling = s.configuration.scaling;
  if (scaling == FeatureScaling::none) return "there is no --scale";
  if (scaling == FeatureScaling::unit_rows) return "--scale unit-rows takes rows, not columns";
  return training_table_idle(s);
}

std::string label_column_idle(const OptionSetting& s) {
  const C& c = s.configuration;
  return origin_of(c.dataset) == DataOrigin::file ? table_idle(s) : what_it_is(c);
}

Option data_format_option() {
  return {"data",
          "data-format",
          fmt::format("{}", fmt::join(format_names(), "|")),
          "of --dataset FILE; otherwise by what it begins with, and then by its name",
          [](C& c, Text t, Text w) {
            const std::vector<std::string> names = format_names();
            c.data_format = names[chosen(t, w, names)];
          },
          [](const C& c) { return c.data_format; }};
}

/// An option of tables that keeps its text as it is.
Option columns_option(std::string name, std::string argument, std::string help,
                      std::string TableOptions::*field) {
  return {"data",
          std::move(name),
          std::move(argument),
          std::move(help),
          [field](C& c, Text t, Text) { c.table.*field = t; },
          [field](const C& c) { return c.table.*field; }};
}

/// How a table of people's own is read.
std::vector<Option> table_options() {
  return {
      idle_where({"data", "header", "auto|yes|no",
                  "whether the first row of a CSV or TSV file names its columns; auto: as it looks",
                  [](C& c, Text t, Text w) { c.table.header = parse_header_line(t, w); },
                  [](const C& c) { return header_line_text(c.table.header); }},
                 table_idle),
      idle_where(
          text_option("data", "label-column", "COLUMN",
                      "of the label in CSV and TSV files: a name, 0, 1, … or -1 for the last",
                      &C::label_column),
          label_column_idle),
      idle_where(columns_option("weight-column", "COLUMN",
                                "of rows' weights in CSV and TSV files, from 0 on: no feature; of "
                                "training rows they are divided by their mean [all weigh 1]",
                                &TableOptions::weight_column),
                 table_idle),
      idle_where(
          columns_option("columns", "COLUMN,…",
                         "the features that are kept of CSV and TSV files, by name or number",
                         &TableOptions::columns),
          training_table_idle),
      idle_where(columns_option("drop-columns", "COLUMN,…", "those that are left out",
                                &TableOptions::drop_columns),
                 training_table_idle),
      idle_where({"data", "missing", "error|mean|drop",
                  "empty fields and --missing-words of CSV and TSV files: refused, filled with the "
                  "column's mean (words: the most frequent), or their rows left out",
                  [](C& c, Text t, Text w) { c.table.missing = parse_missing_fields(t, w); },
                  [](const C& c) { return missing_fields_text(c.table.missing); }},
                 table_idle),
      idle_where(columns_option("missing-words", "WORD,…",
                                "what stands for a missing field, instead of these",
                                &TableOptions::missing_words),
                 table_idle),
  };
}

/// What is in a table's columns.
std::vector<Option> column_options() {
  return {
      idle_where(columns_option("categorical", "COLUMN,…",
                                "columns whose numbers are names, a feature for each",
                                &TableOptions::categorical),
                 training_table_idle),
      idle_where(
          columns_option("numeric", "COLUMN,…", "columns of numbers, in which words are faults",
                         &TableOptions::numeric),
          training_table_idle),
      idle_where(columns_option("date", "COLUMN,…",
                                "columns of dates, which become days since the earliest",
                                &TableOptions::date),
                 training_table_idle),
      idle_where({"data", "hash", "off|2^B|N",
                  "columns of more than 1,000 different words share so many features, a word's "
                  "found by hashing; off: such columns are refused",
                  [](C& c, Text t, Text w) { c.table.hash = parse_hash_size(t, w); },
                  [](const C& c) { return hash_size_text(c.table.hash); }},
                 training_table_idle),
  };
}

/// How a file is written.
std::vector<Option> writing_options() {
  return {
      idle_where(
          {"data", "delimiter", "SEPARATOR",
           "between the fields of a table: , or ; or | or tab or blanks; auto: by its first rows",
           [](C& c, Text t, Text w) { c.table.delimiter = parse_delimiter(t, w); },
           [](const C& c) { return delimiter_text(c.table.delimiter); }},
          table_idle),
      idle_where({"data", "decimal", "auto|.|,",
                  "before the decimals of a table's numbers; the other one groups thousands; auto: "
                  "by its first rows",
                  [](C& c, Text t, Text w) { c.table.decimal = parse_decimal(t, w); },
                  [](const C& c) { return decimal_text(c.table.decimal); }},
                 table_idle),
      idle_where({"data", "first-index", "auto|0|1",
                  "of the features of a LIBSVM file; auto: 1, or 0 where the file has an index 0",
                  [](C& c, Text t, Text w) {
                    static const std::array<std::string, 3> names{"auto", "0", "1"};
                    const std::size_t place = chosen(t, w, names);
                    c.first_index.reset();
                    if (place > 0) c.first_index = static_cast<std::uint32_t>(place - 1);
                  },
                  [](const C& c) {
                    return c.first_index ? fmt::to_string(*c.first_index) : std::string("auto");
                  }},
                 first_index_idle),
  };
}

/// What is done to features once they are read.
std::vector<Option> feature_options() {
  return {
      {"data", "scale", "none|standard|minmax|unit-rows",
       "features: (x - mean) / deviation; from 0 to 1; each row to length 1. Of sparse data "
       "standard and minmax only divide, by the deviation and by the largest |x|",
       [](C& c, Text t, Text w) { c.scaling = parse_scaling(t, w); },
       [](const C& c) { return scaling_text(c.scaling); }},
      idle_where(columns_option("scale-columns", "COLUMN,…",
                                "those of a table that --scale takes [all but words]",
                                &TableOptions::scale_columns),
                 scale_columns_idle),
      switch_option("data", "intercept", "append a feature that is 1 in every row", &C::intercept),
  };
}

Option class_weight_option() {
  return {
      "data",
      "class-weight",
      "balanced|CLASS:W,…",
      "by which training rows of a class are multiplied in the objective; balanced: n / (k n_c), "
      "of n_c of n rows and k classes; then divided by their mean [1]",
      [](C& c, Text t, Text w) {
        if (!t.empty()) (void)parse_class_weights(t, w);
        c.class_weight = t;
      },
      [](const C& c) { return c.class_weight; }};
}

Option data_seed_option() {
  return {
      "data",
      "data-seed",
      "SEED",
      "of generated data and of the rows that --validation draws, which do not depend on --seed",
      [](C& c, Text t, Text w) {
        c.data_seed = static_cast<std::uint64_t>(
            parse_integer(t, w, 0, std::numeric_limits<std::int64_t>::max()));
      },
      [](const C& c) { return fmt::to_string(c.data_seed); },
      true};
}

Option validation_option() {
  return {"data",
          "validation",
          "FRACTION|FILE",
          "rows by which --target-accuracy, --patience and tuned step sizes are judged, instead of "
          "test or training rows: so much of each class of the training rows, or a file",
          [](C& c, Text t, Text w) {
            const auto fraction = validation_fraction(t);
            if (fraction && !(*fraction > 0.0 && *fraction < 1.0)) {
              throw UsageError(
                  fmt::format("{}: {} is not between 0 and 1; expected a fraction of the training "
                              "rows, like 0.2, or a file",
                              w, echoed(t)));
            }
            c.validation = t;
          },
          [](const C& c) { return c.validation; }};
}

/// Where rows come from.
std::vector<Option> source_options() {
  return {
      also(taker::lab,
           text_option("data", "dataset", "NAME[:ROWS]|FILE",
                       "a known data set (list datasets) or a file; ROWS of one that is made",
                       &C::dataset)),
      also(taker::lab,
           text_option("data", "test", "FILE|every-fifth",
                       "test set; every-fifth takes each fifth row out for testing", &C::test)),
      validation_option(),
      idle_where(data_format_option(), data_format_idle),
      idle_where(text_option("data", "data-dir", "DIR", "where the files of known data sets lie",
                             &C::data_dir),
                 data_dir_idle),
      also(taker::lab, idle_where(data_seed_option(), data_seed_idle)),
      idle_where(
          text_option("data", "labels", "FILE",
                      "labels of an npy or IDX --dataset; X.npy has y.npy, guessed so", &C::labels),
          labels_idle),
      idle_where(text_option("data", "test-labels", "FILE", "the same of --test", &C::test_labels),
                 test_labels_idle),
  };
}

}  // namespace

std::vector<Option> data_options() {
  std::vector<Option> all;
  for (const auto& part :
       {also(taker::split, source_options()), also(taker::split | taker::upload, table_options()),
        also(taker::split | taker::upload, column_options()),
        also(taker::split | taker::upload, writing_options()),
        also(taker::split | taker::lab, feature_options()),
        also(taker::split, std::vector<Option>{class_weight_option()}), row_options()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace trainyard
