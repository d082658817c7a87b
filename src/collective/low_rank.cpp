#include "trainyard/collective/low_rank.hpp"

#include <cmath>
#include <limits>

#include <Eigen/Dense>

#include "trainyard/model/kernels.hpp"

namespace trainyard {

LowRankPlan::LowRankPlan(TensorShapes shapes, std::size_t rank) : rank_(rank) {
  std::size_t at = 0;
  for (const TensorShape& shape : shapes) {
    const std::size_t thin = rank * (shape.rows + shape.columns);
    if (shape.columns > 1 && thin < shape.size()) {
      parts_.push_back({at, shape.rows, shape.columns, first_, second_});
      first_ += shape.rows * rank;
      second_ += shape.columns * rank;
    } else {
      parts_.push_back({at, shape.size(), 0, first_, second_});
      first_ += shape.size();
    }
    at += shape.size();
  }
}

namespace low_rank {

namespace {

template <typename T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <typename T>
using View = Eigen::Map<Matrix<T>>;
template <typename T>
using ConstView = Eigen::Map<const Matrix<T>>;

/// rows × columns numbers from number `at` on.
template <typename T>
View<T> matrix(Vector vector, std::size_t at, std::size_t rows, std::size_t columns) {
  return {vector.as<T>().data() + at, static_cast<Eigen::Index>(rows),
          static_cast<Eigen::Index>(columns)};
}
template <typename T>
ConstView<T> matrix(ConstVector vector, std::size_t at, std::size_t rows, std::size_t columns) {
  return {vector.as<T>().data() + at, static_cast<Eigen::Index>(rows),
          static_cast<Eigen::Index>(columns)};
}

/// Modified Gram-Schmidt, in double, and twice: one pass leaves of a column that nearly depends on
/// those before it mostly rounding, which points anywhere, along them too (Giraud et al. 2005:
/// twice is enough).
template <typename T>
void orthonormalise(View<T> p) {
  // The length that rounding of T leaves of a column: less is nothing. About 3e-5 of it for 784
  // floats.
  const double negligible =
      10.0 * std::sqrt(static_cast<double>(p.rows())) * std::numeric_limits<T>::epsilon();
  Matrix<double> done = p.template cast<double>();
  for (Eigen::Index column = 0; column < done.cols(); ++column) {
    auto own = done.col(column);
    const double length = own.norm();
    for (int pass = 0; pass < 2; ++pass) {
      for (Eigen::Index before = 0; before < column; ++before) {
        own -= done.col(before).dot(own) * done.col(before);
      }
    }
    const double left = own.norm();
    // A NaN goes on: it is seen where the model is.
    if (left <= negligible * length) {
      own.setZero();
    } else {
      own /= left;
    }
  }
  p = done.template cast<T>();
}

}  // namespace

void project(const LowRankPlan& plan, ConstVector matrices, ConstVector q, Vector factors) {
  const std::size_t r = plan.rank();
  for (const LowRankPlan::Part& part : plan.parts()) {
    if (part.columns == 0) {
      kernels::copy(matrices.subspan(part.at, part.rows), factors.subspan(part.p, part.rows));
      continue;
    }
    with_scalar(matrices.scalar(), [&]<typename T>(T) {
      matrix<T>(factors, part.p, part.rows, r).noalias() =
          matrix<T>(matrices, part.at, part.rows, part.columns) *
          matrix<T>(q, part.q, part.columns, r);
    });
  }
}

void orthonormalise(const LowRankPlan& plan, Vector factors) {
  for (const LowRankPlan::Part& part : plan.parts()) {
    if (part.columns == 0) continue;
    with_scalar(factors.scalar(), [&]<typename T>(T) {
      orthonormalise<T>(matrix<T>(factors, part.p, part.rows, plan.rank()));
    });
  }
}

void project_back(const LowRankPlan& plan, ConstVector matrices, ConstVector factors, Vector q) {
  const std::size_t r = plan.rank();
  for (const LowRankPlan::Part& part : plan.parts()) {
    if (part.columns == 0) continue;
    with_scalar(matrices.scalar(), [&]<typename T>(T) {
      matrix<T>(q, part.q, part.columns, r).noalias() =
          matrix<T>(matrices, part.at, part.rows, part.columns).transpose() *
          matrix<T>(factors, part.p, part.rows, r);
    });
  }
}

void keep_error(const LowRankPlan& plan, ConstVector matrices, ConstVector factors, ConstVector q,
                Vector error) {
  const std::size_t r = plan.rank();
  for (const LowRankPlan::Part& part : plan.parts()) {
    if (part.columns == 0) {
      kernels::set_to_zero(error.subspan(part.at, part.rows));
      continue;
    }
    with_scalar(matrices.scalar(), [&]<typename T>(T) {
      auto left = matrix<T>(error, part.at, part.rows, part.columns);
      left = matrix<T>(matrices, part.at, part.rows, part.columns);
      left.noalias() -= matrix<T>(factors, part.p, part.rows, r) *
                        matrix<T>(q, part.q, part.columns, r).transpose();
    });
  }
}

void add_product(const LowRankPlan& plan, double scale, ConstVector factors, ConstVector q,
                 Vector matrices) {
  const std::size_t r = plan.rank();
  for (const LowRankPlan::Part& part : plan.parts()) {
    if (part.columns == 0) {
      kernels::axpy(scale, factors.subspan(part.p, part.rows),
                    matrices.subspan(part.at, part.rows));
      continue;
    }
    with_scalar(matrices.scalar(), [&]<typename T>(T) {
      matrix<T>(matrices, part.at, part.rows, part.columns).noalias() +=
          static_cast<T>(scale) * matrix<T>(factors, part.p, part.rows, r) *
          matrix<T>(q, part.q, part.columns, r).transpose();
    });
  }
}

}  // namespace low_rank

}  // namespace trainyard
