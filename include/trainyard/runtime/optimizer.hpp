// How a gradient g changes a model x, coordinate by coordinate. All states begin at zero; the
// formulas and constants are those of PyTorch's SGD, Adagrad and Adam:
//
//   sgd       v ← μ v + g,  x ← x − γ v            momentum μ; plain SGD for μ = 0
//   nesterov  v ← μ v + g,  x ← x − γ (g + μ v)    (Sutskever et al., ICML 2013, their x shifted by
//                                                  μ v)
//   adagrad   G ← G + g²,  x ← x − γ g / (√G + 1e-10)          (Duchi et al., JMLR 2011)
//   adam      m ← β₁ m + (1 − β₁) g,  s ← β₂ s + (1 − β₂) g²,    (Kingma & Ba, ICLR 2015)
//             x ← x − γ m̂ / (√ŝ + 1e-8),  m̂ = m / (1 − β₁ᵗ), ŝ = s / (1 − β₂ᵗ) at the t-th step
//   adamw     x ← x − γ ω x, then adam's step                  (Loshchilov & Hutter, ICLR 2019,
//                                                  Algorithm 2, PyTorch's γ before ω; of all
//                                                  parameters, biases and intercept too, as there)
//   lion      x ← x − γ ω x, then x ← x − γ sgn(β₁ m + (1 − β₁) g),  (Chen et al., NeurIPS 2023,
//             m ← β₂ m + (1 − β₂) g                             Algorithm 2), sgn(0) = 0
//   muon      m ← β₁ m + (1 − β₁) g,  u = β₁ m + (1 − β₁) g,       (Jordan et al. 2024, scaled as
//             x ← x − γ ω x, then x ← x − γ 0.2 √max(r, c) O(u)    by Liu et al. 2025, §2.2)
//             of each r×c matrix between two hidden layers, O: muon.hpp; all else by adamw's step
//
// γ = γ₀ × schedule × warm-up (lr_schedule.hpp). The smooth regulariser (λ/2)‖x‖² is part of g. Of
// μ‖x‖₁ each step takes its proximal operator, S(x, t) being soft thresholding by t (model/
// kernels.hpp), of the weights that the regularisers are for:
//
//   sgd       x ← S(x − γ v, γ μ);  with momentum v becomes (x before − x after) / γ, so that where
//             x stays, v is 0: iPiano (Ochs, Chen, Brox & Pock, SIAM J. Imaging Sci. 2014, eq. 5),
//             and without, proximal SGD
//   adagrad   x_j ← S(x_j − γ g_j / h_j, γ μ / h_j), h = √G + 1e-10  (Duchi et al. 2011, §5.1)
//
// nesterov, adam, adamw, lion and muon take none: Nesterov's x is shifted along v off what the
// operator makes 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/base/function_ref.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/model/hidden_matrices.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/runtime/lr_schedule.hpp"
#include "trainyard/runtime/muon.hpp"

namespace trainyard {

enum class OptimizerKind { sgd, nesterov, adagrad, adam, adamw, lion, muon };
/// Throws UsageError, beginning with `what`, for an unknown name.
OptimizerKind parse_optimizer(std::string_view text, std::string_view what);
std::string optimizer_text(OptimizerKind kind);

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::sgd;
  double lr = 0.1;                         // γ₀ > 0
  double lr_decay = 0.0;                   // A ≥ 0, per epoch
  double momentum = 0.0;                   // 0 ≤ μ < 1, of sgd and nesterov
  std::optional<double> beta1{}, beta2{};  // else first_beta(), second_beta()
  double weight_decay = 0.01;              // ω ≥ 0, of those that decay
  /// C: a worker's minibatch gradient is made no longer (Pascanu, Mikolov & Bengio, ICML 2013,
  /// Algorithm 1), before it is sent or applied. 0: it is left as it is.
  double clip_norm = 0.0;
  LrSchedule lr_schedule{};
  double warmup = 0.0;       // W, epochs
  double run_epochs = 0.0;   // E; > 0 where the schedule is cosine
  double step_epochs = 0.0;  // δ; > 0 in a run, in which no step is of length 0

