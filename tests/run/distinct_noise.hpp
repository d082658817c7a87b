// Gradients' noise of which no two figures are alike, for the tests of tables of figures.
#pragma once

#include "trainyard/run/gradient_noise.hpp"

namespace trainyard::test {

inline constexpr GradientNoise distinct_noise{.row_variance = 1.5625,
                                              .worker_variance = 0.0390625,
                                              .diversity = 0.01171875,
                                              .batch_bound = 7.25,
                                              .signal = 0.013671875,
                                              .noise = 1.6875,
                                              .scale = 123.5,
                                              .rows = 700};

}  // namespace trainyard::test
