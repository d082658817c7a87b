#include "trainyard/data/generate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "trainyard/base/error.hpp"
#include "trainyard/base/function_ref.hpp"
#include "trainyard/base/parallel.hpp"
#include "trainyard/base/random.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/data/partition.hpp"

namespace trainyard {

namespace {

constexpr std::size_t block_rows = 1024;

/// Stream 0 of a generator is for what all rows share (w*, centres, labels); block b of rows draws
/// from stream b + 1.
RandomStream shared_stream(std::uint64_t seed) {
  return {seed, Purpose::data_generator, 0};
}

/// Calls make(row, random) for every row, blocks in parallel, the rows of a block in order.
void for_each_row(std::size_t rows, std::uint64_t seed,
                  FunctionRef<void(std::size_t row, RandomStream& random)> make) {
  parallel_blocks((rows + block_rows - 1) / block_rows, [&](std::size_t block) {
    RandomStream random(seed, Purpose::data_generator, static_cast<std::uint32_t>(block + 1));
    const std::size_t end = std::min(rows, (block + 1) * block_rows);
    for (std::size_t row = block * block_rows; row < end; ++row) make(row, random);
  });
}

/// A label drawn from the logistic model: 1 with probability σ(margin).
Label draw_label(double margin, RandomStream& random) {
  return random.uniform() < 1.0 / (1.0 + std::exp(-margin)) ? 1 : 0;
}

Dataset empty_dense(std::size_t rows, std::size_t features, int classes) {
  Dataset data;
  data.rows = rows;
  data.features = features;
  data.classes = classes;
  data.labels = AlignedBuffer<Label>(rows);
  data.dense = AlignedBuffer<float>(rows * features);
  return data;
}

/// How often features are drawn: feature j in proportion to 1/(j+1), as words are, or all alike.
enum class FeatureLaw { zipf, even };

class LawOfFeatures {
 public:
  LawOfFeatures(std::size_t features, FeatureLaw law)
      : totals_(features), guide_(std::bit_ceil(features)) {
    double total = 0.0;
    for (std::size_t j = 0; j < features; ++j) {
      total += law == FeatureLaw::even ? 1.0 : 1.0 / static_cast<double>(j + 1);
      totals_[j] = total;
    }
    std::size_t feature = 0;  // both go up: searched for, of 20 million features, they took 3 s
    for (std::size_t part = 0; part < guide_.size(); ++part) {
      const double least = static_cast<double>(part) / static_cast<double>(guide_.size()) * total;
      while (feature < features && totals_[feature] <= least) ++feature;
      guide_[part] = static_cast<std::uint32_t>(feature);
    }
  }

  /// The first feature whose total is above a part of the sum. The guide leads near it: a search
  /// of 10,000 totals misses its branches, and was 40 % of the time of a short run.
  std::uint32_t draw(RandomStream& random) const {
    const double share = random.uniform();
    const double target = share * totals_.back();
    const auto part = static_cast<std::size_t>(share * static_cast<double>(guide_.size()));
    std::uint32_t feature = guide_[part];
    while (feature + 1 < totals_.size() && totals_[feature] <= target) ++feature;
    return std::min(feature, static_cast<std::uint32_t>(totals_.size() - 1));
  }

