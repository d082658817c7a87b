// Matrix products of training, here and in OpenBLAS and oneDNN: products FORM:M:N:K...
//
// FORM is forward (X·W), weights (Xᵀ·R) or back (R·Wᵀ); the product is M × N of K terms. Prints a
// line for each, in GFLOP/s: FORM:M:N:K ours openblas onednn, 0 for a library that is not there,
// and before them "peak GFLOP/s", what this core's multiply-add units reach with nothing to load.
// All three take turns on the same matrices, in slices of a few products so short that most go
// undisturbed, and the fastest slice of each counts. One thread; the libraries are loaded at run
// time, so that neither is needed to build this, and told to use one as well.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <string>

#include <dlfcn.h>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/base/random.hpp"
#include "trainyard/model/kernels.hpp"

namespace {

using trainyard::AlignedBuffer;
using Clock = std::chrono::steady_clock;
using CblasSgemm = void(int, int, int, int, int, int, float, const float*, int, const float*, int,
                        float, float*, int);
using DnnlSgemm = int(char, char, std::int64_t, std::int64_t, std::int64_t, float, const float*,
                      std::int64_t, const float*, std::int64_t, float, float*, std::int64_t);

template <typename Function>
Function* loaded(std::initializer_list<const char*> libraries, const char* name) {
  for (const char* library : libraries) {
    void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) return reinterpret_cast<Function*>(dlsym(handle, name));
  }
  return nullptr;
}

double seconds(const std::function<void()>& work, int repetitions) {
  work();  // what others left of the caches is not the product's
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < repetitions; ++i) work();
  return std::chrono::duration<double>(Clock::now() - begin).count() / repetitions;
}

/// In GFLOP/s: of twelve independent sums, for two units that take four cycles each.
double peak() {
#if defined(__AVX512F__)
  constexpr int lanes = 16;
#elif defined(__AVX__)
  constexpr int lanes = 8;
#else
  constexpr int lanes = 4;
#endif
  using Vector = float __attribute__((vector_size(lanes * sizeof(float))));
  constexpr int sums = 12, times = 1000;
  double best = 0.0;
  volatile float used = 0.5F;
  for (int attempt = 0; attempt < 2000; ++attempt) {
    const Vector factor = Vector{} + used;
    Vector sum[sums];
    for (int s = 0; s < sums; ++s)
      sum[s] = factor + static_cast<float>(s);  // or one would do for all
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < times; ++i) {
#pragma GCC unroll 12
      for (int s = 0; s < sums; ++s) sum[s] = sum[s] * factor + factor;
    }
    // What is stored cannot be left out, nor computed after this.
    for (int s = 0; s < sums; ++s) used = sum[s][0] * 0.0F + 0.5F;
    const double took = std::chrono::duration<double>(Clock::now() - begin).count();
    best = std::max(best, 2.0 * times * sums * lanes / took / 1e9);
  }
  return best;
}

struct Libraries {
  CblasSgemm* openblas = loaded<CblasSgemm>({"libopenblas.so.0"}, "cblas_sgemm");
  DnnlSgemm* onednn = loaded<DnnlSgemm>({"libdnnl.so.3", "libdnnl.so.2"}, "dnnl_sgemm");
};

AlignedBuffer<float> normal_floats(std::size_t size) {
  trainyard::RandomStream random(1, trainyard::Purpose::data_generator);
  AlignedBuffer<float> values(size);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

void measure(const Libraries& libraries, const std::string& shape) {
  std::array<char, 16> form{};
  int m = 0, n = 0, k = 0;
  if (std::sscanf(shape.c_str(), "%15[a-z]:%d:%d:%d", form.data(), &m, &n, &k) != 4) {
    std::fprintf(stderr, "products: '%s' is not FORM:M:N:K\n", shape.c_str());
    std::exit(2);
  }
  const bool turn_a = form[0] == 'w', turn_b = form[0] == 'b';
  const int lda = turn_a ? m : k, ldb = turn_b ? k : n;
  const auto size = [](int rows, int columns) { return static_cast<std::size_t>(rows) * columns; };
  const AlignedBuffer<float> a = normal_floats(size(m, k)), b = normal_floats(size(k, n));
  AlignedBuffer<float> c(size(m, n));
  const std::array<std::function<void()>, 3> sides = {
      [&] {
        trainyard::kernels::matrix_product(turn_a, turn_b, m, n, k, 1.0F, a.data(), b.data(), 0.0F,
                                           c.data());
      },
      [&] {
        libraries.openblas(101, turn_a ? 112 : 111, turn_b ? 112 : 111, m, n, k, 1.0F, a.data(),
                           lda, b.data(), ldb, 0.0F, c.data(), n);
      },
      [&] {
        libraries.onednn(turn_a ? 'T' : 'N', turn_b ? 'T' : 'N', m, n, k, 1.0F, a.data(), lda,
                         b.data(), ldb, 0.0F, c.data(), n);
      }};
  const std::array<bool, 3> there = {true, libraries.openblas != nullptr,
                                     libraries.onednn != nullptr};
  const double work = 2.0 * m * n * k;
  const int repetitions = std::max(1, static_cast<int>(1.5e7 / work));
  std::array<double, 3> best{};
  for (int turn = 0; turn < 40; ++turn) {
    for (std::size_t side = 0; side < sides.size(); ++side) {
      if (!there[side]) continue;
      best[side] = std::max(best[side], work / seconds(sides[side], repetitions) / 1e9);
    }
  }
  std::printf("%s %.1f %.1f %.1f\n", shape.c_str(), best[0], best[1], best[2]);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  setenv("OMP_NUM_THREADS", "1", 1);
  const Libraries libraries;
  std::printf("peak %.1f\n", peak());
  for (int shape = 1; shape < argc; ++shape) measure(libraries, argv[shape]);
}
