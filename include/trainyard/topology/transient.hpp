// Transient iterations: the steps before the rate of a scheme that averages over a graph is that of
// parallel SGD, the mean over all workers at every step. With L-smooth f, f* its least value and n
// workers, DSGD needs a step size with which after T steps
//
//   mean E‖∇f‖² ≲ σ(LF/(nT))^{1/2} + (LFρσ/((1−ρ)^{1/2}T))^{2/3} + (LFρς/((1−ρ)T))^{2/3},
//
// F = f(x⁰) − f*, σ² of a worker's minibatch (Koloskova et al., ICML 2020, theorem 2; catalogue
// §1.4, §6): the first term is parallel SGD's, and the largest from
//
//   T ≈ ρ⁴n³/(1−ρ)² · LF/σ²           where the workers' data are alike, ς = 0, and
//   T ≈ ρ⁴n³/(1−ρ)⁴ · LFς⁴/σ⁶         where they are not and that is longer
//
// (Ying et al., NeurIPS 2021: n⁷ of a ring, n³log²n of exponential graphs, data alike). It is an
// order: bounds are compared, and constant factors left out. What the last factor is, a run
// does not know; L least of all.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <optional>

#include "trainyard/topology/topology.hpp"

namespace trainyard {

struct Transient {
  double rho = 0.0, gap = 1.0;  // of a round: ρ and 1 − ρ above
  double alike = 0.0;           // ρ⁴n³/(1−ρ)²
  double unlike = 0.0;          // ρ⁴n³/(1−ρ)⁴
};

/// The transient of a doubly stochastic graph with these figures (TopologyFigures). If W(k) varies,
/// 1 − ρ is the better of two: that of a cycle's product over its rounds, and that of a round in
/// the mean square. Empty where the workers never agree, ρ = 1.
std::optional<Transient> transient(int ranks, std::size_t period, double rho, double rms);

/// The transient of a graph. Also empty if the rows or the columns of some W do not add up to 1,
/// and for graphs that take more than a moment, as every run of a comparison asks: n³ and n² times
/// the rounds of a cycle together above 2·10⁷, which n = 270 is.
std::optional<Transient> transient(const Topology& topology);

}  // namespace trainyard
