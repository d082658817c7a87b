// SAGA's estimate of the gradient over all rows of a worker (Defazio, Bach & Lacoste-Julien 2014),
// of which it remembers what each of its M minibatches said last. Their rows never change. Of
// minibatch m, drawn uniformly,
//   v = M p_m (∇f_m(x) − G_m) + Ḡ,  Ḡ = Σ_m p_m G_m,  then G_m ← ∇f_m(x),
// with p_m its share of the worker's rows: 1/M, but for the last one, which may be shorter, so that
// v is right on average.
//
// Ḡ goes along with each change of a G_m, and is summed up anew after every M of them, so that what
// single precision rounds does not add up.
#pragma once

#include <string_view>

#include <fmt/format.h>

#include "trainyard/base/memory_account.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/fixed_minibatches.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// Threads: belongs to its worker's rank.
class GradientTable {
 public:
  /// `scheme` is named where there is no room. Throws RunError there.
  GradientTable(Worker& worker, std::string_view scheme)
      : worker_(worker),
        minibatches_(worker),
        size_(worker.replica().size()),
        table_(worker.keep("table of gradients", room_for(worker, minibatches_.count(), scheme))),
        mean_(worker.keep("mean of the table", size_)),
        estimate_(mean_.scalar(), size_) {}

  /// All G_m at the model as it is; v is their mean.
  ConstVector fill() {
    for (std::size_t m = 0; m < minibatches_.count(); ++m) {
      kernels::copy(minibatches_.compute_gradient(m), of(m));
    }
    sum_up();
    return mean_;
  }
  /// v, of a minibatch that is drawn.
  ConstVector next() {
    const std::size_t count = minibatches_.count();
    const auto m = static_cast<std::size_t>(worker_.random().below(count));
    const double part = minibatches_.part(m);
    const Vector gradient = minibatches_.compute_gradient(m);
    kernels::copy(mean_, estimate_.view());
    kernels::add_difference(static_cast<double>(count) * part, gradient, of(m), estimate_.view());
    kernels::add_difference(part, gradient, of(m), mean_);
    kernels::copy(gradient, of(m));
    if (worker_.step() % count == 0) sum_up();
    return estimate_.view();
  }

 private:
  /// The numbers of a table of so many gradients.
  static std::size_t room_for(Worker& worker, std::size_t gradients, std::string_view scheme) {
    const Vector model = worker.replica();
    require_room(static_cast<double>(gradients) * static_cast<double>(model.size()) *
                     static_cast<double>(bytes_of(model.scalar())),
                 fmt::format("{}'s table, with a gradient for each of a worker's {} minibatches (a "
                             "larger --batch makes fewer),",
                             scheme, gradients));
    return gradients * model.size();
  }
  Vector of(std::size_t m) const { return table_.subspan(m * size_, size_); }
  void sum_up() {
    kernels::set_to_zero(mean_);
    for (std::size_t m = 0; m < minibatches_.count(); ++m) {
      kernels::axpy(minibatches_.part(m), of(m), mean_);
    }
  }

  Worker& worker_;
  FixedMinibatches minibatches_;
  const std::size_t size_;
  const Vector table_, mean_;
  VectorBuffer estimate_;
};

}  // namespace trainyard
