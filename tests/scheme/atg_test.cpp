// ADMM-tracking gradient against its paper's lines, with a z of two vectors for each end of a link,
// and where it comes to rest.
#include "scheme/gossip_rules.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using test::Rows;

namespace {

constexpr double step_size = 0.2;

struct Setting {
  double share = 0.5, penalty = 0.1, relaxation = 0.5;
};

Configuration configuration(int workers, std::uint64_t steps, const Setting& s,
                            const char* topology = "ring") {
  Configuration c;
  c.scheme = "atg";
  c.workers = workers;
  c.steps = steps;
  c.optimizer.lr = step_size;
  c.ingredients["topology"] = topology;
  c.hyperparameters = {
      {"mixing-share", s.share}, {"consensus-penalty", s.penalty}, {"relaxation", s.relaxation}};
  return c;
}

/// All begin at (2, −1), so that the z of the models begin as ρ times that.
const std::vector<double> start{2.0, -1.0};

test::Special from_the_start(int workers) {
  return {.starts = Rows(static_cast<std::size_t>(workers), start)};
}

/// ADMM's dynamic consensus, link by link: told_i is the minimum, z what both ends make of it.
struct Consensus {
  std::vector<Rows> z;
  Rows told;

  void minimise(const Rows& v, double rho) {
    for (std::size_t i = 0; i < v.size(); ++i) {
      for (std::size_t k = 0; k < v[i].size(); ++k) {
        double sum = v[i][k], degree = 0.0;
        for (std::size_t j = 0; j < v.size(); ++j) {
          if (z[i][j].empty()) continue;
          sum += z[i][j][k];
          degree += 1.0;
        }
        told[i][k] = sum / (1.0 + rho * degree);
      }
    }
  }
  void exchange(double rho, double alpha) {
    const std::vector<Rows> before = z;
    for (std::size_t i = 0; i < z.size(); ++i) {
      for (std::size_t j = 0; j < z.size(); ++j) {
        for (std::size_t k = 0; k < z[i][j].size(); ++k) {
          z[i][j][k] =
              (1.0 - alpha) * before[i][j][k] - alpha * (before[j][i][k] - 2.0 * rho * told[j][k]);
        }
      }
    }
  }
};

/// Each link's z begins as `first`; there is none where there is no link.
Consensus consensus(const Rows& w, const std::vector<double>& first) {
  Consensus made{std::vector<Rows>(w.size(), Rows(w.size())), Rows(w.size(), first)};
  for (std::size_t i = 0; i < w.size(); ++i) {
    for (std::size_t j = 0; j < w.size(); ++j) {
      if (i != j && w[i][j] != 0.0) made.z[i][j] = first;
    }
  }
  return made;
}

Rows atg_of_the_paper(const Dataset& data, const Rows& w, const Setting& setting,
                      std::uint64_t steps) {
  const double rho = 2.0 * setting.penalty;
  Consensus y = consensus(w, {rho * start[0], rho * start[1]}), s = consensus(w, {0.0, 0.0});
  Rows x(data.rows, start);
  for (std::uint64_t t = 0; t < steps; ++t) {
    y.minimise(x, rho);
    s.minimise(test::gradients_of(data, x), rho);
    x = test::combined(
        {{1.0 - setting.share, x}, {setting.share, y.told}, {-setting.share * step_size, s.told}});
    y.exchange(rho, setting.relaxation);
    s.exchange(rho, setting.relaxation);
  }
  return x;
}

}  // namespace

TEST_CASE("atg follows its paper, whose z are of the ends of links", "[scheme][rule:atg]") {
  const int n = 6;
  const Dataset data = test::unlike_data(n);
  for (const char* topology : {"ring", "star", "full"}) {
    const Rows w = test::matrix_of(topology, n);
    for (const Setting& s : {Setting{0.5, 0.1, 0.5}, Setting{0.2, 0.5, 0.9}, {1.0, 0.2, 0.3}}) {
      for (const std::uint64_t steps : {1U, 2U, 3U, 4U, 30U}) {
        CAPTURE(topology, s.share, s.penalty, s.relaxation, steps);
        test::check_rows(test::run_on_quadratic(configuration(n, steps, s, topology), data, {},
                                                from_the_start(n))
                             .workers,
                         atg_of_the_paper(data, w, s, steps));
      }
    }
  }
}

TEST_CASE("atg comes to rest at the optimum, where it tracks a mean gradient of 0", "[scheme]") {
  const int n = 5;
  const Dataset data = test::unlike_data(n);
  for (const char* topology : {"ring", "star", "path"}) {
    for (const double relaxation : {0.5, 0.9}) {
      CAPTURE(topology, relaxation);
      const test::Replicas found =
          test::run_on_quadratic(configuration(n, 3000, {0.5, 0.1, relaxation}, topology), data);
      CHECK(test::farthest(found.workers, test::optimum(data)) < 1e-11);
      for (const auto& kept : found.kept) CHECK(kept.at("s")[0] == Approx(0.0).margin(1e-11));
    }
  }
}

TEST_CASE("atg forgets where its workers began, and that they began apart", "[scheme]") {
  const Dataset data = test::unlike_data(5);
  const test::Special apart{
      .starts = {{5.0, 1.0}, {-3.0, 0.0}, {0.0, 9.0}, {1.0, -4.0}, {2.0, 2.0}}};
  const Configuration c = configuration(5, 3000, {});
  CHECK(test::farthest(test::run_on_quadratic(c, data, {}, apart).workers, test::optimum(data)) <
        1e-11);
}

TEST_CASE("atg's models and gradients follow their means, without bias", "[scheme]") {
  // One step is so short that the models stand still, and y and s have time to arrive.
  const int n = 6;
  const Dataset data = test::unlike_data(n);
  Configuration c = configuration(n, 400, {1e-6, 0.25, 0.5});
  c.optimizer.lr = 1e-6;
  test::Special special;
  for (int i = 0; i < n; ++i) special.starts.push_back({0.5 * i, 3.0 - i});
  const test::Replicas found = test::run_on_quadratic(c, data, {}, special);
  const Rows gradients = test::gradients_of(data, special.starts);
  for (std::size_t k = 0; k < 2; ++k) {
    double mean = 0.0, mean_gradient = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      mean += special.starts[i][k] / n;
      mean_gradient += gradients[i][k] / n;
    }
    for (const auto& kept : found.kept) {
      CHECK(kept.at("y")[k] == Approx(mean).margin(5e-3));
      CHECK(kept.at("s")[k] == Approx(mean_gradient).margin(5e-3));
    }
  }
}
