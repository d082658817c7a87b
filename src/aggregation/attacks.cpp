// What liars send. H = n − f honest vectors g_i of the step, μ their mean and σ their deviation in
// each coordinate, with H − 1 as both reference codes have it (ByzFL, and EPFL's of Karimireddy et
// al.; ByzFL's text says H). All liars send the same, but where it says "each".
//
// sign-flip      each −g, what it would have sent (EPFL: "bit flip"; ByzFL's sends −μ). The mean of
//                equal vectors becomes 1 − 2f/n of them.
// gaussian:SIGMA each numbers of N(0, SIGMA²), its own. A liar that is no adversary.
// zero           zeros.
// alie:Z         μ − Zσ, a little that is enough (Baruch, Baruch & Goldberg, NeurIPS 2019,
//                section 3). What Z is when none is said stands in little_enough() below.
// ipm:EPS        −EPS μ (Xie, Koyejo & Gupta, Fall of empires, UAI 2019). The mean becomes
//                ((n − f) − EPS f)/n of μ: it ascends if and only if EPS > (n − f)/f.
// mimic:R        what honest worker R sends (Karimireddy, He & Jaggi, ICLR 2022): not one lie, but
//                those unlike R count for less.
// label-flip     honest work on rows whose labels are flipped, C − 1 − y.
// dissensus:EPS  to listener i of a graph x_i − EPS Σ_honest W_ij (x_j − x_i)/Σ_liars W_ij: with
//                EPS = 1 what i hears of the liars undoes what it hears of the others, so that it
//                stays where it is (He, Karimireddy & Jaggi, Byzantine-robust decentralized
//                learning via ClippedGossip, 2022).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

#include <fmt/format.h>

#include "trainyard/aggregation/attack.hpp"
#include "trainyard/base/error.hpp"

#include "aggregation/argument.hpp"
#include "aggregation/attack_arguments.hpp"
#include "aggregation/blocks.hpp"

