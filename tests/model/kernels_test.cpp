// Every kernel against a plain loop in double: all lengths from 0 to beyond four AVX-512 vectors,
// at every alignment of a float, with guards on both sides of what is written.
#include "trainyard/model/kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "trainyard/base/random.hpp"

#include "model/guarded.hpp"
#include "support/catch.hpp"

namespace trainyard {
namespace {

using namespace test;

TEST_CASE("vector kernels agree with plain loops", "[model][kernels]") {
  for_all_lengths([](RandomStream& random, std::size_t size, std::size_t offset) {
    const Guarded x(random, size, offset);
    Guarded y(random, size, 2 * offset), copy(random, size, 0), scaled(random, size, offset);
    const Doubles before_x = x.doubles(), before_y = y.doubles();
    double product = 0.0;
    for (std::size_t i = 0; i < size; ++i) product += before_x[i] * before_y[i];
    CHECK(kernels::dot(x, y) == Approx(product).margin(1e-5));

    Doubles expected = before_y;
    kernels::axpy(-0.75F, x, y);
    for (std::size_t i = 0; i < size; ++i) expected[i] += -0.75 * before_x[i];
    y.check_equals(expected);

    kernels::move_towards(0.3, x, y);
    for (std::size_t i = 0; i < size; ++i) expected[i] += 0.3 * (before_x[i] - expected[i]);
    y.check_equals(expected);
    const Doubles moved = y.doubles();
    kernels::move_towards(0.3, y, y);
    y.check_equals(moved, 0.0);

    kernels::add_difference(0.25, x, x, y);
    y.check_equals(moved, 0.0);
    kernels::add_difference(0.25, x, scaled, y);
    const Doubles subtracted = scaled.doubles();
    for (std::size_t i = 0; i < size; ++i) expected[i] += 0.25 * (before_x[i] - subtracted[i]);
    y.check_equals(expected);

    kernels::add(x, y);
    for (std::size_t i = 0; i < size; ++i) expected[i] += before_x[i];
    y.check_equals(expected);

    kernels::axpy_shared(0.5F, x, y, copy);
    for (std::size_t i = 0; i < size; ++i) expected[i] += 0.5 * before_x[i];
    y.check_equals(expected);
    copy.check_equals(y.doubles(), 0.0);

    kernels::copy_shared(x, copy);
    copy.check_equals(before_x, 0.0);

    Doubles velocity = scaled.doubles();
    kernels::momentum_step(0.9F, 1.0, 0.25F, x, scaled, y);
    for (std::size_t i = 0; i < size; ++i) {
      velocity[i] = 0.9 * velocity[i] + before_x[i];
      expected[i] -= 0.25 * velocity[i];
    }
    scaled.check_equals(velocity);
    y.check_equals(expected);

    kernels::scaled_copy(3.0F, x, copy);
    Doubles thrice(size), fifth = scaled.doubles();
    for (std::size_t i = 0; i < size; ++i) thrice[i] = 3.0 * before_x[i];
    copy.check_equals(thrice);

    kernels::scale(0.2F, scaled);
    for (double& value : fifth) value *= 0.2;
    scaled.check_equals(fifth);
  });
}

TEST_CASE("a linear model's step agrees with plain loops", "[model][kernels]") {
  for_all_lengths([](RandomStream& random, std::size_t size, std::size_t offset) {
    const Guarded row(random, size, offset);
    const Doubles x = row.doubles();
    for (const std::size_t regularised : {size, size - std::min<std::size_t>(size, 1), size / 2}) {
      for (const double y : {1.0, -1.0}) {
        for (const bool logistic : {true, false}) {
          Guarded weights(random, size, 2 * offset);
          Doubles expected = weights.doubles();
          double margin = 0.0;
          for (std::size_t i = 0; i < size; ++i) margin += x[i] * expected[i];
          const double residual = logistic ? -y / (1.0 + std::exp(y * margin)) : margin - y;
          for (std::size_t i = 0; i < size; ++i) {
            const double decay = i < regularised ? 0.125 * expected[i] : 0.0;
            expected[i] -= 0.3 * (decay + residual * x[i]);
          }
          const kernels::RowStep by{static_cast<float>(y), 0.125F, regularised, 0.3F};
          (logistic ? kernels::logistic_step : kernels::least_squares_step)(by, row, weights);
          weights.check_equals(expected, 2e-5);
        }
      }
    }
  });
}

TEST_CASE("an element's bits do not depend on where it lies in the vector", "[model][kernels]") {
  with_each_instruction_set([] {
    RandomStream random(2, Purpose::data_generator);
    const Guarded x(random, 100, 0), bias(random, 100, 0);
    Guarded whole(random, 100, 0);
    Floats pieces(whole.span().begin(), whole.span().end());
    kernels::axpy(0.3F, x, whole);
    kernels::sigmoid(whole);
    for (std::size_t first = 0, size = 1; first < 100; first += size, size += 3) {
      size = std::min(size, 100 - first);
      const std::span<float> piece(pieces.data() + first, size);
      kernels::axpy(0.3F, std::span<const float>(x).subspan(first, size), piece);
      kernels::sigmoid(piece);
    }
    for (std::size_t i = 0; i < 100; ++i) CHECK(pieces[i] == whole.span()[i]);
  });
}

TEST_CASE("sigmoid keeps its relative precision in both tails", "[model][kernels]") {
  with_each_instruction_set([] {
    Floats x;
    for (int i = -230; i <= 230; ++i) x.push_back(0.37F * static_cast<float>(i));
    Floats result = x;
    kernels::sigmoid(result);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double exact = 1.0 / (1.0 + std::exp(-static_cast<double>(x[i])));
      CHECK(std::abs(result[i] - exact) <= 3e-7 * exact);
    }
    const float infinity = std::numeric_limits<float>::infinity();
    Floats ends = {-1e4F, 1e4F, -infinity, infinity, std::nanf("")};
    kernels::sigmoid(ends);
    CHECK(ends[0] == 0.0F);
    CHECK(ends[1] == 1.0F);
    CHECK(ends[2] == 0.0F);
    CHECK(ends[3] == 1.0F);
    CHECK(std::isnan(ends[4]));
  });
}

TEST_CASE("kernels over dense rows agree with plain loops", "[model][kernels]") {
  for_all_lengths([](RandomStream& random, std::size_t size, std::size_t offset) {
    const std::size_t rows = size % 11;
    const Guarded matrix(random, rows * size, offset), vector(random, size, offset);
    const Guarded weights(random, rows, 1);
    Guarded products(random, rows, 0), sums(random, size, 0);
    Guarded sum(random, size, offset), fresh(random, size, 0);
    Doubles exact_products(rows, 0.0), exact_sums(size, 0.0);
    Doubles exact_sum = sum.doubles(), exact_fresh = vector.doubles();
    for (double& value : exact_fresh) value *= 0.5;
    const Doubles m = matrix.doubles(), v = vector.doubles(), w = weights.doubles();
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t j = 0; j < size; ++j) {
        exact_products[r] += m[r * size + j] * v[j];
        exact_sum[j] += w[r] * m[r * size + j];
        exact_fresh[j] += w[r] * m[r * size + j];
        exact_sums[j] += m[r * size + j];
      }
    }
    if (size == 0) return;
    kernels::row_products(matrix, vector, products);
    products.check_equals(exact_products, 1e-5);
    kernels::weighted_row_sum(weights, matrix, 1.0F, sum, sum);
    sum.check_equals(exact_sum, 1e-5);
    kernels::weighted_row_sum(weights, matrix, 0.5F, vector, fresh);
    fresh.check_equals(exact_fresh, 1e-5);
    kernels::column_sums(matrix, sums);
    sums.check_equals(exact_sums, 1e-5);
  });
}

