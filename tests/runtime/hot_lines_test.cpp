// Which lines count as hot, when they have their turn, and that steps on slices are those on the
// model.
#include "trainyard/runtime/hot_lines.hpp"

#include <latch>
#include <thread>
#include <vector>

#include "trainyard/data/generate.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/runtime/shared_model.hpp"

#include "support/catch.hpp"
#include "support/shared_access.hpp"

using namespace trainyard;

namespace {

/// A row of ones for each list of columns.
Dataset rows_of(const std::vector<std::vector<std::uint32_t>>& rows, std::size_t features) {
  Dataset data;
  data.rows = rows.size();
  data.features = features;
  data.sparse = true;
  data.labels = AlignedBuffer<Label>::zeroed(rows.size());
  data.row_begin = AlignedBuffer<std::uint64_t>::zeroed(rows.size() + 1);
  std::vector<std::uint32_t> columns;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    columns.insert(columns.end(), rows[r].begin(), rows[r].end());
    data.row_begin[r + 1] = columns.size();
  }
  data.columns = AlignedBuffer<std::uint32_t>::copy_of(columns);
  data.values = AlignedBuffer<float>::copy_of(std::vector<float>(columns.size(), 1.0F));
  return data;
}

/// 640 rows of 40 features, two lines and a half: the last line is in all of them, the first in 20
/// and the second in 80, though each of its columns is in fewer.
Dataset small_rows() {
  std::vector<std::vector<std::uint32_t>> rows(640);
  for (std::uint32_t r = 0; r < 640; ++r) {
    if (r < 20) rows[r].push_back(3);
    if (r < 80) rows[r].insert(rows[r].end(), {16 + r % 8, 24 + r % 8});
    rows[r].push_back(39);
  }
  return rows_of(rows, 40);
}

Dataset text_like(int classes) {
  Dataset data = generate_sparse_logistic(60, 90, 8, 1);
  data.classes = classes;
  return data;
}

}  // namespace

TEST_CASE("lines are hot that are used often between their turns", "[runtime]") {
  const Dataset data = small_rows();
  const auto model = make_model({"logistic", 0.0}, data);
  const auto visits = [](const HotLines& hot) {
    std::vector<std::uint64_t> all;
    for (const HotLines::Turn& turn : hot.turns) all.insert(all.end(), turn.count, turn.visits);
    return all;
  };
  using Visits = std::vector<std::uint64_t>;
  using Blocks = std::vector<std::uint32_t>;
  // Ten uses each: of every step, of one in 8 and of one in 32.
  const HotLines all = find_hot_lines(data, *model, 2, 1, 10);
  CHECK(all.columns == 16);
  CHECK(all.steps_of_visit == 10);
  CHECK(all.blocks == Blocks{2, 1, 0});
  CHECK(all.slots == Blocks{2, 1, 0});
  CHECK(visits(all) == Visits{1, 8, 32});
  // A pass of 320 steps has 8 visits.
  CHECK(visits(find_hot_lines(data, *model, 2, 1, 40)) == Visits{1, 8, 8});
  // One of 80 has two, between which a line of one step in 32 is used 2.5 times.
  const HotLines many = find_hot_lines(data, *model, 8, 1, 40);
  CHECK(many.blocks == Blocks{2, 1});
  CHECK(visits(many) == Visits{1, 2});
  // However many uses are asked for, each pass has a visit.
  CHECK(find_hot_lines(data, *model, 8, 1, 1000).steps_of_visit == 80);
  // With four rows a minibatch a line has its turn four times as early, where it can.
  CHECK(visits(find_hot_lines(data, *model, 2, 4, 10)) == Visits{1, 2, 8});

  CHECK(find_hot_lines(data, *model, 1, 1, 10).empty());
  CHECK(find_hot_lines(data, *model, 640, 1, 10).empty());
  const Dataset dense = generate_dense_logistic(50, 20, 1);
  CHECK(find_hot_lines(dense, *make_model({"logistic", 0.0}, dense), 2, 1, 10).empty());
}

TEST_CASE("uses that do no harm follow from step size, curvature, workers, and rows", "[runtime]") {
  // 6,400 rows with one and the same feature: λ₁ = 1, h = 1/4 of the logistic loss.
  const Dataset data = rows_of(std::vector<std::vector<std::uint32_t>>(6400, {0}), 20);
  const auto model = make_model({"logistic", 0.0}, data);
  const auto uses = [&](int workers, std::size_t batch, double lr) {
    return harmless_uses(data, *model, workers, batch, lr);
  };
  const std::uint64_t some = uses(8, 1, 0.02);
  CHECK(some > 1);
  CHECK(some < 64);
  // Half of it with twice the step size or twice the others, to rounding.
  CHECK(uses(8, 1, 0.04) == some / 2);
  CHECK(uses(15, 1, 0.02) == some / 2);
  CHECK(uses(8, 1, 1e6) == 1);
  // Short steps: at most 64, and 4 turns a pass.
  CHECK(uses(8, 1, 1e-9) == 64);
  CHECK(uses(2, 1, 1e-9) == 64);
  CHECK(uses(8, 4, 1e-9) == 6400 / 8 / 4 / 4);
  CHECK(uses(8, 200, 1e-9) == 1);
  CHECK(uses(1, 1, 0.02) == 1);
  // Rows of large numbers, counts of words: λ₁ is 10⁸.
  Dataset counts = rows_of(std::vector<std::vector<std::uint32_t>>(6400, {0}), 20);
  for (float& value : counts.values) value = 1e4F;
  CHECK(harmless_uses(counts, *make_model({"logistic", 0.0}, counts), 8, 1, 0.02) == 1);
  CHECK(harmless_uses(counts, *make_model({"logistic", 0.0}, counts), 8, 1, 0.02e-8) == some);
  // Two features in each row: λ₁ is 2, not 1.
  const Dataset two = rows_of(std::vector<std::vector<std::uint32_t>>(6400, {0, 7}), 20);
  CHECK(harmless_uses(two, *make_model({"logistic", 0.0}, two), 8, 1, 0.02) == some / 2);
}

