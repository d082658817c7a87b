// Shared models under threads that really run at once: what each way of access keeps.
#include "trainyard/runtime/shared_model.hpp"

#include <array>
#include <functional>
#include <latch>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "trainyard/base/memory_account.hpp"
#include "trainyard/data/generate.hpp"

#include "support/catch.hpp"
#include "support/shared_access.hpp"

using namespace trainyard;

namespace {

/// None begins before all are there: a thread takes longer to start than some of the work below.
void at_once(int threads, const std::function<void(int)>& work) {
  std::latch there(threads);
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      there.arrive_and_wait();
      work(t);
    });
  }
  for (std::thread& thread : running) thread.join();
}

std::vector<float> values_of(const SharedModel& model) {
  std::vector<float> values(model.size());
  model.read(values);
  return values;
}

constexpr int threads = 4;

/// Memory with two addresses, as two processes have it.
class MemoryOfTwo {
 public:
  explicit MemoryOfTwo(std::size_t bytes) : bytes_(bytes) {
    const int file = memfd_create("shared model", 0);
    REQUIRE(ftruncate(file, static_cast<off_t>(bytes)) == 0);
    for (void*& place : places_) {
      place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      REQUIRE(place != MAP_FAILED);
    }
    close(file);
  }
  ~MemoryOfTwo() {
    for (void* place : places_) munmap(place, bytes_);
  }
  MemoryOfTwo(const MemoryOfTwo&) = delete;
  MemoryOfTwo& operator=(const MemoryOfTwo&) = delete;

  std::span<std::byte> of(std::size_t who) const {
    return {static_cast<std::byte*>(places_[who]), bytes_};
  }

 private:
  std::size_t bytes_;
  std::array<void*, 2> places_{};
};

}  // namespace

TEST_CASE("no update is lost with cas-add or under the lock", "[runtime]") {
  constexpr int times = 40000;
  for (const SharedAccess access : {SharedAccess::cas_add, SharedAccess::locked}) {
    for (const std::size_t size : {1U, 33U}) {
      CAPTURE(static_cast<int>(access), size);
      SharedModel model(std::vector<float>(size, 5.0F));
      at_once(threads, [&](int) {
        const std::vector<float> one(size, 1.0F);
        std::vector<float> copy(size);
        for (int i = 0; i < times; ++i) model.add(2.0F, one, copy, access);
      });
      // Whole numbers below 2²⁴: exact.
      CHECK(values_of(model) == std::vector<float>(size, 5.0F + 2.0F * threads * times));
    }
  }
}

TEST_CASE("no sparse step is lost with cas-add or under the lock", "[runtime]") {
  const Dataset data = [] {
    Dataset all = generate_sparse_logistic(50, 30, 5, 1);
    for (float& value : all.values) value = 1.0F;
    return all;
  }();
  std::vector<float> occurrences(30, 0.0F);
  for (const std::uint32_t column : data.columns) occurrences[column] += 1.0F;
  const auto model = make_model({"logistic", 0.0}, data);
  const RowRange everything{&data, 0, data.rows};
  constexpr int times = 20000;
  for (const SharedAccess access : {SharedAccess::cas_add, SharedAccess::locked}) {
    SharedModel shared(std::vector<float>(30, 0.0F));
    at_once(threads, [&](int) {
      const std::vector<float> residuals(data.rows, -1.0F);
      for (int i = 0; i < times; ++i) {
        shared.write_step(*model->sparse_update(), {&everything, 1}, residuals, 1.0F, access);
      }
    });
    std::vector<float> expected = occurrences;
    for (float& value : expected) value *= threads * times;
    CHECK(values_of(shared) == expected);
  }
}

TEST_CASE("a model in memory of several addresses is one model, and counted once", "[runtime]") {
  constexpr int times = 20000;
  constexpr std::size_t size = 33;
  for (const SharedAccess access : {SharedAccess::cas_add, SharedAccess::locked}) {
    CAPTURE(static_cast<int>(access));
    const MemoryOfTwo memory(SharedModel::bytes_of(size, {}));
    const std::size_t before = memory_held();
    {
      SharedModel first(size, {}, memory.of(0)), second(size, {}, memory.of(1));
      CHECK(memory_held() == before);
      first.lay_out(std::vector<float>(size, 5.0F));
      CHECK(memory_held() == before + memory.of(0).size());
      at_once(2, [&](int t) {
        const std::vector<float> one(size, 1.0F);
        std::vector<float> copy(size);
        for (int i = 0; i < times; ++i) (t == 0 ? first : second).add(2.0F, one, copy, access);
      });
      const std::vector<float> expected(size, 5.0F + 2.0F * 2 * times);
      CHECK(values_of(first) == expected);
      CHECK(values_of(second) == expected);
    }
    CHECK(memory_held() == before);
  }
}

