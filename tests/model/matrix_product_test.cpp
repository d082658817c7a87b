// The matrix product against three plain loops.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <thread>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/model/kernels.hpp"

#include "model/instruction_sets.hpp"
#include "support/catch.hpp"

namespace trainyard {
namespace {

using test::with_each_instruction_set;
using Floats = std::vector<float>;

struct Shape {
  std::size_t m, n, k;
};

Floats normal_floats(RandomStream& random, std::size_t size) {
  Floats values(size);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

/// One product of the given shape with C's old content `fill`, element by element.
void check_product(RandomStream& random, Shape shape, bool transpose_a, bool transpose_b,
                   float alpha, float beta, float fill) {
  const auto [m, n, k] = shape;
  INFO(m << "x" << n << "x" << k << (transpose_a ? " A'" : "") << (transpose_b ? " B'" : "")
         << " alpha " << alpha << " beta " << beta);
  const Floats a = normal_floats(random, m * k), b = normal_floats(random, k * n);
  Floats c(m * n + 1, fill);
  kernels::matrix_product(transpose_a, transpose_b, m, n, k, alpha, a.data(), b.data(), beta,
                          c.data());
  double worst = 0.0;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = beta == 0.0F ? 0.0 : static_cast<double>(beta) * static_cast<double>(fill);
      for (std::size_t l = 0; l < k; ++l) {
        sum += static_cast<double>(alpha) * a[transpose_a ? l * m + i : i * k + l] *
               b[transpose_b ? j * k + l : l * n + j];
      }
      const double error = std::abs(c[i * n + j] - sum);
      worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
    }
  }
  CHECK(worst <= 1e-6 * (1.0 + std::sqrt(static_cast<double>(k)) * 8.0));
  CHECK((c[m * n] == fill || (std::isnan(c[m * n]) && std::isnan(fill))));
}

TEST_CASE("matrix_product agrees with plain loops for all shapes and transposes",
          "[model][kernels]") {
  const std::vector<Shape> shapes = {
      {1, 1, 1},       {1, 7, 5},      {7, 1, 5},    {7, 5, 1},     {2, 3, 4},
      {16, 16, 16},    {17, 33, 65},   {64, 10, 31}, {32, 48, 100}, {1, 300, 200},
      {300, 1, 200},   {130, 129, 3},  {31, 10, 64}, {100, 32, 1},  {5, 5, 1000},
      {64, 64, 784},   {128, 10, 128}, {3, 257, 33}, {520, 10, 40}, {30, 100, 1024},
      {1024, 100, 40}, {30, 10, 1024}, {23, 200, 16}};
  with_each_instruction_set([&] {
    RandomStream random(1, Purpose::data_generator);
    for (const Shape shape : shapes) {
      for (const bool transpose_a : {false, true}) {
        for (const bool transpose_b : {false, true}) {
          check_product(random, shape, transpose_a, transpose_b, 1.0F, 0.0F, 0.0F);
          check_product(random, shape, transpose_a, transpose_b, -0.5F, 0.0F, 1.0F);
          check_product(random, shape, transpose_a, transpose_b, 1.0F, 1.0F, 2.0F);
          check_product(random, shape, transpose_a, transpose_b, -0.5F, 0.25F, 3.0F);
        }
      }
    }
  });
}

// The last panel of B, the last tile of rows and the last lines that are turned, each of every
// width. A compiler may lay down aligned vectors from an address that is not
// (matrix_layout-inl.hpp): 1 × 1 × 1 ended in a segmentation fault then.
TEST_CASE("matrix_product agrees with plain loops for panels and tiles of every width",
          "[model][kernels]") {
  with_each_instruction_set([&] {
    RandomStream random(7, Purpose::data_generator);
    for (std::size_t width = 1; width <= 33; ++width) {
      for (const Shape shape :
           {Shape{1, width, 1}, Shape{5, width, 2}, Shape{width, 1, 3}, Shape{15, width, 5},
            Shape{40, 70 + width, 3}, Shape{2, 3, width}}) {
        for (const bool transpose_a : {false, true}) {
          for (const bool transpose_b : {false, true}) {
            check_product(random, shape, transpose_a, transpose_b, 1.0F, 0.0F, 1.0F);
          }
        }
      }
    }
  });
}

TEST_CASE("matrix_product with beta 0 does not read C", "[model][kernels]") {
  RandomStream random(2, Purpose::data_generator);
  const float nan = std::nanf("");
  for (const Shape shape : {Shape{1, 1, 1}, Shape{1, 40, 30}, Shape{40, 1, 30}, Shape{33, 34, 35},
                            Shape{64, 10, 784}, Shape{20, 20, 0}, Shape{23, 200, 16}}) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        check_product(random, shape, transpose_a, transpose_b, 1.0F, 0.0F, nan);
      }
    }
  }
}

