// PowerSGD: the mean of matrices by two all-reduces of thin ones (Vogels, Karimireddy & Jaggi,
// NeurIPS 2019, Algorithms 1 and 2; catalogue §5). One step of the power method, begun with the Q
// of the time before, finds the r directions in which the mean is largest:
//   P = M Q;  all-reduce the mean of P;  orthonormalise P;  Q = Mᵀ P;  all-reduce the mean of Q;
//   M̂ = P Qᵀ.
// P and Q depend linearly on M, so they can be summed as they are, which no other codec of that
// strength can: r(m + n) numbers go over the wire for m n of them. Tensors that would not become
// shorter (vectors, small matrices) are averaged as they are.
//
// What a worker keeps of its own M is either M − M̂, as the authors' code has it, or M − P(Mᵀ P)ᵀ,
// what it could not say in the common directions, as PyTorch's hook has it. Summed over the workers
// they are the same, and so are the models.
//
// Threads: any; these are functions of their arguments, and a plan never changes.
#pragma once

#include <cstddef>
#include <vector>

#include "trainyard/base/vector.hpp"
#include "trainyard/model/tensor_shape.hpp"

namespace trainyard {

/// The tensors that low-rank factors make shorter, and where everything lies.
class LowRankPlan {
 public:
  /// REQUIRES: rank ≥ 1.
  LowRankPlan(TensorShapes shapes, std::size_t rank);

  /// Numbers of the first all-reduce, P of each matrix and all other tensors, and of the second, Q.
  std::size_t first_length() const { return first_; }
  std::size_t second_length() const { return second_; }

  struct Part {
    std::size_t at;             // in the vector
    std::size_t rows, columns;  // columns 0: `rows` numbers that are averaged as they are
    std::size_t p, q;           // where its factors begin
  };
  const std::vector<Part>& parts() const { return parts_; }
  std::size_t rank() const { return rank_; }

 private:
  std::vector<Part> parts_;
  std::size_t rank_, first_ = 0, second_ = 0;
};

/// The steps of Algorithm 1 between its all-reduces. All vectors are of one precision.
namespace low_rank {

/// factors ← [M Q of each matrix, other tensors]
void project(const LowRankPlan& plan, ConstVector matrices, ConstVector q, Vector factors);
/// Makes the columns of each P orthonormal (modified Gram-Schmidt). A column that is nearly a
/// combination of those before it becomes 0.
void orthonormalise(const LowRankPlan& plan, Vector factors);
/// q ← Mᵀ P
void project_back(const LowRankPlan& plan, ConstVector matrices, ConstVector factors, Vector q);
/// error ← matrices − P Qᵀ, and 0 for what is averaged as it is
void keep_error(const LowRankPlan& plan, ConstVector matrices, ConstVector factors, ConstVector q,
                Vector error);
/// matrices ← matrices + scale · [P Qᵀ of each matrix, other tensors]
void add_product(const LowRankPlan& plan, double scale, ConstVector factors, ConstVector q,
                 Vector matrices);

}  // namespace low_rank

}  // namespace trainyard