namespace trainyard {

double normal_quantile(double p) {
  if (p == 0.5) return 0.0;
  // By halves: 40 deviations are beyond what a double can tell from 0 and 1.
  double low = -40.0, high = 40.0;
  for (int step = 0; step < 200; ++step) {
    const double middle = 0.5 * (low + high);
    const double below = 0.5 * std::erfc(-middle / std::numbers::sqrt2);
    (below < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double little_enough(int workers, int liars) {
  const int supporters = workers / 2 + 1 - liars;
  const int honest = workers - liars;
  return normal_quantile(static_cast<double>(honest - supporters) / honest);
}

namespace {

void copy_to_all(Vectors lies) {
  for (const Vector lie : lies.subspan(1)) {
    if (!lie.empty()) std::memcpy(lie.data(), lies.front().data(), lie.bytes().size());
  }
}

/// lies ← make(k, μ_k, Σ_i (g_ik − μ_k)²) for each coordinate k.
template <typename Make>
void lie_by_moments(ConstVectors honest, Vectors lies, const Make& make) {
  const double count = static_cast<double>(honest.size());
  std::array<double, block_length> base{}, v{}, mean{}, squares{};
  for_blocks(lies.front().size(), [&](std::size_t first, std::size_t length) {
    const std::span<double> values(v.data(), length);
    load_block(honest.front(), first, {base.data(), length});
    mean.fill(0.0);
    squares.fill(0.0);
    for (const ConstVector g : honest) {
      load_block(g, first, values);
      for (std::size_t k = 0; k < length; ++k) mean[k] += v[k] - base[k];
    }
    for (std::size_t k = 0; k < length; ++k) mean[k] = base[k] + mean[k] / count;
    for (const ConstVector g : honest) {
      load_block(g, first, values);
      for (std::size_t k = 0; k < length; ++k) {
        squares[k] += (v[k] - mean[k]) * (v[k] - mean[k]);
      }
    }
    for (std::size_t k = 0; k < length; ++k) v[k] = make(mean[k], squares[k]);
    store_block(values, lies.front(), first);
  });
  copy_to_all(lies);
}

class SignFlip final : public Attack {
 public:
  int least_honest() const override { return 0; }
  void lie(ConstVectors, const Audience*, Vectors lies, RandomStream&) const override {
    for (const Vector lie : lies) {
      with_scalar(lie.scalar(), [&]<typename T>(T) {
        for (T& value : lie.as<T>()) value = -value;
      });
    }
  }
};

class GaussianLie final : public Attack {
 public:
  explicit GaussianLie(double sigma) : sigma_(sigma) {}
  int least_honest() const override { return 0; }
  void lie(ConstVectors, const Audience*, Vectors lies, RandomStream& random) const override {
    for (const Vector lie : lies) {
      with_scalar(lie.scalar(), [&]<typename T>(T) {
        for (T& value : lie.as<T>()) value = static_cast<T>(sigma_ * random.normal());
      });
    }
  }

 private:
  double sigma_;
};

class ZeroLie final : public Attack {
 public:
  int least_honest() const override { return 0; }
  void lie(ConstVectors, const Audience*, Vectors lies, RandomStream&) const override {
    for (const Vector lie : lies) {
      with_scalar(lie.scalar(), [&]<typename T>(T) { std::ranges::fill(lie.as<T>(), T{0}); });
    }
  }
};

class LittleLie final : public Attack {
 public:
  explicit LittleLie(double z) : z_(z) {}
  int least_honest() const override { return 2; }
  void lie(ConstVectors honest, const Audience*, Vectors lies, RandomStream&) const override {
    const double others = static_cast<double>(honest.size() - 1);
    lie_by_moments(honest, lies, [&](double mean, double squares) {
      return mean - z_ * std::sqrt(squares / others);
    });
  }

 private:
  double z_;
};

class InnerProductLie final : public Attack {
 public:
  explicit InnerProductLie(double epsilon) : epsilon_(epsilon) {}
  void lie(ConstVectors honest, const Audience*, Vectors lies, RandomStream&) const override {
    lie_by_moments(honest, lies, [&](double mean, double) { return -epsilon_ * mean; });
  }

 private:
  double epsilon_;
};

class Mimic final : public Attack {
 public:
  explicit Mimic(int worker) : worker_(worker) {}
  void lie(ConstVectors honest, const Audience*, Vectors lies, RandomStream&) const override {
    const ConstVector worker =
        honest[std::min(static_cast<std::size_t>(worker_), honest.size() - 1)];
    for (const Vector lie : lies) {
      if (!lie.empty()) std::memcpy(lie.data(), worker.data(), worker.bytes().size());
    }
  }

 private:
  int worker_;
};

class LabelFlip final : public Attack {
 public:
  bool flips_labels() const override { return true; }
  void lie(ConstVectors, const Audience*, Vectors, RandomStream&) const override {
    throw InternalError("who flips labels sends what it computes");
  }
};

class Dissensus final : public Attack {
 public:
  explicit Dissensus(double epsilon) : epsilon_(epsilon) {}
  bool of_graphs() const override { return true; }
  void lie(ConstVectors honest, const Audience* audience, Vectors lies,
           RandomStream&) const override {
    require(audience != nullptr && audience->honest_weights.size() == honest.size() &&
                audience->liars_weight > 0.0,
            "dissensus needs a listener that weighs all it hears");
    std::array<double, block_length> own{}, v{}, sum{};
    for_blocks(lies.front().size(), [&](std::size_t first, std::size_t length) {
      const std::span<double> values(v.data(), length);
      load_block(audience->own, first, {own.data(), length});
      sum.fill(0.0);
      for (std::size_t j = 0; j < honest.size(); ++j) {
        load_block(honest[j], first, values);
        const double weight = audience->honest_weights[j];
        for (std::size_t k = 0; k < length; ++k) sum[k] += weight * (v[k] - own[k]);
      }
      for (std::size_t k = 0; k < length; ++k) {
        v[k] = own[k] - epsilon_ * sum[k] / audience->liars_weight;
      }
      store_block(values, lies.front(), first);
    });
    copy_to_all(lies);
  }

 private:
  double epsilon_;
};

/// Z as typed; "auto": the formula, where it gives an attack.
std::shared_ptr<const Attack> make_little_lie(std::string_view argument, int workers, int liars) {
  if (argument != "auto") return std::make_shared<LittleLie>(length_argument(argument, "Z"));
  if (workers == 0) return std::make_shared<LittleLie>(1.0);
  const double z = little_enough(workers, liars);
  if (z <= 0.0) {
    throw UsageError(
        fmt::format("z = Φ⁻¹((n−f−s)/(n−f)) with s = ⌊n/2+1⌋−f is {:.4g} for {} workers of whom {} "
                    "lie, which is no attack; give one, as in alie:1.5",
                    z, workers, liars));
  }
  return std::make_shared<LittleLie>(z);
}

template <typename Lie>
std::shared_ptr<const Attack> make_plain(std::string_view, int, int) {
  return std::make_shared<Lie>();
}

}  // namespace

const std::vector<AttackInfo>& attacks() {
  static const std::vector<AttackInfo> table{
      {.name = "sign-flip",
       .summary = "the negative of what an honest worker would send",
       .source = "Karimireddy, He & Jaggi 2022",
       .make = make_plain<SignFlip>},
      {.name = "gaussian",
       .argument = "SIGMA",
       .fallback = "1",
       .summary = "normal numbers of the deviation SIGMA",
       .source = "Blanchard et al. 2017",
       .make = [](std::string_view argument, int, int) -> std::shared_ptr<const Attack> {
         return std::make_shared<GaussianLie>(length_argument(argument, "SIGMA"));
       }},
      {.name = "zero", .summary = "zeros", .source = "catalogue 4.5", .make = make_plain<ZeroLie>},
      {.name = "alie",
       .argument = "Z",
       .fallback = "auto",
       .summary = "the honest mean less Z deviations in each coordinate",
       .source = "Baruch et al. 2019, section 3",
       .make = make_little_lie},
      {.name = "ipm",
       .argument = "EPS",
       .fallback = "0.1",
       .summary = "−EPS times the honest mean",
       .source = "Xie, Koyejo & Gupta 2019",
       .make = [](std::string_view argument, int, int) -> std::shared_ptr<const Attack> {
         return std::make_shared<InnerProductLie>(length_argument(argument, "EPS"));
       }},
      {.name = "mimic",
       .argument = "R",
       .fallback = "0",
       .summary = "what honest worker R sends, of those whose vectors are combined; else the last",
       .source = "Karimireddy, He & Jaggi 2022",
       .make = [](std::string_view argument, int workers,
                  int liars) -> std::shared_ptr<const Attack> {
         const int honest = workers == 0 ? most_vectors : workers - liars;
         return std::make_shared<Mimic>(count_argument(argument, "R", 0, honest - 1));
       }},
      {.name = "label-flip",
       .summary = "honest work on rows whose label is C − 1 − y",
       .source = "Karimireddy, He & Jaggi 2022",
       .make = make_plain<LabelFlip>},
      {.name = "dissensus",
       .argument = "EPS",
       .fallback = "1",
       .summary = "over a graph, what undoes EPS times what the honest neighbours say",
       .source = "He, Karimireddy & Jaggi 2022",
       .make = [](std::string_view argument, int, int) -> std::shared_ptr<const Attack> {
         return std::make_shared<Dissensus>(length_argument(argument, "EPS"));
       }},
  };
  return table;
}

}  // namespace trainyard