TEST_CASE("matrix_product of empty matrices", "[model][kernels]") {
  RandomStream random(3, Purpose::data_generator);
  for (const Shape shape : {Shape{0, 3, 4}, Shape{3, 0, 4}, Shape{3, 4, 0}, Shape{0, 0, 0}}) {
    check_product(random, shape, false, false, 1.0F, 0.0F, 1.0F);
    check_product(random, shape, true, false, 1.0F, 0.5F, 1.0F);
    check_product(random, shape, false, true, 2.0F, 1.0F, 1.0F);
  }
}

std::ptrdiff_t thread_count() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST_CASE("matrix_product starts no threads, whichever thread calls it", "[model][kernels]") {
  if (!std::filesystem::exists("/proc/self/task")) return;
  RandomStream random(5, Purpose::data_generator);
  const std::size_t size = 512;
  const Floats a = normal_floats(random, size * size);
  std::ptrdiff_t before = 0, after = 0;
  std::thread caller([&] {
    Floats c(size * size);
    before = thread_count();
    kernels::matrix_product(false, false, size, size, size, 1.0F, a.data(), a.data(), 0.0F,
                            c.data());
    after = thread_count();
  });
  caller.join();
  CHECK(after == before);
}

// What evaluation in tiles rests on, and that a minibatch may be cut anywhere.
TEST_CASE("an element of a product has the same bits in every shape and place",
          "[model][kernels]") {
  const std::size_t m = 37, n = 75;
  for (const std::size_t k : {std::size_t{1}, std::size_t{129}, std::size_t{784}}) {
    with_each_instruction_set([&] {
      RandomStream random(4, Purpose::data_generator);
      const Floats a = normal_floats(random, m * k), b = normal_floats(random, n * k);
      Floats whole(m * n);
      kernels::matrix_product(false, true, m, n, k, 1.0F, a.data(), b.data(), 0.0F, whole.data());
      for (const Shape piece : {Shape{1, 1, k}, Shape{3, 33, k}, Shape{15, 16, k}}) {
        for (std::size_t i = 0; i + piece.m <= m; i += piece.m) {
          for (std::size_t j = 0; j + piece.n <= n; j += piece.n) {
            Floats part(piece.m * piece.n);
            kernels::matrix_product(false, true, piece.m, piece.n, k, 1.0F, a.data() + i * k,
                                    b.data() + j * k, 0.0F, part.data());
            for (std::size_t r = 0; r < piece.m; ++r) {
              const bool same =
                  std::equal(part.data() + r * piece.n, part.data() + (r + 1) * piece.n,
                             whole.data() + (i + r) * n + j);
              if (!same)
                FAIL_CHECK("piece " << piece.m << "x" << piece.n << " at " << i << ", " << j);
            }
          }
        }
      }
    });
  }
}

/// The matrix as it is stored transposed.
Floats turned(const Floats& matrix, std::size_t rows) {
  const std::size_t columns = matrix.size() / rows;
  Floats result(matrix.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) result[j * rows + i] = matrix[i * columns + j];
  }
  return result;
}

// Rows and columns change places in some shapes; in others rows are copied first, or C is written
// in order by wide tiles. A piece of a single row is worked out in none of these ways.
TEST_CASE("an element of a product has the same bits however its matrices are stored",
          "[model][kernels]") {
  with_each_instruction_set([&] {
    RandomStream random(6, Purpose::data_generator);
    for (const auto [m, n, k] : {Shape{520, 10, 40}, Shape{21, 200, 300}, Shape{300, 20, 50},
                                 Shape{260, 100, 1024}, Shape{1024, 99, 48}, Shape{70, 96, 16}}) {
      const Floats a = normal_floats(random, m * k), b = normal_floats(random, k * n);
      const Floats a_turned = turned(a, m), b_turned = turned(b, k);
      for (const float beta : {0.0F, 0.25F}) {
        Floats by_rows(m * n, 3.0F);
        constexpr std::size_t columns = 48;  // narrower than a wide tile
        for (std::size_t i = 0; i < m; ++i) {
          for (std::size_t j = 0; j < n; j += columns) {
            kernels::matrix_product(false, true, 1, std::min(columns, n - j), k, -0.5F,
                                    a.data() + i * k, b_turned.data() + j * k, beta,
                                    by_rows.data() + i * n + j);
          }
        }
        for (const bool transpose_a : {false, true}) {
          for (const bool transpose_b : {false, true}) {
            INFO(m << "x" << n << "x" << k << (transpose_a ? " A'" : "")
                   << (transpose_b ? " B'" : "") << " beta " << beta);
            Floats c(m * n, 3.0F);
            kernels::matrix_product(transpose_a, transpose_b, m, n, k, -0.5F,
                                    transpose_a ? a_turned.data() : a.data(),
                                    transpose_b ? b_turned.data() : b.data(), beta, c.data());
            CHECK(std::equal(c.begin(), c.end(), by_rows.begin()));
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace trainyard
