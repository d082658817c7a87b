#include "trainyard/runtime/muon.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/model/hidden_matrices.hpp"
#include "trainyard/runtime/optimizer.hpp"

#include "support/catch.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

/// What five iterations make of a singular value: the rule of a number.
double iterated(double x) {
  for (int i = 0; i < 5; ++i) {
    const double square = x * x;
    x *= 3.4445 - 4.7750 * square + 2.0315 * square * square;
  }
  return x;
}

struct Matrix {
  std::size_t rows, columns;
  Doubles values;

  double& at(std::size_t r, std::size_t c) { return values[r * columns + c]; }
  double at(std::size_t r, std::size_t c) const { return values[r * columns + c]; }
};

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix result{a.rows, b.columns, Doubles(a.rows * b.columns)};
  for (std::size_t r = 0; r < a.rows; ++r) {
    for (std::size_t c = 0; c < b.columns; ++c) {
      for (std::size_t k = 0; k < a.columns; ++k) result.at(r, c) += a.at(r, k) * b.at(k, c);
    }
  }
  return result;
}

/// A reflection I − 2vvᵀ/‖v‖².
Matrix reflection(std::size_t size, RandomStream& random) {
  Doubles v(size);
  for (double& value : v) value = random.normal();
  const double length = std::inner_product(v.begin(), v.end(), v.begin(), 0.0);
  Matrix q{size, size, Doubles(size * size)};
  for (std::size_t r = 0; r < size; ++r) {
    for (std::size_t c = 0; c < size; ++c) {
      q.at(r, c) = (r == c ? 1.0 : 0.0) - 2.0 * v[r] * v[c] / length;
    }
  }
  return q;
}

Matrix diagonal(TensorShape shape, const Doubles& values) {
  Matrix d{shape.rows, shape.columns, Doubles(shape.size())};
  for (std::size_t i = 0; i < values.size(); ++i) d.at(i, i) = values[i];
  return d;
}

/// A rule of the optimizer's page in doubles: five iterations written out, in the order of the
/// paper's text.
Matrix orthogonalized(Matrix x) {
  double squares = 0.0;
  for (const double value : x.values) squares += value * value;
  for (double& value : x.values) value /= std::max(std::sqrt(squares), 1e-7);
  for (int i = 0; i < 5; ++i) {
    Matrix transposed{x.columns, x.rows, Doubles(x.values.size())};
    for (std::size_t r = 0; r < x.rows; ++r) {
      for (std::size_t c = 0; c < x.columns; ++c) transposed.at(c, r) = x.at(r, c);
    }
    const Matrix a = product(x, transposed), a2 = product(a, a);
    const Matrix ax = product(a, x), a2x = product(a2, x);
    for (std::size_t j = 0; j < x.values.size(); ++j) {
      x.values[j] = 3.4445 * x.values[j] - 4.7750 * ax.values[j] + 2.0315 * a2x.values[j];
    }
  }
  return x;
}

}  // namespace

TEST_CASE("five Newton-Schulz steps make of each singular value what the polynomial does",
          "[runtime]") {
  const std::uint64_t seed = 20;
  CAPTURE(seed);
  RandomStream random(seed, Purpose::scheme);
  for (const TensorShape shape : {TensorShape{5, 5}, TensorShape{4, 9}, TensorShape{9, 4},
                                  TensorShape{1, 6}, TensorShape{33, 20}}) {
    CAPTURE(shape.rows, shape.columns);
    Doubles singular(std::min(shape.rows, shape.columns));
    for (double& value : singular) value = 0.2 + random.uniform();
    const double norm =
        std::sqrt(std::inner_product(singular.begin(), singular.end(), singular.begin(), 0.0));
    Doubles expected;
    for (const double value : singular) expected.push_back(iterated(value / norm));
    const Matrix left = reflection(shape.rows, random), right = reflection(shape.columns, random);
    const Matrix m = product(product(left, diagonal(shape, singular)), right);
    const Matrix wanted = product(product(left, diagonal(shape, expected)), right);
    std::vector<float> found(m.values.begin(), m.values.end());
    NewtonSchulz({&shape, 1}).orthogonalize(shape, found);
    for (std::size_t j = 0; j < found.size(); ++j) {
      CHECK(found[j] == Approx(wanted.values[j]).margin(2e-5));
    }
    // Jordan's claim, for values that are not tiny beside the largest.
    for (const double value : expected) CHECK((value > 0.65 && value < 1.25));
  }
  const TensorShape shape{3, 4};
  std::vector<float> zeros(12, 0.0F);
  NewtonSchulz({&shape, 1}).orthogonalize(shape, zeros);
  CHECK(zeros == std::vector<float>(12, 0.0F));
}

