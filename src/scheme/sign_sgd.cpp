// signSGD with majority vote (Bernstein, Wang, Azizzadenesheli & Anandkumar, ICML 2018, Algorithm
// 3; catalogue §5): a worker sends the signs of its gradient, the server those of their sum, and
// everybody steps by γ in each coordinate:
//   x ← x − γ sgn(Σ_i sgn(g_i(x))).
// One bit a number each way. sgn(0) = +1, so a tie, which an even number of workers can have, is a
// vote for +1; with an odd number there are none. The vote is not the mean: gradients of 4, −1 and
// −1 have mean 2/3, and two of three vote for a step uphill.
#include "trainyard/collective/coded_exchange.hpp"
#include "trainyard/model/kernels.hpp"

#include "scheme/coded.hpp"

namespace trainyard {

namespace {

/// Signs alone, d bits.
const Codec& signs() {
  static const std::shared_ptr<const Codec> codec = make_codec("plain-sign");
  return *codec;
}

void work(Worker& worker) {
  Coder coder = worker.coder(signs());
  while (worker.next_step()) {
    const auto gradient = worker.compute_gradient();
    push_coded(worker.comm(), coder, gradient);
    kernels::set_to_zero(gradient);
    pull_coded(worker.comm(), coder, 1.0, gradient);
    worker.apply(gradient);
  }
}

void serve(Server& server) {
  Coder coder = server.coder(signs());
  Communicator& comm = server.comm();
  while (comm.await_message()) {
    const auto votes = server.zeroed_sum();
    sum_coded_pushes(comm, coder, 1.0, votes);
    answer_all_coded(comm, coder.encode(votes));
  }
}

/// Empty with several servers, whose shards are encoded while others are under way.
std::optional<Duration> step_time(const StepSetting& s) {
  return coded_server_time(s, signs(), {.answers = true});
}

}  // namespace

Scheme sign_sgd_scheme() {
  const CodecInfo& info = codec_info("plain-sign");
  return {.name = "sign-sgd",
          .summary = "signs of gradients to the server, which sends back what most voted for",
          .step = "γ in each coordinate, whatever the gradient's size",
          .cost = {.formula = "c + e + max(m + nd, nm + d) + e + nm + d; e, d: coding, m: a bit a "
                              "number",
                   .rate = "1/ε² in the 1-norm of the gradient; none where votes and mean disagree",
                   .time = step_time},
          .source = "Bernstein, Wang, Azizzadenesheli & Anandkumar 2018; catalogue 5",
          .family = SchemeFamily::synchronous,
          .cast = cast::replicas_with_servers,
          .own_coding = {info.encode_time, info.decode_time},
          .worker = work,
          .server = serve};
}

}  // namespace trainyard