 private:
  std::vector<double> totals_;  // of the features up to j
  std::vector<std::uint32_t>
      guide_;  // of equal parts of the sum, a power of two: the first feature
};

/// Different features of one row, in increasing order.
void draw_columns(const LawOfFeatures& law, std::size_t draws, RandomStream& random,
                  std::vector<std::uint32_t>& columns) {
  columns.clear();
  for (std::size_t i = 0; i < draws; ++i) columns.push_back(law.draw(random));
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
}

/// Values of unit length in total.
void draw_values(std::size_t count, RandomStream& random, std::vector<float>& values) {
  std::vector<double> raw(count);
  for (double& value : raw) value = random.normal();
  const double length = std::sqrt(std::inner_product(raw.begin(), raw.end(), raw.begin(), 0.0));
  for (const double value : raw) values.push_back(static_cast<float>(value / length));
}

struct SparseRows {
  std::vector<std::size_t> sizes;
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
};

SparseRows make_sparse_block(std::size_t rows, const LawOfFeatures& law,
                             const std::vector<double>& true_weights, std::size_t draws,
                             RandomStream& random, Label* labels) {
  SparseRows block;
  std::vector<std::uint32_t> columns;
  for (std::size_t row = 0; row < rows; ++row) {
    draw_columns(law, draws, random, columns);
    draw_values(columns.size(), random, block.values);
    const float* values = block.values.data() + block.columns.size();
    double product = 0.0;
    for (std::size_t i = 0; i < columns.size(); ++i)
      product += true_weights[columns[i]] * values[i];
    labels[row] = draw_label(24.0 * product, random);
    block.columns.insert(block.columns.end(), columns.begin(), columns.end());
    block.sizes.push_back(columns.size());
  }
  return block;
}

void join_sparse_blocks(const std::vector<SparseRows>& blocks, Dataset& data) {
  data.row_begin = AlignedBuffer<std::uint64_t>(data.rows + 1);
  data.row_begin[0] = 0;
  std::size_t row = 0;
  for (const SparseRows& block : blocks) {
    for (const std::size_t size : block.sizes) {
      data.row_begin[row + 1] = data.row_begin[row] + size;
      ++row;
    }
  }
  data.columns = AlignedBuffer<std::uint32_t>(data.row_begin[row]);
  data.values = AlignedBuffer<float>(data.row_begin[row]);
  std::size_t next = 0;
  for (const SparseRows& block : blocks) {
    std::copy(block.columns.begin(), block.columns.end(), data.columns.data() + next);
    std::copy(block.values.begin(), block.values.end(), data.values.data() + next);
    next += block.columns.size();
  }
}

/// Rows to make where so many train, with those for testing.
constexpr std::size_t with_test(std::size_t train_rows) {
  return train_rows + train_rows / 4;
}

/// The first rows train, the others test: both come from the same w* or centres.
TrainTest split_off_test(const Dataset& data, std::size_t train_rows) {
  std::vector<std::uint32_t> train(train_rows);
  std::vector<std::uint32_t> test(data.rows - train_rows);
  std::iota(train.begin(), train.end(), 0U);
  std::iota(test.begin(), test.end(), static_cast<std::uint32_t>(train.size()));
  return {copy_rows(data, train), copy_rows(data, test)};
}

}  // namespace

Dataset generate_dense_logistic(std::size_t rows, std::size_t features, std::uint64_t seed) {
  Dataset data = empty_dense(rows, features, 2);
  RandomStream shared = shared_stream(seed);
  const double scale = 4.0 / std::sqrt(static_cast<double>(features));
  std::vector<double> true_weights(features);
  for (double& weight : true_weights) weight = shared.normal() * scale;
  for_each_row(rows, seed, [&](std::size_t row, RandomStream& random) {
    float* x = data.dense.data() + row * features;
    double margin = 0.0;
    for (std::size_t j = 0; j < features; ++j) {
      x[j] = static_cast<float>(random.normal());
      margin += true_weights[j] * x[j];
    }
    data.labels[row] = draw_label(margin, random);
  });
  return data;
}

namespace {

Dataset sparse_logistic(std::size_t rows, std::size_t features, std::size_t row_draws,
                        FeatureLaw of_features, std::uint64_t seed) {
  require(features > 0 && row_draws > 0, "a sparse row needs features to draw");
  Dataset data;
  data.rows = rows;
  data.features = features;
  data.sparse = true;
  data.labels = AlignedBuffer<Label>(rows);
  RandomStream shared = shared_stream(seed);
  std::vector<double> true_weights(features);
  for (std::size_t j = 0; j < features; ++j) {
    const double rank = of_features == FeatureLaw::even ? 1.0 : static_cast<double>(j + 1);
    true_weights[j] = shared.normal() * std::pow(rank, -0.25);
  }
  const LawOfFeatures law(features, of_features);
  std::vector<SparseRows> blocks((rows + block_rows - 1) / block_rows);
  parallel_blocks(blocks.size(), [&](std::size_t block) {
    RandomStream random(seed, Purpose::data_generator, static_cast<std::uint32_t>(block + 1));
    const std::size_t first = block * block_rows;
    const std::size_t count = std::min(block_rows, rows - first);
    blocks[block] =
        make_sparse_block(count, law, true_weights, row_draws, random, data.labels.data() + first);
  });
  join_sparse_blocks(blocks, data);
  return data;
}

}  // namespace

Dataset generate_sparse_logistic(std::size_t rows, std::size_t features, std::size_t row_draws,
                                 std::uint64_t seed) {
  return sparse_logistic(rows, features, row_draws, FeatureLaw::zipf, seed);
}

Dataset generate_blobs(std::size_t rows, std::size_t features, int classes, double spread,
                       std::uint64_t seed) {
  require(classes >= 2, "blobs need two classes or more");
  Dataset data = empty_dense(rows, features, classes);
  RandomStream shared = shared_stream(seed);
  const auto class_count = static_cast<std::size_t>(classes);
  std::vector<double> centres(class_count * features);
  for (double& coordinate : centres) coordinate = shared.normal();
  std::vector<std::uint32_t> labels(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    labels[row] = static_cast<std::uint32_t>(row % class_count);
  }
  shared.shuffle(labels);
  for_each_row(rows, seed, [&](std::size_t row, RandomStream& random) {
    const double* centre = centres.data() + labels[row] * features;
    float* x = data.dense.data() + row * features;
    for (std::size_t j = 0; j < features; ++j) {
      x[j] = static_cast<float>(centre[j] + random.normal() * spread);
    }
    data.labels[row] = static_cast<Label>(labels[row]);
  });
  return data;
}

namespace {

/// For the model quadratic: row(r) has curvatures, and where each has its minimum.
template <typename Row>
Dataset parabolas(std::size_t rows, Row row) {
  Dataset data;
  data.rows = rows;
  data.features = row(0).size();
  data.labels = AlignedBuffer<Label>::zeroed(rows);
  data.dense = AlignedBuffer<float>(rows * data.features);
  for (std::size_t r = 0; r < rows; ++r) {
    std::ranges::copy(row(r), data.dense.data() + r * data.features);
  }
  return data;
}

/// Curvatures 1 and 0.05, both optima at 1: what some labs descend on.
Dataset two_scales(std::size_t rows) {
  return parabolas(rows, [](std::size_t) { return std::array{1.0F, 0.05F, 1.0F, 1.0F}; });
}

/// The first half is steep and has its minimum at 1, the others are flat and have it at -1: workers
/// that hold one kind each do not agree where to go, nor how much it matters.
Dataset two_minima(std::size_t rows) {
  return parabolas(rows, [rows](std::size_t r) {
    return r < rows / 2 ? std::array{1.0F, 1.0F} : std::array{0.1F, -1.0F};
  });
}

}  // namespace

const std::vector<GeneratorInfo>& generators() {
  static const std::vector<GeneratorInfo> table = {
      {"sparse-logistic",
       "20,000 + 5,000 test rows, 10,000 features, 50 nonzeros a row by Zipf's law, 2 classes",
       20'000,
       [](std::uint64_t seed, std::size_t rows) {
         return split_off_test(generate_sparse_logistic(with_test(rows), 10'000, 64, seed), rows);
       }},
      {"power-law",
       "200,000 + 50,000 test rows, 50,000 features, 50 nonzeros a row by Zipf's law, 2 classes: a "
       "minibatch of 32 rows touches 1,100 features",
       200'000,
       [](std::uint64_t seed, std::size_t rows) {
         return split_off_test(generate_sparse_logistic(with_test(rows), 50'000, 64, seed), rows);
       }},
      {"wide-power-law",
       "1,000,000 + 250,000 test rows, 20,000,000 features, 61 nonzeros a row by Zipf's law, 2 "
       "classes: a model of 80 MB, of which a row touches 61 numbers",
       1'000'000,
       [](std::uint64_t seed, std::size_t rows) {
         return split_off_test(generate_sparse_logistic(with_test(rows), 20'000'000, 64, seed),
                               rows);
       },
       false},
      {"spread-logistic",
       "20,000 + 5,000 test rows, 10,000 features, 64 nonzeros a row, all features alike, 2 "
       "classes",
       20'000,
       [](std::uint64_t seed, std::size_t rows) {
         return split_off_test(sparse_logistic(with_test(rows), 10'000, 64, FeatureLaw::even, seed),
                               rows);
       }},
      {"dense-logistic", "10,000 + 2,500 test rows, 100 dense features, 2 classes", 10'000,
       [](std::uint64_t seed, std::size_t rows) {
         return split_off_test(generate_dense_logistic(with_test(rows), 100, seed), rows);
       }},
      {"two-scales",
       "16 equal rows of (x1 - 1)²/2 + (x2 - 1)²/40, for the model quadratic; no test rows", 16,
       [](std::uint64_t, std::size_t rows) {
         return TrainTest{two_scales(rows), {}};
       }},
      {"two-minima",
       "16 rows, 8 of (x - 1)²/2, 8 of (x + 1)²/20, for the model quadratic; no test rows", 16,
       [](std::uint64_t, std::size_t rows) {
         return TrainTest{two_minima(rows), {}};
       }},
      {"blobs", "10,000 + 2,500 test rows, 64 dense features, Gaussian blobs of 10 classes", 10'000,
       [](std::uint64_t seed, std::size_t rows) {
         return split_off_test(generate_blobs(with_test(rows), 64, 10, 3.0, seed), rows);
       }},
  };
  return table;
}

std::optional<GeneratorChoice> find_generator(std::string_view text) {
  constexpr std::int64_t most_rows = 10'000'000;  // 4 GB of dense-logistic
  const std::size_t colon = text.find(':');
  const auto found = std::ranges::find(generators(), text.substr(0, colon), &GeneratorInfo::name);
  if (found == generators().end()) return std::nullopt;
  if (colon == std::string_view::npos) return GeneratorChoice{&*found, found->rows};
  const std::string what = "--dataset " + found->name + ":ROWS";
  return GeneratorChoice{
      &*found, static_cast<std::size_t>(parse_integer(text.substr(colon + 1), what, 2, most_rows))};
}

}  // namespace trainyard