TEST_CASE("processes find the models of all groups in the memory that they are given",
          "[runtime]") {
  // Of three workers in two groups: worker 0, and workers 1 and 2. Worker 2's process is on a host
  // without the first group's memory.
  const FixedPoint format = FixedPoint::of_range(8, 4.0);
  const SharedForm form{.format = format};
  const MemoryOfTwo group_0(SharedModel::bytes_of(2, form)),
      group_1(SharedModel::bytes_of(2, form));
  const std::vector<float> low{-4.0F, 0.0F}, high{0.0F, 4.0F};
  SharedModels of_0(3, 2, {group_0.of(0), group_1.of(0)});
  SharedModels of_1(3, 2, {group_0.of(1), group_1.of(1)});
  SharedModels of_2(3, 2, {{}, group_1.of(0)});
  of_0.enter(0, low, form);
  of_1.enter(1, high, form);
  of_2.enter(2, low, form);
  CHECK(values_of(of_1.of(0)) == low);
  CHECK(values_of(of_0.of(1)) == high);
  CHECK(values_of(of_2.of(1)) == high);
}

TEST_CASE("threads that touch different coordinates are as one after the other", "[runtime]") {
  // Thread t has the features from 100 t on.
  const Dataset data = [] {
    Dataset all = generate_sparse_logistic(400, 100, 8, 2);
    all.features = 100 * threads;
    std::size_t next = 0;
    for (std::size_t row = 0; row < all.rows; ++row) {
      const std::size_t count = all.sparse_row(row).columns.size();
      for (std::size_t i = 0; i < count; ++i) {
        all.columns[next++] += static_cast<std::uint32_t>(100 * (row * threads / all.rows));
      }
    }
    return all;
  }();
  for (const char* name : {"logistic", "softmax"}) {
    const auto model = make_model({name, 1e-3}, data);
    const Model::SparseUpdate& update = *model->sparse_update();
    const auto train = [&](SharedModel& shared, int t, SharedAccess access) {
      const std::size_t rows = data.rows / threads;
      std::vector<float> residuals(update.residual_count(1));
      for (std::size_t i = 0; i < 30 * rows; ++i) {
        const RowRange row{&data, static_cast<std::size_t>(t) * rows + i % rows, 1};
        shared.read_margins(update, {&row, 1}, residuals);
        shared.write_step(update, {&row, 1}, residuals, 0.5F, access);
      }
    };
    const std::vector<float> zero(model->dimension(), 0.0F);
    SharedModel serial(zero);
    for (int t = 0; t < threads; ++t) train(serial, t, SharedAccess::racy);
    CHECK(values_of(serial) != zero);
    for (const SharedAccess access : test::all_accesses) {
      CAPTURE(name, static_cast<int>(access));
      SharedModel shared(zero);
      at_once(threads, [&](int t) { train(shared, t, access); });
      CHECK(values_of(shared) == values_of(serial));
    }
  }
}

TEST_CASE("groups are neighbours, as equal as may be, each with a first worker", "[runtime]") {
  for (const int workers : {1, 2, 5, 8}) {
    for (int groups = 1; groups <= workers; ++groups) {
      const SharedModels models(workers, groups);
      std::vector<int> sizes(static_cast<std::size_t>(groups), 0);
      for (int w = 0; w < workers; ++w) {
        const int group = models.group_of(w);
        if (sizes[static_cast<std::size_t>(group)]++ == 0) {
          CHECK(models.first_worker_of(group) == w);
        }
        if (w > 0) CHECK(group - models.group_of(w - 1) <= 1);
      }
      for (const int size : sizes)
        CHECK((size == workers / groups || size == workers / groups + 1));
    }
  }
}

TEST_CASE("averaging draws replicas to their mean", "[runtime]") {
  for (const SharedAccess access : test::all_accesses) {
    SharedModels models(3, 3);
    std::vector<float> expected(1000);
    for (int g = 0; g < 3; ++g) {
      std::vector<float> values(1000);
      for (std::size_t j = 0; j < 1000; ++j) values[j] = static_cast<float>(j + 30U * (g + 1U));
      models.lay_out(g, values);
    }
    for (std::size_t j = 0; j < 1000; ++j) expected[j] = static_cast<float>(j + 60U);
    std::vector<float> scratch(models.average_scratch());
    models.average(scratch, access);
    for (int g = 0; g < 3; ++g) {
      const std::vector<float> found = values_of(models.of(g));
      for (std::size_t j = 0; j < 1000; ++j) REQUIRE(found[j] == Approx(expected[j]).epsilon(1e-6));
    }
  }
}

TEST_CASE("averaging loses nothing that others add meanwhile", "[runtime]") {
  // Four replicas: a quarter is exact, and so are sums and differences of whole numbers over four.
  SharedModels models(4, 4);
  for (int g = 0; g < 4; ++g) models.lay_out(g, std::vector<float>(600, static_cast<float>(g)));
  constexpr int times = 2000;
  at_once(4, [&](int g) {
    const std::vector<float> four(600, 4.0F);
    std::vector<float> copy(600);
    std::vector<float> scratch(models.average_scratch());
    for (int i = 0; i < times; ++i) {
      models.of(g).add(1.0F, four, copy, SharedAccess::cas_add);
      if (i % 50 == g) models.average(scratch, SharedAccess::cas_add);
    }
  });
  for (std::size_t j = 0; j < 600; ++j) {
    double sum = 0.0;
    for (int g = 0; g < 4; ++g) sum += values_of(models.of(g))[j];
    REQUIRE(sum == Approx(0 + 1 + 2 + 3 + 4.0 * 4 * times).epsilon(1e-5));
  }
}
