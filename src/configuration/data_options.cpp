#include "configuration/data_options.hpp"

#include <array>

#include <fmt/format.h>

#include "trainyard/base/units.hpp"
#include "trainyard/data/catalog.hpp"

#include "base/echoed.hpp"
#include "configuration/option_rows.hpp"

namespace trainyard {

namespace {

using C = Configuration;
using Text = std::string_view;

bool has_test_file(const C& c) {
  return !c.test.empty() && c.test != "every-fifth";
}

/// "'a9a' is a known data set", "'blobs' is generated".
std::string what_it_is(const C& c) {
  return fmt::format(
      "{} {}", echoed(c.dataset),
      origin_of(c.dataset) == DataOrigin::known ? "is a known data set" : "is generated");
}

bool is_table(const C& c, const std::string& file) {
  const Format format =
      c.data_format.empty() ? guess_format(file) : parse_format(c.data_format, "--data-format");
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

std::string label_column_idle(const OptionSetting& s) {
  const C& c = s.configuration;
  if (origin_of(c.dataset) != DataOrigin::file) return what_it_is(c);
  if (is_table(c, c.dataset) || (has_test_file(c) && is_table(c, c.test))) return "";
  return fmt::format("{} is neither CSV nor TSV", echoed(c.dataset));
}

Option data_format_option() {
  return {"data",
          "data-format",
          "libsvm|csv|tsv|idx",
          "of --dataset FILE; guessed from its name otherwise",
          [](C& c, Text t, Text w) {
            static const std::array<std::string, 4> names{"libsvm", "csv", "tsv", "idx"};
            c.data_format = names[chosen(t, w, names)];
          },
          [](const C& c) { return c.data_format; }};
}

Option label_column_option() {
  return {"data",
          "label-column",
          "I",
          "column of the label in CSV and TSV files, from 0",
          [](C& c, Text t, Text w) {
            c.label_column = static_cast<std::size_t>(parse_integer(t, w, 0, 1'000'000));
          },
          [](const C& c) { return fmt::to_string(c.label_column); },
          true};
}

Option order_option() {
  return {"data",
          "order",
          "reshuffle|once|file",
          "order of a worker's rows: anew for each pass, shuffled once, or the file's",
          [](C& c, Text t, Text w) { c.order = parse_row_order(t, w); },
          [](const C& c) { return row_order_text(c.order); }};
}

}  // namespace

std::vector<Option> data_options() {
  return {
      text_option("data", "dataset", "NAME|FILE", "a known data set (list datasets) or a file",
                  &C::dataset),
      text_option("data", "test", "FILE|every-fifth",
                  "test set; every-fifth takes each fifth row out for testing", &C::test),
      idle_where(data_format_option(), data_format_idle),
      idle_where(text_option("data", "data-dir", "DIR", "where the files of known data sets lie",
                             &C::data_dir),
                 data_dir_idle),
      idle_where(label_column_option(), label_column_idle),
      {"data", "partition", "iid|contiguous|shards|dirichlet:A", "which rows go to which worker",
       [](C& c, Text t, Text w) { c.partition = parse_partition(t, w); },
       [](const C& c) { return partition_text(c.partition); }},
      idle_where(order_option(),
                 [](const OptionSetting& s) {
                   return s.configuration.replacement
                              ? "with --replacement rows are drawn in no order"
                              : "";
                 }),
      switch_option("data", "replacement", "draw minibatches with replacement, in no order",
                    &C::replacement),
  };
}

}  // namespace trainyard
