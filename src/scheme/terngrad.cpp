// TernGrad over a parameter server (Wen, Xu, Yan, Wu, Wang, Chen & Li, NIPS 2017, Algorithm 1 with
// its scaler sharing; catalogue §5). Workers first agree on the largest number of all their
// gradients, M = max_i max_j |g_ij|; each then sends
//   t_ij = sgn(g_ij) with probability |g_ij| / M, else 0,
// in two bits, and the server adds them up. As all have the same unit, the sum is a whole number
// from −n to n, which goes back in ⌈log2(2n+1)⌉ bits:
//   x ← x − γ (M/n) Σ_i t_i.
// Unbiased, with E‖error‖² = (1/n²) Σ_i Σ_j |g_ij| (M − |g_ij|). With a unit of its own for each
// worker (csgd{codec=terngrad}) the error is smaller, and the sum has to go back in floats.
//
// --clip-deviations C: a worker's numbers beyond ±Cσ are brought back to that (the paper has 2.5);
// biased. σ is the standard deviation about the mean of its gradient, as in the authors' code. The
// paper does all of it layer by layer; here M and σ are those of the whole gradient.
#include <algorithm>
#include <cmath>
#include <limits>

#include "trainyard/codec/norms.hpp"
#include "trainyard/codec/ternary.hpp"
#include "trainyard/codec/wire.hpp"
#include "trainyard/collective/coded_exchange.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/coded.hpp"

namespace trainyard {

namespace {

/// t of a vector, for a unit M that sender and receiver know. Each rank has its own.
class SharedUnitTrits final : public Codec {
 public:
  void set_unit(double unit) { unit_ = unit; }

  std::size_t most_bytes(Scalar /*scalar*/, TensorShapes shapes) const override {
    return wire::bytes_of_bits(2 * total_size(shapes));
  }
  std::size_t encode(ConstVector x, TensorShapes shapes, RandomStream& random,
                     CodecScratch& /*scratch*/, std::span<std::byte> wire) const override {
    const Dither dither(random);
    with_scalar(x.scalar(), [&]<typename T>(T) {
      codec_loops<T>().write_random_trits(x.as<T>(), static_cast<T>(unit_), dither, wire.data());
    });
    return most_bytes(x.scalar(), shapes);
  }
  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes shapes,
                  Vector sum) const override {
    wire::expect_size(wire, most_bytes(sum.scalar(), shapes));
    with_scalar(sum.scalar(), [&]<typename T>(T) {
      add_trits(static_cast<T>(scale * unit_), wire, sum.as<T>());
    });
  }
  bool unbiased() const override { return true; }
  double error_bound(std::size_t /*length*/) const override {
    return std::numeric_limits<double>::infinity();
  }

 private:
  double unit_ = 1.0;
};

/// Whole numbers from −n to n, plus n, in ⌈log2(2n+1)⌉ bits each; nothing is lost.
class SumOfTrits final : public Codec {
 public:
  explicit SumOfTrits(int n)
      : n_(n), bits_(wire::bits_for(2 * static_cast<std::uint64_t>(n) + 1)) {}

  std::size_t most_bytes(Scalar /*scalar*/, TensorShapes shapes) const override {
    return wire::bytes_of_bits(bits_ * total_size(shapes));
  }
  std::size_t encode(ConstVector x, TensorShapes shapes, RandomStream& /*random*/,
                     CodecScratch& /*scratch*/, std::span<std::byte> wire) const override {
    wire::BitWriter writer(wire.data());
    with_scalar(x.scalar(), [&]<typename T>(T) {
      for (const T sum : x.as<T>()) {
        writer.put(static_cast<std::uint64_t>(static_cast<std::int64_t>(sum) + n_), bits_);
      }
    });
    writer.finish();
    return most_bytes(x.scalar(), shapes);
  }
  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes shapes,
                  Vector sum) const override {
    wire::expect_size(wire, most_bytes(sum.scalar(), shapes));
    wire::BitReader reader(wire);
    const auto most = static_cast<std::uint64_t>(2 * n_);
    with_scalar(sum.scalar(), [&]<typename T>(T) {
      for (T& value : sum.as<T>()) {
        const std::uint64_t code = reader.take(bits_);
        if (code > most) throw MalformedMessage("a sum of an encoded vector is above the largest");
        value += static_cast<T>(scale * static_cast<double>(static_cast<std::int64_t>(code) - n_));
      }
    });
    reader.expect_end();
  }
  bool unbiased() const override { return true; }
  double error_bound(std::size_t /*length*/) const override { return 0.0; }

 private:
  std::int64_t n_;
  unsigned bits_;
};

/// Brings numbers beyond `deviations` back to it; 0 leaves them, and so does a gradient of a single
/// number or one that is not finite, which is for the coder to refuse. Returns the largest
/// magnitude.
double clip(Vector gradient, double deviations) {
  return with_scalar(gradient.scalar(), [&]<typename T>(T) {
    const std::span<T> numbers = gradient.as<T>();
    const std::span<const T> all = numbers;
    if (deviations > 0.0 && all.size() > 1) {
      const double deviation = standard_deviation(all);
      const T most = within<T>(deviations * deviation);
      if (std::isfinite(deviation)) {
        for (T& value : numbers) value = std::clamp(value, -most, most);
      }
    }
    return static_cast<double>(largest_of(all));
  });
}