TEST_CASE("a row's product has the same bits whatever rows are beside it", "[model][kernels]") {
  with_each_instruction_set([] {
    RandomStream random(3, Purpose::data_generator);
    constexpr std::size_t rows = 9, columns = 77;
    const Guarded matrix(random, rows * columns, 0), vector(random, columns, 0);
    Floats together(rows), alone(rows);
    kernels::row_products(matrix, vector, together);
    for (std::size_t r = 0; r < rows; ++r) {
      kernels::row_products(std::span<const float>(matrix).subspan(r * columns, columns), vector,
                            std::span(alone).subspan(r, 1));
    }
    CHECK(together == alone);
  });
}

TEST_CASE("kernels over sparse rows agree with plain loops", "[model][kernels]") {
  for_all_lengths([](RandomStream& random, std::size_t width, std::size_t offset) {
    constexpr std::size_t features = 7;
    const std::size_t nonzeros = width % 5;
    const std::vector<std::uint32_t> all_columns = {0, 2, 3, 6};
    const std::span<const std::uint32_t> columns(all_columns.data(), nonzeros);
    const Guarded values(random, nonzeros, 1), row(random, width, offset);
    Guarded matrix(random, features * width, offset), product(random, width, 0);
    Doubles exact_product(width, 0.0), exact_matrix = matrix.doubles();
    const Doubles v = values.doubles(), x = row.doubles();
    for (std::size_t i = 0; i < nonzeros; ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        exact_product[j] += v[i] * exact_matrix[columns[i] * width + j];
      }
    }
    kernels::sparse_product(columns, values, matrix, product);
    product.check_equals(exact_product);
    for (std::size_t i = 0; i < nonzeros; ++i) {
      for (std::size_t j = 0; j < width; ++j) exact_matrix[columns[i] * width + j] += v[i] * x[j];
    }
    kernels::add_sparse_outer(columns, values, row, matrix);
    matrix.check_equals(exact_matrix);
  });
}

