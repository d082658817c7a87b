// A step on few sparse rows, without a pass over all weights.
#include "model/sparse_descent.hpp"

#include <string>
#include <vector>

#include "trainyard/model/kernels.hpp"
#include "trainyard/model/model.hpp"

#include "model/instruction_sets.hpp"
#include "model/problems.hpp"
#include "model/sparse_rows.hpp"
#include "support/catch.hpp"

namespace trainyard {
namespace {

using test::awkward_lengths;
using test::awkward_rows;
using test::random_parameters;

constexpr std::size_t features = 9000;

// Several ranges, rows twice, rows that share features; two steps with one workspace, whose
// leftovers must not show.
TEST_CASE("a step that touches few weights has the bits of one over all", "[model]") {
  const auto [name, classes] = GENERATE(table<std::string, int>(
      {{"logistic", 2}, {"least-squares", 2}, {"softmax", 2}, {"softmax", 5}}));
  const bool intercept = GENERATE(false, true);
  INFO(name << ", " << classes << " classes" << (intercept ? ", intercept" : ""));
  const Dataset data = awkward_rows(features, classes, intercept);
  const auto model = make_model({name, 0.0}, data);
  const std::vector<std::vector<RowRange>> batches = {
      {{&data, 0, data.rows}}, {{&data, 9, 1}}, {{&data, 12, 3}, {&data, 0, 2}, {&data, 13, 2}}};
  test::with_each_instruction_set([&] {
    Workspace workspace;
    std::vector<float> stepped = random_parameters(*model, 4, 0.5);
    for (const std::vector<RowRange>& batch : batches) {
      CHECK(touches_few(batch, features));
      std::vector<float> expected = stepped;
      kernels::axpy(-0.3, test::gradient_of(*model, expected, batch), expected);
      model->descend(stepped, batch, 0.3, workspace);
      CHECK(stepped == expected);
    }
  });
}

TEST_CASE("what touches few weights is told by nonzeros", "[model]") {
  const Dataset data = awkward_rows(features, 2);
  const std::vector<RowRange> all = {{&data, 0, data.rows}};
  const std::size_t nonzeros = data.nonzeros();
  CHECK(touches_few(all, 32 * nonzeros + 1));
  CHECK_FALSE(touches_few(all, 32 * nonzeros));
  const std::vector<RowRange> twice = {{&data, 0, data.rows}, {&data, 0, data.rows}};
  CHECK_FALSE(touches_few(twice, 32 * nonzeros + 1));
}

TEST_CASE("what a descent does not touch stays as it is", "[model]") {
  const Dataset data = awkward_rows(features, 2);
  const std::vector<RowRange> row = {{&data, 5, 1}};
  std::vector<float> gradient(2 * features, 7.0F), parameters(2 * features, 1.0F);
  clear_touched(row, 2, gradient);
  const Dataset::SparseRow entries = data.sparse_row(5);
  REQUIRE(entries.columns.size() == awkward_lengths[5]);
  for (const std::uint32_t j : entries.columns) gradient[2 * j] = gradient[2 * j + 1] += 1.0F;
  Workspace workspace;
  descend_touched(row, 2, 0.5, gradient, parameters, workspace, 0);
  std::vector<float> expected_gradient(2 * features, 7.0F), expected(2 * features, 1.0F);
  for (const std::uint32_t j : entries.columns) {
    for (const std::size_t c : {0U, 1U}) {
      expected_gradient[2 * j + c] = 0.0F;
      expected[2 * j + c] = 0.5F;
    }
  }
  CHECK(gradient == expected_gradient);
  CHECK(parameters == expected);
}

}  // namespace
}  // namespace trainyard
