#include "trainyard/scoring/file_scoring.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

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

}  // namespace

FileScoring::FileScoring(const TrainedModel& trained, const std::filesystem::path& file,
                         ReadOptions reading, std::size_t window_bytes)
    : trained_(&trained), windows_(file, std::move(reading), window_bytes) {}

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
  if (part.labelled && left_out < part.rows.rows) measure(part);
  return part;
}

void FileScoring::measure(const ScoredRows& part) {
  const Predictions& said = part.said;
  scored_.measured += said.rows - static_cast<std::size_t>(std::ranges::count(said.missing, true));
  if (said.classes == 0) {
    if (!real_) real_.emplace();
    std::vector<float> targets;
    std::vector<double> values;
    real_->add(kept_of<float>({part.rows.targets.data(), said.rows}, said.missing, 1, targets),
               kept_of<double>(said.values, said.missing, 1, values));
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
                kept_of<Label>(said.labels, said.missing, 1, predicted));
}

Scored FileScoring::finish() {
  if (classes_) scored_.classes = classes_->finish();
  if (real_) scored_.real = real_->finish();
  scored_.remarks = windows_.remarks();
  return std::exchange(scored_, {});
}

}  // namespace trainyard
