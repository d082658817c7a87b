#include "trainyard/runtime/optimizer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "trainyard/runtime/shared_model.hpp"

#include "support/catch.hpp"
#include "support/lone_optimizer.hpp"
#include "support/shared_access.hpp"

using namespace trainyard;

TEST_CASE("the step size decays with the epochs", "[runtime]") {
  const OptimizerOptions options{.lr = 0.5, .lr_decay = 0.25};
  CHECK(options.step_size(0.0) == 0.5);
  CHECK(options.step_size(4.0) == 0.25);
}

TEST_CASE("plain SGD and momentum by hand", "[runtime]") {
  std::array<float, 2> x{1.0F, 2.0F};
  const std::array<float, 2> g{1.0F, -2.0F};
  test::LoneOptimizer plain({.lr = 0.5}, Scalar::float32, 2);
  plain.apply(x, g, 0.0);
  CHECK(x == std::array<float, 2>{0.5F, 3.0F});

  std::array<float, 1> y{0.0F};
  const std::array<float, 1> one{1.0F};
  test::LoneOptimizer heavy({.lr = 1.0, .momentum = 0.5}, Scalar::float32, 1);
  heavy.apply(y, one, 0.0);  // v = 1
  CHECK(y[0] == -1.0F);
  heavy.apply(y, one, 0.0);  // v = 1.5
  CHECK(y[0] == -2.5F);
  heavy.apply(y, one, 0.0);  // v = 1.75
  CHECK(y[0] == -4.25F);
}

TEST_CASE("a shared model with one writer steps as a private one, bit for bit", "[runtime]") {
  for (const std::size_t size : {1U, 63U, 64U, 65U, 1000U}) {
    CAPTURE(size);
    std::vector<float> x(size), g(size);
    for (std::size_t i = 0; i < size; ++i) {
      x[i] = 1.0F / static_cast<float>(i + 3);
      g[i] = 0.7F / static_cast<float>(i + 1);
    }
    for (const SharedAccess access : test::all_accesses) {
      std::vector<float> plain_x = x;
      SharedModel shared(x);
      test::LoneOptimizer plain({.lr = 0.1}, Scalar::float32, size);
      std::vector<float> copy(size);
      for (int step = 0; step < 5; ++step) {
        plain.apply(plain_x, g, 0.0);
        shared.add(-0.1F, g, copy, access);
        CHECK(copy == plain_x);
      }
      shared.read(copy);
      CHECK(copy == plain_x);
    }
  }
}

