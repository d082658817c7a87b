// signSGD with majority vote (Bernstein, Wang, Azizzadenesheli & Anandkumar, ICML 2018, Algorithm
// 3; catalogue §5): a worker sends the signs of its gradient, the server those of their sum, and
// everybody steps by γ in each coordinate:
//   x ← x − γ sgn(Σ_i sgn(g_i(x))),  sgn(0) = 0.
// A gradient of 0 is no vote, and after a tie, or where nobody votes, x stays: so it is in that
// paper's experiments. A vote has three states, and takes two bits each way. The paper counts one
// bit, which is enough where no gradient is ever 0. With one bit 0 has to be something else: +1 in
// the experiments of their later paper (ICLR 2019), and then what has no gradient drifts by −γ a
// step. On sparse rows that is most of the model: on a9a with 8 workers of 32 rows and γ = 0.01 the
// loss after two epochs is 0.40 with sgn(0) = 0, and 0.53 with +1.
//
// The vote is not the mean: gradients of 4, −1 and −1 have mean 2/3, and two of three vote for a
// step uphill.
#include <limits>
#include <memory>

#include "trainyard/codec/ternary.hpp"
#include "trainyard/codec/wire.hpp"
#include "trainyard/collective/coded_exchange.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/coded.hpp"

namespace trainyard {

namespace {

/// sgn(x), sgn(0) = 0. Wire: −1, 0 and 1 as 0, 1 and 2 in two bits: 2d bits.
class Votes final : public Codec {
 public:
  std::size_t most_bytes(Scalar /*scalar*/, TensorShapes shapes) const override {
    return wire::bytes_of_bits(2 * total_size(shapes));
  }
  std::size_t encode(ConstVector x, TensorShapes shapes, RandomStream& /*random*/,
                     CodecScratch& /*scratch*/, std::span<std::byte> wire) const override {
    with_scalar(x.scalar(), [&]<typename T>(T) {
      codec_loops<T>().write_trits_beyond(x.as<T>(), std::numeric_limits<T>::denorm_min(),
                                          wire.data());
    });
    return most_bytes(x.scalar(), shapes);
  }
  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes shapes,
                  Vector sum) const override {
    wire::expect_size(wire, most_bytes(sum.scalar(), shapes));
    with_scalar(sum.scalar(),
                [&]<typename T>(T) { add_trits(static_cast<T>(scale), wire, sum.as<T>()); });
  }
  bool unbiased() const override { return false; }
  double error_bound(std::size_t /*length*/) const override {
    return std::numeric_limits<double>::infinity();
  }
};

const Codec& votes() {
  static const Votes codec;
  return codec;
}

void work(Worker& worker) {
  Coder coder = worker.coder(&votes());
  while (worker.next_step()) {
    const auto gradient = worker.compute_gradient();
    push_coded(worker.comm(), coder, gradient);
    kernels::set_to_zero(gradient);
    pull_coded(worker.comm(), coder, 1.0, gradient);
    worker.apply(gradient);
  }
}

void serve(Server& server) {
  Coder coder = server.coder(&votes());
  Communicator& comm = server.comm();
  while (comm.await_message()) {
    const auto sum = server.zeroed_sum();
    sum_coded_pushes(comm, coder, 1.0, sum);
    answer_all_coded(comm, coder.encode(sum));
  }
}

/// Empty with several servers, whose shards are encoded while others are under way.
std::optional<Duration> step_time(const StepSetting& s) {
  return coded_server_time(s, votes(), {.answers = true});
}

}  // namespace

Scheme sign_sgd_scheme() {
  const CodecInfo& info = codec_info("two-bit");  // the same loops
  return {
      .name = "sign-sgd",
      .summary =
          "signs of gradients to the server, which sends back what most voted for; 0 is "
          "no vote",
      .step = "γ in each coordinate, whatever the gradient's size; none after a tie",
      .cost = {.formula = "c + e + max(m + nd, nm + d) + e + nm + d; e, d: coding, m: two bits "
                          "a number",
               .rate = "1/ε with minibatches of 1/ε rows, to E‖∇f‖₁² ≤ ε; none where votes and "
                       "mean disagree",
               .time = step_time},
      .source = "Bernstein, Wang, Azizzadenesheli & Anandkumar 2018; catalogue 5",
      .family = SchemeFamily::synchronous,
      .order = {.members_may_change = true},
      .cast = cast::replicas_with_servers,
      .messages = {.own_coding = {info.encode_time, info.decode_time}},
      .optimizers = {.no_l1 =
                         "steps by signs, as far in each coordinate: that is no gradient that a "
                         "penalty could be held against",
                     .no_clip_norm = "sends signs, which do not change with a gradient's length"},
      .shares = {.fixed = "each worker has one vote, whatever the length of its gradient"},
      .worker = work,
      .server = serve};
}

}  // namespace trainyard
