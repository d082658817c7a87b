#include <fmt/format.h>

#include "trainyard/scheme/scheme.hpp"

#include "run/lines.hpp"

namespace trainyard {

namespace {

/// With less a slice saves less than it takes: each exchange brings the line, too.
constexpr std::uint64_t least_chosen_uses = 4;

}  // namespace

HotLines hot_lines_for(const Cast& cast, const Configuration& c, const Dataset& train,
                       const Model& model) {
  if (!cast.uses_of_slices) return {};
  std::uint64_t uses = *cast.uses_of_slices;
  if (uses == 0) {
    uses = harmless_uses(train, model, cast.workers, c.batch, c.optimizer.lr);
    if (uses < least_chosen_uses) return {};
  }
  return find_hot_lines(train, model, cast.workers, c.batch, uses);
}

void remark_on_slices(const Plan& plan, const Remark& remark) {
  const Cast& cast = plan.cast;
  if (cast.uses_of_slices != 0U || cast.workers == 1 || plan.model->sparse_update() == nullptr) {
    return;
  }
  const std::string setting = fmt::format("with these data, {} workers and step size {:g}",
                                          cast.workers, plan.configuration.optimizer.lr);
  if (plan.hot != nullptr) {
    remark(
        fmt::format("note: hot lines are exchanged after {} uses, as many as do no harm {}; "
                    "--exchange-uses says another number",
                    plan.hot->uses, setting));
  } else {
    remark(
        fmt::format("note: no line is kept apart, so that this is hogwild: {} none is used {} "
                    "times between two exchanges that do no harm",
                    setting, least_chosen_uses));
  }
}

}  // namespace trainyard
