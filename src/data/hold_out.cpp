#include "data/hold_out.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/random.hpp"
#include "trainyard/base/same_file.hpp"
#include "trainyard/data/partition.hpp"

namespace trainyard {

namespace {

/// How many rows of each class: the whole parts of its share, and one more where what is left of
/// the share is largest, until `wanted` are together.
std::vector<std::size_t> counts_of(const std::vector<std::vector<std::uint32_t>>& classes,
                                   double fraction, std::size_t wanted) {
  std::vector<std::size_t> counts, order(classes.size());
  std::vector<double> rest;
  std::size_t sum = 0;
  for (const auto& rows : classes) {
    const double share = fraction * static_cast<double>(rows.size());
    counts.push_back(static_cast<std::size_t>(share));
    rest.push_back(share - std::floor(share));
    sum += counts.back();
  }
  // A class that can spare a row has one there to be measured by, if there is room for all.
  for (std::size_t k = 0; k < classes.size() && wanted >= classes.size(); ++k) {
    if (counts[k] > 0 || classes[k].size() < 2) continue;
    counts[k] = 1;
    rest[k] = 0.0;
    if (sum == wanted) {
      --*std::ranges::max_element(counts);
    } else {
      ++sum;
    }
  }
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return rest[a] > rest[b]; });
  for (const std::size_t k : order) {
    if (sum >= wanted) break;
    if (counts[k] + 1 >= classes[k].size()) continue;  // one at least is trained on
    ++counts[k];
    ++sum;
  }
  return counts;
}

constexpr std::string_view every_fifth = "every-fifth";

/// Figures of rows that a model has seen say little about new ones, and nobody looks at the paths.
void tell_same_files(const DatasetRequest& request, LoadedData& loaded) {
  const bool test = is_test_file(request), validation = is_validation_file(request);
  const auto tell = [&](const std::string& file, const char* same) {
    loaded.remarks.push_back(fmt::format("warning: {}: {}", file, same));
  };
  if (test && is_same_file(request.test, request.dataset)) {
    tell(request.test, "the test rows are those that are trained on");
  }
  if (validation && is_same_file(request.validation, request.dataset)) {
    tell(request.validation, "the validation rows are those that are trained on");
  }
  if (validation && test && is_same_file(request.validation, request.test)) {
    tell(request.validation,
         "the test rows are the validation rows: what is chosen by these looks better there");
  }
}

}  // namespace

std::vector<std::uint32_t> every_fifth_row(std::size_t rows) {
  std::vector<std::uint32_t> fifth;
  for (std::size_t row = 4; row < rows; row += 5) fifth.push_back(static_cast<std::uint32_t>(row));
  return fifth;
}

std::vector<std::uint32_t> stratified_rows(const Dataset& data, double fraction,
                                           std::uint64_t seed) {
  auto classes = rows_by_class(data);
  const auto wanted =
      static_cast<std::size_t>(std::llround(fraction * static_cast<double>(data.rows)));
  const std::vector<std::size_t> counts = counts_of(classes, fraction, wanted);
  std::vector<std::uint32_t> taken;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    RandomStream random(seed, Purpose::validation, static_cast<std::uint32_t>(k));
    random.shuffle(classes[k]);
    taken.insert(taken.end(), classes[k].begin(),
                 classes[k].begin() + static_cast<std::ptrdiff_t>(counts[k]));
  }
  std::ranges::sort(taken);
  return taken;
}

Dataset take_out(Dataset& data, const std::vector<std::uint32_t>& rows) {
  std::vector<std::uint32_t> left;
  left.reserve(data.rows - rows.size());
  auto next = rows.begin();
  for (std::uint32_t row = 0; row < data.rows; ++row) {
    if (next != rows.end() && *next == row) {
      ++next;
    } else {
      left.push_back(row);
    }
  }
  Dataset taken = copy_rows(data, rows);
  data = copy_rows(data, left);
  return taken;
}

std::optional<double> validation_fraction(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

bool is_test_file(const DatasetRequest& request) {
  return !request.test.empty() && request.test != every_fifth;
}

bool is_validation_file(const DatasetRequest& request) {
  return !request.validation.empty() && !validation_fraction(request.validation);
}

const std::string& test_file(const DatasetRequest& request) {
  std::error_code error;
  if (!validation_fraction(request.test) || std::filesystem::exists(request.test, error)) {
    return request.test;
  }
  throw OptionError(
      "test", request.test,
      "no such file; every-fifth takes a fifth of the training rows, and --validation "
      "takes other shares");
}

const std::string& validation_file(const DatasetRequest& request) {
  std::error_code error;
  if (!std::filesystem::exists(request.validation, error)) {
    throw OptionError("validation", request.validation,
                      "no such file, and no number; expected a file, or a fraction of the training "
                      "rows, like 0.2");
  }
  return request.validation;
}

void hold_out(const DatasetRequest& request, LoadedData& loaded) {
  tell_same_files(request, loaded);
  if (request.test == every_fifth) {
    const std::vector<std::uint32_t> rows = every_fifth_row(loaded.train.rows);
    if (rows.empty()) {
      throw OptionError(
          "test", every_fifth,
          fmt::format("needs at least 5 rows; '{}' has {}", loaded.name, loaded.train.rows));
    }
    loaded.test = take_out(loaded.train, rows);
  }
  const std::optional<double> fraction = validation_fraction(request.validation);
  if (!fraction) return;
  const std::vector<std::uint32_t> rows = stratified_rows(loaded.train, *fraction, request.seed);
  if (rows.empty() || rows.size() == loaded.train.rows) {
    throw OptionError("validation", request.validation,
                      fmt::format("of the {} rows of '{}' that is {}; expected some, and some left",
                                  loaded.train.rows, loaded.name, rows.empty() ? "none" : "all"));
  }
  loaded.validation = take_out(loaded.train, rows);
}

}  // namespace trainyard
