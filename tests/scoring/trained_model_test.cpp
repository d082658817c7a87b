// Models on the disk, as they should be and as they should not.
#include "trainyard/scoring/trained_model.hpp"

#include <cmath>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "trainyard/base/error.hpp"
#include "trainyard/report/run_folder.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

Preparation of_three_features() {
  Preparation preparation;
  preparation.features = 3;
  preparation.format = Format::npy;
  return preparation;
}

/// A folder with a model of three weights.
void write_model(const std::filesystem::path& folder, std::vector<float> weights,
                 const std::function<void(nlohmann::ordered_json&)>& change = {}) {
  std::filesystem::create_directories(folder);
  VectorBuffer buffer(Scalar::float32, weights.size());
  std::ranges::copy(weights, buffer.view().floats().begin());
  write_npy(folder / "model.npy", std::as_const(buffer).view());
  auto json = nlohmann::ordered_json::parse(trained_model_json("logistic", of_three_features()));
  if (change) change(json);
  std::ofstream(folder / "model.json") << json.dump();
}

std::string error_of_model(const std::filesystem::path& folder) {
  try {
    open_trained_model(folder);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a model is read as it was written", "[scoring]") {
  const TemporaryFolder folder;
  write_model(folder.path() / "ring", {0.5F, -1.0F, 2.0F});
  // Of the folder, and of the one around it.
  for (const auto& where : {folder.path() / "ring", folder.path()}) {
    const TrainedModel trained = open_trained_model(where);
    CHECK(trained.name == "logistic");
    CHECK(trained.model->dimension() == 3);
    CHECK(trained.parameters.view().floats()[1] == -1.0F);
  }
  write_model(folder.path() / "gossip", {0.0F, 0.0F, 0.0F});
  CHECK_THAT(error_of_model(folder.path()), ContainsSubstring("holds several models"));
  CHECK_THAT(error_of_model(folder.path() / "none"), ContainsSubstring("no such folder"));
}

TEST_CASE("what is wrong with a stored model is said", "[scoring]") {
  const TemporaryFolder folder;
  const auto where = folder.path() / "ring";
  write_model(where, {0.5F, NAN, 2.0F});
  CHECK_THAT(error_of_model(where), ContainsSubstring("its training diverged"));
  write_model(where, {0.5F, 2.0F});
  CHECK_THAT(error_of_model(where), ContainsSubstring("found 2 numbers; expected 3"));
  write_model(where, {1.0F, 2.0F, 3.0F}, [](auto& json) { json["format"] = "something"; });
  CHECK_THAT(error_of_model(where), ContainsSubstring("found format 'something'"));
  write_model(where, {1.0F, 2.0F, 3.0F}, [](auto& json) { json["model"] = "forest"; });
  CHECK_THAT(error_of_model(where), ContainsSubstring("forest"));
  write_model(where, {1.0F, 2.0F, 3.0F}, [](auto& json) { json.erase("rows"); });
  CHECK_THAT(error_of_model(where), ContainsSubstring("found no member 'rows'"));
  write_model(where, {1.0F, 2.0F, 3.0F}, [](auto& json) { json["rows"] = nullptr; });
  CHECK_THAT(error_of_model(where), ContainsSubstring("does not say how rows are made"));
}

TEST_CASE("a model.json of endless depth is no model", "[scoring]") {
  const TemporaryFolder folder;
  write_model(folder.path(), {1.0F, 2.0F, 3.0F});
  std::string deep = "{\"format\": \"trainyard model 1\", \"rows\": ";
  for (int level = 0; level < 300'000; ++level) deep += "[\n";
  for (int level = 0; level < 300'000; ++level) deep += "]\n";
  folder.write("model.json", deep + "}");
  CHECK_THAT(error_of_model(folder.path()), ContainsSubstring("found no JSON object of a model"));
}

}  // namespace trainyard
