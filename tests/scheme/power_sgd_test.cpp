// PowerSGD: its algorithm against one written out in full, and its two memories.
#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Dense>

#include "trainyard/base/random.hpp"
#include "trainyard/collective/low_rank.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Numbers = std::vector<double>;

constexpr std::size_t rows = 9, columns = 7, others = 5;
constexpr std::size_t length = rows * columns + others;

Numbers normals(RandomStream& random, std::size_t count) {
  Numbers values(count);
  for (double& value : values) value = random.normal();
  return values;
}

Matrix matrix_of(const Numbers& values, std::size_t m, std::size_t n, std::size_t at = 0) {
  return Eigen::Map<const Matrix>(values.data() + at, static_cast<Eigen::Index>(m),
                                  static_cast<Eigen::Index>(n));
}

void add_to(Numbers& sum, double scale, const Numbers& x) {
  for (std::size_t i = 0; i < x.size(); ++i) sum[i] += scale * x[i];
}

/// Workers' steps of Algorithm 1 with the mean taken by hand; returns the sum of all updates.
Numbers updates_of(bool local, std::size_t rank, int workers, int steps, double& error_sum) {
  RandomStream random(5, Purpose::scheme);
  const std::vector<TensorShape> shapes{{rows, columns}, {others, 1}};
  const LowRankPlan plan(shapes, rank);
  Numbers q = normals(random, plan.second_length()), total(length, 0.0);
  std::vector<Numbers> errors(static_cast<std::size_t>(workers), Numbers(length, 0.0));
  for (int step = 0; step < steps; ++step) {
    std::vector<Numbers> matrices;
    Numbers factors(plan.first_length(), 0.0), mean_q(q.size(), 0.0);
    for (Numbers& error : errors) {
      matrices.push_back(normals(random, length));
      add_to(matrices.back(), 1.0, error);
      Numbers own(plan.first_length());
      low_rank::project(plan, matrices.back(), q, own);
      add_to(factors, 1.0 / workers, own);
    }
    low_rank::orthonormalise(plan, factors);
    std::vector<Numbers> own_q(errors.size(), Numbers(q.size()));
    for (std::size_t i = 0; i < errors.size(); ++i) {
      low_rank::project_back(plan, matrices[i], factors, own_q[i]);
      add_to(mean_q, 1.0 / workers, own_q[i]);
    }
    q = mean_q;
    for (std::size_t i = 0; i < errors.size(); ++i) {
      low_rank::keep_error(plan, matrices[i], factors, local ? own_q[i] : q, errors[i]);
    }
    Numbers update(length, 0.0);
    low_rank::add_product(plan, 1.0, factors, q, update);
    add_to(total, 1.0, update);
  }
  error_sum = 0.0;
  for (const Numbers& error : errors) {
    for (const double value : error) error_sum += value;
  }
  return total;
}

}  // namespace

TEST_CASE("the factors of a low-rank mean are those of the paper", "[scheme]") {
  RandomStream random(3, Purpose::scheme);
  const std::vector<TensorShape> shapes{{rows, columns}, {others, 1}};
  const LowRankPlan plan(shapes, 2);
  CHECK(plan.first_length() == 2 * rows + others);
  CHECK(plan.second_length() == 2 * columns);
  const Numbers x = normals(random, length);
  Numbers q = normals(random, plan.second_length()), factors(plan.first_length());
  const Matrix m = matrix_of(x, rows, columns);
  low_rank::project(plan, x, q, factors);
  CHECK((matrix_of(factors, rows, 2) - m * matrix_of(q, columns, 2)).norm() < 1e-12);
  CHECK(std::equal(x.end() - others, x.end(), factors.end() - others));

  const Matrix before = matrix_of(factors, rows, 2);
  low_rank::orthonormalise(plan, factors);
  const Matrix p = matrix_of(factors, rows, 2);
  CHECK((p.transpose() * p - Matrix::Identity(2, 2)).norm() < 1e-12);
  CHECK((before - p * (p.transpose() * before)).norm() < 1e-12);  // they span the same plane

  low_rank::project_back(plan, x, factors, q);
  CHECK((matrix_of(q, columns, 2) - m.transpose() * p).norm() < 1e-12);
  Numbers product(length, 0.0), error(length, 1.0);
  low_rank::add_product(plan, -2.0, factors, q, product);
  CHECK((matrix_of(product, rows, columns) + 2.0 * p * p.transpose() * m).norm() < 1e-12);
  CHECK(product.back() == -2.0 * x.back());
  low_rank::keep_error(plan, x, factors, q, error);
  CHECK((matrix_of(error, rows, columns) - m + p * p.transpose() * m).norm() < 1e-12);
  CHECK(std::all_of(error.end() - others, error.end(), [](double e) { return e == 0.0; }));
}