namespace {

using Doubles = std::vector<double>;

struct Figures {
  OptimizerOptions options;
  std::vector<std::pair<int, Doubles>> states;  // after so many steps
};

/// Printed by PyTorch 1.13.0 in double: torch.optim.SGD, Adagrad and Adam with lr=0.125 on
/// ½ Σ_j h_j (x_j − b_j)², h = (1, ¼, 4), b = (1, −2, ½), from x = (0, 1, −1.5). Those of adamw are
/// its formulas in NumPy, those of lion its formulas in Python.
const std::vector<Figures>& pytorch_figures() {
  using enum OptimizerKind;
  static const std::vector<Figures> table{
      {{.kind = sgd, .lr = 0.125},
       {{1, {0.125, 0.90625, -0.5}},
        {2, {0.234375, 0.8154296875, 0.0}},
        {10, {0.7369244238361716, 0.18392847001638568, 0.498046875}}}},
      {{.kind = sgd, .lr = 0.125, .momentum = 0.9},
       {{2, {0.346875, 0.7310546875, 0.8999999999999999}},
        {10, {1.5166458247943648, -1.9307922355871483, 0.32455046399999987}}}},
      {{.kind = nesterov, .lr = 0.125, .momentum = 0.9},
       {{1, {0.2375, 0.821875, 0.3999999999999999}},
        {2, {0.5198437499999999, 0.578388671875, 1.3050000000000002}},
        {10, {1.2463849104553228, -1.9988919097013889, 0.5325969186251953}}}},
      {{.kind = adagrad, .lr = 0.125},
       {{1, {0.1249999999875, 0.8750000000166667, -1.3750000000015625}},
        {2, {0.20731307596553605, 0.7885118296202792, -1.289507358892138}},
        {10, {0.5376201791137896, 0.39922098258422617, -0.9138456696657052}}}},
      {{.kind = adam, .lr = 0.125},
       {{1, {0.12499999875000002, 0.8750000016666667, -1.3750000001562501}},
        {2, {0.24928964388874633, 0.7501669049553481, -1.250275089178124}},
        {10, {1.1033773326495413, -0.22617986615409202, -0.29287216213081546}}}},
      {{.kind = adam, .lr = 0.125, .beta1 = 0.5, .beta2 = 0.75},
       {{2, {0.248124530464444, 0.7505358959832379, -1.2508354594836133}},
        {10, {0.9808110896677379, -0.20281812188554205, -0.3322359007998701}}}},
      {{.kind = adamw, .lr = 0.125},  // a decay of 0.01, PyTorch's
       {{1, {0.12499999875000002, 0.8737500016666667, -1.37312500015625}},
        {2, {0.2491333938903088, 0.7478267133871065, -1.246688961768933}},
        {10, {1.0977406810031276, -0.23145589847146758, -0.2818987631925636}}}},
      {{.kind = adamw, .lr = 0.125, .weight_decay = 0.5},
       {{1, {0.12499999875000002, 0.8125000016666667, -1.2812500001562501}},
        {2, {0.2414771439668713, 0.6369938421366196, -1.0767569009444007}},
        {10, {0.8590703849386675, -0.39770815594896997, 0.09065958320549332}}}},
      {{.kind = lion, .lr = 0.125},  // β₂ = 0.99, and a decay of 0.01
       {{1, {0.125, 0.87375, -1.373125}},
        {2, {0.24984375, 0.7476578125, -1.24640859375}},
        {10, {1.2429921363072929, -0.25542205767036597, -0.23836298164809744}},
        {30, {0.96415348252351, -2.719645747053412, 0.9918032011173885}}}},
      {{.kind = lion, .lr = 0.125, .beta1 = 0.5, .beta2 = 0.75, .weight_decay = 0.5},
       {{2, {0.2421875, 0.63671875, -1.076171875}},
        {10, {0.9510790499025461, -0.42661857485381915, 0.16438833732945568}},
        {30, {0.9591507762145871, -1.5672276091665054, 0.5599985199720062}}}}};
  return table;
}

/// The same objective and 0.6 |x|₁ beside it: proximal steps in NumPy. With momentum as iPiano
/// writes it, x ← S(x − γ g + μ (x − x before), γ 0.6).
const std::vector<Figures>& proximal_figures() {
  using enum OptimizerKind;
  static const std::vector<Figures> table{
      {{.kind = sgd, .lr = 0.125},
       {{1, {0.05, 0.83125, -0.425}},
        {2, {0.09375, 0.6677734375, 0.0}},
        {10, {0.2947697695344686, 0.0, 0.34863281249999994}},
        {400, {0.4, 0.0, 0.35}}}},
      {{.kind = sgd, .lr = 0.125, .momentum = 0.5},
       {{1, {0.05, 0.83125, -0.425}},
        {2, {0.11875, 0.5833984375, 0.5}},
        {10, {0.3988957356661557, -0.10363937480109738, 0.35937499999999994}},
        {400, {0.4, 0.0, 0.35}}}},
      {{.kind = adagrad, .lr = 0.125},
       {{1, {0.049999999995, 0.77500000003, -1.3656250000016796}},
        {2, {0.08171872521282991, 0.6167098083845457, -1.2735052413432002}},
        {10, {0.19992874119910903, 0.0, -0.8663416166726229}},
        {400, {0.39955163867720556, 0.0, 0.34730408827484033}}}}};
  return table;
}

template <typename T>
void check_figures(const std::vector<Figures>& table, double l1, double tolerance) {
  const std::array<T, 3> h{1.0, 0.25, 4.0}, b{1.0, -2.0, 0.5};
  const AbsolutePenalty penalty{l1, {{0, 1}, {1, 2}}};
  for (const Figures& figures : table) {
    CAPTURE(optimizer_text(figures.options.kind), figures.options.momentum, sizeof(T));
    for (const double scale : {1.0, 0.125}) {  // a gradient that is 1/scale times as long
      test::LoneOptimizer optimizer(figures.options, scalar_of<T>, 3, penalty);
      std::array<T, 3> x{0.0, 1.0, -1.5}, g{};
      int t = 0;
      for (const auto& [steps, state] : figures.states) {
        for (; t < steps; ++t) {
          for (std::size_t j = 0; j < 3; ++j) g[j] = h[j] * (x[j] - b[j]) / static_cast<T>(scale);
          optimizer.apply(x, g, 0.0, scale);
        }
        CAPTURE(t, scale);
        for (std::size_t j = 0; j < 3; ++j) {
          CHECK(x[j] == Approx(state[j]).epsilon(tolerance).margin(tolerance));
          if (state[j] == 0.0) CHECK(x[j] == T{0});  // and not nearly
        }
      }
    }
  }
}

/// The options' γ over nine epochs.
void check_step_sizes(const OptimizerOptions& options, const Doubles& expected) {
  for (std::size_t e = 0; e < expected.size(); ++e) {
    CAPTURE(e);
    CHECK(options.step_size(static_cast<double>(e)) ==
          Approx(expected[e]).epsilon(1e-12).margin(1e-15));
  }
}

}  // namespace

