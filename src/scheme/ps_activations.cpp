// Activations instead of gradients (Project Adam: Chilimbi, Suzue, Apacible & Kalyanaraman, OSDI
// 2014, §3.3.2; catalogue §2.10): ps-async for networks of fully connected layers. The gradient of
// a layer's M × N weights over a minibatch of K rows is aᵀδ, the product of what went into the
// layer, a (K × M), and of the slopes of what came out, δ (K × N). A worker may send both instead,
// and the server forms the product. That is fewer numbers where
//   K (M + N) < M N + N
// (the N biases, whose gradient is the column sums of δ, come along): for 4096 × 4096 up to K =
// 2048. Models come down as they do in ps-async, so at best the bytes are halved.
//
// Each server decides for each layer of which it holds a part, as the worker does by the same rule:
// a server with R rows of a layer's weights needs R columns of a and all of δ. So with more servers
// δ is sent more often, and it pays for smaller minibatches only. The first layer's a are the
// features; those of sparse data would be longer than they are, and its gradient is sent.
//
// With --l2 a server adds λ W of its own weights to aᵀδ, as it has no others; of a gradient that
// was sent, λ W is the worker's. Models without layers are trained just as in ps-async.
//
// Project Adam's epochs, which end when 75 % of their minibatches are there (§3.2), are those of
// ps-async-epochs: with --push activations it sends what is sent here.
#include "scheme/ps_activations.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/model/layered_model.hpp"
#include "trainyard/model/row_weights.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

/// A server's part of a layer. Places are of parameters, from the server's first one.
struct Piece {
  std::size_t layer = 0, inputs = 0, outputs = 0;  // M, N
  ParameterRange weights{}, biases{};
  std::size_t first_weight = 0;  // the number of the first of them in the layer's matrix
  bool by_activations = false;

  std::size_t first_row() const { return first_weight / outputs; }
  std::size_t rows() const {
    return (first_weight + weights.count + outputs - 1) / outputs - first_row();
  }
  std::size_t size() const { return weights.count + biases.count; }
  std::size_t size_by_activations(std::size_t batch) const { return batch * (rows() + outputs); }
  std::size_t sent(std::size_t batch) const {
    return by_activations ? size_by_activations(batch) : size();
  }
};

/// The shard's part of [first, first + count), counted from the shard's beginning.
ParameterRange part_of(ParameterRange shard, std::size_t first, std::size_t count) {
  const std::size_t begin = std::max(first, shard.first);
  const std::size_t end = std::min(first + count, shard.first + shard.count);
  return begin < end ? ParameterRange{begin - shard.first, end - begin} : ParameterRange{};
}

/// The shard's pieces one after the other. REQUIRES: the model has layers.
std::vector<Piece> pieces_of(const GradientShape& shape, ParameterRange shard) {
  std::vector<Piece> pieces;
  std::size_t first = 0;
  for (std::size_t layer = 0; 2 * layer < shape.tensors.size(); ++layer) {
    const TensorShape weights = shape.tensors[2 * layer], biases = shape.tensors[2 * layer + 1];
    Piece piece{.layer = layer, .inputs = weights.rows, .outputs = weights.columns};
    piece.weights = part_of(shard, first, weights.size());
    piece.biases = part_of(shard, first + weights.size(), biases.size());
    piece.first_weight = std::max(first, shard.first) - first;
    first += weights.size() + biases.size();
    if (piece.size() == 0) continue;
    piece.by_activations = piece.weights.count > 0 && !(layer == 0 && shape.sparse) &&
                           piece.size_by_activations(shape.batch) < piece.size();
    pieces.push_back(piece);
  }
  return pieces;
}

/// A worker's forward and backward pass, layer by layer, and what of it each server is sent.
class Passes {
 public:
  explicit Passes(Worker& worker)
      : worker_(worker),
        shape_(worker.gradient_shape()),
        model_(worker.layers()),
        layers_(model_.cut(static_cast<int>(shape_.tensors.size() / 2))),
        spaces_(layers_.size()),
        inputs_(layers_.size()),
        slopes_(layers_.size()),
        gradient_(VectorBuffer::zeroed(Scalar::float32, worker.replica().size())) {
    const int servers = worker.comm().servers();
    std::size_t longest = 0;
    for (int server = 0; server < servers; ++server) {
      const Vector shard = even_split(worker.replica(), server, servers);
      const std::size_t before = shard.empty() ? 0 : first_of(shard);
      pieces_.push_back(pieces_of(shape_, {before, shard.size()}));
      std::size_t sent = 0;
      for (const Piece& piece : pieces_.back()) sent += piece.sent(shape_.batch);
      longest = std::max(longest, sent);
    }
    message_ = AlignedBuffer<float>(longest);
    scores_ = AlignedBuffer<float>(shape_.batch * layers_.back().outputs);
    if (!shape_.sparse) features_ = AlignedBuffer<float>(shape_.batch * layers_.front().inputs);
  }

