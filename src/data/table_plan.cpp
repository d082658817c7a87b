// What a file's columns are for, by the schema of the training file: found by their names where
// both files have a header line, and by their places otherwise.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

#include "data/hashed_words.hpp"
#include "data/table_layout.hpp"

namespace trainyard {

namespace {

std::size_t place_of(const TableHead& head, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(head.names, name) - head.names.begin());
}

/// "'age' (did you mean 'Age'?)": a column of the file that the training file has not.
std::string missing_column(const std::string& name, const std::vector<std::string>& unused) {
  constexpr std::size_t long_enough = 4;  // "b" is near to any "c"
  const auto lower = [](std::string text) {
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
  };
  const auto same = std::ranges::find(unused, lower(name), lower);
  const std::string nearest = same != unused.end()         ? *same
                              : name.size() >= long_enough ? nearest_name(name, unused)
                                                           : "";
  if (nearest.empty()) return echoed(name);
  return fmt::format("{} (did you mean {}?)", echoed(name), echoed(nearest));
}

/// Which of the columns that are no features a test file does without.
struct LacksColumns {
  bool label = false, weight = false;
};

/// Throws DataError with the names of the training file that a test file's header line lacks.
void refuse_missing_columns(const std::string& file, const TableHead& head,
                            const TableSchema& schema, const LacksColumns& lacks) {
  constexpr std::size_t most_named = 5;
  std::vector<std::string> wanted;
  for (const TableColumn& column : schema.columns) wanted.push_back(column.name);
  if (!lacks.label) wanted.push_back(schema.label_name);
  if (schema.weight_column && !lacks.weight) wanted.push_back(schema.weight_name);
  std::vector<std::string> unused = head.names;
  std::erase_if(unused, [&](const std::string& name) {
    return name.empty() || name == schema.label_name || std::ranges::count(wanted, name) > 0;
  });
  std::vector<std::string> missing;
  for (const std::string& name : wanted) {
    if (std::ranges::count(head.names, name) == 0) missing.push_back(missing_column(name, unused));
  }
  if (missing.empty()) return;
  const std::string more =
      missing.size() <= most_named ? "" : fmt::format(" and {} more", missing.size() - most_named);
  const std::string_view word = missing.size() == 1 ? "column" : "columns";
  missing.resize(std::min(missing.size(), most_named));
  throw DataError(fmt::format("{}:{}:1: found no {} {}{}; expected those of the training file",
                              file, head.skipped_lines, word, joined(missing), more));
}

/// If a name occurs twice, only the position identifies a column.
bool goes_by_name(const TableHead& head, const TableSchema& schema) {
  if (!schema.has_names || head.names.empty()) return false;
  std::vector<std::string> names{schema.label_name};
  if (schema.weight_column) names.push_back(schema.weight_name);
  for (const TableColumn& column : schema.columns) names.push_back(column.name);
  return all_differ(names) && all_differ(head.names);
}

ColumnPlan plan_of_column(const TableColumn& column, const TableHead& head,
                          const std::vector<double>& subtracted) {
  ColumnPlan plan;
  plan.first = column.first;
  plan.subtracted =
      subtracted.empty() || column.kind == ColumnKind::hashed ? 0.0 : subtracted[column.first];
  switch (column.kind) {
    case ColumnKind::numbers:
      plan.use = plan.subtracted == 0.0 && head.dialect.is_plain() ? ColumnPlan::Use::plain_number
                                                                   : ColumnPlan::Use::any_number;
      return plan;
    case ColumnKind::words:
      plan.use = ColumnPlan::Use::words;
      plan.categories = &column.categories;
      return plan;
    case ColumnKind::dates:
      plan.use = ColumnPlan::Use::date;
      plan.subtracted += column.first_day;
      return plan;
    case ColumnKind::hashed:
      plan.use = ColumnPlan::Use::hashed;
      plan.seed = column_hash(column.name);
      return plan;
  }
  throw InternalError("a kind of columns without a plan");
}

/// Of a file whose columns are found by their places.
LacksColumns lacks_by_place(const std::string& file, const TableHead& head,
                            const TableSchema& schema, const ReadOptions& options) {
  const std::size_t all = schema.file_columns;
  const bool may_lack = options.labels != LabelUse::required;
  if (head.columns == all) return {};
  if (may_lack && !schema.weight_column && head.columns + 1 == all) return {.label = true};
  if (may_lack && schema.weight_column && head.columns + 2 == all) return {true, true};
  const std::string fewer =
      !may_lack || !schema.weight_column
          ? ""
          : fmt::format(", or {} without the label and the weight", schema.file_columns - 2);
  throw DataError(fmt::format("{}:{}:1: found {}; expected {} as in the training file{}", file,
                              head.line, counted(head.columns, "column"), all, fewer));
}

/// Throws OptionError where it is not there, or is one of the features.
void use_other_weights(const std::string& file, const TableHead& head, const ReadOptions& options,
                       TablePlan& plan) {
  using Use = ColumnPlan::Use;
  const std::string& text = options.other_weight_column;
  const std::size_t column = column_of_option(file, head, "weight-column", text);
  if (plan.columns[column].use == Use::label) {
    throw OptionError("weight-column", text, "it holds the label");
  }
  if (plan.columns[column].use != Use::ignored) {
    throw OptionError("weight-column", text, "it is one of the model's features");
  }
  plan.columns[column].use = Use::weight;
  plan.weighted = true;
}

}  // namespace

TablePlan plan_of(const std::string& file, const TableHead& head, const TableSchema& schema,
                  const ReadOptions& options) {
  const bool by_name = goes_by_name(head, schema);
  const auto is_absent = [&](const std::string& name) {
    return options.labels != LabelUse::required && std::ranges::count(head.names, name) == 0;
  };
  const LacksColumns lacks =
      by_name ? LacksColumns{is_absent(schema.label_name), is_absent(schema.weight_name)}
              : lacks_by_place(file, head, schema, options);
  const auto place = [&](std::size_t column, const std::string& name) {
    if (by_name) return place_of(head, name);
    return column - (lacks.label && column > schema.label_column ? 1 : 0) -
           (lacks.weight && column > schema.weight_column ? 1 : 0);
  };
  if (by_name) refuse_missing_columns(file, head, schema, lacks);
  TablePlan plan;
  plan.columns.resize(head.columns);
  plan.features = schema.features;
  plan.hashed = schema.hashed;
  if (!schema.class_names.empty()) plan.class_names = &schema.class_names;
  plan.labelled = !lacks.label && options.labels != LabelUse::none;
  if (plan.labelled) {
    plan.columns[place(schema.label_column, schema.label_name)].use = ColumnPlan::Use::label;
  }
  for (const TableColumn& column : schema.columns) {
    plan.columns[place(column.column, column.name)] =
        plan_of_column(column, head, options.subtracted);
  }
  if (!options.other_weight_column.empty()) {
    use_other_weights(file, head, options, plan);
  } else if (schema.weight_column && !lacks.weight && plan.labelled) {  // for measures alone
    plan.columns[place(*schema.weight_column, schema.weight_name)].use = ColumnPlan::Use::weight;
    plan.weighted = true;
  }
  if (const auto column = group_column(file, head, options)) {
    ColumnPlan& divides = plan.columns[*column];
    divides.divides_rows = plan.grouped = true;
    // Plain numbers are taken without a look at their text.
    if (divides.use == ColumnPlan::Use::plain_number) divides.use = ColumnPlan::Use::any_number;
  }
  return plan;
}

}  // namespace trainyard