TEST_CASE("every optimizer gives PyTorch's figures", "[runtime]") {
  check_figures<double>(pytorch_figures(), 0.0, 1e-13);
  check_figures<float>(pytorch_figures(), 0.0, 3e-6);
}

TEST_CASE("with an absolute penalty steps are proximal, and zeros exact", "[runtime]") {
  check_figures<double>(proximal_figures(), 0.6, 1e-13);
  check_figures<float>(proximal_figures(), 0.6, 3e-6);
  // Of the second number alone: the others step as without.
  for (const double momentum : {0.0, 0.5}) {
    const OptimizerOptions options{.lr = 0.5, .momentum = momentum};
    test::LoneOptimizer some(options, Scalar::float64, 3, {1.0, {{1, 1}}});
    test::LoneOptimizer none(options, Scalar::float64, 3);
    Doubles x{1.0, 1.0, -1.0}, y = x;
    const Doubles g{0.25, 0.25, 0.25};
    for (int t = 0; t < 3; ++t) {
      some.apply(x, g, 0.0);
      none.apply(y, g, 0.0);
    }
    CHECK(x[0] == y[0]);
    CHECK(x[1] == 0.0);
    CHECK(x[2] == y[2]);
  }
}

TEST_CASE("a stretched step is that much longer, its state the same", "[runtime]") {
  for (const OptimizerKind kind :
       {OptimizerKind::sgd, OptimizerKind::nesterov, OptimizerKind::adagrad, OptimizerKind::adam}) {
    CAPTURE(optimizer_text(kind));
    const OptimizerOptions options{.kind = kind, .lr = 0.25, .momentum = 0.5};
    test::LoneOptimizer plain(options, Scalar::float64, 1), stretched(options, Scalar::float64, 1);
    Doubles x{0.0}, y{0.0};
    const Doubles g{3.0};
    for (int t = 0; t < 5; ++t) {
      const double before_x = x[0], before_y = y[0];
      plain.apply(x, g, 0.0);
      stretched.apply(y, g, 0.0, 1.0, t == 3 ? 0.125 : 1.0);
      CHECK(y[0] - before_y == Approx((x[0] - before_x) * (t == 3 ? 0.125 : 1.0)).epsilon(1e-12));
    }
  }
}

