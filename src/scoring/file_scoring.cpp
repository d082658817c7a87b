#include "trainyard/scoring/file_scoring.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

/// A span of the rows that were not left out; `kept` holds them where some were.
template <typename T>
std::span<const T> kept_of(std::span<const T> all, const std::vector<bool>& missing,
                           std::size_t columns, std::vector<T>& kept) {
  if (missing.empty()) return all;
  kept.clear();
  for (std::size_t row = 0; row < missing.size(); ++row) {
    if (missing[row]) continue;
    const std::span<const T> one = all.subspan(row * columns, columns);
    kept.insert(kept.end(), one.begin(), one.end());
  }
  return kept;
}

/// What the file's weights are called; empty where it can have none.
std::string name_of_weights(const Preparation& preparation, const ReadOptions& reading) {
  const std::string& other = reading.other_weight_column;
  if (!other.empty()) return fmt::format("column {}", echoed(other));
  if (reading.format == Format::libsvm) return "the numbers behind labels";
  const TableSchema* schema = preparation.schema.get();
  if (schema == nullptr || !schema->weight_column) return "";
  return fmt::format("column {}", echoed(schema->weight_name));
}

}  // namespace

FileScoring::FileScoring(const TrainedModel& trained, const std::filesystem::path& file,
                         ReadOptions reading, std::size_t window_bytes)
    : trained_(&trained),
      file_(file.string()),
      weights_(name_of_weights(trained.preparation, reading)),
      windows_(file, std::move(reading), window_bytes) {}

std::optional<ScoredRows> FileScoring::next() {
  std::optional<CodedDataset> read = windows_.next();
  if (!read) return std::nullopt;
  ScoredRows part;
  part.labelled = read->labelled;
  part.rows = prepared(std::move(read->data), trained_->preparation);
  part.said = predictions(*trained_, part.rows);
  const auto left_out = static_cast<std::size_t>(std::ranges::count(part.said.missing, true));
  scored_.rows += part.rows.rows;
  scored_.left_out += left_out;
  if (!trained_->preparation.filling.empty()) scored_.missing_fields += read->missing_fields;
  scored_.unknown_words += read->unknown_words;
  for (std::string& remark : read->remarks) {
    const bool is_new =
        remark.starts_with("warning: ") && std::ranges::find(warnings_, remark) == warnings_.end();
    if (is_new) warnings_.push_back(std::move(remark));
  }
  if (part.labelled && left_out < part.rows.rows) measure(part);
  return part;
}

void FileScoring::measure(const ScoredRows& part) {
  const Predictions& said = part.said;
  std::vector<float> some_weights;
  std::span<const float> weights;
  if (!part.rows.weights.empty()) {
    weighted_ = true;
    weights = kept_of<float>({part.rows.weights.data(), said.rows}, said.missing, 1, some_weights);
    weight_ = std::accumulate(weights.begin(), weights.end(), weight_);
  } else {
    weight_ += static_cast<double>(said.rows);
  }
  scored_.measured += said.rows - static_cast<std::size_t>(std::ranges::count(said.missing, true));
  if (said.classes == 0) {
    if (!real_) real_.emplace();
    std::vector<float> targets;
    std::vector<double> values;
    real_->add(kept_of<float>({part.rows.targets.data(), said.rows}, said.missing, 1, targets),
               kept_of<double>(said.values, said.missing, 1, values), weights);
    return;
  }
  using Ranks = ClassMeasuring::Ranks;
  const bool by_values = said.probabilities.empty();
  if (!classes_) {
    classes_.emplace(said.classes, by_values ? Ranks::values : Ranks::probabilities);
  }
  const std::vector<double> ranked = by_values ? rank_values(said.values) : std::vector<double>{};
  std::vector<Label> labels, predicted;
  std::vector<double> probabilities;
  classes_->add(kept_of<Label>({part.rows.labels.data(), said.rows}, said.missing, 1, labels),
                kept_of<double>(by_values ? ranked : said.probabilities, said.missing, said.classes,
                                probabilities),
                kept_of<Label>(said.labels, said.missing, 1, predicted), weights);
}

Scored FileScoring::finish() {
  const bool measured = classes_ || real_;
  if (measured && weight_ == 0.0) {
    throw DataError(
        fmt::format("{}: {}: the weights of all rows that have a label are 0", file_, weights_));
  }
  if (weighted_) scored_.weighted_by = weights_;
  const Preparation& preparation = trained_->preparation;
  const bool was_weighted =
      preparation.label_weights ||
      (preparation.schema != nullptr && preparation.schema->weight_column.has_value());
  if (measured && !weighted_ && was_weighted) scored_.unweighted = weights_;
  if (classes_) scored_.classes = classes_->finish();
  if (real_) scored_.real = real_->finish();
  scored_.remarks = windows_.remarks();
  for (std::string& warning : warnings_) {
    if (std::ranges::find(scored_.remarks, warning) == scored_.remarks.end()) {
      scored_.remarks.push_back(std::move(warning));
    }
  }
  return std::exchange(scored_, {});
}

}  // namespace trainyard
