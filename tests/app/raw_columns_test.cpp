// A table as people have it, from the file to the answer. The expected figures are scikit-learn's
// 1.2.1 and NumPy's on the same files: means for missing numbers, standardised columns, one-hot
// words; logistic regression without a penalty on the intercept (C = 1/(λ rows), tolerance 1e-8),
// and the normal equations.
#include <filesystem>
#include <string>

#include "app/program.hpp"
#include "app/results.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"
#include "support/shell.hpp"

namespace trainyard {

namespace {

/// False where there is no Python.
bool make_tables(const std::filesystem::path& folder) {
  const std::string script = std::string(TRAINYARD_SOURCE_DIR) + "/tests/app/raw_columns.py";
  const Outcome made = run_script("/usr/bin/python3 '" + script + "' .", folder);
  if (made.status == 127) WARN("left out, as there is no /usr/bin/python3");
  REQUIRE((made.status == 0 || made.status == 127));
  return made.status == 0;
}

}  // namespace

TEST_CASE("raw columns with words and gaps train to scikit-learn's accuracy", "[app]") {
  const TemporaryFolder folder;
  if (!make_tables(folder.path())) return;
  const Words words{"run",     "--dataset", "train.csv", "--test",  "test.csv",  "--label-column",
                    "class",   "--missing", "mean",      "--scale", "standard",  "--intercept",
                    "--l2",    "1e-3",      "--scheme",  "ring",    "--workers", "4",
                    "--batch", "600",       "--lr",      "1",       "--steps",   "1500",
                    "--time",  "virtual",   "--json",    "--quiet"};
  const Outcome outcome = run_program(words, {.folder = folder.path()});
  INFO(outcome.errors);
  REQUIRE(outcome.status == 0);
  const Json summary = Json::parse(outcome.output);
  CHECK(summary["dataset"]["features"] == 3 + 4 + 2 + 1);
  CHECK(summary["train_loss"].get<double>() == Approx(0.405355578).epsilon(1e-5));
  CHECK(summary["test_accuracy"].get<double>() == Approx(0.8133).margin(0.005));
}

TEST_CASE("columns that differ in scale are warned of, with the flag that helps", "[app]") {
  const TemporaryFolder folder;
  if (!make_tables(folder.path())) return;
  const Words words{"run",  "--dataset", "train.csv", "--label-column", "class",   "--missing",
                    "mean", "--steps",   "1",         "--time",         "virtual", "--quiet"};
  CHECK_THAT(run_program(words, {.folder = folder.path()}).errors,
             ContainsSubstring("warning: ") && ContainsSubstring("--scale standard") &&
                 ContainsSubstring("income"));
  CHECK_THAT(run_program(words + Words{"--scale", "standard"}, {.folder = folder.path()}).errors,
             !ContainsSubstring("warning: "));
}

TEST_CASE("least squares reaches the normal equations' solution", "[app]") {
  const TemporaryFolder folder;
  if (!make_tables(folder.path())) return;
  struct Expected {
    const char* l2;
    double loss, r_squared;
  };
  for (const Expected& expected : {Expected{"0", 0.4706432481835659, 0.9910435333392271},
                                   {"0.01", 0.8278137026457425, 0.9908444102290545}}) {
    CAPTURE(expected.l2);
    const Outcome outcome =
        run_program({"run",       "--dataset",   "regression.csv", "--label-column",
                     "price",     "--model",     "least-squares",  "--scale",
                     "standard",  "--intercept", "--l2",           expected.l2,
                     "--scheme",  "gossip",      "--topology",     "full",
                     "--workers", "4",           "--batch",        "125",
                     "--lr",      "0.9",         "--steps",        "1500",
                     "--time",    "virtual",     "--json",         "--quiet"},
                    {.folder = folder.path()});
    INFO(outcome.errors);
    REQUIRE(outcome.status == 0);
    const Json summary = Json::parse(outcome.output);
    CHECK(summary["train_loss"].get<double>() == Approx(expected.loss).epsilon(1e-6));
    CHECK(summary["train_r_squared"].get<double>() == Approx(expected.r_squared).epsilon(1e-6));
    CHECK(summary["test_accuracy"].is_null());
  }
  const Outcome classes = run_program({"run", "--dataset", "regression.csv", "--label-column",
                                       "price", "--model", "logistic", "--time", "virtual"},
                                      {.folder = folder.path()});
  CHECK(classes.status == 3);
  CHECK_THAT(classes.errors, ContainsSubstring("--model least-squares takes real labels"));
}

}  // namespace trainyard
