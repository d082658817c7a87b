// Bytes by keys are those of the formula (working_set.hpp), worked out here from the rows.
#include "trainyard/collective/working_set.hpp"

#include <set>
#include <vector>

#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/upcoming_keys.hpp"
#include "trainyard/data/generate.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/data/read.hpp"
#include "trainyard/data/touched.hpp"

#include "support/catch.hpp"
#include "support/data_sets.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

constexpr std::size_t workers = 3, batch = 4, steps = 10;

/// Features of minibatch t of worker w: rows lie in their own order, in equal blocks.
std::set<std::uint32_t> features_of(const Dataset& data, std::size_t w, std::size_t t) {
  std::set<std::uint32_t> all;
  const std::size_t share = data.rows / workers;
  for (std::size_t i = 0; i < batch; ++i) {
    const auto row = data.sparse_row(w * share + (t * batch + i) % share);
    all.insert(row.columns.begin(), row.columns.end());
  }
  return all;
}

/// How many of the shard's parameters they have, and how many keys have any.
struct Touched {
  std::size_t keys = 0, parameters = 0;
};
Touched in_shard(const std::set<std::uint32_t>& features, std::size_t width, std::size_t first,
                 std::size_t end) {
  Touched found;
  for (const std::size_t feature : features) {
    std::size_t parameters = 0;
    for (std::size_t j = feature * width; j < (feature + 1) * width; ++j) {
      parameters += j >= first && j < end ? 1 : 0;
    }
    found.parameters += parameters;
    found.keys += parameters > 0 ? 1 : 0;
  }
  return found;
}

LoadedData cut_to(LoadedData data, std::size_t rows) {
  std::vector<std::uint32_t> first(rows);
  for (std::size_t i = 0; i < rows; ++i) first[i] = static_cast<std::uint32_t>(i);
  data.train = copy_rows(data.train, first);
  return data;
}

struct Set {
  LoadedData data;
  std::size_t width;
};
std::vector<Set> three_sets() {
  LoadedData a9a{"a9a", read_dataset(test::small_sets() / "a9a-2000.gz", {}), {}};
  LoadedData classes = test::sparse_problem(600, 501);
  classes.train.classes = 3;
  LoadedData power_law{
      "power-law", find_generator("power-law:600")->generator->make(1, 600).train, {}};
  std::vector<Set> sets;
  sets.push_back({cut_to(std::move(a9a), 600), 1});
  sets.push_back({std::move(classes), 3});
  sets.push_back({std::move(power_law), 1});
  return sets;
}

Configuration configuration(const char* scheme, int servers) {
  Configuration c = test::quick(scheme, workers, steps);
  c.model = "";
  c.batch = batch;
  c.servers = servers;
  c.partition = parse_partition("contiguous", "here");
  c.order = RowOrder::file;
  return c;
}

}  // namespace

TEST_CASE("a step by keys sends as many bytes as the formula says", "[collective][sparse-wire]") {
  for (const Set& set : three_sets()) {
    const Dataset& data = set.data.train;
    const std::size_t parameters = data.features * set.width;
    for (const int servers : {1, 2}) {
      CAPTURE(set.data.name, servers);
      std::uint64_t headed = 0, printed = 0;  // with a header of 32 bits; a fingerprint of 64
      for (std::size_t w = 0; w < workers; ++w) {
        for (int k = 0; k < servers; ++k) {
          const std::size_t first = even_cut(parameters, k, servers);
          const std::size_t end = even_cut(parameters, k + 1, servers);
          const auto of = [&](std::size_t t) {
            return in_shard(features_of(data, w, t), set.width, first, end);
          };
          headed += 4 * of(0).keys;
          printed += 4 * of(0).parameters;
          for (std::size_t t = 0; t < steps; ++t) {
            const Touched now = of(t), next = of(t + 1);
            REQUIRE(2 * next.parameters < end - first);
            headed += 4 + 4 * (now.parameters + next.keys) + 4 * next.parameters;
            printed += 8 + 4 * (now.parameters + next.parameters) + 4 * next.parameters;
          }
        }
      }
      CHECK(test::train(configuration("ps-sync", servers), set.data).summary.bytes_sent == headed);
      CHECK(test::train(configuration("ps-async", servers), set.data).summary.bytes_sent == headed);
      CHECK(test::train(configuration("key-value", servers), set.data).summary.bytes_sent ==
            printed);
      Configuration off = configuration("ps-sync", servers);
      off.sparse_wire = SparseWire::off;
      CHECK(test::train(off, set.data).summary.bytes_sent == 8 * workers * steps * parameters);
    }
  }
}

TEST_CASE("features that rows touch are counted once, and taken in order", "[data][sparse-wire]") {
  const Dataset data = test::sparse_problem(50, 130).train;
  TouchedFeatures marks(data.features);
  Features found;
  for (std::size_t t = 0; t < 3; ++t) {
    const RowRange rows{&data, t * batch, batch};
    marks.add({&rows, 1});
    marks.take(found);
    std::set<std::uint32_t> expected;
    for (std::size_t r = t * batch; r < (t + 1) * batch; ++r) {
      const auto columns = data.sparse_row(r).columns;
      expected.insert(columns.begin(), columns.end());
    }
    CHECK(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
  }
}

TEST_CASE("the share that a minibatch touches is that of rows at random", "[data][sparse-wire]") {
  const Dataset data = test::sparse_problem(2000, 500).train;
  // Rows are drawn alike, so blocks of them are as good as rows at random.
  double touched = 0.0;
  TouchedFeatures marks(data.features);
  Features found;
  constexpr std::size_t rows_of_block = 10;
  for (std::size_t first = 0; first < data.rows; first += rows_of_block) {
    const RowRange rows{&data, first, rows_of_block};
    marks.add({&rows, 1});
    marks.take(found);
    touched += static_cast<double>(found.size());
  }
  const double mean = touched * rows_of_block / static_cast<double>(data.rows * data.features);
  CHECK(touched_share(data, rows_of_block) == Approx(mean).epsilon(0.02));
  CHECK(touched_share(data, 1) == Approx(static_cast<double>(data.nonzeros()) /
                                         static_cast<double>(data.rows * data.features)));
  CHECK(touched_share(0.01, 1) == Approx(0.01));
  CHECK(touched_share(0.5, 2) == Approx(0.75));
  CHECK(touched_share(test::dense_problem().train, 1) == 1.0);
}
