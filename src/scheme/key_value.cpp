// The parameter server as a store of keys and values (Li et al., OSDI 2014, Algorithm 1 and §5;
// catalogue §2.2, §7). A key is a parameter, servers hold ranges of them; workers push gradients
// and pull models, and a server makes a step of each gradient as it comes: x ← x − (γ/n) g, so that
// one of every worker is a step of ps-sync.
//
// The bounded delay τ (--staleness) says who waits: the model that a worker pulls before its step t
// has every gradient of the steps before t − τ in it. τ = 0 is ps-sync, up to the order of
// summation: all pulls are answered when the slowest worker's gradient is there, and the next one
// is computed later. With τ as large as the run nobody waits, as in ps-async. What differs from
// ssp: every step pulls, a worker has no cache, and its own gradients are in what it pulls.
//
// The filter for significant changes (--significance V): a number of a gradient that is less than V
// in magnitude waits at its worker, adds up with those of later steps, and goes out when it has
// become V. Without it a range is pushed, whose keys are in the tag. With it keys are listed, 32
// bits each, unless they are those of the push before, which the server remembers (key caching).
//
// Values may be compressed on their way, both ways as Li et al. compress messages: with --wire fp16
// the numbers of gradients that are pushed and of models that are pulled are rounded to 16 bits,
// keys stay as they are. Servers keep their shards in full precision. What rounding takes off a
// gradient is gone, as in ddp and fused-all-reduce, unless there is the filter: then it waits with
// what is not significant, so that the filter still loses nothing. (Li et al. compress without
// loss, by Snappy; that pays where many values are 0, which the filter does not send at all.)
//
// Not here: replication chains, vector clocks by range, and a filter of what servers answer.
#include "trainyard/collective/key_value.hpp"

#include <cstdint>
#include <optional>

#include "trainyard/collective/significance_filter.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/gradient_wire.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

void work(Worker& worker) {
  const Vector model = worker.replica();
  const double significance = worker.hyperparameter("significance");
  const auto half = make_codec("fp16");
  Coder coder = worker.coder(*half);
  const bool rounds = worker.choice<Wire>("wire") == Wire::fp16;
  KeyValueClient store(worker.comm(), model.size(), rounds ? &coder : nullptr);
  std::optional<SignificanceFilter> filter;
  if (significance > 0.0) filter.emplace(worker.keep("held-back", model.size()), significance);
  VectorBuffer rounded_off(model.scalar(), filter && rounds ? model.size() : 0);
  while (worker.next_step()) {
    const ConstVector gradient = worker.compute_gradient();
    if (filter) {
      const ListedValues significant = filter->pass(gradient);
      const Vector left_out = rounded_off.view().first(rounds ? significant.values.size() : 0);
      const Timestamp pulled =
          store.exchange_listed(significant.places, significant.values, model, left_out);
      if (rounds) filter->hold_back(left_out);
      store.wait(pulled);
    } else {
      store.wait(store.exchange(gradient, model));
    }
  }
}

void serve(Server& server) {
  const auto step = [&](const PushedChange& gradient) {
    server.record_staleness(gradient.read_at);
    server.apply(gradient.change, 1, 1.0 / server.comm().workers());
  };
  const auto half = make_codec("fp16");
  Coder coder = server.coder(*half);
  const bool rounds = server.hyperparameter("wire") == static_cast<double>(Wire::fp16);
  serve_key_values(server.comm(), server.shard(), server.dimension(),
                   static_cast<std::uint64_t>(server.hyperparameter("staleness")), step,
                   rounds ? &coder : nullptr);
}

/// One port takes n changes one after the other. Without delay it then answers all; else it answers
/// each as it comes. With several servers, or with a filter, it depends.
std::optional<Duration> step_time(const StepSetting& s) {
  if (s.servers > 1 || hyperparameter(s.hyperparameters, "significance") > 0.0) return std::nullopt;
  const bool waits = hyperparameter(s.hyperparameters, "staleness") == 0.0;
  const Duration message = wire_message(s, wire_of(s.hyperparameters), s.parameters);
  return s.compute + (waits ? 2 * s.workers : s.workers + 1) * message;
}

const HyperparameterInfo significance_info{
    .name = "significance",
    .argument = "V",
    .help = "a number of a gradient that is smaller waits and adds up; 0: all are sent",
    .fallback = 0.0,
    .low = 0.0,
    .high = 1e6};

}  // namespace

Scheme key_value_scheme() {
  return {.name = "key-value",
          .summary =
              "workers push gradients to a store of keys and values, and pull models that lack "
              "others' last --staleness steps at most",
          .step = "γ/n × each gradient: n of them are a step of ps-sync",
          .cost = {.formula = "c + (n+1)(α + t), with --staleness 0 c + 2n(α + t), with "
                              "fp16 half of t",
                   .rate = "as ps-sync without delay, as ps-async with γ/n without bound",
                   .time = step_time},
          .source = "Li et al. 2014; catalogue 2.2",
          .family = SchemeFamily::bounded,
          .cast = cast::servers,
          .optimizers = OptimizerRange::plain,
          .hyperparameters = {staleness_info, significance_info, wire_info()},
          .worker = work,
          .server = serve};
}

}  // namespace trainyard
