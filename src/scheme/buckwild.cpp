// Buckwild!: Hogwild whose shared model is in 8 or 16 bits (De Sa, Zhang, Olukotun & Ré, NIPS 2015,
// §4; De Sa et al., ISCA 2017; catalogue §2.16): a quarter or half of the memory that workers
// fetch from each other. w_j = q_j · unit with whole q_j; a step is computed in floats, and each
// coordinate that it writes is rounded at random to one of the two numbers around it:
//   q_j ← q_j − sgn(g_j) ⌊γ |g_j|/unit + u⌋,   u uniform in [0, 1), of a generator of each worker.
// On average that is Hogwild's step; the rounding adds up to unit²/4 of variance to each written
// coordinate, so that the loss has a floor that grows with the unit. Rounded to the nearest number
// a coordinate would stay where it is as soon as |γ g_j| < unit/2.
//
// The unit is --model-range divided by 127 or 32767; a weight beyond the range stays at its end, so
// that too long steps do not make the loss infinite, but leave weights at the ends. As
// in the paper the data stay as they are given ("M" of its DMGC signature is what is short here).
#include "trainyard/runtime/shared_steps.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

constexpr const char* bits_name = "model-bits";
constexpr const char* range_name = "model-range";

Cast shared_in_few_bits(const CastSetting& s) {
  Cast made = cast::shared(s);
  const int bits = hyperparameter(s.hyperparameters, bits_name) == 0.0 ? 8 : 16;
  made.shared_format = FixedPoint::of_range(bits, hyperparameter(s.hyperparameters, range_name));
  return made;
}

void work(Worker& worker) {
  SharedSteps shared(worker);
  while (worker.next_step()) shared.descend();
}

}  // namespace

Scheme buckwild_scheme() {
  return {
      .name = "buckwild",
      .summary = "hogwild on a model in 8 or 16 bits, rounded at random",
      .step = "γ × each gradient: as ps-async",
      .cost = {.formula = "c",
               .rate = "as hogwild, to a floor that grows with the unit",
               .time = [](const StepSetting& s) -> std::optional<Duration> { return s.compute; }},
      .source = "De Sa et al. 2015; catalogue 2.16",
      .family = SchemeFamily::shared_memory,
      .order = {.pace = Pace::free, .outlives_worker = true},
      .cast = shared_in_few_bits,
      .optimizers = {.range = OptimizerRange::plain},
      .hyperparameters = {{.name = bits_name,
                           .argument = "8|16",
                           .help = "bits of a parameter of the shared model",
                           .fallback = 1,
                           .choices = {"8", "16"}},
                          {.name = range_name,
                           .argument = "W",
                           .help = "largest parameter that the shared model can hold",
                           .fallback = 8.0,
                           .low = 1e-6,
                           .high = 1e6}},
      .worker = work};
}

}  // namespace trainyard