/// The largest of what all workers bring, by way of the first server.
double common_maximum(Communicator& comm, double own, Vector number) {
  with_scalar(number.scalar(), [&]<typename T>(T) { number.as<T>()[0] = static_cast<T>(own); });
  comm.send(comm.server(0), number);
  const Message answer = comm.receive(comm.server(0));
  return with_scalar(number.scalar(), [&]<typename T>(T) {
    return static_cast<double>(answer.vector().as<T>()[0]);
  });
}

void answer_maximum(Communicator& comm, Vector number) {
  with_scalar(number.scalar(), [&]<typename T>(T) {
    T& largest = number.as<T>()[0];
    largest = T{0};
    for (int worker = 0; worker < comm.workers(); ++worker) {
      const Message message = comm.receive(worker);
      largest = std::max(largest, message.vector().as<T>()[0]);
    }
  });
  for (int worker = 0; worker < comm.workers(); ++worker) comm.send(worker, number);
}

void work(Worker& worker) {
  Communicator& comm = worker.comm();
  SharedUnitTrits trits;
  const SumOfTrits sums(comm.workers());
  Coder coder = worker.coder(&trits), from_server = worker.coder(&sums);
  const double deviations = worker.hyperparameter("clip-deviations");
  VectorBuffer number(worker.replica().scalar(), 1);
  while (worker.next_step()) {
    const auto gradient = worker.compute_gradient();
    const double unit = common_maximum(comm, clip(gradient, deviations), number.view());
    trits.set_unit(unit);
    push_coded(comm, coder, gradient);
    kernels::set_to_zero(gradient);
    pull_coded(comm, from_server, unit / comm.workers(), gradient);
    worker.apply(gradient);
  }
}

void serve(Server& server) {
  Communicator& comm = server.comm();
  const SharedUnitTrits trits;  // of unit 1: what it adds up are the t themselves
  const SumOfTrits sums(comm.workers());
  Coder from_workers = server.coder(&trits), coder = server.coder(&sums);
  coder.measure_no_error();  // whole numbers, of which none is lost
  VectorBuffer number(server.shard().scalar(), 1);
  while (comm.await_message()) {
    if (comm.rank() == comm.server(0)) answer_maximum(comm, number.view());
    const auto sum = server.zeroed_sum();
    sum_coded_pushes(comm, from_workers, 1.0, sum);
    answer_all_coded(comm, coder.encode(sum));
  }
}

/// The last of n maxima is there after n messages of a number; the first worker is answered by
/// another, and encodes while the others are answered.
std::optional<Duration> step_time(const StepSetting& s) {
  if (s.servers > 1) return std::nullopt;
  const TensorShape column{s.parameters, 1};
  const int n = s.workers;
  const SharedUnitTrits trits;
  const SumOfTrits sums(n);
  const Duration maximum = s.message(1);
  const Duration up = s.message_of_bytes(trits.most_bytes(Scalar::float32, {&column, 1}));
  const Duration down = s.message_of_bytes(sums.most_bytes(Scalar::float32, {&column, 1}));
  if (up < maximum) return std::nullopt;
  const Duration e = s.encoding(s.parameters), d = s.decoding(s.parameters);
  return s.compute + (n + 1) * maximum + e + std::max(up + n * d, n * up + d) + e + n * down + d;
}

}  // namespace

Scheme terngrad_scheme() {
  const CodecInfo& info = codec_info("terngrad");
  return {.name = "terngrad",
          .summary =
              "ternary gradients with one unit for all workers, and for all layers where the "
              "paper has one a layer; their sum in few bits",
          .step = "γ × mean over workers",
          .cost = {.formula = "c + (n+1)f + e + max(m + nd, nm + d) + e + nm' + d; e, d: coding, "
                              "f: a message of a number, m: of 2 bits a number, m': of "
                              "⌈log2(2n+1)⌉",
                   .rate = "as csgd, with the error of the largest number of all",
                   .time = step_time},
          .source = "Wen et al. 2017; catalogue 5",
          .family = SchemeFamily::synchronous,
          .order = {.members_may_change = true, .rows_by_speed = RowsBySpeed::mean},
          .cast = cast::replicas_with_servers,
          // One time for trits and for sums, whose fields are packed one by one and take longer.
          .messages = {.own_coding = {3 * info.encode_time / 2, 3 * info.decode_time / 2}},
          .hyperparameters = {{.name = "clip-deviations",
                               .argument = "C",
                               .help = "numbers beyond C standard deviations of a gradient are "
                                       "brought back to that; 0: none",
                               .fallback = 0.0,
                               .low = 0.0,
                               .high = 1000.0}},
          .worker = work,
          .server = serve};
}

}  // namespace trainyard
