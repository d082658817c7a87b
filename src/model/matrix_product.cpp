// The one matrix product of the program, over the fastest library that is there.
//
// Ranks are threads of ours, one a core, so the product must not start threads of its own. oneDNN
// in the distribution is built with OpenMP, whose number of threads is a property of the calling
// thread: it is set to 1 once for each thread that comes here. The function is looked up by name
// because oneDNN may be built without OpenMP, and then nothing is to be done.
#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

#ifdef TRAINYARD_HAVE_ONEDNN
#include <dlfcn.h>
#include <dnnl.h>
#else
#include <Eigen/Core>
#endif

#include <algorithm>

namespace trainyard::kernels {
namespace {

#ifdef TRAINYARD_HAVE_ONEDNN

bool use_one_thread() {
  using SetThreads = void (*)(int);
  static const auto set_threads =
      reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  if (set_threads != nullptr) set_threads(1);
  return true;
}

void multiply(bool transpose_a, bool transpose_b, std::size_t m, std::size_t n, std::size_t k,
              float alpha, const float* a, const float* b, float beta, float* c) {
  thread_local const bool one_thread = use_one_thread();
  (void)one_thread;
  const auto signed_size = [](std::size_t size) { return static_cast<dnnl_dim_t>(size); };
  const dnnl_status_t status =
      dnnl_sgemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', signed_size(m), signed_size(n),
                 signed_size(k), alpha, a, signed_size(transpose_a ? m : k), b,
                 signed_size(transpose_b ? k : n), beta, c, signed_size(n));
  require(status == dnnl_success, "dnnl_sgemm refused its arguments");
}

#else

void multiply(bool transpose_a, bool transpose_b, std::size_t m, std::size_t n, std::size_t k,
              float alpha, const float* a, const float* b, float beta, float* c) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Factor = Eigen::Map<const Matrix>;
  const auto index = [](std::size_t size) { return static_cast<Eigen::Index>(size); };
  const Factor left(a, index(transpose_a ? k : m), index(transpose_a ? m : k));
  const Factor right(b, index(transpose_b ? n : k), index(transpose_b ? k : n));
  Eigen::Map<Matrix> result(c, index(m), index(n));
  if (beta == 0.0F) {
    result.setZero();
  } else if (beta != 1.0F) {
    result *= beta;
  }
  if (transpose_a && transpose_b) {
    result.noalias() += alpha * left.transpose() * right.transpose();
  } else if (transpose_a) {
    result.noalias() += alpha * left.transpose() * right;
  } else if (transpose_b) {
    result.noalias() += alpha * left * right.transpose();
  } else {
    result.noalias() += alpha * left * right;
  }
}

#endif

}  // namespace

void matrix_product(bool transpose_a, bool transpose_b, std::size_t m, std::size_t n, std::size_t k,
                    float alpha, const float* a, const float* b, float beta, float* c) {
  if (m == 0 || n == 0) return;
  if (k == 0) {
    if (beta == 0.0F) {
      std::fill_n(c, m * n, 0.0F);
    } else {
      scale(beta, {c, m * n});
    }
    return;
  }
  multiply(transpose_a, transpose_b, m, n, k, alpha, a, b, beta, c);
}

}  // namespace trainyard::kernels
