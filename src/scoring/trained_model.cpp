#include "trainyard/scoring/trained_model.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/text_file.hpp"
#include "trainyard/base/version.hpp"
#include "trainyard/data/npy.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view format_name = "trainyard model 1";
/// Of words and numbers a feature: some ten million features.
constexpr std::size_t most_json_bytes = std::size_t{1} << 30U;

/// A data set without rows, of which a model takes its sizes.
Dataset shape_of(const Preparation& preparation) {
  Dataset shape;
  shape.features = preparation.features + (preparation.intercept ? 1 : 0);
  shape.classes = preparation.classes;
  shape.intercept = preparation.intercept;
  shape.sparse = preparation.sparse;
  shape.rows = 1;
  if (preparation.classes < 2) shape.targets = AlignedBuffer<float>::zeroed(1);
  if (shape.sparse) shape.row_begin = AlignedBuffer<std::uint64_t>::zeroed(2);
  return shape;
}

bool holds_model(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "model.json", error);
}

/// Throws UsageError where it is not clear which.
fs::path folder_of_model(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw UsageError(fmt::format(
        "{}: no such folder; expected one that 'trainyard run --out' wrote", folder.string()));
  }
  if (holds_model(folder)) return folder;
  std::vector<std::string> inside;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const bool whole = entry.path().extension() != ".partial" && entry.path().extension() != ".old";
    if (whole && holds_model(entry.path())) inside.push_back(entry.path().string());
  }
  std::ranges::sort(inside);
  if (inside.size() == 1) return inside.front();
  if (inside.empty()) {
    throw UsageError(
        fmt::format("{}: holds no model.json; expected a folder that 'trainyard run --out' wrote",
                    folder.string()));
  }
  throw UsageError(
      fmt::format("{}: holds several models; expected one of {}", folder.string(), joined(inside)));
}

/// A member of that type. Throws DataError where there is none.
std::string text_member(const Json& json, const char* name, const std::string& file) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_string()) {
    throw DataError(fmt::format("{}: found no text '{}'", file, name));
  }
  return found->get<std::string>();
}

/// The text of the member `rows`: it is parsed once more by who knows what belongs there.
std::string rows_of(const Json& json, const std::string& file) {
  const auto found = json.find("rows");
  if (found == json.end()) throw DataError(file + ": found no member 'rows'");
  return found->dump();
}

Json read_json(const fs::path& file) {
  const std::string text = read_text_file(
      file, file.string(), "a model.json that 'trainyard run' wrote", most_json_bytes);
  // A file of ours is six levels deep; one of a million would overflow the stack when it is
  // written.
  constexpr int deepest = 20;
  bool is_deep = false;
  Json json = Json::parse(
      text,
      [&](int depth, Json::parse_event_t, Json&) {
        is_deep = is_deep || depth > deepest;
        return depth <= deepest;
      },
      false);
  if (is_deep || !json.is_object())
    throw DataError(file.string() + ": found no JSON object of a model");
  const std::string format = text_member(json, "format", file.string());
  if (format != format_name) {
    throw DataError(fmt::format("{}: found format {}; this program reads '{}'", file.string(),
                                echoed(format), format_name));
  }
  return json;
}

}  // namespace

std::unique_ptr<Model> model_for(const std::string& name, const Preparation& preparation) {
  return make_model({.name = name}, shape_of(preparation));
}

std::string trained_model_json(std::string_view name, const Preparation& preparation) {
  Json tensors = Json::array();
  const auto model = model_for(std::string(name), preparation);
  for (const TensorShape& tensor : model->tensors()) {
    tensors.push_back({tensor.rows, tensor.columns});
  }
  const Json json{{"format", format_name},
                  {"trainyard", version()},
                  {"model", name},
                  {"parameters", model->dimension()},
                  {"tensors", std::move(tensors)},
                  {"rows", Json::parse(preparation_json(preparation))}};
  return json.dump(1) + "\n";
}

TrainedModel open_trained_model(const fs::path& folder) {
  const fs::path where = folder_of_model(folder);
  const fs::path json_file = where / "model.json";
  const Json json = read_json(json_file);
  TrainedModel trained;
  trained.folder = where;
  trained.name = text_member(json, "model", json_file.string());
  trained.preparation = parse_preparation(rows_of(json, json_file.string()), json_file.string());
  if (trained.preparation.features == 0) {
    throw DataError(fmt::format("{}: does not say how rows are made", json_file.string()));
  }
  try {
    trained.model = model_for(trained.name, trained.preparation);
  } catch (const UsageError& error) {
    throw DataError(fmt::format("{}: {}", json_file.string(), error.what()));
  }
  const fs::path npy_file = where / "model.npy";
  const std::vector<double> values = read_npy_vector(npy_file);
  if (values.size() != trained.model->dimension()) {
    throw DataError(fmt::format("{}: found {} numbers; expected {}, as {} says", npy_file.string(),
                                values.size(), trained.model->dimension(), json_file.string()));
  }
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
    throw DataError(fmt::format("{}: holds numbers that are not finite: its training diverged",
                                npy_file.string()));
  }
  trained.parameters = VectorBuffer(trained.model->scalar(), values.size());
  with_scalar(trained.model->scalar(), [&]<typename T>(T) {
    const std::span<T> to = trained.parameters.view().template as<T>();
    std::ranges::transform(values, to.begin(), [](double v) { return static_cast<T>(v); });
  });
  return trained;
}

}  // namespace trainyard
