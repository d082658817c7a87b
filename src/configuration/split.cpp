#include "trainyard/configuration/split.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"

namespace trainyard {

namespace {

constexpr int most_workers = 32000;

struct Factor {
  std::string_view name;
  int Split::*field;
};
constexpr std::array factors{Factor{"dp", &Split::data}, Factor{"pp", &Split::pipeline},
                             Factor{"tp", &Split::tensor}};

[[noreturn]] void refuse(std::string_view text, std::string_view what) {
  throw UsageError(
      fmt::format("{}: {} is no split of workers; accepted is dp=4,pp=2,tp=2, each factor once: "
                  "copies of the model, stages of each, and workers that hold a stage together",
                  what, echoed(text)));
}

}  // namespace

std::string Split::text() const {
  return fmt::format("dp={},pp={},tp={}", data, pipeline, tensor);
}

Split parse_split(std::string_view text, std::string_view what) {
  Split split;
  std::array<bool, factors.size()> named{};
  for (std::string_view rest = text;;) {
    const std::string_view part = rest.substr(0, rest.find(','));
    const std::size_t equals = part.find('=');
    const auto factor = std::ranges::find(factors, part.substr(0, equals), &Factor::name);
    if (equals == std::string_view::npos || factor == factors.end()) refuse(text, what);
    if (std::exchange(named[static_cast<std::size_t>(factor - factors.begin())], true)) {
      refuse(text, what);
    }
    split.*(factor->field) = static_cast<int>(parse_integer(
        part.substr(equals + 1), fmt::format("{}: {}", what, factor->name), 1, most_workers));
    if (part.size() == rest.size()) break;
    rest.remove_prefix(part.size() + 1);
  }
  const double workers = 1.0 * split.data * split.pipeline * split.tensor;
  if (workers > most_workers) {
    throw UsageError(fmt::format("{}: {} are {} workers; accepted are up to {}", what, echoed(text),
                                 workers, most_workers));
  }
  return split;
}

void set_split(Configuration& configuration, const Split& split) {
  configuration.workers = split.workers();
  configuration.hyperparameters["stages"] = split.pipeline;
  configuration.hyperparameters["tensor-size"] = split.tensor;
}

std::optional<Split> split_of(const Configuration& configuration) {
  const auto stages = configuration.hyperparameters.find("stages");
  const auto size = configuration.hyperparameters.find("tensor-size");
  const auto end = configuration.hyperparameters.end();
  if (stages == end || size == end) return std::nullopt;
  Split split{.pipeline = static_cast<int>(stages->second),
              .tensor = static_cast<int>(size->second)};
  const int of_copy = split.pipeline * split.tensor;
  if (of_copy < 1 || configuration.workers % of_copy != 0) return std::nullopt;
  split.data = configuration.workers / of_copy;
  return split;
}

void check_split(const Configuration& configuration) {
  const auto given = [&](std::string_view name) {
    return std::ranges::count(configuration.given, name) > 0;
  };
  if (!given("split")) return;
  for (const std::string_view name : {"workers", "stages", "tensor-size"}) {
    if (!given(name)) continue;
    throw UsageError(fmt::format(
        "--split: --{} is given beside; a split says the workers, stages and tensor size", name));
  }
}

}  // namespace trainyard
