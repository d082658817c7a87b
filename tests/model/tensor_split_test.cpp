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

/// All parts of a stage, which add up by hand, the first part's term first.
struct StageInParts {
  std::vector<TensorSplit> splits;
  std::vector<Workspace> spaces;
  std::vector<Floats> parameters, gradients;

  StageInParts(const Model& model, const Stage& stage, int parts, std::span<const float> whole)
      : spaces(static_cast<std::size_t>(parts)) {
    for (int part = 0; part < parts; ++part) {
      splits.emplace_back(*model.layered(), stage, part, parts);
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
  static float sum(float a, float b) { return a + b; }

  /// What each part gives to the next stage: the same at all of them.
  template <typename Given>
  Floats given(const Given& of_part) {
    const std::span<const float> first = of_part(0);
    const Floats kept(first.begin(), first.end());
    for (std::size_t part = 1; part < splits.size(); ++part) {
      const std::span<const float> other = of_part(part);
      REQUIRE(Floats(other.begin(), other.end()) == kept);
    }
    return kept;
  }

  Floats forward(Batch batch, const Floats& below) {
    const TensorSplit& any = splits.front();
    for (std::size_t block = 0; block < any.blocks(); ++block) {
      combine(
          [&](auto p) { return splits[p].forward(block, parameters[p], batch, below, spaces[p]); },
          sum);
    }
    if (any.scores_are_split()) {
      combine([&](auto p) { return splits[p].greatest_scores(batch, spaces[p]); },
              [](float a, float b) { return std::max(a, b); });
      combine([&](auto p) { return splits[p].sums_of_exponentials(batch, spaces[p]); }, sum);
    }
    return given([&](auto p) { return splits[p].units_of_stage(batch, spaces[p]); });
  }

  Floats backward(Batch batch, const Floats& below, const Floats& above) {
    for (std::size_t block = splits.front().blocks(); block-- > 0;) {
      combine(
          [&](auto p) {
            return splits[p].backward(block, parameters[p], batch, below, above, gradients[p],
                                      spaces[p]);
          },
          sum);
    }
    return given([&](auto p) { return splits[p].slopes_below(batch, below, spaces[p]); });
  }

  void put_gradient_into(Floats& whole) const {
    for (std::size_t part = 0; part < splits.size(); ++part) {
      std::size_t place = 0;
      for (const ParameterRange& range : splits[part].holding().ranges) {
        std::copy_n(gradients[part].begin() + static_cast<std::ptrdiff_t>(place), range.count,
                    whole.begin() + static_cast<std::ptrdiff_t>(range.first));
        place += range.count;
      }
    }
  }
};

/// The whole gradient of a model in stages, each of them in parts; parameters that nobody holds
/// stay 7.
Floats gradient_in_parts(const Model& model, int stages, int parts, std::span<const float> whole,
                         Batch batch) {
  std::vector<StageInParts> pipeline;
  for (const Stage& stage : model.layered()->cut(stages, 2)) {
    pipeline.emplace_back(model, stage, parts, whole);
  }
  std::vector<Floats> below{{}};
  for (StageInParts& stage : pipeline) below.push_back(stage.forward(batch, below.back()));
  Floats slopes, gradient(model.dimension(), 7.0F);
  for (std::size_t s = pipeline.size(); s-- > 0;) {
    slopes = pipeline[s].backward(batch, below[s], slopes);
    pipeline[s].put_gradient_into(gradient);
  }
  return gradient;
}

/// Of a network with so many hidden layers: pairs, and an odd last layer where there are classes
/// enough for all parts.
int most_stages(std::size_t hidden, int parts, int classes) {
  const bool alone = hidden % 2 == 0 && classes >= parts;
  return static_cast<int>((hidden + 1) / 2) + (alone ? 1 : 0);
}

TensorSplit part_of(const Model& model, int part, int parts) {
  return {*model.layered(), model.layered()->cut(1).front(), part, parts};
}

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
  int cut = 0;
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
      const int stages = 1 + static_cast<int>(random() % static_cast<unsigned>(most_stages(
                                                             1 + seed % 4, parts, classes)));
      cut += stages > 1 ? 1 : 0;
      const auto model = make_model({name, seed % 2 == 0 ? 0.0 : 0.5}, *data);
      const Floats parameters = whole_numbers(*model, static_cast<std::size_t>(classes), random);
      const auto batch = test::batch_of(*data, rows_of(random, 8, data->rows));
      CAPTURE(seed, name, stages, parts, classes, data->sparse);
      const Floats whole = test::gradient_of(*model, parameters, batch);
      REQUIRE(gradient_in_parts(*model, stages, parts, parameters, batch) == whole);
      nonzero += std::ssize(whole) - std::ranges::count(whole, 0.0F);
    }
  }
  CHECK(nonzero > 10'000);
  CHECK(cut > 60);
}

