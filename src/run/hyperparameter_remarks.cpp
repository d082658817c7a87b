#include <algorithm>

#include <fmt/format.h>

#include "trainyard/runtime/robust_mean.hpp"

#include "run/remarks.hpp"

namespace trainyard {

namespace {

bool has(const Scheme& scheme, std::string_view name) {
  return std::ranges::count(scheme.hyperparameters, name, &HyperparameterInfo::name) > 0;
}

void remark_one_group(const Configuration& c, const Scheme& scheme, const Cast& cast,
                      const Remark& remark) {
  const bool in_groups = cast.model == ModelHome::shared && c.workers > 1 && has(scheme, "groups");
  if (!in_groups || cast.shared_models != 1) return;
  remark(fmt::format("note: {} has one group of workers, so it is hogwild; --groups 2 makes two",
                     scheme.name));
}

/// In the general rule (Liu & Zhang 2020; catalogue §4.1) a worker's elasticity is at least the
/// centre's; Zhang et al. 2015 have them equal.
void remark_elasticities(const Configuration& c, const Scheme& scheme, const Remark& remark) {
  if (!has(scheme, "worker-rate") || !has(scheme, "moving-rate")) return;
  const double alpha = hyperparameter(c.hyperparameters, "worker-rate");
  const double beta = hyperparameter(c.hyperparameters, "moving-rate");
  if (alpha >= beta) return;
  remark(
      fmt::format("note: {} with --worker-rate {} below --moving-rate {}: replicas draw the centre "
                  "more than it draws them, and may stay far from it; published rules have the "
                  "worker's rate equal (Zhang et al. 2015) or larger (Liu & Zhang 2020)",
                  scheme.name, alpha, beta));
}

void remark_tolerated(const Configuration& c, const Scheme& scheme, const Remark& remark) {
  if (!has(scheme, "tolerated") || !takes(scheme, byzantine_kind)) return;
  const std::string& liars = ingredient_name(c.ingredients, byzantine_kind);
  if (liars == "none" || hyperparameter(c.hyperparameters, "tolerated") > 0.0) return;
  remark(
      fmt::format("note: {} reckons with no liar among a worker's neighbours, and --byzantine {} "
                  "makes some; --tolerated 1 leaves out one",
                  scheme.name, liars));
}

void remark_clip_radius(const Configuration& c, const Scheme& scheme, const Remark& remark) {
  if (!has(scheme, "clip-radius") || hyperparameter(c.hyperparameters, "clip-radius") > 0.0) return;
  const std::string& text = ingredient_name(c.ingredients, byzantine_kind);
  const int liars = make_byzantine(text, c.workers).liars;
  if (liars < 2) return;
  remark(
      fmt::format("note: without a --clip-radius {} takes the second largest distance to a "
                  "neighbour, which withstands one liar among them; here are {}",
                  scheme.name, liars));
}

/// A step is γ g/w, and no smaller γ brings w back.
void remark_lost_shares(const Configuration& c, const Scheme& scheme, const Remark& remark) {
  const bool sends_shares =
      has(scheme, "push-sum") && hyperparameter(c.hyperparameters, "push-sum") == 0.0;
  if (!sends_shares || !c.network.faults.loses_for_good()) return;
  remark(fmt::format(
      "note: {} loses weight with each share that is lost, steps grow by as much, and it "
      "diverges in the end; --push-sum running-sums brings it with the next message",
      scheme.name));
}

}  // namespace

void remark_hyperparameters(const Configuration& c, const Scheme& scheme, const Cast& cast,
                            const Remark& remark) {
  remark_one_group(c, scheme, cast, remark);
  remark_elasticities(c, scheme, remark);
  remark_tolerated(c, scheme, remark);
  remark_clip_radius(c, scheme, remark);
  remark_lost_shares(c, scheme, remark);
}

}  // namespace trainyard
