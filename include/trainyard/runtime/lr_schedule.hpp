// How the step size γ changes over a run, as a factor on γ₀ (--lr), of the epochs e that all
// workers together have made so far:
//
//   constant            1
//   inverse-time        1 / (1 + A e), A being --lr-decay: the default, constant for A = 0
//   step:EVERY:FACTOR   FACTOR^⌊e / EVERY⌋, EVERY in epochs
//   inverse-sqrt        √(T / max(t, T)), t = e/δ + 1 being the number of the step of all workers,
//                       and T = max(1, W/δ) the steps of warm-up: γ₀/√t without (Zinkevich 2003),
//                       with it γ₀ min(t/T, √(T/t)) (Vaswani et al. 2017, §5.3, whose γ₀ is
//                       d^{−½}T^{−½}; fairseq's inverse_sqrt)
//   cosine              (1 + cos(π e / E)) / 2, E being the epochs of the whole run: to 0, without
//                       restarts (Loshchilov & Hutter, ICLR 2017)
//
// The others are what PyTorch's LambdaLR, StepLR or CosineAnnealingLR makes of them, with e in
// place of its count. Warm-up multiplies it by min(1, (e + δ) / W) over the first W epochs (Goyal
// et al. 2017), as a second scheduler chained to the first would; δ are the epochs that a step of
// all workers makes. So the t-th of T steps of warm-up, from 0, has (t + 1)/T of the step size, as
// in fairseq, and no step is of length 0, which LinearLR refuses as well: schemes divide by γ. For
// the same reason the cosine stays what it is at E − δ/2: free workers may begin a minibatch after
// E.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string>
#include <string_view>

namespace trainyard {

struct LrSchedule {
  enum class Kind { constant, inverse_time, step, cosine, inverse_sqrt };
  Kind kind = Kind::inverse_time;
  double every = 0.0, factor = 1.0;  // step: epochs > 0, factor > 0
};

/// "step:30:0.1". Throws UsageError, beginning with `what`.
LrSchedule parse_lr_schedule(std::string_view text, std::string_view what);
std::string lr_schedule_text(const LrSchedule& schedule);

}  // namespace trainyard