TEST_CASE("a split gradient is that of a slow reference in double", "[model]") {
  for (unsigned seed = 0; seed < 24; ++seed) {
    std::mt19937 random(1000 + seed);
    const int parts = 1 + static_cast<int>(random() % 5);
    const int classes = std::max(parts, 2 + static_cast<int>(seed % 5));
    const test::Problem problem = test::make_problem(seed, 40, 6, classes, 0.6);
    const std::string name = random_name(random, 1 + seed % 6, parts);
    const int stages = most_stages(1 + seed % 6, parts, classes);
    const auto rows = rows_of(random, 1 + random() % 9, 40);
    const double l2 = seed % 3 == 0 ? 0.0 : 0.05;
    for (const Dataset* data : {&problem.dense, &problem.sparse}) {
      const auto model = make_model({name, l2}, *data);
      const Floats parameters = test::random_parameters(*model, seed, 0.5);
      const auto expected = test::reference_gradient(name, l2, problem.dense, rows, parameters);
      const Floats found =
          gradient_in_parts(*model, stages, parts, parameters, test::batch_of(*data, rows));
      CAPTURE(seed, name, stages, parts, data->sparse);
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
      const TensorSplit split = part_of(*model, part, parts);
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
      const auto terms = split.forward(0, held, batch, {}, own);
      CHECK(Floats(terms.begin(), terms.end()) == expected);
      from += count;
    }
    CHECK(from == 11);
  }
}

TEST_CASE("every parameter has one part of one stage, and the arithmetic of all adds up",
          "[model]") {
  const test::Problem problem = test::make_problem(5, 70, 9, 4, 0.4);
  for (const char* name : {"mlp:6", "mlp:7,5", "mlp:16,8,9", "mlp:8,8,8,8"}) {
    const auto model = make_model({name, 0.0}, problem.sparse);
    for (const int parts : {1, 2, 3, 5, 6}) {
      CAPTURE(name, parts);
      std::vector<int> holders(model->dimension(), 0);
      double work = 0.0;
      const bool in_two = model->layered()->depth() > 2 && parts <= 4;  // classes
      for (const Stage& stage : model->layered()->cut(in_two ? 2 : 1, 2)) {
        for (int part = 0; part < parts; ++part) {
          const TensorSplit split(*model->layered(), stage, part, parts);
          if (parts == 1) CHECK(split.holding().ranges.size() == 1);
          for (const ParameterRange& range : split.holding().ranges) {
            for (std::size_t j = 0; j < range.count; ++j) ++holders[range.first + j];
          }
          for (std::size_t block = 0; block < split.blocks(); ++block) {
            work += split.forward_work(block) + split.backward_work(block);
          }
        }
      }
      CHECK(std::ranges::count(holders, 1) == std::ssize(holders));
      CHECK(work == Approx(1.0));
    }
  }
  // By hand: of 9-7-5-4 two parts have 3 and 4 units of the first layer, 4 rows of the second one,
  // and 2 classes each.
  const auto model = make_model({"mlp:7,5", 0.0}, problem.dense);
  const TensorSplit first = part_of(*model, 0, 2), second = part_of(*model, 1, 2);
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
    CHECK_THROWS_WITH(part_of(*model, 0, parts), why);
  };
  refused("mlp:3", 4, "layer 1 has 3 units, which cannot be split among 4 workers");
  refused("mlp:9,2,5", 6, "layer 3 has 5 units, which cannot be split among 6 workers");
  const auto three = make_model({"mlp:9,9", 0.0}, problem.dense);  // of 4 classes
  const std::vector<Stage> stages = three->layered()->cut(2, 2);
  CHECK_NOTHROW(TensorSplit(*three->layered(), stages.back(), 0, 4));
  CHECK_THROWS_WITH(TensorSplit(*three->layered(), stages.back(), 0, 5),
                    "layer 3 has 4 units, which cannot be split among 5 workers");
  const auto model = make_model({"mlp:9,2", 0.0}, problem.dense);
  const Floats parameters = test::random_parameters(*model, 9, 0.5);
  const auto batch = test::batch_of(problem.dense, {3, 4, 17});
  const Floats whole = test::gradient_of(*model, parameters, batch);
  const Floats found = gradient_in_parts(*model, 1, 9, parameters, batch);
  CHECK(test::relative_error(found, {std::vector<double>(whole.begin(), whole.end())}) < 2e-6);
}