  /// γ after so many epochs.
  double step_size(double epochs) const;
  /// γ is the same all along.
  bool constant_step() const;
  /// x ← x − γ g: a step that knows nothing of the ones before.
  bool plain() const { return kind == OptimizerKind::sgd && momentum == 0.0; }
  /// All of it steps by Adam's moments.
  bool adam() const { return kind == OptimizerKind::adam || kind == OptimizerKind::adamw; }
  /// It steps matrices, and the rest by Adam's moments.
  bool muon() const { return kind == OptimizerKind::muon; }
  /// beta1 and beta2 have a meaning.
  bool has_betas() const { return adam() || muon() || kind == OptimizerKind::lion; }
  /// β₁ and β₂, those of the papers where nobody says: Lion's β₂ is that of its mean of gradients.
  double first_beta() const { return beta1.value_or(muon() ? 0.95 : 0.9); }
  double second_beta() const { return beta2.value_or(kind == OptimizerKind::lion ? 0.99 : 0.999); }
  /// Every parameter is first made smaller, by γ ω of it.
  bool decays() const {
    return kind == OptimizerKind::adamw || kind == OptimizerKind::lion || muon();
  }
  /// What a step of that length leaves of each.
  double kept(double step) const { return decays() ? 1.0 - step * weight_decay : 1.0; }
  /// There is a step above for μ‖x‖₁.
  bool shrinks() const { return kind == OptimizerKind::sgd || kind == OptimizerKind::adagrad; }
};

/// The vectors that an optimizer keeps, sums or means over its steps: of gradients (v of sgd and
/// nesterov, m of adam, adamw, lion and muon) and of their squares (G, s). Empty where it keeps
/// none.
struct OptimizerMoments {
  Vector first, second;
  bool is_velocity = false;  // `first` is v, a sum of gradients

  /// v; empty without momentum.
  Vector velocity() const { return is_velocity ? first : Vector(); }
};

/// The optimizer of one model, or of one shard of it. Threads: used by its rank alone.
class Optimizer {
 public:
  /// `keep` gives zeros of the model's size for what outlives a step, by its name: "optimizer.v"
  /// (v of sgd and nesterov, none without momentum), "optimizer.G", "optimizer.m", "optimizer.s".
  /// The places in `penalty`, and the hidden layers' matrices, are those in what is stepped.
  /// `steps`: those it has taken, which outlives it. REQUIRES: options.shrinks(), or no penalty.
  Optimizer(const OptimizerOptions& options, FunctionRef<Vector(std::string_view)> keep,
            std::uint64_t& steps, AbsolutePenalty penalty = {},
            const std::vector<MatrixPlace>& matrices = {});

  /// A step with the gradient `scale` · gradient (1/n with a sum over n workers, which saves a pass
  /// over it), `stretch` times as long as γ says. REQUIRES: model and gradient are of that
  /// precision and dimension.
  void apply(Vector model, ConstVector gradient, double epochs, double scale = 1.0,
             double stretch = 1.0);

  OptimizerMoments moments() { return {first_, second_, !options_.has_betas()}; }

 private:
  /// What Muon steps as matrices, what is between them, and where it does so.
  struct Matrices {
    std::vector<MatrixPlace> places;
    std::vector<ParameterRange> others;
    NewtonSchulz iteration;
    std::vector<float> direction;
  };

  static Matrices matrices_among(const std::vector<MatrixPlace>& places, std::size_t numbers);
  void step_along(Vector model, ConstVector gradient, double scale, double step);
  void adam_step(ParameterRange range, Vector model, ConstVector gradient, double scale,
                 double step);
  void muon_step(const MatrixPlace& place, Vector model, ConstVector gradient, double scale,
                 double step);
  void shrink(Vector model, double step);

  OptimizerOptions options_;
  AbsolutePenalty penalty_;
  Vector first_, second_;             // v or m; G or s
  std::optional<Matrices> matrices_;  // of muon
  std::uint64_t& steps_;
};

}  // namespace trainyard