TEST_CASE("blocks are the fewest columns that are whole lines", "[runtime]") {
  for (const auto& [classes, columns] : {std::pair{2, 8}, {3, 16}, {16, 1}, {20, 4}}) {
    const Dataset data = text_like(classes);
    const HotLines hot = find_hot_lines(data, *make_model({"softmax", 0.0}, data), 2, 1, 8);
    CHECK(hot.columns == static_cast<std::size_t>(columns));
    CHECK(hot.parameters == static_cast<std::size_t>(columns * classes));
  }
}

TEST_CASE("steps on a worker's slice are those on the model", "[runtime]") {
  for (const char* name : {"logistic", "least-squares", "softmax"}) {
    for (const double l2 : {0.0, 0.1}) {
      CAPTURE(name, l2);
      const Dataset data = text_like(std::string(name) == "softmax" ? 3 : 2);
      const auto model = make_model({name, l2}, data);
      const std::size_t dimension = model->dimension();
      const HotLines hot = find_hot_lines(data, *model, 3, 1, 5);
      REQUIRE(hot.blocks.size() > 1);
      std::vector<float> start(dimension);
      for (std::size_t j = 0; j < dimension; ++j) start[j] = 0.01F * static_cast<float>(j % 13);
      Dataset share = text_like(data.classes);
      hot.renumber(share, 1);

      SharedModel plain(start), split(start, {.hot = &hot});
      std::vector<float> residuals(model->sparse_update()->residual_count(1)), others(residuals);
      for (std::size_t r = 0; r < data.rows; ++r) {
        const RowRange row{&data, r, 1}, renumbered{&share, r, 1};
        plain.read_margins(*model->sparse_update(), {&row, 1}, residuals);
        split.read_margins(*hot.update, {&renumbered, 1}, others);
        REQUIRE(others == residuals);
        plain.write_step(*model->sparse_update(), {&row, 1}, residuals, 0.5F, SharedAccess::racy);
        split.write_step(*hot.update, {&renumbered, 1}, residuals, 0.5F, SharedAccess::racy);
      }
      std::vector<float> expected(dimension), found(dimension), with_unsent(dimension);
      plain.read(expected);
      split.read(found);
      CHECK(found != expected);
      with_unsent = found;
      split.add_unsent(with_unsent);
      split.reconcile(1, 0, hot.blocks.size(), SharedAccess::racy);
      split.read(found);
      CHECK(found == with_unsent);
      for (std::size_t j = 0; j < dimension; ++j) {
        CHECK(found[j] == Approx(expected[j]).margin(1e-6));
      }
      split.add_unsent(found);  // nothing is left
      CHECK(found == with_unsent);
    }
  }
}

TEST_CASE("what workers add to their slices is what the model gets",
          "[runtime][rule:hogwild-split]") {
  constexpr int workers = 4, times = 2000;
  Dataset data = generate_sparse_logistic(50, 40, 6, 1);
  for (float& value : data.values) value = 1.0F;
  std::vector<float> expected(40, 0.0F);
  for (const std::uint32_t column : data.columns) expected[column] += workers * times;
  const auto model = make_model({"logistic", 0.0}, data);
  const HotLines hot = find_hot_lines(data, *model, workers, 1, 8);
  REQUIRE(!hot.empty());
  for (const SharedAccess access : {SharedAccess::cas_add, SharedAccess::locked}) {
    SharedModel shared(std::vector<float>(40, 0.0F), {.hot = &hot});
    std::latch there(workers);
    std::vector<std::thread> running;
    for (int worker = 0; worker < workers; ++worker) {
      running.emplace_back([&, worker] {
        Dataset share = generate_sparse_logistic(50, 40, 6, 1);
        for (float& value : share.values) value = 1.0F;
        hot.renumber(share, worker);
        const std::vector<float> residuals(share.rows, -1.0F);
        const RowRange everything{&share, 0, share.rows};
        there.arrive_and_wait();
        for (int i = 0; i < times; ++i) {
          shared.write_step(*hot.update, {&everything, 1}, residuals, 1.0F, access);
          if (i % 3 == 0) shared.reconcile(worker, 0, hot.blocks.size(), access);
        }
      });
    }
    for (std::thread& thread : running) thread.join();
    // Whole numbers below 2²⁴: exact. The last step of each is unsent.
    std::vector<float> found(40);
    shared.read(found);
    CHECK(found != expected);
    shared.add_unsent(found);
    CHECK(found == expected);
  }
}
