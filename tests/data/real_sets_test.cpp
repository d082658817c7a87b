// What is published about the real data sets, held against what the readers make of them.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "trainyard/data/catalog.hpp"

#include "support/catch.hpp"
#include "support/data_sets.hpp"

namespace trainyard {

namespace {

struct Facts {
  std::string name;
  std::size_t rows, test_rows, features, nonzeros;
  int classes;
  std::vector<std::size_t> label_counts;       // of the training rows; empty: not published
  std::vector<std::size_t> test_label_counts;  // empty: not published
};

std::size_t nonzero_values(const Dataset& data) {
  if (data.sparse) return data.nonzeros();
  std::size_t count = 0;
  for (const float value : data.dense) count += value != 0.0F ? 1 : 0;
  return count;
}

std::vector<std::size_t> label_counts(const Dataset& data) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(data.classes), 0);
  for (const Label label : data.labels) ++counts[static_cast<std::size_t>(label)];
  return counts;
}

std::filesystem::path folder_with(const std::string& name) {
  if (name == "heart_scale") return test::small_sets();
  return test::large_sets_with(name);
}

LoadedData load(const std::string& name, const std::filesystem::path& folder) {
  DatasetRequest request;
  request.dataset = name;
  request.data_dir = folder.string();
  return load_dataset(request);
}

}  // namespace

TEST_CASE("real data sets have their published sizes and labels", "[data][real]") {
  const std::vector<Facts> table = {
      {"a9a", 32'561, 16'281, 123, 451'592, 2, {24'720, 7'841}, {12'435, 3'846}},
      {"w8a", 49'749, 0, 300, 579'586, 2, {48'270, 1'479}, {}},
      {"rcv1-small", 1'000, 500, 47'117, 77'739, 2, {541, 459}, {255, 245}},
      {"news20-binary", 11'314, 7'532, 130'107, 1'787'565, 2, {5'420, 5'894}, {3'608, 3'924}},
      {"news20", 11'314, 7'532, 130'107, 1'787'565, 20, {}, {}},
      {"heart_scale", 270, 0, 13, 3'378, 2, {150, 120}, {}},
      {"fashion-mnist", 60'000, 10'000, 784, 23'423'502, 10, std::vector<std::size_t>(10, 6'000),
       std::vector<std::size_t>(10, 1'000)},
      {"letter", 16'000, 4'000, 16, 0, 26, {}, {}},
      {"optdigits", 3'823, 1'797, 64, 0, 10, {}, {}},
      {"higgs-small", 7'000, 500, 28, 0, 2, {3'284, 3'716}, {228, 272}},
      {"skin", 245'057, 0, 3, 0, 2, {194'198, 50'859}, {}},
  };
  for (const Facts& facts : table) {
    INFO(facts.name);
    const std::filesystem::path folder = folder_with(facts.name);
    if (folder.empty()) continue;
    const LoadedData loaded = load(facts.name, folder);
    CHECK(loaded.train.rows == facts.rows);
    CHECK(loaded.test.rows == facts.test_rows);
    CHECK(loaded.train.features == facts.features);
    CHECK(loaded.train.classes == facts.classes);
    if (facts.nonzeros != 0) CHECK(nonzero_values(loaded.train) == facts.nonzeros);
    if (!facts.label_counts.empty()) CHECK(label_counts(loaded.train) == facts.label_counts);
    if (facts.test_rows != 0) {
      CHECK(loaded.test.features == facts.features);
      CHECK(loaded.test.classes == facts.classes);
    }
    if (!facts.test_label_counts.empty()) {
      CHECK(label_counts(loaded.test) == facts.test_label_counts);
    }
  }
}

TEST_CASE("the catalogue's scaling brings pixels into [0, 1]", "[data][real]") {
  const std::filesystem::path folder = folder_with("fashion-mnist");
  if (folder.empty()) return;
  const LoadedData pictures = load("fashion-mnist", folder);
  double sum = 0.0, squares = 0.0;
  for (const float value : pictures.train.dense) {
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  const auto count = static_cast<double>(pictures.train.dense.size());
  const double mean = sum / count;
  CHECK(mean == Approx(0.2860).margin(5e-5));
  CHECK(std::sqrt(squares / count - mean * mean) == Approx(0.3530).margin(5e-5));
  for (const char* name : {"letter", "optdigits", "skin"}) {
    INFO(name);
    if (folder_with(name).empty()) continue;
    const LoadedData loaded = load(name, folder);
    float largest = 0.0F;
    for (const float value : loaded.train.dense) largest = std::max(largest, value);
    CHECK(largest == Approx(1.0F));
  }
}

}  // namespace trainyard
