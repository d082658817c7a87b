// How fast one core computes: kernels, and whole SGD steps of the models, gradient and update.
//
// What to compare with, on a core of 4.1 GHz with two 512-bit multiply-add units:
//   matrix_product     265 GFLOP/s, the units' peak; oneDNN 2.6 reaches 250 where B is not
//                      transposed, 213 and 227 for back/32 and back/128, 100 for ten columns, of
//                      which a vector of 16 lanes can use 166
//   mlp, 256-128       263 k samples/s: 1.007 MFLOP a sample at that peak; products of oneDNN and
//   an
//                      axpy 210 k at batch 32, weights changed by the product itself 230 k
//   mlp, 512-512       83 k samples/s: 3.209 MFLOP a sample; oneDNN and axpy 72 k at batch 128
//   dense_logistic     35 M samples/s at batch 1: an estimate of the chain from weights to weights
//   sparse_step        about 0.6 ns a nonzero (estimated): 19 instructions, of them 6 loads and a
//   store, and in each
//                      row of 60 once the chain of sum, exponential and division, another 0.4
#include "trainyard/model/kernels.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "trainyard/base/random.hpp"
#include "trainyard/data/generate.hpp"
#include "trainyard/model/model.hpp"

namespace trainyard {
namespace {

using benchmark::Counter;
using benchmark::State;

AlignedBuffer<float> normal_floats(std::size_t size) {
  RandomStream random(1, Purpose::data_generator);
  AlignedBuffer<float> values(size);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

/// `work` units of something in each iteration, as units a second.
Counter rate(double work) {
  return {work, Counter::kIsIterationInvariantRate};
}
/// The same as seconds a unit.
Counter time_per(double work) {
  return {work, static_cast<Counter::Flags>(Counter::kIsIterationInvariantRate | Counter::kInvert)};
}

void dot(State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const AlignedBuffer<float> a = normal_floats(size), b = normal_floats(size);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(kernels::dot(a.span(), b.span()));
  state.counters["B/s"] = rate(8.0 * static_cast<double>(size));
}
BENCHMARK(dot)->Arg(54)->Arg(4096)->Arg(1 << 17)->Arg(1 << 24);

void axpy(State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const AlignedBuffer<float> x = normal_floats(size);
  AlignedBuffer<float> y = normal_floats(size);
  for ([[maybe_unused]] auto _ : state) {
    kernels::axpy(1e-9F, x.span(), y.span());
    benchmark::ClobberMemory();
  }
  state.counters["B/s"] = rate(12.0 * static_cast<double>(size));
}
BENCHMARK(axpy)->Arg(54)->Arg(4096)->Arg(1 << 17)->Arg(1 << 24);

void softmax_gradient(State& state) {
  const auto classes = static_cast<std::size_t>(state.range(0));
  const std::vector<std::int32_t> labels(32, 1);
  AlignedBuffer<float> scores = normal_floats(32 * classes);
  for ([[maybe_unused]] auto _ : state) {
    kernels::softmax_gradient(labels, 1.0F, scores.span());
    benchmark::ClobberMemory();
  }
  state.counters["rows/s"] = rate(32.0);
}
BENCHMARK(softmax_gradient)->Arg(10)->Arg(20)->Arg(1000);

/// The products of a network's step: forward X·W, weights' gradient Xᵀ·R, back R·Wᵀ.
void matrix_product(State& state, bool transpose_a, bool transpose_b) {
  const auto m = static_cast<std::size_t>(state.range(0));
  const auto n = static_cast<std::size_t>(state.range(1));
  const auto k = static_cast<std::size_t>(state.range(2));
  const AlignedBuffer<float> a = normal_floats(m * k), b = normal_floats(k * n);
  AlignedBuffer<float> c(m * n);
  for ([[maybe_unused]] auto _ : state) {
    kernels::matrix_product(transpose_a, transpose_b, m, n, k, 1.0F, a.data(), b.data(), 0.0F,
                            c.data());
    benchmark::ClobberMemory();
  }
  state.counters["FLOP/s"] = rate(2.0 * static_cast<double>(m * n * k));
}
BENCHMARK_CAPTURE(matrix_product, forward, false, false)
    ->Args({32, 256, 784})
    ->Args({32, 128, 256})
    ->Args({32, 10, 128})
    ->Args({64, 256, 784})
    ->Args({256, 256, 784})
    ->Args({128, 512, 784})
    ->Args({128, 512, 512});
BENCHMARK_CAPTURE(matrix_product, weights, true, false)
    ->Args({784, 256, 32})
    ->Args({256, 128, 32})
    ->Args({128, 10, 32})
    ->Args({784, 512, 128})
    ->Args({512, 512, 128});
BENCHMARK_CAPTURE(matrix_product, back, false, true)
    ->Args({32, 256, 128})
    ->Args({32, 128, 10})
    ->Args({128, 512, 512});

/// SGD over a data set, one minibatch an iteration, in stored order.
class Trainer {
 public:
  Trainer(const ModelOptions& options, const Dataset& data, std::size_t batch)
      : data_(data),
        batch_(batch),
        model_(make_model(options, data)),
        parameters_(model_->dimension()),
        gradient_(model_->dimension()) {
    model_->initialize(parameters_.span(), 1);
    const Model::SparseUpdate* update = model_->sparse_update();
    if (update != nullptr) residuals_ = AlignedBuffer<float>(update->residual_count(batch));
  }

  void gradient_step() {
    const RowRange range = next_range();
    model_->gradient(parameters_.span(), {&range, 1}, gradient_.span(), workspace_);
    kernels::axpy(-0.01F, gradient_.span(), parameters_.span());
  }

  void fused_step() {
    const RowRange range = next_range();
    model_->descend(parameters_.span(), {&range, 1}, 0.01F, workspace_);
  }

  void sparse_step() {
    const RowRange range = next_range();
    const Model::SparseUpdate& update = *model_->sparse_update();
    update.read(parameters_.span(), {&range, 1}, residuals_.span());
    update.write(parameters_.span(), {&range, 1}, residuals_.span(), 0.1F);
  }

  Tally evaluate() {
    const RowRange all{&data_, 0, data_.rows};
    return model_->evaluate(parameters_.span(), {&all, 1}, workspace_);
  }

 private:
  RowRange next_range() {
    if (next_ + batch_ > data_.rows) next_ = 0;
    next_ += batch_;
    return {&data_, next_ - batch_, batch_};
  }

  const Dataset& data_;
  std::size_t batch_;
  std::unique_ptr<Model> model_;
  AlignedBuffer<float> parameters_, gradient_, residuals_;
  Workspace workspace_;
  std::size_t next_ = 0;
};

void gradient_step(State& state, const ModelOptions& options, const Dataset& data) {
  const auto batch = static_cast<std::size_t>(state.range(0));
  Trainer trainer(options, data, batch);
  for ([[maybe_unused]] auto _ : state) trainer.gradient_step();
  state.counters["samples/s"] = rate(static_cast<double>(batch));
}

/// The same without laying the gradient down, as `sequential` does it.
void fused_step(State& state, const ModelOptions& options, const Dataset& data) {
  const auto batch = static_cast<std::size_t>(state.range(0));
  Trainer trainer(options, data, batch);
  for ([[maybe_unused]] auto _ : state) trainer.fused_step();
  state.counters["samples/s"] = rate(static_cast<double>(batch));
}

/// The size of fashion-mnist's pictures. 6400 rows are 20 MB: they stream from memory, as in
/// training.
const Dataset& pictures() {
  static const Dataset data = generate_blobs(6400, 784, 10, 8.0, 1);
  return data;
}
void mlp_step_256_128(State& state) {
  gradient_step(state, {"mlp:256,128", 0.0}, pictures());
}
void mlp_step_256_128_l2(State& state) {
  gradient_step(state, {"mlp:256,128", 1e-4}, pictures());
}
void mlp_step_512_512(State& state) {
  gradient_step(state, {"mlp:512,512", 0.0}, pictures());
}
/// With momentum, the update is a pass over three vectors.
void momentum_step(State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const AlignedBuffer<float> gradient = normal_floats(size);
  AlignedBuffer<float> velocity = normal_floats(size), model = normal_floats(size);
  for ([[maybe_unused]] auto _ : state) {
    kernels::momentum_step(0.9, 1.0, 1e-9, gradient.span(), velocity.span(), model.span());
    benchmark::ClobberMemory();
  }
  state.counters["B/s"] = rate(20.0 * static_cast<double>(size));
}
BENCHMARK(momentum_step)->Arg(54)->Arg(235146);

void mlp_fused_256_128(State& state) {
  fused_step(state, {"mlp:256,128", 0.0}, pictures());
}
void mlp_fused_512_512(State& state) {
  fused_step(state, {"mlp:512,512", 0.0}, pictures());
}
void softmax_step(State& state) {
  gradient_step(state, {"softmax", 1e-4}, pictures());
}
BENCHMARK(mlp_step_256_128)->Arg(1)->Arg(32)->Arg(128);
BENCHMARK(mlp_step_256_128_l2)->Arg(32);
BENCHMARK(mlp_step_512_512)->Arg(32)->Arg(128);
BENCHMARK(mlp_fused_256_128)->Arg(1)->Arg(32)->Arg(128);
BENCHMARK(mlp_fused_512_512)->Arg(32)->Arg(128);
BENCHMARK(softmax_step)->Arg(32)->Arg(128);

/// The size of covtype's rows.
const Dataset& measures() {
  static const Dataset data = generate_dense_logistic(100000, 54, 1);
  return data;
}
void dense_logistic_step(State& state) {
  gradient_step(state, {"logistic", 1e-4}, measures());
}
void dense_logistic_fused(State& state) {
  fused_step(state, {"logistic", 1e-4}, measures());
}
BENCHMARK(dense_logistic_step)->Arg(1)->Arg(64);
BENCHMARK(dense_logistic_fused)->Arg(1)->Arg(64);

/// The size of rcv1's rows; weights and rows are in cache.
const Dataset& documents() {
  static const Dataset data = generate_sparse_logistic(20000, 47000, 74, 1);
  return data;
}
Counter time_per_nonzero(std::size_t batch) {
  return time_per(static_cast<double>(batch * documents().nonzeros()) /
                  static_cast<double>(documents().rows));
}
/// In two halves, as shared models and private ones of one row have it.
void sparse_step(State& state, const ModelOptions& options) {
  const auto batch = static_cast<std::size_t>(state.range(0));
  Trainer trainer(options, documents(), batch);
  for ([[maybe_unused]] auto _ : state) trainer.sparse_step();
  state.counters["s/nonzero"] = time_per_nonzero(batch);
}
/// As private models have it of more rows.
void sparse_descent(State& state, const ModelOptions& options) {
  fused_step(state, options, documents());
  state.counters["s/nonzero"] = time_per_nonzero(static_cast<std::size_t>(state.range(0)));
}
BENCHMARK_CAPTURE(sparse_step, logistic, {"logistic", 0.0})->Arg(1)->Arg(16)->Arg(64);
BENCHMARK_CAPTURE(sparse_step, logistic_l2, {"logistic", 1e-5})->Arg(1)->Arg(16)->Arg(64);
BENCHMARK_CAPTURE(sparse_step, least_squares, {"least-squares", 0.0})->Arg(1)->Arg(16)->Arg(64);
BENCHMARK_CAPTURE(sparse_step, softmax_2, {"softmax", 0.0})->Arg(1)->Arg(16)->Arg(64);
BENCHMARK_CAPTURE(sparse_descent, logistic, {"logistic", 0.0})->Arg(16)->Arg(64);
BENCHMARK_CAPTURE(sparse_descent, logistic_l2, {"logistic", 1e-5})->Arg(16)->Arg(64);
BENCHMARK_CAPTURE(sparse_descent, softmax_2, {"softmax", 0.0})->Arg(16)->Arg(64);

void evaluate(State& state, const ModelOptions& options, const Dataset& data) {
  Trainer trainer(options, data, 1);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(trainer.evaluate());
  state.counters["rows/s"] = rate(static_cast<double>(data.rows));
}
void evaluate_mlp(State& state) {
  evaluate(state, {"mlp:256,128", 0.0}, pictures());
}
void evaluate_softmax(State& state) {
  evaluate(state, {"softmax", 0.0}, pictures());
}
void evaluate_sparse_logistic(State& state) {
  evaluate(state, {"logistic", 0.0}, documents());
}
BENCHMARK(evaluate_mlp);
BENCHMARK(evaluate_softmax);
BENCHMARK(evaluate_sparse_logistic);

}  // namespace
}  // namespace trainyard
