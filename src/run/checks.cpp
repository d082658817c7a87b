#include "run/checks.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/even_split.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/model/hidden_matrices.hpp"
#include "trainyard/network/fault_trace.hpp"
#include "trainyard/network/links.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/run/scheme_graph.hpp"
#include "trainyard/runtime/robust_mean.hpp"

#include "run/datagrams.hpp"
#include "run/membership.hpp"
#include "run/objects.hpp"
#include "run/share_weights.hpp"

namespace trainyard {

void check_optimizer(const OptimizerOptions& optimizer) {
  if (optimizer.kind == OptimizerKind::nesterov && optimizer.momentum == 0.0) {
    throw OptionError("optimizer", "nesterov", "it needs a --momentum above 0, like 0.9");
  }
  const std::string schedule = lr_schedule_text(optimizer.lr_schedule);
  if (optimizer.lr_decay > 0.0 && optimizer.lr_schedule.kind != LrSchedule::Kind::inverse_time) {
    throw OptionError(
        "lr-decay",
        fmt::format("it belongs to --lr-schedule inverse-time; with {} leave it 0", schedule));
  }
}

void check_against_data(const Configuration& c, const LoadedData& data) {
  const std::size_t rows = data.train.rows;
  if (rows < static_cast<std::size_t>(c.workers)) {
    throw OptionError("workers",
                      fmt::format("{} workers need at least as many training rows; {} has {}",
                                  c.workers, data.name, rows));
  }
  if (rows < c.batch) {
    throw OptionError("batch", fmt::format("{} rows are more than the {} training rows of {}",
                                           c.batch, rows, data.name));
  }
}

void check_stragglers(const Configuration& c) {
  for (const Straggler& straggler : c.stragglers) {
    if (straggler.rank >= c.workers) {
      throw OptionError("straggler", fmt::format("there is no worker {}; workers are 0 to {}",
                                                 straggler.rank, c.workers - 1));
    }
  }
}

/// Throws OptionError where a crash has no end that its run could wait for.
void check_crashes(const Configuration& c) {
  const Faults& faults = c.network.faults;
  if (!faults.crash()) return;
  const bool in_wall = c.time == TimeMode::wall, waits = faults.on_failure == OnFailure::wait;
  if (in_wall && !waits) {
    throw OptionError("on-failure", on_failure_text(faults.on_failure),
                      "goes by the simulated clock; in wall, wait is accepted");
  }
  if (!waits && !c.trace.empty()) {
    throw OptionError("trace",
                      "records a run in one piece, which crashes end; leave out --fault "
                      "crash, or let others --on-failure wait");
  }
  if (!in_wall && faults.on_failure != OnFailure::restart) return;
  for (const Crash& crash : faults.crashes) {
    if (crash.when.until != Time::max()) continue;
    throw OptionError(
        "fault",
        fmt::format("crash:{} does not say when it is back, {}; like crash:{}@2s-5s", crash.rank,
                    in_wall ? "and for good ranks crash in simulated time alone"
                            : "and a run that restarts waits for that",
                    crash.rank));
  }
  for (int worker = 0; worker < c.workers && faults.trace; ++worker) {
    const auto outages = outages_in(*faults.trace, worker, c.workers).once;
    if (outages.empty() || outages.back().until != Time::max()) continue;
    throw OptionError(
        "fault",
        fmt::format("trace:{} does not say when worker {} is back, {}", faults.trace->file, worker,
                    in_wall ? "and for good ranks crash in simulated time alone"
                            : "and a run that restarts waits for that"));
  }
}

/// As with links, a rank may be one that only another scheme has.
void check_faults(const Configuration& c, int ranks) {
  const Faults& faults = c.network.faults;
  if (faults.ranks() > ranks) {
    throw OptionError("fault", fmt::format("it names rank {}; there are ranks 0 to {}",
                                           faults.ranks() - 1, ranks - 1));
  }
  for (const LossRule& rule : faults.losses) {
    const double bad = rule.chain ? rule.to_bad / (rule.to_bad + rule.to_good) : 0.0;
    const double share = bad * rule.in_bad + (1.0 - bad) * rule.in_good;
    if (!faults.retransmission.doubles || share < 0.25) continue;
    throw OptionError(
        "retransmit",
        fmt::format(
            "of {:.0f} % of the tries that are lost some runs are so long that time-outs "
            "twice as long each time come to years; below a quarter they do not, or without "
            "'double'",
            100.0 * share));
  }
  if (faults.trace) check_workers_of(*faults.trace, c.workers);
  check_crashes(c);
  for (const Stall& stall : faults.stalls) {
    if (stall.rank < c.workers) continue;
    throw OptionError("fault", fmt::format("stall:{} is no worker, and workers stand still; they "
                                           "are ranks 0 to {}",
                                           stall.rank, c.workers - 1));
  }
}

/// A table may name ranks that only another scheme has: one table serves a whole comparison.
void check_network(const Configuration& c, int ranks) {
  ranks = std::max(ranks, c.workers + c.servers);
  if (c.network.links.ranks() > ranks) {
    throw OptionError("links", fmt::format("{} names rank {}; there are ranks 0 to {}",
                                           c.network.links.file.string(),
                                           c.network.links.ranks() - 1, ranks - 1));
  }
  if (c.network.is_irregular() && ranks > most_ranks_with_jitter) {
    throw OptionError(
        c.network.jitter.any() ? "jitter" : "fault",
        fmt::format("{} ranks are too many for it (at most {})", ranks, most_ranks_with_jitter));
  }
  check_faults(c, ranks);
}

void check_target(const Configuration& c, const LoadedData& data) {
  const int targets =
      (c.target_loss ? 1 : 0) + (c.target_accuracy ? 1 : 0) + (c.target_gradient ? 1 : 0);
  if (targets > 1) {
    throw OptionError(c.target_accuracy ? "target-accuracy" : "target-gradient",
                      "another target is given, too; a run has one");
  }
  if (c.target_accuracy && !data.train.targets.empty()) {
    throw OptionError(
        "target-accuracy",
        "real labels have no accuracy; --target-loss and --target-gradient are for them");
  }
  if (c.target_accuracy && data.validation.rows == 0 && data.test.rows == 0) {
    throw OptionError("target-accuracy",
                      fmt::format("{} has neither validation nor test rows; --validation 0.2 takes "
                                  "some out, --test FILE names some",
                                  data.name));
  }
}

void check_held_out(const Configuration& c, const LoadedData& data) {
  if (c.patience && data.validation.rows == 0) {
    throw OptionError("patience",
                      "it looks at validation rows, and there are none; --validation 0.2 takes "
                      "them out of the training rows, --validation FILE names some");
  }
  if (c.metric == MeasureKind::loss) return;
  const std::string kind = measure_kind_text(c.metric);
  if (data.validation.rows + data.test.rows == 0) {
    throw OptionError("metric", kind,
                      fmt::format("{} has neither validation nor test rows to measure; "
                                  "--validation 0.2 takes some out, --test FILE names some",
                                  data.name));
  }
  const bool real = !data.train.targets.empty();
  if (!suits_labels(c.metric, real)) {
    throw OptionError("metric", kind,
                      real ? "it is of classes, and these labels are real numbers; loss, mae and "
                             "r2 are accepted"
                           : "it is of real labels, and these are classes; loss, accuracy, "
                             "balanced-accuracy, f1, auc and average-precision are accepted");
  }
}

namespace {

/// "class 'good'".
std::string class_text(const LoadedData& data, std::size_t place) {
  const std::vector<std::string> names = class_texts(data.preparation);
  return place < names.size() ? fmt::format("class {}", echoed(names[place]))
                              : fmt::format("class {}", place);
}

}  // namespace

void check_classes_of_metric(const Configuration& c, const LoadedData& data, const Remark& remark) {
  const bool ranks = c.metric == MeasureKind::auc || c.metric == MeasureKind::average_precision;
  const bool of_one = c.metric == MeasureKind::f1 || c.metric == MeasureKind::average_precision;
  if (of_one && data.train.classes == 2) {
    remark(fmt::format("note: --metric {} is that of {}, the second of two",
                       measure_kind_text(c.metric), class_text(data, 1)));
  }
  if (!ranks || data.validation.rows == 0) return;
  const auto rows = rows_by_class(data.validation);
  const auto empty = std::ranges::find_if(rows, [](const auto& some) { return some.empty(); });
  if (empty == rows.end()) return;
  throw OptionError("metric", measure_kind_text(c.metric),
                    fmt::format("it takes rows of each class, and no validation row is of {}; "
                                "more validation rows, loss or accuracy are accepted",
                                class_text(data, static_cast<std::size_t>(empty - rows.begin()))));
}

void remark_on_test_target(const Configuration& c, const Remark& remark) {
  if (!c.target_accuracy || !c.validation.empty()) return;
  remark(
      "note: the target is looked for on the test rows, which then say less of how good the model "
      "is on others; --validation 0.2 holds rows out for it");
}

namespace {

/// Throws UsageError where its rule does not allow what is asked for.
void check_optimizer_of(const Scheme& scheme, const OptimizerOptions& optimizer) {
  const bool of_sgd =
      optimizer.kind == OptimizerKind::sgd || optimizer.kind == OptimizerKind::nesterov;
  if (scheme.optimizers.range == OptimizerRange::any || optimizer.plain()) return;
  if (scheme.optimizers.range == OptimizerRange::velocity) {
    if (of_sgd) return;
    throw OptionError("optimizer", optimizer_text(optimizer.kind),
                      fmt::format("{} takes sgd and nesterov", scheme.name));
  }
  if (optimizer.kind == OptimizerKind::sgd) {
    throw OptionError("momentum", fmt::format("{} takes none; leave it 0", scheme.name));
  }
  throw OptionError(
      "optimizer", optimizer_text(optimizer.kind),
      fmt::format("{} takes sgd without momentum, the default: how it steps is its own rule",
                  scheme.name));
}

/// Throws OptionError where there is no step for μ‖w‖₁, or the rule has no place for it.
void check_l1(const Scheme& scheme, const Cast& cast, const Configuration& c) {
  if (c.l1 == 0.0) return;
  const auto refuse = [&](const std::string& why) {
    throw OptionError("l1", fmt::to_string(c.l1), why);
  };
  if (!c.optimizer.shrinks()) {
    refuse(fmt::format("{} has no step for it; sgd and adagrad have",
                       optimizer_text(c.optimizer.kind)));
  }
  if (c.target_gradient || c.gradient_norm) {
    refuse(
        fmt::format("--{} is about a gradient that is 0 at the optimum, which with --l1 it is not",
                    c.target_gradient ? "target-gradient" : "gradient-norm"));
  }
  if (!scheme.optimizers.no_l1.empty())
    refuse(fmt::format("{} {}", scheme.name, scheme.optimizers.no_l1));
  if (cast.shared_format) {
    refuse(fmt::format("{} has a model in {} bits, whose unit is longer than what a step shrinks",
                       scheme.name, cast.shared_format->bits));
  }
}

/// Why no worker has its whole gradient before the first of it is sent or written; empty where it
/// has.
std::string why_not_clipped(const Scheme& scheme, const Cast& cast) {
  if (!scheme.optimizers.no_clip_norm.empty()) return scheme.optimizers.no_clip_norm;
  if (cast.model == ModelHome::shared) return "writes a step into the shared model as it goes";
  if (cast.holds != nullptr) return "divides the model, and no worker has the whole gradient";
  if (scheme.messages.by_layers) return "sends a layer's gradient before it has the next one's";
  return "";
}

/// Throws OptionError where Muon has no matrices, or who steps the model does not have them whole.
void check_muon(const Scheme& scheme, const Cast& cast, const Configuration& c,
                const Model& model) {
  if (!c.optimizer.muon()) return;
  const auto refuse = [](const std::string& why) { throw OptionError("optimizer", "muon", why); };
  const std::vector<MatrixPlace> matrices = hidden_matrices(model.tensors());
  if (matrices.empty()) {
    refuse(
        fmt::format("it steps the matrices between hidden layers, and {} has none; networks "
                    "with two hidden layers or more are accepted, like mlp:64,64",
                    c.model));
  }
  const std::string& its_own = scheme.optimizers.no_muon;
  if (!its_own.empty() || cast.tensor_size > 1) {
    refuse(fmt::format("it steps whole matrices, and {} {}", scheme.name,
                       its_own.empty() ? "divides each layer's among workers" : its_own));
  }
  if (takes(scheme, "collective")) return;  // whose servers add up, and step nothing
  const int servers = cast.servers - cast.proxies;
  for (int i = 1; i < servers; ++i) {
    const std::size_t cut = even_cut(model.dimension(), i, servers);
    for (const MatrixPlace& matrix : matrices) {
      if (cut <= matrix.first || cut >= matrix.first + matrix.shape.size()) continue;
      refuse(
          fmt::format("it steps whole matrices, and {} servers divide one of {}; --servers 1 is "
                      "accepted",
                      servers, c.model));
    }
  }
}

void check_clip_norm(const Scheme& scheme, const Cast& cast, const Configuration& c) {
  if (c.optimizer.clip_norm == 0.0) return;
  const std::string why_not = why_not_clipped(scheme, cast);
  if (why_not.empty()) return;
  throw OptionError("clip-norm", fmt::to_string(c.optimizer.clip_norm),
                    fmt::format("{} {}", scheme.name, why_not));
}

/// Throws OptionError where not every worker of the scheme needs whole rows of its own.
void check_data_source(const Scheme& scheme, const Cast& cast) {
  if (cast.data_servers == 0) return;
  const bool is_shared = cast.model == ModelHome::shared;
  if (!is_shared && cast.holds == nullptr) return;
  throw OptionError(
      "data-source", "server",
      fmt::format("{} {}; partitioned is accepted, and server with schemes whose workers compute "
                  "gradients of the whole model",
                  scheme.name,
                  is_shared ? "has its workers in one memory, in which the rows lie, too"
                            : "divides the model, and most of its parts need no rows"));
}

}  // namespace

std::optional<std::string> check_objects(RunObjects& objects, const Configuration& c) {
  const Scheme& scheme = *objects.scheme;
  const Cast& cast = objects.cast;
  check_optimizer_of(scheme, c.optimizer);
  check_l1(scheme, cast, c);
  check_clip_norm(scheme, cast, c);
  check_muon(scheme, cast, c, *objects.model);
  objects.holdings = holdings_of(scheme, cast, *objects.model, c.model);
  check_data_source(scheme, cast);
  check_deal_of(scheme, cast, c);
  check_weights(scheme, cast, c);
  check_membership(scheme, c);
  check_datagrams(scheme, cast, c);
  if (objects.model->scalar() != Scalar::float32 && cast.models_in_memory() > 0) {
    throw OptionError(
        "model", c.model,
        fmt::format("its parameters are double, and the model that workers of {} share is float; "
                    "schemes that share none take it",
                    scheme.name));
  }
  objects.graph = graph_of(scheme, c);
  return objects.graph ? check_graph(scheme, c, *objects.graph) : std::nullopt;
}

std::optional<std::string> check_scheme(const Scheme& scheme, const Configuration& c,
                                        std::shared_ptr<const Model> model) {
  RunObjects objects{.scheme = &scheme, .cast = cast_of(scheme, c), .model = std::move(model)};
  return check_objects(objects, c);
}

}  // namespace trainyard