// lr_scheduler.StepLR(3, 0.1), CosineAnnealingLR(8) and LambdaLR of PyTorch 1.13.0, stepped once an
// epoch, from lr=0.5.
TEST_CASE("schedules of the step size give PyTorch's figures", "[runtime]") {
  using enum LrSchedule::Kind;
  OptimizerOptions options{.lr = 0.5, .lr_schedule = {.kind = step, .every = 3, .factor = 0.1}};
  check_step_sizes(options, {0.5, 0.5, 0.5, 0.05, 0.05, 0.05, 0.005, 0.005, 0.005});
  CHECK(options.step_size(2.999) == 0.5);
  options = {.lr = 0.5, .lr_schedule = {.kind = cosine}, .run_epochs = 8};
  check_step_sizes(options,
                   {0.5, 0.4809698831278217, 0.42677669529663687, 0.34567085809127246, 0.25,
                    0.15432914190872757, 0.07322330470336313, 0.01903011687217832, 0.0});
  CHECK(options.step_size(9.0) == Approx(0.0).margin(1e-15));  // not up again
  options.warmup = 4;
  check_step_sizes(options,
                   {0.0, 0.12024247078195542, 0.21338834764831843, 0.25925314356845436, 0.25,
                    0.15432914190872757, 0.07322330470336313, 0.019030116872178315, 0.0});
  options = {.lr = 0.5, .lr_decay = 0.25};
  check_step_sizes(options,
                   {0.5, 0.4, 0.3333333333333333, 0.2857142857142857, 0.25, 0.2222222222222222});
  options = {.lr = 0.5, .lr_schedule = {.kind = constant}, .warmup = 2};
  check_step_sizes(options, {0.0, 0.25, 0.5, 0.5});
}

TEST_CASE("in a run warm-up begins with a step, and none is of length 0", "[runtime]") {
  using enum LrSchedule::Kind;
  // LinearLR(start_factor=1/4, total_iters=3) of PyTorch: (t + 1)/4.
  OptimizerOptions options{.lr = 0.5, .lr_schedule = {.kind = constant}, .warmup = 4};
  options.step_epochs = 1;
  check_step_sizes(options, {0.125, 0.25, 0.375, 0.5, 0.5, 0.5});
  // LambdaLR((t + 1)/4) and CosineAnnealingLR(8), chained; the figures of the test above, times
  // (t + 1)/t. At 8 and beyond it is ½(1 + cos(7.5π/8)) of them.
  options.lr_schedule.kind = cosine;
  options.run_epochs = 8;
  const double end = 0.25 * (1.0 + std::cos(7.5 * std::numbers::pi / 8.0));
  check_step_sizes(options,
                   {0.125, 0.24048494156391085, 0.3200825214724777, 0.34567085809127246, 0.25,
                    0.15432914190872757, 0.07322330470336313, 0.01903011687217832, end, end});
  CHECK(end > 0.0);
  // 10^-500 of 0.5 is none.
  options = {.lr = 0.5, .lr_schedule = {.kind = step, .every = 0.02, .factor = 0.1}};
  CHECK(options.step_size(10.0) > 0.0);
  CHECK(std::isfinite(1.0 / options.step_size(10.0)));
}

TEST_CASE("inverse-sqrt is 1/√t of the step size, behind a linear warm-up", "[runtime]") {
  using enum LrSchedule::Kind;
  // At step t = 1, 2, …, of 1/4 epoch each: γ/√t (Zinkevich 2003).
  OptimizerOptions options{.lr = 0.5, .lr_schedule = {.kind = inverse_sqrt}, .step_epochs = 0.25};
  for (int t = 1; t <= 100; ++t) {
    CHECK(options.step_size(0.25 * (t - 1)) == Approx(0.5 / std::sqrt(t)).epsilon(1e-14));
  }
  // γ min(t/T, √(T/t)) with T = 8 (Vaswani et al. 2017, §5.3, and fairseq's inverse_sqrt).
  options.warmup = 2;
  for (int t = 1; t <= 100; ++t) {
    const double expected = 0.5 * std::min(t / 8.0, std::sqrt(8.0 / t));
    CHECK(options.step_size(0.25 * (t - 1)) == Approx(expected).epsilon(1e-14));
  }
  // Less than a step of warm-up is none.
  options.warmup = 0.1;
  CHECK(options.step_size(0.0) == 0.5);
  CHECK(options.step_size(0.75) == Approx(0.25));
}

TEST_CASE("a step size is constant only where nothing changes it", "[runtime]") {
  CHECK(OptimizerOptions{}.constant_step());
  CHECK_FALSE(OptimizerOptions{.lr_decay = 0.1}.constant_step());
  CHECK_FALSE(OptimizerOptions{.warmup = 0.1}.constant_step());
  for (const char* schedule : {"step:3:0.5", "cosine", "inverse-sqrt"}) {
    OptimizerOptions options;
    options.lr_schedule = parse_lr_schedule(schedule, "test");
    CHECK(lr_schedule_text(options.lr_schedule) == schedule);
    CHECK_FALSE(options.constant_step());
  }
}
