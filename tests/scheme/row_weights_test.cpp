// The weights of rows in every scheme. Of least squares a row of weight ω is one whose features and
// label are multiplied by √ω: with weights that are powers of 4 every number of a run is the same,
// bit for bit.
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/left_out.hpp"
#include "support/model_difference.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

/// The root of the weight of a row.
float root_of(std::size_t row) {
  constexpr float roots[] = {1.0F, 0.5F, 2.0F, 0.25F, 1.0F};
  return roots[row % 5];
}

LoadedData real_problem(LoadedData data) {
  data.train.classes = 1;
  data.train.targets = AlignedBuffer<float>(data.train.rows);
  for (std::size_t row = 0; row < data.train.rows; ++row) {
    data.train.targets[row] = data.train.labels[row] == 1 ? 0.75F : -1.0F;
    data.train.labels[row] = 0;
  }
  return data;
}

LoadedData weighted(LoadedData data) {
  data.train.weights = AlignedBuffer<float>(data.train.rows);
  for (std::size_t row = 0; row < data.train.rows; ++row) {
    data.train.weights[row] = root_of(row) * root_of(row);
  }
  return data;
}

LoadedData multiplied(LoadedData data) {
  Dataset& train = data.train;
  for (std::size_t row = 0; row < train.rows; ++row) {
    const float root = root_of(row);
    train.targets[row] *= root;
    float* const first = train.sparse ? train.values.data() + train.row_begin[row]
                                      : train.dense.data() + row * train.features;
    const std::size_t count =
        train.sparse ? train.row_begin[row + 1] - train.row_begin[row] : train.features;
    for (std::size_t i = 0; i < count; ++i) first[i] *= root;
  }
  return data;
}

void check_same(const Configuration& c, const LoadedData& a, const LoadedData& b) {
  const RunResult by_weights = train(c, a);
  const RunResult by_rows = train(c, b);
  CHECK(by_weights.summary.model_hash == by_rows.summary.model_hash);
  CHECK(by_weights.summary.train_loss == by_rows.summary.train_loss);
  CHECK(by_weights.summary.train_loss != by_weights.metrics.front().train_loss);
}

}  // namespace

TEST_CASE("every scheme heeds the weights of rows", "[scheme][weights]") {
  for (const std::string& name :
       test::schemes_where([](const Scheme& scheme) { return !test::divides_layers(scheme); })) {
    for (const bool sparse : {false, true}) {
      CAPTURE(name, sparse);
      Configuration c = quick(name, 4, 60);
      c.model = "least-squares";
      c.optimizer.lr = 0.01;
      const auto problem = [&] {
        return real_problem(sparse ? test::sparse_problem(200, 60) : test::dense_problem(200, 8));
      };
      check_same(c, weighted(problem()), multiplied(problem()));
    }
  }
}

// Of networks rows cannot be multiplied; what divides them computes what one worker does. A
// minibatch is all rows, in whatever order.
TEST_CASE("schemes that divide a network heed the weights of rows", "[scheme][weights]") {
  constexpr std::size_t rows = 48;
  const LoadedData plain{"blobs", generate_blobs(rows, 24, 5, 1.0, 3), {}};
  const LoadedData data = weighted({"blobs", generate_blobs(rows, 24, 5, 1.0, 3), {}});
  const auto configured = [](const std::string& scheme, const std::string& model, int workers) {
    Configuration c = quick(scheme, workers, 20);
    c.model = model;
    c.batch = rows / static_cast<std::size_t>(workers);
    c.optimizer.lr = 0.05;
    return c;
  };
  for (const std::string scheme : {"tensor-split", "gpipe", "ring"}) {
    for (const std::string model : {"mlp:32", "mlp:32,16"}) {
      CAPTURE(scheme, model);
      const RunResult divided = train(configured(scheme, model, 2), data);
      const RunResult alone = train(configured("sequential", model, 1), data);
      CHECK(divided.summary.samples == alone.summary.samples);
      CHECK(test::relative_difference(divided, alone) < 1e-4);
      CHECK(test::relative_difference(divided, train(configured(scheme, model, 2), plain)) > 1e-3);
    }
  }
}

TEST_CASE("activations and deltas are of rows by their weights", "[scheme][weights]") {
  const LoadedData plain{"blobs", generate_blobs(400, 24, 5, 1.0, 3), {}};
  const LoadedData data = weighted({"blobs", generate_blobs(400, 24, 5, 1.0, 3), {}});
  Configuration c = quick("ps-activations", 3, 20);
  c.model = "mlp:32,16";
  c.batch = 4;  // the last layer's pay, too
  c.optimizer.lr = 0.05;
  const RunResult products = train(c, data);
  CHECK(test::relative_difference(products, train(c, plain)) > 1e-3);
  c.scheme = "ps-async";
  CHECK(test::relative_difference(products, train(c, data)) < 1e-5);
}
