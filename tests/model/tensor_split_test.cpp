// A model whose layers are split by their units computes what it computes in one piece.
#include "trainyard/model/tensor_split.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

#include "model/problems.hpp"
#include "support/catch.hpp"

using namespace trainyard;

namespace {

using Floats = std::vector<float>;

Floats held_of(std::span<const float> whole, const Holding& holding) {
  Floats held;
  for (const ParameterRange& range : holding.ranges) {
    const auto part = whole.subspan(range.first, range.count);
    held.insert(held.end(), part.begin(), part.end());
  }
  return held;
}

/// All parts of a model, which add up by hand, the first part's term first.
struct Parts {
  std::vector<TensorSplit> splits;
  std::vector<Workspace> spaces;
  std::vector<Floats> parameters, gradients;

  Parts(const Model& model, int parts, std::span<const float> whole)
      : spaces(static_cast<std::size_t>(parts)) {
    for (int part = 0; part < parts; ++part) {
      splits.emplace_back(*model.layered(), part, parts);
      parameters.push_back(held_of(whole, splits.back().holding()));
      gradients.emplace_back(parameters.back().size(), 7.0F);
    }
  }

  template <typename Terms, typename Combine>
  void combine(const Terms& terms, const Combine& by) {
    std::vector<std::span<float>> all;
    for (std::size_t part = 0; part < splits.size(); ++part) all.push_back(terms(part));
    for (std::size_t i = 0; i < all.front().size(); ++i) {
      float together = all.front()[i];
      for (std::size_t part = 1; part < all.size(); ++part) together = by(together, all[part][i]);
      for (const std::span<float> one : all) one[i] = together;
    }
  }

  /// The whole gradient; parameters that nobody holds stay 7.
  Floats gradient(Batch batch, std::size_t dimension) {
    const auto sum = [](float a, float b) { return a + b; };
    const TensorSplit& any = splits.front();
    for (std::size_t block = 0; block < any.blocks(); ++block) {
      combine([&](auto p) { return splits[p].forward(block, parameters[p], batch, spaces[p]); },
              sum);
    }
    if (any.scores_are_split()) {
      combine([&](auto p) { return splits[p].greatest_scores(batch, spaces[p]); },
              [](float a, float b) { return std::max(a, b); });
      combine([&](auto p) { return splits[p].sums_of_exponentials(batch, spaces[p]); }, sum);
    }
    for (std::size_t block = any.blocks(); block-- > 0;) {
      combine(
          [&](auto p) {
            return splits[p].backward(block, parameters[p], batch, gradients[p], spaces[p]);
          },
          sum);
    }
    Floats whole(dimension, 7.0F);
    for (std::size_t part = 0; part < splits.size(); ++part) {
      std::size_t place = 0;
      for (const ParameterRange& range : splits[part].holding().ranges) {
        std::copy_n(gradients[part].begin() + static_cast<std::ptrdiff_t>(place), range.count,
                    whole.begin() + static_cast<std::ptrdiff_t>(range.first));
        place += range.count;
      }
    }
    return whole;
  }
};

/// A network of random widths, each of which `parts` can share.
std::string random_name(std::mt19937& random, std::size_t hidden, int parts) {
  std::string name = "mlp:";
  for (std::size_t l = 0; l < hidden; ++l) {
    name += fmt::format("{}{}", l == 0 ? "" : ",", static_cast<unsigned>(parts) + random() % 9);
  }
  return name;
}

std::vector<std::size_t> rows_of(std::mt19937& random, std::size_t count, std::size_t of) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < count; ++i) rows.push_back(random() % of);
  return rows;
}

