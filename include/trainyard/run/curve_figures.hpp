// The figures of one evaluation, a point of a run's curve: one row each, from which metrics.jsonl,
// the columns of JSON, the reading of saved runs and the curves of pages are all made.
//
// Threads: any; the table is constant.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "trainyard/run/run.hpp"

namespace trainyard {

/// The member of `Metrics` that has a figure. An optional one is null where a point lacks it, and
/// its whole column is null where all points do.
using CurveMember =
    std::variant<double Metrics::*, std::uint64_t Metrics::*, std::optional<double> Metrics::*,
                 std::optional<double> GradientNoise::*>;

/// On a page a curve shows one figure over another.
enum class CurveAxis { none, over, shown };

struct CurveFigure {
  std::string_view key;  // unique, with the unit
  CurveMember member;
  CurveAxis axis = CurveAxis::none;
  std::string_view label = {};              // of the axis
  std::string_view format = "significant";  // a function of src/web/page/format.js
  /// The key before which this figure stands in a page's menu; empty where it stands as in the
  /// table.
  std::string_view before = {};
};

std::span<const CurveFigure> curve_figures();
/// The figures of one axis, in the order of a page's menu.
std::vector<const CurveFigure*> curve_figures_on(CurveAxis axis);

/// `member` is any of CurveMember, `metrics` constant or not.
template <typename M, typename T>
auto& curve_value(M& metrics, T Metrics::*member) {
  return metrics.*member;
}
template <typename M, typename T>
auto& curve_value(M& metrics, T GradientNoise::*member) {
  return metrics.gradient_noise.*member;
}

}  // namespace trainyard