TEST_CASE("hidden matrices are those between the first and the last", "[model]") {
  const std::vector<TensorShape> network{{4, 6}, {6, 1}, {6, 3}, {3, 1}, {3, 2}, {2, 1}};
  const auto places = hidden_matrices(network);
  CHECK(places == std::vector<MatrixPlace>{{30, {6, 3}}});
  CHECK(hidden_matrices(std::vector<TensorShape>{{4, 6}, {6, 1}, {6, 2}, {2, 1}}).empty());
  CHECK(hidden_matrices(std::vector<TensorShape>{{10, 1}}).empty());
  CHECK(matrices_within(places, {20, 40}) == std::vector<MatrixPlace>{{10, {6, 3}}});
  CHECK(matrices_within(places, {48, 9}).empty());
  CHECK_THROWS_AS(matrices_within(places, {31, 40}), InternalError);
}

TEST_CASE("muon steps hidden matrices along O(u), and all else as adamw does", "[runtime]") {
  const std::vector<TensorShape> network{{2, 4}, {4, 1}, {4, 3}, {3, 1}, {3, 2}, {2, 1}};
  constexpr std::size_t size = 35, first = 12, count = 12;
  const OptimizerOptions options{.kind = OptimizerKind::muon, .lr = 0.05, .weight_decay = 0.1};
  std::map<std::string, VectorBuffer, std::less<>> kept;
  const auto keep = [&](std::string_view name) {
    return kept.emplace(name, VectorBuffer::zeroed(Scalar::float32, size)).first->second.view();
  };
  std::uint64_t steps = 0;
  Optimizer optimizer(options, keep, steps, {}, hidden_matrices(network));
  std::vector<float> x(size), g(size);
  for (std::size_t j = 0; j < size; ++j) x[j] = 0.1F * static_cast<float>(j % 7) - 0.3F;
  Doubles y(x.begin(), x.end()), m(size), s(size);
  for (int t = 1; t <= 12; ++t) {
    Matrix direction{4, 3, Doubles(count)};
    for (std::size_t j = 0; j < size; ++j) {
      const double h = 0.5 + 0.1 * static_cast<double>(j % 5);
      const double gradient = h * (y[j] - std::sin(static_cast<double>(j)));
      g[j] = static_cast<float>(4.0 * h * (x[j] - std::sin(static_cast<double>(j))));
      m[j] = 0.95 * m[j] + 0.05 * gradient;
      s[j] = 0.999 * s[j] + 0.001 * gradient * gradient;
      y[j] *= 1.0 - 0.05 * 0.1;
      if (j >= first && j < first + count) {
        direction.values[j - first] = 0.95 * m[j] + 0.05 * gradient;
      } else {
        y[j] -= 0.05 * (m[j] / (1.0 - std::pow(0.95, t))) /
                (std::sqrt(s[j] / (1.0 - std::pow(0.999, t))) + 1e-8);
      }
    }
    const Matrix step = orthogonalized(direction);
    for (std::size_t j = 0; j < count; ++j) {
      y[first + j] -= 0.05 * 0.2 * std::sqrt(4.0) * step.values[j];
    }
    optimizer.apply(x, g, 0.0, 0.25);
    CAPTURE(t);
    for (std::size_t j = 0; j < size; ++j) CHECK(x[j] == Approx(y[j]).margin(2e-5));
  }
}