/// Whole numbers, of which all sums are exact; the scores of a row differ by 128 at least, so that
/// softmax is 1 for the greatest and 0 for the others, exactly.
Floats whole_numbers(const Model& model, std::size_t classes, std::mt19937& random) {
  Floats parameters(model.dimension());
  for (float& value : parameters) value = static_cast<float>(static_cast<int>(random() % 5) - 2);
  const std::vector<TensorShape> tensors = model.tensors();
  const std::size_t weights = tensors[tensors.size() - 2].rows * classes;
  const auto last = std::span(parameters).last(weights + classes);
  for (float& weight : last.first(weights)) weight *= 1024.0F;
  for (std::size_t k = 0; k < classes; ++k) last[weights + k] = 128.0F * static_cast<float>(k);
  return parameters;
}

}  // namespace

TEST_CASE("a split gradient has the bits of the whole one where sums are exact", "[model]") {
  std::ptrdiff_t nonzero = 0;
  for (unsigned seed = 0; seed < 120; ++seed) {
    std::mt19937 random(seed);
    const int parts = 1 + static_cast<int>(random() % 6);
    const int classes = 2 + static_cast<int>(random() % 7);
    test::Problem problem = test::make_problem(seed, 40, 5 + random() % 8, classes, 0.6);
    for (Dataset* data : {&problem.dense, &problem.sparse}) {
      for (float& value : data->sparse ? data->values.span() : data->dense.span()) {
        value = std::round(value);
      }
      const std::string name = random_name(random, 1 + seed % 4, parts);
      const auto model = make_model({name, seed % 2 == 0 ? 0.0 : 0.5}, *data);
      const Floats parameters = whole_numbers(*model, static_cast<std::size_t>(classes), random);
      const auto batch = test::batch_of(*data, rows_of(random, 8, data->rows));
      CAPTURE(seed, name, parts, classes, data->sparse);
      const Floats whole = test::gradient_of(*model, parameters, batch);
      REQUIRE(Parts(*model, parts, parameters).gradient(batch, model->dimension()) == whole);
      nonzero += std::ssize(whole) - std::ranges::count(whole, 0.0F);
    }
  }
  CHECK(nonzero > 10'000);
}

TEST_CASE("a split gradient is that of a slow reference in double", "[model]") {
  for (unsigned seed = 0; seed < 24; ++seed) {
    std::mt19937 random(1000 + seed);
    const int parts = 1 + static_cast<int>(random() % 5);
    const test::Problem problem = test::make_problem(seed, 40, 6, 2 + seed % 5, 0.6);
    const std::string name = random_name(random, 1 + seed % 4, parts);
    const auto rows = rows_of(random, 1 + random() % 9, 40);
    const double l2 = seed % 3 == 0 ? 0.0 : 0.05;
    for (const Dataset* data : {&problem.dense, &problem.sparse}) {
      const auto model = make_model({name, l2}, *data);
      const Floats parameters = test::random_parameters(*model, seed, 0.5);
      const auto expected = test::reference_gradient(name, l2, problem.dense, rows, parameters);
      const Floats found = Parts(*model, parts, parameters)
                               .gradient(test::batch_of(*data, rows), model->dimension());
      CAPTURE(seed, name, parts, data->sparse);
      CHECK(test::relative_error(found, expected) < 2e-6);
    }
  }
}

TEST_CASE("columns have the bits that they have in one piece", "[model]") {
  std::mt19937 random(5);
  const test::Problem problem = test::make_problem(3, 50, 9, 4, 0.6);
  const auto model = make_model({"mlp:11,6", 0.0}, problem.dense);
  const LayeredModel& layers = *model->layered();
  const Floats parameters = test::random_parameters(*model, 9, 0.5);
  const auto batch = test::batch_of(problem.dense, {3, 4, 5, 17, 0});
  const Stage first = layers.cut(3).front(), second = layers.cut(3)[1];
  Workspace space;
  const auto units =
      layers.forward(first, std::span(parameters).first(first.parameters.count), batch, {}, space);
  const std::span<const float> rows =
      std::span(parameters).subspan(second.parameters.first, second.parameters.count);
  for (const int parts : {1, 2, 3, 5}) {
    std::size_t from = 0;
    for (int part = 0; part < parts; ++part) {
      CAPTURE(parts, part);
      const TensorSplit split(layers, part, parts);
      const Floats held = held_of(parameters, split.holding());
      const std::size_t count =
          11 * static_cast<std::size_t>(part + 1) / static_cast<std::size_t>(parts) - from;
      Floats mine;  // of the units in one piece, its columns
      for (std::size_t r = 0; r < 5; ++r) {
        for (std::size_t j = 0; j < count; ++j) mine.push_back(units[r * 11 + from + j]);
      }
      Floats expected(5 * 6);
      kernels::matrix_product(false, false, 5, 6, count, 1.0F, mine.data(),
                              rows.subspan(from * 6).data(), 0.0F, expected.data());
      if (part == 0) kernels::add_bias(rows.subspan(11 * 6), expected);
      Workspace own;
      const auto terms = split.forward(0, held, batch, own);
      CHECK(Floats(terms.begin(), terms.end()) == expected);
      from += count;
    }
    CHECK(from == 11);
  }
}

TEST_CASE("every parameter has one part, and the arithmetic of all adds up", "[model]") {
  const test::Problem problem = test::make_problem(5, 70, 9, 4, 0.4);
  for (const char* name : {"mlp:6", "mlp:7,5", "mlp:16,8,9", "mlp:8,8,8,8"}) {
    const auto model = make_model({name, 0.0}, problem.sparse);
    for (const int parts : {1, 2, 3, 5, 6}) {
      CAPTURE(name, parts);
      std::vector<int> holders(model->dimension(), 0);
      double work = 0.0;
      for (int part = 0; part < parts; ++part) {
        const TensorSplit split(*model->layered(), part, parts);
        if (parts == 1) CHECK(split.holding().ranges.size() == 1);
        for (const ParameterRange& range : split.holding().ranges) {
          for (std::size_t j = 0; j < range.count; ++j) ++holders[range.first + j];
        }
        for (std::size_t block = 0; block < split.blocks(); ++block) {
          work += split.forward_work(block) + split.backward_work(block);
        }
      }
      CHECK(std::ranges::count(holders, 1) == std::ssize(holders));
      CHECK(work == Approx(1.0));
    }
  }
  // By hand: of 9-7-5-4 two parts have 3 and 4 units of the first layer, 4 rows of the second one,
  // and 2 classes each.
  const auto model = make_model({"mlp:7,5", 0.0}, problem.dense);
  const TensorSplit first(*model->layered(), 0, 2), second(*model->layered(), 1, 2);
  CHECK(first.holding().count() == 9 * 3 + 3 + 3 * 5 + 5 + 5 * 2 + 2);
  CHECK(second.holding().count() == 9 * 4 + 4 + 4 * 5 + 5 * 2 + 2);
  CHECK(first.holding().ranges.size() == 10 + 1 + 1 + 5);  // second biases beside third weights
  CHECK(first.holding().ranges.front().count == 3);
  CHECK(second.holding().ranges.front().first == 3);
}

TEST_CASE("fewer units than parts are refused, and fewer classes are not", "[model]") {
  const test::Problem problem = test::make_problem(5, 70, 9, 4, 0.4);
  const auto refused = [&](const char* name, int parts, const char* why) {
    const auto model = make_model({name, 0.0}, problem.dense);
    CHECK_THROWS_WITH(TensorSplit(*model->layered(), 0, parts), why);
  };
  refused("mlp:3", 4, "layer 1 has 3 units, which cannot be split among 4 workers");
  refused("mlp:9,2,5", 6, "layer 3 has 5 units, which cannot be split among 6 workers");
  const auto model = make_model({"mlp:9,2", 0.0}, problem.dense);
  const Floats parameters = test::random_parameters(*model, 9, 0.5);
  const auto batch = test::batch_of(problem.dense, {3, 4, 17});
  const Floats whole = test::gradient_of(*model, parameters, batch);
  const Floats found = Parts(*model, 9, parameters).gradient(batch, model->dimension());
  CHECK(test::relative_error(found, {std::vector<double>(whole.begin(), whole.end())}) < 2e-6);
}
