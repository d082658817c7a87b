// Measures over a whole data set whose rows have weights.
#include "trainyard/run/evaluation.hpp"

#include <atomic>
#include <string>
#include <vector>

#include "trainyard/data/partition.hpp"
#include "trainyard/runtime/data_server.hpp"

#include "model/problems.hpp"
#include "support/catch.hpp"

using namespace trainyard;

namespace {

/// Of each row as many as its weight says: 0, 1, 2, 0, …
std::vector<std::uint32_t> repeated(std::size_t rows) {
  std::vector<std::uint32_t> all;
  for (std::size_t row = 0; row < rows; ++row) {
    all.insert(all.end(), row % 3, static_cast<std::uint32_t>(row));
  }
  return all;
}

AlignedBuffer<float> weights_of(std::size_t rows) {
  AlignedBuffer<float> weights(rows);
  for (std::size_t row = 0; row < rows; ++row) weights[row] = static_cast<float>(row % 3);
  return weights;
}

}  // namespace

// 1,100 rows are three blocks.
TEST_CASE("a data set whose rows weigh k is measured as one of k rows each", "[run][weights]") {
  const std::atomic<bool> interrupted{false};
  const GracePeriod grace(interrupted);
  for (const std::string name : {"least-squares", "logistic", "softmax"}) {
    CAPTURE(name);
    const int classes = name == "least-squares" ? 1 : 2;
    Dataset data = test::make_problem(3, 1100, 6, classes, 0.5).dense;
    const Dataset rows = copy_rows(data, repeated(data.rows));
    data.weights = weights_of(data.rows);
    const auto model = make_model({name, 0.0}, data);
    const std::vector<float> w = test::random_parameters(*model, 5, 0.5);
    const Tally by_weights = evaluate_all(*model, w, data, grace).value();
    const Tally by_rows = evaluate_all(*model, w, rows, grace).value();
    CHECK(by_weights.weight == by_rows.weight);
    CHECK(by_weights.correct == by_rows.correct);
    CHECK(by_weights.loss_sum == Approx(by_rows.loss_sum).epsilon(1e-12));
    const auto a = r_squared(by_weights, data), b = r_squared(by_rows, rows);
    CHECK(a.has_value() == (classes == 1));
    if (a) CHECK(*a == Approx(*b).epsilon(1e-12));
  }
}

TEST_CASE("a data server sends the weights of rows, too", "[run][weights]") {
  Dataset data = test::make_problem(3, 20, 6, 2, 0.5).sparse;
  const RowRange rows{&data, 4, 7};
  const std::uint64_t plain = bytes_of_rows({&rows, 1});
  data.weights = weights_of(data.rows);
  CHECK(bytes_of_rows({&rows, 1}) == plain + 7 * sizeof(float));
}
