#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/model/model.hpp"

#include "support/catch.hpp"
#include "support/replicas.hpp"

using namespace trainyard;

TEST_CASE("a quadratic's gradient and loss by hand, in double precision", "[model]") {
  const Dataset data = test::quadratic_data({{1.0, 2.0}, {3.0, 0.5}}, {{1.0, -1.0}, {0.0, 4.0}});
  const auto model = make_model({"quadratic", 0.25}, data);
  REQUIRE(model->dimension() == 2);
  REQUIRE(model->scalar() == Scalar::float64);
  const std::vector<double> x{2.0, 1.0 + 1e-12};
  std::vector<double> gradient(2);
  Workspace workspace;
  const RowRange all{&data, 0, 2};
  model->gradient(x, {&all, 1}, gradient, workspace);
  // ½ (1·1 + 3·2) + ¼·2, ½ (2·2 + ½·(−3)) + ¼
  CHECK(gradient[0] == 4.0);
  CHECK(gradient[1] == Approx(1.5 + 1.5e-12).epsilon(1e-15));
  const Tally tally = model->evaluate(x, {&all, 1}, workspace);
  // ½ (1 + 2·4) + ½ (3·4 + ½·9)
  CHECK(tally.loss_sum == Approx(4.5 + 8.25));
  CHECK(tally.rows == 2);
  CHECK(model->penalty(x) == Approx(0.5 * 0.25 * 5.0));
}

TEST_CASE("data that is no quadratic is refused", "[model]") {
  Dataset odd;
  odd.rows = 1;
  odd.features = 3;
  CHECK_THROWS_WITH(make_model({"quadratic", 0.0}, odd), ContainsSubstring("3 features"));
  Dataset sparse;
  sparse.rows = 1;
  sparse.features = 4;
  sparse.sparse = true;
  CHECK_THROWS_WITH(make_model({"quadratic", 0.0}, sparse), ContainsSubstring("sparse"));
}
