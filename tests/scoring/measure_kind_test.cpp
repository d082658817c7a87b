#include "trainyard/scoring/measure_kind.hpp"

#include <limits>
#include <vector>

#include "trainyard/base/error.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

/// One feature a row.
Dataset rows_with(const std::vector<float>& x, const std::vector<Label>& labels) {
  Dataset data;
  data.rows = x.size();
  data.features = 1;
  data.dense = AlignedBuffer<float>(x.size());
  data.labels = AlignedBuffer<Label>(x.size());
  std::ranges::copy(x, data.dense.begin());
  std::ranges::copy(labels, data.labels.begin());
  return data;
}

}  // namespace

TEST_CASE("measures of a model's predictions are scikit-learn's", "[scoring]") {
  // roc_auc_score, f1_score and others of scikit-learn 1.2.1 on y and x, predicted where x > 0.
  const Dataset data =
      rows_with({-2.0F, -1.0F, 0.5F, 0.5F, 2.0F, -0.5F, 3.0F, -3.0F}, {0, 1, 0, 1, 1, 0, 1, 0});
  const auto model = make_model({"logistic", 0.0}, data);
  std::vector<float> w{1.0F};
  const auto of = [&](MeasureKind kind) {
    return measure_of(kind, "logistic", *model, std::span<const float>(w), data);
  };
  CHECK(*of(MeasureKind::accuracy) == Approx(0.75));
  CHECK(*of(MeasureKind::balanced_accuracy) == Approx(0.75));
  CHECK(*of(MeasureKind::f1) == Approx(0.75));
  CHECK(*of(MeasureKind::auc) == Approx(0.84375));
  CHECK(*of(MeasureKind::average_precision) == Approx(0.8541666666666666));
  w[0] = std::numeric_limits<float>::quiet_NaN();
  CHECK_FALSE(of(MeasureKind::auc));
}

TEST_CASE("real labels have measures of their own", "[scoring]") {
  Dataset data = rows_with({1.0F, 2.0F, 3.0F, 4.0F}, {0, 0, 0, 0});
  data.classes = 1;
  data.targets = AlignedBuffer<float>(4);
  std::ranges::copy(std::vector<float>{1.5F, 2.0F, 2.0F, 5.0F}, data.targets.begin());
  const auto model = make_model({"least-squares", 0.0}, data);
  const std::vector<float> w{1.0F};
  const auto of = [&](MeasureKind kind) {
    return measure_of(kind, "least-squares", *model, std::span<const float>(w), data);
  };
  CHECK(*of(MeasureKind::mae) == Approx(0.625));
  CHECK(*of(MeasureKind::r2) == Approx(0.7073170731707317));
}

TEST_CASE("each measure has a name, a direction and labels", "[scoring]") {
  for (const char* name :
       {"loss", "accuracy", "balanced-accuracy", "f1", "auc", "average-precision", "mae", "r2"}) {
    const MeasureKind kind = parse_measure_kind(name, "--metric");
    CHECK(measure_kind_text(kind) == name);
    CHECK(larger_is_better(kind) == (name != std::string("loss") && name != std::string("mae")));
    CHECK((suits_labels(kind, true) || suits_labels(kind, false)));
  }
  CHECK_THROWS_AS(parse_measure_kind("recal", "--metric"), UsageError);
}

}  // namespace trainyard
