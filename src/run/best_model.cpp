#include "run/best_model.hpp"

#include <cmath>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/data/archive.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

std::optional<double> validation_value(MeasureKind kind, const Metrics& metrics) {
  const std::optional<double>& value =
      kind == MeasureKind::loss ? metrics.validation_loss : metrics.validation_metric;
  return value && !std::isnan(*value) ? value : std::nullopt;
}

bool BestModel::is_better(std::optional<double> value, std::optional<double> loss) const {
  if (!value) return false;
  if (!value_ || (best_ == 0 && !is_trained_)) return true;
  if (*value == *value_) return loss && loss_ && *loss < *loss_;
  return larger_is_better(kind_) ? *value > *value_ : *value < *value_;
}

void BestModel::look(const Metrics& metrics, ConstVector model) {
  const std::optional<double> value = validation_value(kind_, metrics);
  if (looks_ == 0 || is_better(value, metrics.validation_loss)) {
    if (model_.empty()) model_ = VectorBuffer(model.scalar(), model.size());
    kernels::copy(model, model_.view());
    value_ = value;
    loss_ = metrics.validation_loss;
    best_ = looks_;
  }
  ++looks_;
}

void BestModel::exchange(Archive& archive) {
  std::uint64_t looks = looks_, best = best_;
  archive.exchange("best/looks", looks);
  archive.exchange("best/number", best);
  archive.exchange("best/value", value_);
  archive.exchange("best/loss", loss_);
  archive.exchange("best/model", model_);
  looks_ = looks;
  best_ = best;
}

std::string BestModel::note(std::span<const Metrics> metrics) const {
  std::string best =
      value_ ? fmt::format(
                   "note: the {} of the validation rows was best at epoch {:.4g}, {:.6g}, "
                   "and that model is kept",
                   measure_kind_text(kind_), metrics[best_].epoch, *value_)
             : fmt::format(
                   "note: the {} of the validation rows was never a number, and the first "
                   "model is kept",
                   measure_kind_text(kind_));
  const std::size_t since = looks_ - 1 - best_;
  if (!is_over()) return best;
  return fmt::format("{}; {} without a better one ended the run at epoch {:.4g} (--patience)", best,
                     counted(since, "evaluation"), metrics.back().epoch);
}

}  // namespace trainyard
