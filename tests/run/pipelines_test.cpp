#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/resolve.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

struct Found {
  double stages, microbatches;
  std::vector<std::string> notes;
};

Found found(int workers, const std::string& model, Configuration c = {}) {
  const LoadedData data = test::dense_problem();
  Configuration asked = test::quick("gpipe", workers, 1);
  asked.model = model;
  asked.hyperparameters = c.hyperparameters;
  asked.batch = c.batch;
  asked.global_batch = c.global_batch;
  Found made{};
  const Configuration resolved = resolve(asked, {"gpipe"}, data, [&](const std::string& text) {
    if (text.find("pipelines of one stage") != std::string::npos) made.notes.push_back(text);
  });
  made.stages = hyperparameter(resolved.hyperparameters, "stages");
  made.microbatches = hyperparameter(resolved.hyperparameters, "microbatches");
  return made;
}

}  // namespace

TEST_CASE("a pipeline has as many stages as divide the workers and have layers", "[run]") {
  CHECK(found(4, "mlp:5,5,5").stages == 4);
  CHECK(found(4, "mlp:5,5").stages == 2);  // 3 do not divide 4
  CHECK(found(6, "mlp:5,5").stages == 3);
  CHECK(found(12, "mlp:5,5,5,5").stages == 4);
  CHECK(found(2, "mlp:5,5,5").stages == 2);
  CHECK(found(5, "mlp:5,5,5,5").stages == 5);
  CHECK(found(1, "logistic").notes.empty());
  CHECK(found(4, "mlp:5,5").notes.empty());
  const Found prime = found(7, "mlp:5,5,5");
  CHECK(prime.stages == 1);
  CHECK(prime.notes == std::vector<std::string>{
                           "note: gpipe has pipelines of one stage: no more divide 7 workers and "
                           "the layers of mlp:5,5,5"});
  const Found flat = found(4, "logistic");
  CHECK(flat.stages == 1);
  CHECK(flat.notes == std::vector<std::string>{"note: gpipe has pipelines of one stage: logistic "
                                               "has no layers to cut; mlp:H1,H2,… has"});
  Configuration c;
  c.hyperparameters["stages"] = 1;
  CHECK(found(4, "mlp:5,5,5", c).stages == 1);
  CHECK(found(4, "mlp:5,5,5", c).notes.empty());
  c.hyperparameters["stages"] = 0;
  CHECK(found(4, "mlp:5,5,5", c).stages == 4);
}

TEST_CASE("microbatches are four, or as many as there are rows", "[run]") {
  Configuration c;
  c.batch = 8;
  CHECK(found(2, "mlp:5", c).microbatches == 4);
  c.batch = 1;
  CHECK(found(2, "mlp:5", c).microbatches == 2);
  CHECK(found(4, "mlp:5,5,5", c).microbatches == 4);
  c.hyperparameters["microbatches"] = 4;
  CHECK(found(4, "mlp:5,5,5", c).microbatches == 4);
  CHECK_THROWS_WITH(found(2, "mlp:5", c),
                    ContainsSubstring("--microbatches 4: a pipeline's minibatch has 2 rows"));
  c.global_batch = 8;
  CHECK(found(2, "mlp:5", c).microbatches == 4);
}
