#include "trainyard/scoring/measure_kind.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/scoring/measures.hpp"
#include "trainyard/scoring/score.hpp"

namespace trainyard {

namespace {

const std::array<std::string, 8> kind_names{
    "loss", "accuracy", "balanced-accuracy", "f1", "auc", "average-precision", "mae", "r2"};

bool are_numbers(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return !std::isnan(value); });
}

std::optional<double> of_real_labels(MeasureKind kind, const Dataset& rows,
                                     const Predictions& said) {
  RealMeasuring measuring;
  measuring.add({rows.targets.data(), rows.rows}, said.values, rows.weights.span());
  const RealMeasures measures = measuring.finish();
  return kind == MeasureKind::mae ? measures.mae : measures.r2;
}

std::optional<double> of_classes(MeasureKind kind, const Dataset& rows, const Predictions& said) {
  using Ranks = ClassMeasuring::Ranks;
  const bool by_values = said.probabilities.empty();
  ClassMeasuring measuring(said.classes, by_values ? Ranks::values : Ranks::probabilities);
  const std::vector<double> ranked = by_values ? rank_values(said.values) : std::vector<double>{};
  measuring.add({rows.labels.data(), rows.rows}, by_values ? ranked : said.probabilities,
                said.labels, rows.weights.span());
  const ClassMeasures measures = measuring.finish();
  switch (kind) {
    case MeasureKind::accuracy:
      return measures.accuracy;
    case MeasureKind::balanced_accuracy:
      return measures.macro_recall;
    case MeasureKind::f1:
      return said.classes == 2 ? measures.classes[1].f1 : measures.macro_f1;
    case MeasureKind::auc:
      return measures.roc_auc;
    case MeasureKind::average_precision:
      return measures.average_precision;
    default:
      throw InternalError("a measure that classes do not have");
  }
}

}  // namespace

MeasureKind parse_measure_kind(std::string_view text, std::string_view what) {
  return static_cast<MeasureKind>(chosen(text, what, kind_names));
}

std::string measure_kind_text(MeasureKind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

bool larger_is_better(MeasureKind kind) {
  return kind != MeasureKind::loss && kind != MeasureKind::mae;
}

bool suits_labels(MeasureKind kind, bool real_labels) {
  const bool of_real = kind == MeasureKind::mae || kind == MeasureKind::r2;
  return kind == MeasureKind::loss || of_real == real_labels;
}

std::optional<double> measure_of(MeasureKind kind, std::string_view name, const Model& model,
                                 ConstVector parameters, const Dataset& rows) {
  const Predictions said = predictions(model, name, parameters, rows);
  if (!are_numbers(said.values) || !are_numbers(said.probabilities)) return std::nullopt;
  return rows.targets.empty() ? of_classes(kind, rows, said) : of_real_labels(kind, rows, said);
}

}  // namespace trainyard