TEST_CASE("a matrix that factors do not make shorter is averaged as it is", "[scheme]") {
  const std::vector<TensorShape> shapes{{4, 4}, {3, 2}, {10, 1}};
  const LowRankPlan plan(shapes, 2);  // 2 · (4 + 4) are no less than 16
  CHECK(plan.first_length() == 32);
  CHECK(plan.second_length() == 0);
  CHECK(LowRankPlan(shapes, 1).first_length() == 4 + 3 + 10);
}

TEST_CASE("columns that depend on each other become zero, and nothing else", "[scheme]") {
  const std::vector<TensorShape> shapes{{rows, columns}};
  const LowRankPlan plan(shapes, 3);
  Numbers factors(plan.first_length());
  for (std::size_t i = 0; i < rows; ++i) {
    const double value = std::sin(static_cast<double>(i));
    factors[3 * i] = value;
    factors[3 * i + 1] = -4.0 * value;
    factors[3 * i + 2] = std::cos(static_cast<double>(i));
  }
  low_rank::orthonormalise(plan, factors);
  const Matrix p = matrix_of(factors, rows, 3);
  CHECK(p.col(0).norm() == Approx(1.0));
  CHECK(p.col(1).norm() == 0.0);
  CHECK(p.col(2).norm() == Approx(1.0));
  std::fill(factors.begin(), factors.end(), 0.0);
  low_rank::orthonormalise(plan, factors);
  CHECK(std::all_of(factors.begin(), factors.end(), [](double value) { return value == 0.0; }));
}

// A gradient of few rows has few directions, and P = M Q as many columns that nearly depend on each
// other: what rounding leaves of one is not to become a direction.
TEST_CASE("in floats columns are orthonormal or zero, however nearly they depend", "[scheme]") {
  constexpr std::size_t tall = 4096;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    for (const std::size_t rank : {std::size_t{2}, std::size_t{4}}) {
      CAPTURE(seed, rank);
      RandomStream random(seed, Purpose::scheme);
      const std::vector<TensorShape> shapes{{tall, 64}};
      const LowRankPlan plan(shapes, rank);
      std::vector<float> u(tall), v(64), m(tall * 64), q(plan.second_length());
      for (float& value : u) value = static_cast<float>(random.normal());
      for (float& value : v) value = static_cast<float>(random.normal());
      for (float& value : q) value = static_cast<float>(random.normal());
      for (std::size_t i = 0; i < m.size(); ++i) m[i] = u[i / 64] * v[i % 64];
      std::vector<float> p(plan.first_length()), product(m.size(), 0.0F);
      low_rank::project(plan, m, q, p);
      low_rank::orthonormalise(plan, p);
      low_rank::project_back(plan, m, p, q);
      low_rank::add_product(plan, 1.0, p, q, product);
      double error = 0.0, size = 0.0;
      for (std::size_t i = 0; i < m.size(); ++i) {
        error += std::pow(static_cast<double>(product[i]) - m[i], 2);
        size += std::pow(static_cast<double>(m[i]), 2);
      }
      CHECK(error < 1e-8 * size);  // one direction has all of it
    }
  }
}

TEST_CASE("power-sgd follows its paper, whichever error it keeps", "[scheme][rule:power-sgd]") {
  for (const std::size_t rank : {std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
    double averaged_errors = 0.0, local_errors = 0.0;
    const Numbers averaged = updates_of(false, rank, 4, 12, averaged_errors);
    const Numbers local = updates_of(true, rank, 4, 12, local_errors);
    CAPTURE(rank);
    for (std::size_t i = 0; i < length; ++i) {
      CAPTURE(i);
      CHECK(local[i] == Approx(averaged[i]).epsilon(1e-12).margin(1e-12));
    }
    CHECK(local_errors == Approx(averaged_errors).epsilon(1e-10).margin(1e-10));
  }
}

// As many directions as a matrix has: nothing is left out, and it is the ring's SGD.
TEST_CASE("power-sgd trains, and with all directions it is synchronous SGD", "[scheme]") {
  const LoadedData data{"blobs", generate_blobs(400, 12, 30, 1.0, 3), {}};
  const auto loss = [&](const char* scheme, double rank, double memory) {
    Configuration c = test::quick(scheme, 4, 150);
    c.model = "softmax";
    c.optimizer.lr = 0.05;
    c.hyperparameters = {{"rank", rank}, {"power-memory", memory}};
    return test::train(c, data).summary;
  };
  const Summary ring = loss("ring", 2, 0);
  for (const double memory : {0.0, 1.0}) {
    const Summary full = loss("power-sgd", 12, memory);  // 12 · 42 > 12 · 30: as they are
    CHECK(full.train_loss == Approx(ring.train_loss).epsilon(1e-5));
    const Summary thin = loss("power-sgd", 2, memory);
    CHECK(thin.train_loss < 1.2 * ring.train_loss);
    CHECK(thin.bytes_sent < 0.3 * static_cast<double>(ring.bytes_sent));
    CHECK(*thin.coding_s > 0.0);
  }
}
