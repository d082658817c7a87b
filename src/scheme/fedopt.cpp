// FedOpt, adaptive federated optimization (Reddi, Charles, Zaheer, Garrett, Rush, Konečný, Kumar &
// McMahan, ICLR 2021, Algorithm 2): fedavg whose server does not go to the mean of the replicas,
// but takes the way there, Δ = mean(x_i) − x, for the negative gradient of an optimizer of its own:
//   m ← β₁ m + (1 − β₁) Δ,  x ← x + η m / (√v + ε),
//   adam     v ← β₂ v + (1 − β₂) Δ²                      FedAdam
//   yogi     v ← v − (1 − β₂) Δ² sign(v − Δ²)            FedYogi
//   adagrad  v ← v + Δ²                                  FedAdagrad
// coordinate by coordinate, without Adam's correction of its bias; ε is the paper's τ, which bounds
// how adaptive it is. v begins at ε², the least that the paper allows (Flower and decent-bench
// begin at 0). And
//   momentum m ← β₁ m + Δ,  x ← x + η m                  FedAvgM (Hsu, Qi & Brown 2019)
// which with β₁ = 0 and η = 1 is fedavg, and by all workers `diloco` with heavy ball. η is of
// another size for each: along m/√v a coordinate moves by about η a round, along m by η times as
// far as the replicas have.
//
// Workers step as fedavg's do and keep nothing; what the server sends and hears is the same, too,
// by keys where fedavg's goes by keys: m and v are the server's, of all coordinates.
#include <cmath>
#include <span>

#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/fedavg.hpp"
#include "scheme/participation.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

enum class Rule { adam, yogi, adagrad, momentum };

class ServerOptimizer {
 public:
  explicit ServerOptimizer(Server& server)
      : rule_(static_cast<Rule>(static_cast<int>(server.hyperparameter("server-optimizer")))),
        step_size_(server.hyperparameter("server-lr")),
        beta1_(server.hyperparameter("server-beta1")),
        beta2_(server.hyperparameter("server-beta2")),
        epsilon_(server.hyperparameter("adaptivity")),
        model_(server.shard()),
        m_(server.keep("m", model_.size())),
        v_(rule_ == Rule::momentum ? Vector{} : keep_squares(server)) {}

  /// A step along the way to `mean`.
  void step_towards(ConstVector mean) {
    if (rule_ == Rule::momentum) {
      kernels::scale(beta1_, m_);
      kernels::add_difference(1.0, mean, model_, m_);
      kernels::axpy(step_size_, m_, model_);
      return;
    }
    with_scalar(model_.scalar(), [&]<typename T>(T) {
      const std::span<const T> to = mean.as<T>();
      const std::span<T> x = model_.as<T>(), m = m_.as<T>(), v = v_.as<T>();
      for (std::size_t j = 0; j < x.size(); ++j) {
        const double way = static_cast<double>(to[j]) - static_cast<double>(x[j]);
        const double mean_way = beta1_ * static_cast<double>(m[j]) + (1.0 - beta1_) * way;
        const double square = next_square(static_cast<double>(v[j]), way * way);
        m[j] = static_cast<T>(mean_way);
        v[j] = static_cast<T>(square);
        x[j] += static_cast<T>(step_size_ * mean_way / (std::sqrt(square) + epsilon_));
      }
    });
  }

 private:
  /// Each is τ² at first.
  Vector keep_squares(Server& server) const {
    VectorBuffer first(model_.scalar(), model_.size());
    with_scalar(model_.scalar(), [&]<typename T>(T) {
      for (T& v : first.view().template as<T>()) v = static_cast<T>(epsilon_ * epsilon_);
    });
    return server.keep("v", first.view());
  }
  double next_square(double v, double square) const {
    if (rule_ == Rule::adagrad) return v + square;
    if (rule_ == Rule::adam) return beta2_ * v + (1.0 - beta2_) * square;
    if (v == square) return v;
    return v > square ? v - (1.0 - beta2_) * square : v + (1.0 - beta2_) * square;
  }

  const Rule rule_;
  const double step_size_, beta1_, beta2_, epsilon_;
  const Vector model_, m_, v_;
};

void work(Worker& worker) {
  fedavg_work(worker, [&](LocalStep) { worker.descend(); });
}

void serve(Server& server) {
  RoundMean round(server);
  ServerOptimizer optimizer(server);
  while (round.next()) {
    optimizer.step_towards(round.mean());
    round.answer();
  }
}

std::vector<HyperparameterInfo> hyperparameters() {
  return {period_info,
          participation_info,
          local_steps_info,
          {.name = "server-optimizer",
           .argument = "adam|yogi|adagrad|momentum",
           .help = "rule by which the server steps along the mean way of a round",
           .choices = {"adam", "yogi", "adagrad", "momentum"}},
          {.name = "server-lr",
           .argument = "ETA",
           .help = "step size of the server's optimizer",
           .fallback = 0.1,
           .low = 0.0,
           .high = 1e6,
           .step_size = true},
          server_beta1_info,
          {.name = "server-beta2",
           .argument = "BETA2",
           .help = "what stays of the server's second moment in a round, of adam and yogi",
           .fallback = 0.99,
           .low = 0.0,
           .high = 0.999999},
          {.name = "adaptivity",
           .argument = "EPS",
           .help = "what is added to the root of the second moment: the larger, the less it counts",
           .fallback = 1e-3,
           .low = 1e-12,
           .high = 1e6}};
}

}  // namespace

Scheme fedopt_scheme() {
  return {
      .name = "fedopt",
      .summary =
          "fedavg whose server steps along a round's mean way, by adam or another "
          "--server-optimizer",
      .step =
          "γ × own gradient; every τ steps η × the server's optimizer's step along the mean "
          "way",
      .cost = {.formula = "c, and every τ steps c + (Cn + n)(α + t/k)",
               .rate = "σ²/(nε²) in the first term where all take part, for bounded gradients; "
                       "with momentum as fedavg",
               .time = fedavg_time,
               .learns_from = learns_from_drawn},
      .source = "Reddi et al. 2021, Algorithm 2; catalogue 4.1",
      .family = SchemeFamily::local_updates,
      .order = {.rhythm = Rhythm::by_chance},
      .cast = cast::servers,
      .takes = {aggregate_kind, byzantine_kind},
      .messages = {.by_keys = ByKeys::yes},
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 = "steps along a mean way with momentum, which moves weights off 0"},
      .hyperparameters = hyperparameters(),
      .shares = {.published = ShareWeights::rows, .in_program = true},
      .worker = work,
      .server = serve};
}

}  // namespace trainyard
