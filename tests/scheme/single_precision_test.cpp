// What single precision does to long runs. Rounding errors that a rule sums up, step after step,
// are gradients that nobody took: golden trajectories, in double precision and short, do not show
// them.
#include <cmath>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

TEST_CASE("in single precision schemes without bias end where all-reduce does", "[scheme]") {
  // Whole gradients of rows that differ from worker to worker: nothing is random after the first
  // step. More features than rows, and no regulariser: the loss falls for ever, in a valley so flat
  // that errors of 10⁻⁵ in the gradient turn it back.
  const LoadedData data = test::sparse_problem(60, 100);
  const auto loss = [&](const char* scheme, double step_size = 1.0, double step_spread = 1.0) {
    Configuration c = quick(scheme, 5, 20000);
    c.hyperparameters = {
        {"step-spread", step_spread}, {"period", 2.0}, {"mixing-probability", 0.5}};
    if (c.scheme == "dinno" || c.scheme == "admm")
      c.hyperparameters["period"] = 1.0;  // its penalty holds further ones
    c.ingredients["topology"] = "ring";
    c.batch = 12;
    c.optimizer.lr = step_size;
    c.partition = parse_partition("contiguous", "test");
    return train(c, data).summary.train_loss;
  };
  const double expected = loss("ring");
  for (const char* scheme : {"gradient-tracking", "diging", "gt-vr", "gt-sarah", "gt-saga", "d2",
                             "exact-diffusion", "wang-elia", "nids", "led", "proxskip", "k-gt",
                             "extra", "lt-admm", "lt-admm-vr", "dinno", "scaffnew", "local-svrg"}) {
    CAPTURE(scheme);
    CHECK(loss(scheme) == Approx(expected).epsilon(1e-3));
  }
  // dlm's steps are 1 + 4γc times shorter on a ring, and admm's.
  for (const char* scheme : {"dlm", "admm"}) {
    CAPTURE(scheme);
    CHECK(loss(scheme, 1.0) == Approx(loss("ring", 1.0 / 1.4)).epsilon(1e-3));
  }
  // atg's go half the way to a mean that is 4c steps late on a ring: δγ/(1 + 4cδ).
  CHECK(loss("atg", 1.0) == Approx(loss("ring", 0.5 / 1.2)).epsilon(1e-3));
  // With step sizes of their own nids's workers move together as far as with their harmonic mean.
  double inverses = 0.0;
  for (int i = 0; i < 5; ++i) inverses += std::pow(4.0, i / 4.0);
  CHECK(loss("nids", 1.0, 4.0) == Approx(loss("ring", 5.0 / inverses)).epsilon(1e-3));
}