  void compute() {
    worker_.minibatches().compute_on_next([&](Batch batch) {
      forward(batch);
      backward(batch);
    });
  }

  /// The gradient of the last minibatch.
  ConstVector gradient() const { return gradient_.view(); }

  /// Valid until the next call.
  ConstVector message(int server) {
    std::size_t written = 0;
    const auto write = [&](std::span<const float> values) {
      std::ranges::copy(values, message_.span().begin() + static_cast<std::ptrdiff_t>(written));
      written += values.size();
    };
    const Vector shard = even_split(gradient_.view(), server, worker_.comm().servers());
    for (const Piece& piece : pieces_[static_cast<std::size_t>(server)]) {
      if (!piece.by_activations) {
        write(shard.floats().subspan(piece.weights.first, piece.weights.count));
        write(shard.floats().subspan(piece.biases.first, piece.biases.count));
        continue;
      }
      for (std::size_t row = 0; row < shape_.batch; ++row) {
        write(inputs_[piece.layer].subspan(row * piece.inputs + piece.first_row(), piece.rows()));
      }
      write(slopes_[piece.layer]);
    }
    return ConstVector(message_.span().first(written));
  }

 private:
  std::size_t first_of(Vector shard) {
    return static_cast<std::size_t>(shard.data() - worker_.replica().data()) / sizeof(float);
  }
  template <typename View>
  static View part(View all, const Stage& layer) {
    return all.subspan(layer.parameters.first, layer.parameters.count);
  }

  void forward(Batch batch) {
    if (!shape_.sparse) {
      float* next = features_.data();
      for (const RowRange& range : batch) {
        for (std::size_t row = range.first; row < range.first + range.count; ++row) {
          next = std::ranges::copy(range.data->dense_row(row), next).out;
        }
      }
      inputs_.front() = features_.span();
    }
    std::span<const float> units;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      if (l > 0) inputs_[l] = units;
      units = model_.forward(layers_[l], part(worker_.replica(), layers_[l]), batch,
                             l > 0 ? units : std::span<const float>(), spaces_[l]);
    }
    std::ranges::copy(units, scores_.data());
  }

  void backward(Batch batch) {
    const std::size_t classes = layers_.back().outputs;
    std::size_t done = 0;
    for (const RowRange& range : batch) {
      kernels::softmax_gradient(
          std::span(range.data->labels.data(), range.data->rows).subspan(range.first, range.count),
          1.0F / static_cast<float>(shape_.batch),
          scores_.span().subspan(done * classes, range.count * classes));
      done += range.count;
    }
    weigh_rows(batch, classes, scores_.span().first(done * classes));
    slopes_.back() = scores_.span();
    std::span<const float> above;
    for (std::size_t l = layers_.size(); l-- > 0;) {
      if (l + 1 < layers_.size()) slopes_[l] = above;
      above = model_.backward(layers_[l], part(worker_.replica(), layers_[l]), batch,
                              l > 0 ? inputs_[l] : std::span<const float>(), above,
                              part(gradient_.view(), layers_[l]), spaces_[l]);
    }
  }

  Worker& worker_;
  const GradientShape shape_;
  const LayeredModel& model_;
  const std::vector<Stage> layers_;  // a stage each
  std::vector<Workspace> spaces_;
  std::vector<std::span<const float>> inputs_, slopes_;  // a and δ of each layer
  VectorBuffer gradient_;
  std::vector<std::vector<Piece>> pieces_;  // of each server
  AlignedBuffer<float> features_, scores_, message_;
};

/// A server's gradient out of what a worker sent.
class Products {
 public:
  explicit Products(Server& server)
      : server_(server),
        shape_(server.gradient_shape()),
        pieces_(pieces_of(shape_, shard_range(server))) {
    std::size_t largest = 0;
    for (const Piece& piece : pieces_) {
      if (piece.by_activations) {
        largest = std::max(largest, (piece.rows() + 1) * piece.outputs);
      }
    }
    product_ = AlignedBuffer<float>(largest);
  }

