#include "scheme/gradient_code.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "trainyard/base/error.hpp"
#include "trainyard/base/random.hpp"

namespace trainyard {

namespace {

/// Columns whose pivot is smaller depend on those before: copies, in fractional repetition.
constexpr double no_pivot = 1e-10;

/// Solves Σ_j matrix_ij x_j = rhs_i, where there is a solution, by Gauss-Jordan elimination with
/// the largest pivot of each column. `rows` may be more than `columns`. `equations` is the matrix
/// with the right-hand side beside it, [rows × (columns + 1)], and is used up. Columns that depend
/// on earlier ones get 0.
void solve(std::vector<double>& equations, int rows, int columns, std::vector<double>& solution) {
  const int width = columns + 1;
  const auto at = [&](int i, int j) -> double& {
    return equations[static_cast<std::size_t>(i) * static_cast<std::size_t>(width) +
                     static_cast<std::size_t>(j)];
  };
  solution.assign(static_cast<std::size_t>(columns), 0.0);
  int next = 0;
  for (int j = 0; j < columns && next < rows; ++j) {
    int pivot = next;
    for (int i = next + 1; i < rows; ++i) {
      if (std::abs(at(i, j)) > std::abs(at(pivot, j))) pivot = i;
    }
    if (std::abs(at(pivot, j)) < no_pivot) continue;
    for (int k = 0; k < width; ++k) std::swap(at(pivot, k), at(next, k));
    for (int i = 0; i < rows; ++i) {
      if (i == next) continue;
      const double factor = at(i, j) / at(next, j);
      for (int k = j; k < width; ++k) at(i, k) -= factor * at(next, k);
    }
    ++next;
  }
  // Row i has its pivot, the first number that is left of it, in the i-th column that has one.
  for (int i = 0, j = 0; i < next; ++i, ++j) {
    while (std::abs(at(i, j)) < no_pivot) ++j;
    solution[static_cast<std::size_t>(j)] = at(i, columns) / at(i, j);
  }
}

bool repeats(int workers, int stragglers) {
  return workers % (stragglers + 1) == 0;
}

/// H [s × n], its rows normal at random and orthogonal to 1.
std::vector<double> random_checks(int n, int s) {
  RandomStream random(0, Purpose::scheme);
  std::vector<double> checks;
  for (int i = 0; i < s; ++i) {
    double sum = 0.0;
    for (int j = 0; j + 1 < n; ++j) sum += checks.emplace_back(random.normal());
    checks.push_back(-sum);
  }
  return checks;
}

/// Worker w's row: 1 for its own share, and for the others what makes it orthogonal to H's rows.
void add_cyclic_row(GradientCode& code, const std::vector<double>& checks, int w) {
  const int n = code.workers, s = code.stragglers;
  const std::vector<int> shares = code.shares_of(w);
  std::vector<double> equations, others;
  for (int i = 0; i < s; ++i) {
    const double* check = &checks[static_cast<std::size_t>(i) * static_cast<std::size_t>(n)];
    for (int k = 1; k <= s; ++k) equations.push_back(check[shares[static_cast<std::size_t>(k)]]);
    equations.push_back(-check[shares.front()]);
  }
  solve(equations, s, s, others);
  code.coefficients.push_back(1.0);
  code.coefficients.insert(code.coefficients.end(), others.begin(), others.end());
}

}  // namespace

int GradientCode::first_share_of(int worker) const {
  return repeats(workers, stragglers) ? worker - worker % (stragglers + 1) : worker;
}

std::vector<int> GradientCode::shares_of(int worker) const {
  std::vector<int> shares;
  for (int k = 0; k <= stragglers; ++k) shares.push_back((first_share_of(worker) + k) % workers);
  return shares;
}

GradientCode make_gradient_code(int workers, int stragglers) {
  require(stragglers >= 0 && stragglers < workers, "a gradient code leaves somebody to be heard");
  GradientCode code{.workers = workers, .stragglers = stragglers, .coefficients = {}};
  if (repeats(workers, stragglers)) {
    const int count = workers * (stragglers + 1);
    code.coefficients.assign(static_cast<std::size_t>(count), 1.0);
    return code;
  }
  const std::vector<double> checks = random_checks(workers, stragglers);
  for (int w = 0; w < workers; ++w) add_cyclic_row(code, checks, w);
  return code;
}

std::span<const double> GradientDecoder::decode(std::span<const int> heard) {
  const int n = code_.workers, columns = static_cast<int>(heard.size());
  require(columns == n - code_.stragglers, "a code is decoded from n - s workers");
  // Equation j: the coefficients of gradient j add up to 1.
  const auto width = static_cast<std::size_t>(columns) + 1;
  equations_.assign(static_cast<std::size_t>(n) * width, 0.0);
  for (std::size_t i = 0; i < heard.size(); ++i) {
    const int first = code_.first_share_of(heard[i]);
    const auto row = code_.coefficients_of(heard[i]);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const auto share = (static_cast<std::size_t>(first) + k) % static_cast<std::size_t>(n);
      equations_[share * width + i] = row[k];
    }
  }
  for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
    equations_[j * width + width - 1] = 1.0;
  }
  solve(equations_, n, columns, weights_);
  return weights_;
}

}  // namespace trainyard
