#include <algorithm>

#include <fmt/format.h>

#include "trainyard/run/plan.hpp"

#include "run/decisions.hpp"

namespace trainyard {

std::size_t key_width_of(const Scheme& scheme, const Cast& cast, const Configuration& c,
                         const Model& model, const Dataset& train) {
  const bool by_keys = scheme.messages.by_keys == ByKeys::yes ||
                       (scheme.messages.by_keys != ByKeys::no && c.l2 == 0.0);
  // Servers shrink weights as they step, touched or not; replicas that step by themselves shrink
  // where nobody would tell the server.
  const bool shrinks_apart = c.l1 != 0.0 && scheme.family == SchemeFamily::local_updates;
  // The regulariser's part is no longer what a server would add once the gradient is clipped.
  const bool clips_it = c.optimizer.clip_norm != 0.0 && c.l2 != 0.0;
  // Rows that are to be fetched are not there to look ahead at.
  if (c.sparse_wire == SparseWire::off || cast.data_servers > 0) return 0;
  // Before speeds are known nobody knows what rows are next.
  if (c.deal == Deal::speed) return 0;
  // Whom a crash leaves with other rows has not pulled what they touch.
  const Faults& faults = c.network.faults;
  if (faults.crash() && faults.on_failure == OnFailure::shrink) return 0;
  if (!by_keys || shrinks_apart || clips_it) return 0;
  if (!train.sparse || model.sparse_update() == nullptr) return 0;
  return model.dimension() / train.features;
}

namespace {

/// A note when --sparse-wire cannot be honoured for these rows.
void remark_whole_rows(const Configuration& c, const Model& model, const Dataset& train,
                       const Remark& remark) {
  if (c.sparse_wire == SparseWire::off || (train.sparse && model.sparse_update() != nullptr)) {
    return;
  }
  remark(fmt::format("note: --sparse-wire has no effect: {}",
                     train.sparse
                         ? "a gradient of this model has no coordinate that is known to be 0"
                         : "the rows have a value for every feature"));
}

/// Of the schemes that would go by keys of another width, or by keys at all.
std::string names_that_differ(const Configuration& c, const Configuration& otherwise,
                              std::span<const RunObjects> all, const Model& model,
                              const Dataset& train) {
  std::string names;
  for (const RunObjects& objects : all) {
    const Scheme& scheme = *objects.scheme;
    const Cast& cast = objects.cast;
    if (key_width_of(scheme, cast, c, model, train) ==
        key_width_of(scheme, cast, otherwise, model, train)) {
      continue;
    }
    names += (names.empty() ? "" : ", ") + scheme.name;
  }
  return names;
}

}  // namespace

void remark_keys(const Configuration& c, std::span<const RunObjects> all, const Model& model,
                 const Dataset& train, const Remark& remark) {
  Configuration dealt = c;
  dealt.deal = Deal::once;
  if (const std::string names = names_that_differ(c, dealt, all, model, train); !names.empty()) {
    remark(
        fmt::format("note: with --deal speed whole vectors are sent by {}, whose workers do not "
                    "know beforehand what their next rows touch",
                    names));
    return;
  }
  if (std::ranges::count(c.given, "sparse-wire") > 0) {
    remark_whole_rows(c, model, train, remark);
    return;
  }
  if (c.l2 == 0.0 && c.l1 == 0.0) return;
  Configuration unregularised = c;
  unregularised.l2 = unregularised.l1 = 0.0;
  const std::string names = names_that_differ(c, unregularised, all, model, train);
  if (names.empty()) return;
  remark(fmt::format(
      "note: with {} whole vectors are sent by {}, whose servers do not know the regulariser's "
      "part of {}; without it they send what minibatches touch",
      c.l1 == 0.0 ? "--l2" : "--l1", names, c.l1 == 0.0 ? "a gradient" : "a worker's steps"));
}

}  // namespace trainyard