TEST_CASE("layer kernels agree with plain loops", "[model][kernels]") {
  for_all_lengths([](RandomStream& random, std::size_t width, std::size_t offset) {
    constexpr std::size_t rows = 3;
    const Guarded bias(random, width, offset);
    Guarded units(random, rows * width, offset), hidden(random, rows * width, 0);
    Guarded gradient(random, rows * width, offset);
    const Doubles b = bias.doubles();
    Doubles exact_units = units.doubles(), exact_hidden = hidden.doubles();
    Doubles exact_gradient = gradient.doubles();
    for (std::size_t i = 0; i < rows * width; ++i) {
      exact_units[i] += b[i % width];
      exact_hidden[i] = std::max(0.0, exact_hidden[i] + b[i % width]);
      if (exact_hidden[i] == 0.0) exact_gradient[i] = 0.0;
    }
    kernels::add_bias(bias, units);
    units.check_equals(exact_units);
    kernels::add_bias_relu(bias, hidden);
    hidden.check_equals(exact_hidden);
    kernels::mask_inactive(hidden, gradient);
    gradient.check_equals(exact_gradient);
  });
}

TEST_CASE("softmax kernels agree with plain loops for any number of classes", "[model][kernels]") {
  for_all_lengths([](RandomStream& random, std::size_t classes, std::size_t offset) {
    if (classes == 0) return;
    const std::vector<std::int32_t> labels = {0, static_cast<std::int32_t>(classes / 2),
                                              static_cast<std::int32_t>(classes - 1)};
    Guarded scores(random, 3 * classes, offset);
    // Far from zero on both sides, where an exponential without the shift would overflow or vanish.
    for (std::size_t i = 0; i < classes; ++i) {
      scores.span()[i] += 500.0F;
      scores.span()[classes + i] -= 500.0F;
    }
    Doubles exact = scores.doubles();
    for (std::size_t r = 0; r < 3; ++r) {
      double* const row = exact.data() + r * classes;
      const double top = *std::max_element(row, row + classes);
      double sum = 0.0;
      for (std::size_t c = 0; c < classes; ++c) sum += std::exp(row[c] - top);
      const std::span<const float> as_floats(scores.span().data() + r * classes, classes);
      CHECK(kernels::sum_exp(as_floats, static_cast<float>(top)) == Approx(sum).epsilon(1e-6));
      for (std::size_t c = 0; c < classes; ++c) row[c] = 0.25 * std::exp(row[c] - top) / sum;
      row[labels[r]] -= 0.25;
    }
    kernels::softmax_gradient(labels, 0.25F, scores);
    scores.check_equals(exact, 1e-6);
  });
}

TEST_CASE("NaN and infinity reach the result of every kernel", "[model][kernels]") {
  with_each_instruction_set([] {
    for (const float poison : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
      for (const std::size_t at : {0U, 5U, 36U}) {
        Floats row(37, 0.5F), units(37, 0.5F);
        const Floats bias(37, 0.0F);
        row[at] = units[at] = poison;
        CHECK(std::isnan(kernels::sum_exp(row, poison)));
        kernels::softmax_gradient(std::vector<std::int32_t>{3}, 1.0F, row);
        CHECK(std::isnan(row[3]));
        kernels::add_bias_relu(bias, units);
        CHECK(!std::isfinite(units[at]));
        Floats gradient(37, 1.0F);
        gradient[at] = poison;
        kernels::mask_inactive(units, gradient);
        CHECK(!std::isfinite(gradient[at]));
      }
    }
  });
}

TEST_CASE("a sum is taken in the order of the summands, onto one of them too", "[model][kernels]") {
  for_all_lengths([](RandomStream& random, std::size_t size, std::size_t offset) {
    const Guarded x(random, size, offset), z(random, size, 2 * offset);
    Guarded y(random, size, offset), copy(random, size, 0);
    const std::array<ConstVector, 3> summands{x, y, z};
    const Doubles first = x.doubles(), second = y.doubles(), third = z.doubles();
    kernels::sum(summands, copy);
    for (std::size_t i = 0; i < size; ++i) {
      const float in_order = static_cast<float>(first[i]) + static_cast<float>(second[i]);
      CHECK(copy.doubles()[i] == static_cast<double>(in_order + static_cast<float>(third[i])));
    }
    kernels::sum(summands, y);
    y.check_equals(copy.doubles(), 0.0);
  });
}

TEMPLATE_TEST_CASE("a vector is finite unless one of its numbers is not", "[model][kernels]", float,
                   double) {
  using Limits = std::numeric_limits<TestType>;
  for (const std::size_t size : {0U, 1U, 17U, 4096U, 4097U, 9000U}) {
    std::vector<TestType> values(size, -Limits::max());
    CHECK(kernels::is_finite(values));
    std::fill(values.begin(), values.end(), Limits::denorm_min());
    CHECK(kernels::is_finite(values));
    for (const std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
      if (at >= size) continue;
      for (const TestType bad : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
        values[at] = bad;
        CHECK_FALSE(kernels::is_finite(values));
      }
      values[at] = 0;
    }
  }
}

}  // namespace
}  // namespace trainyard
