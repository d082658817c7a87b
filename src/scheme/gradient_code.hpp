// Gradient codes (Tandon, Lei, Dimakis & Karampatziakis, ICML 2017; catalogue §2.14): n workers
// send one combination each of s + 1 of n gradients, such that the sum of all n can be had from any
// n − s of the combinations.
#pragma once

#include <span>
#include <vector>

namespace trainyard {

struct GradientCode {
  int workers = 1, stragglers = 0;   // n, s
  std::vector<double> coefficients;  // B [n × (s+1)]: worker w's, of each share that it takes

  /// Worker w combines the gradients of s + 1 workers that follow each other, mod n, from this one.
  int first_share_of(int worker) const;
  std::vector<int> shares_of(int worker) const;
  std::span<const double> coefficients_of(int worker) const {
    const auto count = static_cast<std::size_t>(stragglers) + 1;
    return std::span(coefficients).subspan(static_cast<std::size_t>(worker) * count, count);
  }
};

/// Fractional repetition where s + 1 divides n: blocks of s + 1 workers that take the same shares
/// and send the same sum. Cyclic otherwise: worker w takes the shares w, w + 1, …, w + s (mod n),
/// and its coefficients are orthogonal to s random vectors, which are themselves orthogonal to 1.
/// The same for the same n and s. REQUIRES: 0 ≤ s < n.
GradientCode make_gradient_code(int workers, int stragglers);

/// Finds a with Σ_i a_i (what worker heard_i sent) = the sum of all n gradients. Keeps its memory.
class GradientDecoder {
 public:
  explicit GradientDecoder(const GradientCode& code) : code_(code) {}

  /// One number for each worker heard; valid until the next call. REQUIRES: n − s of them.
  std::span<const double> decode(std::span<const int> heard);

 private:
  const GradientCode& code_;
  std::vector<double> equations_, weights_;
};

}  // namespace trainyard