  ConstVector gradient(std::span<const float> message) {
    const Vector sum = server_.zeroed_sum();
    const auto read = [&](std::size_t count) {
      const auto values = message.first(count);
      message = message.subspan(count);
      return values;
    };
    for (const Piece& piece : pieces_) {
      const auto weights = sum.floats().subspan(piece.weights.first, piece.weights.count);
      const auto biases = sum.floats().subspan(piece.biases.first, piece.biases.count);
      if (!piece.by_activations) {
        std::ranges::copy(read(weights.size()), weights.begin());
        std::ranges::copy(read(biases.size()), biases.begin());
        continue;
      }
      const auto inputs = read(shape_.batch * piece.rows());
      const auto slopes = read(shape_.batch * piece.outputs);
      multiply(piece, inputs, slopes, weights, biases);
    }
    return sum;
  }

 private:
  static ParameterRange shard_range(Server& server) {
    const int servers = server.comm().servers();
    const int index = server.comm().rank() - server.comm().workers();
    const std::size_t begin = even_cut(server.dimension(), index, servers);
    return {begin, even_cut(server.dimension(), index + 1, servers) - begin};
  }

  /// aᵀδ, of which the piece may begin and end within a row, and the column sums of δ.
  void multiply(const Piece& piece, std::span<const float> inputs, std::span<const float> slopes,
                std::span<float> weights, std::span<float> biases) {
    const std::size_t rows = piece.rows(), outputs = piece.outputs;
    const auto product = product_.span().first(rows * outputs);
    kernels::matrix_product(true, false, rows, outputs, shape_.batch, 1.0F, inputs.data(),
                            slopes.data(), 0.0F, product.data());
    std::ranges::copy(
        product.subspan(piece.first_weight - piece.first_row() * outputs, weights.size()),
        weights.begin());
    const double l2 = shape_.layers->l2();
    if (l2 != 0.0) {
      kernels::axpy(l2, server_.shard().subspan(piece.weights.first, weights.size()), weights);
    }
    if (biases.empty()) return;
    const auto sums = product_.span().subspan(rows * outputs, outputs);
    kernels::column_sums(slopes, sums);
    // A server that has weights of a layer has its biases from the first one on.
    std::ranges::copy(sums.first(biases.size()), biases.begin());
  }

  Server& server_;
  const GradientShape shape_;
  const std::vector<Piece> pieces_;
  AlignedBuffer<float> product_;  // and column sums behind it
};

void work(Worker& worker) {
  ps_activations_work(worker, ps_async_steps);
}

void serve(Server& server) {
  ps_activations_serve(server, ps_async_serve);
}

}  // namespace

void ps_activations_work(Worker& worker, void (*steps)(Worker& worker, PushStep push_step)) {
  std::optional<Passes> passes;
  if (worker.gradient_shape().layers != nullptr) passes.emplace(worker);
  steps(worker, [&](std::span<const std::uint64_t> tags) {
    if (!passes) return push_gradient(worker, tags);
    passes->compute();
    for_each_shard(worker.comm(), [&](int shard) {
      worker.comm().send(worker.comm().server(shard), passes->message(shard),
                         tags[static_cast<std::size_t>(shard)]);
    });
    return passes->gradient();
  });
}

void ps_activations_serve(Server& server, void (*serve)(Server& server, ReadPush read)) {
  std::optional<Products> products;
  if (server.gradient_shape().layers != nullptr) products.emplace(server);
  serve(server, [&](const Message& push) {
    return products ? products->gradient(push.floats()) : push.vector();
  });
}

Scheme ps_activations_scheme() {
  return {
      .name = "ps-activations",
      .summary = "ps-async that sends layers' activations and deltas where that is shorter",
      .step = "γ × each gradient: as ps-async",
      .cost = {.formula = "as ps-async, with K(M + N) numbers up for a layer of M × N",
               .rate = "as ps-async"},
      .source = "Chilimbi et al. 2014; catalogue 2.10",
      .family = SchemeFamily::asynchronous,
      .order = {.pace = Pace::free, .outlives_worker = true},
      .cast = cast::servers,
      .optimizers = {.no_clip_norm = "pushes activations, of which its servers make the gradient"},
      .shares = {.fixed =
                     "activations and slopes are sent, and not gradients that could be weighed"},
      .worker = work,
      .server = serve};
}

}  // namespace trainyard
