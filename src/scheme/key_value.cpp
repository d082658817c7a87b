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
// Of a linear model on sparse rows a gradient is pushed at the keys of its minibatch, and those of
// the next one are pulled: its list is the one that the next push has, so that it is sent once. The
// regulariser's part at other keys is added by the servers. Not with the filter or with proxies.
//
// Values may be compressed on their way, both ways as Li et al. compress messages: with --wire fp16
// the numbers of gradients that are pushed and of models that are pulled are rounded to 16 bits,
// keys stay as they are. Servers keep their shards in full precision. What rounding takes off a
// gradient is gone, as in ddp and fused-all-reduce, unless there is the filter: then it waits with
// what is not significant, so that the filter still loses nothing. (Li et al. compress without
// loss, by Snappy; that pays where many values are 0, which the filter does not send at all.)
//
// A proxy for each group of workers (--proxies G; catalogue §2.9) stands between them and the
// servers that hold the shards. The members of a group wait for each other: their proxy sums their
// gradients of a step, pushes the sum, and gives the model that it pulls to all of them. So a
// server's port takes G messages a way instead of n, and τ is between groups: the model lacks the
// sums of other groups' last τ steps at most. A sum is one update, x ← x − (γ/n) Σ g, of as many
// minibatches as the group has members; one of every group is a step of ps-sync, up to the order of
// summation. Staleness is counted in updates. The filter and 16 bits are the proxies' then, on
// their way to the servers and back: what is compared with V is a number of the sum, and waits at
// the proxy. Between members and proxy vectors go whole and in full: those links are a group's own,
// the fast ones where there is a reason for groups, and a sum is rounded once instead of g times.
//
// Not here: replication chains, vector clocks by range, and a filter of what servers answer.
#include "trainyard/collective/key_value.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/collective/proxies.hpp"
#include "trainyard/collective/significance_filter.hpp"
#include "trainyard/collective/upcoming_keys.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/gradient_wire.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

int proxies_of(const Hyperparameters& hyperparameters) {
  return static_cast<int>(hyperparameter(hyperparameters, "proxies"));
}

/// The number of proxies, asked of a Worker or a Server.
template <typename Participant>
int proxies_of(const Participant& participant) {
  return static_cast<int>(participant.hyperparameter("proxies"));
}
template <typename Participant>
bool rounds(const Participant& participant) {
  return participant.hyperparameter("wire") == static_cast<double>(Wire::fp16);
}

/// Whether a step is of the keys of minibatches. A filter's lists are of what is significant, and a
/// proxy's would be of those of its group.
template <typename Participant>
bool goes_by_keys(const Participant& participant) {
  return participant.gradient_shape().key_width > 0 &&
         participant.hyperparameter("significance") == 0.0 && proxies_of(participant) == 0;
}

/// A client's end, that of a worker or of a group's proxy.
class Client {
 public:
  template <typename Participant>
  Client(Participant& participant, std::size_t parameters, Scalar scalar)
      : rounds_(rounds(participant)),
        half_(make_codec("fp16")),
        coder_(participant.coder(&*half_)),
        store_(participant.comm(), parameters, rounds_ ? &coder_ : nullptr,
               proxies_of(participant)) {
    const double significance = participant.hyperparameter("significance");
    if (significance == 0.0) return;
    filter_.emplace(participant.keep("held-back", parameters), significance);
    if (rounds_) rounded_off_ = VectorBuffer(scalar, parameters);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// From here on a step is of the keys of the worker's last minibatch and of its next one.
  void go_by_keys(Worker& worker) {
    keys_.emplace(worker);
    width_ = worker.gradient_shape().key_width;
  }

  /// A step: what is significant of `gradient` is pushed, and `model` is pulled.
  void exchange(ConstVector gradient, Vector model) {
    if (keys_) {
      parameters_of(keys_->taken(), pushed_);
      parameters_of(keys_->next(1), asked_);
      store_.wait(store_.exchange_keys(pushed_, gradient, asked_, model));
      keys_->forget_taken();
      return;
    }
    if (!filter_) {
      store_.wait(store_.exchange(gradient, model));
      return;
    }
    const ListedValues significant = filter_->pass(gradient);
    const Vector left_out = rounded_off_.view().first(rounds_ ? significant.values.size() : 0);
    const Timestamp pulled =
        store_.exchange_listed(significant.places, significant.values, model, left_out);
    if (rounds_) filter_->hold_back(left_out);
    store_.wait(pulled);
  }

 private:
  /// A feature has one for each class; to the store each is a key.
  void parameters_of(const Features& features, std::vector<std::uint32_t>& into) const {
    into.clear();
    for (const std::uint32_t feature : features) {
      for (std::size_t i = 0; i < width_; ++i) {
        into.push_back(static_cast<std::uint32_t>(feature * width_ + i));
      }
    }
  }

  const bool rounds_;
  const std::shared_ptr<const Codec> half_;
  Coder coder_;
  KeyValueClient store_;
  std::optional<SignificanceFilter> filter_;
  VectorBuffer rounded_off_;
  std::optional<UpcomingKeys> keys_;
  std::size_t width_ = 0;
  std::vector<std::uint32_t> pushed_, asked_;
};

void work(Worker& worker) {
  const Vector model = worker.replica();
  if (const int groups = proxies_of(worker); groups > 0) {
    while (worker.next_step()) {
      exchange_with_proxy(worker.comm(), worker.compute_gradient(), model, groups);
    }
    return;
  }
  Client client(worker, model.size(), model.scalar());
  if (goes_by_keys(worker)) client.go_by_keys(worker);
  while (worker.next_step()) client.exchange(worker.compute_gradient(), model);
}

void be_proxy(Server& server, int groups) {
  Communicator& comm = server.comm();
  const Scalar scalar = server.shard().scalar();
  Client client(server, server.dimension(), scalar);
  VectorBuffer sum(scalar, server.dimension()), model(scalar, server.dimension());
  while (comm.await_message()) {
    kernels::set_to_zero(sum.view());
    sum_members(comm, sum.view(), groups);
    client.exchange(sum.view(), model.view());
    answer_members(comm, model.view(), groups);
  }
}

void serve(Server& server) {
  const int proxies = proxies_of(server), workers = server.comm().workers();
  if (server.comm().rank() < server.comm().server(proxies)) {
    be_proxy(server, proxies);
    return;
  }
  const auto step = [&](const PushedChange& gradient) {
    const int minibatches = proxies == 0 ? 1 : group_size(workers, gradient.client, proxies);
    server.record_staleness(gradient.read_at);
    server.apply(gradient.change, static_cast<std::uint64_t>(minibatches), 1.0 / workers);
  };
  // For workers that go by keys, where λ is not 0.
  const auto regularise = [&](int worker, ConstVector read, Vector gradient) {
    server.set_to_untouched(worker, read, gradient);
  };
  UnlistedRule unlisted{.fill = regularise, .read = {}};
  const bool adds_regulariser = goes_by_keys(server) && server.is_regularised();
  for (int w = 0; adds_regulariser && w < workers; ++w) {
    unlisted.read.push_back(server.keep(fmt::format("pulled({})", w), server.shard()));
  }
  const auto half = make_codec("fp16");
  Coder coder = server.coder(&*half);
  serve_key_values(server.comm(), server.shard(), server.dimension(),
                   static_cast<std::uint64_t>(server.hyperparameter("staleness")), step,
                   rounds(server) ? &coder : nullptr, proxies,
                   adds_regulariser ? &unlisted : nullptr);
}

/// The proxies are servers beside those that --servers asks for.
Cast shards_behind_proxies(const CastSetting& setting) {
  Cast made = cast::servers(setting);
  made.proxies = proxies_of(setting.hyperparameters);
  if (made.proxies > setting.workers) {
    throw OptionError(
        "proxies", fmt::to_string(made.proxies),
        fmt::format("more groups than there are workers; 0 to {} are accepted", setting.workers));
  }
  made.servers += made.proxies;
  return made;
}

/// One port takes the changes of all clients one after the other. Without delay it then answers
/// all; else it answers each as it comes. With several servers, or with a filter, it depends.
std::optional<Duration> step_time(const StepSetting& s) {
  if (s.servers > 1 || hyperparameter(s.hyperparameters, "significance") > 0.0) return std::nullopt;
  if (s.touched < 1.0) return std::nullopt;
  const bool waits = hyperparameter(s.hyperparameters, "staleness") == 0.0;
  const Duration message = wire_message(s, wire_of(s.hyperparameters), s.parameters);
  const int groups = proxies_of(s.hyperparameters);
  const int clients = groups == 0 ? s.workers : groups;
  const Duration answers = (waits ? clients : 1) * message;
  if (groups == 0) return s.compute + clients * message + answers;
  // The smaller groups' sums are pushed first, and the larger ones' behind them, as soon as they
  // are there. The model goes to a larger group last.
  const int least = s.workers / groups, larger = s.workers % groups;
  const int most = larger == 0 ? least : least + 1;
  const Duration pushed =
      std::max(least * s.whole_model() + groups * message,
               most * s.whole_model() + (larger == 0 ? groups : larger) * message);
  return s.compute + pushed + answers + most * s.whole_model();
}

const HyperparameterInfo proxies_info{
    .name = "proxies",
    .argument = "G",
    .help = "groups of workers, each behind a proxy that talks to the servers; 0: none",
    .fallback = 0,
    .low = 0,
    .high = 32000,
    .whole = true};

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
          .cost = {.formula = "c + (n+1)(α + t), with --staleness 0 c + 2n(α + t); behind G "
                              "proxies, where G divides n, c + (2n/G + G + 1)(α + t), with "
                              "--staleness 0 c + 2(n/G + G)(α + t); with fp16 half of t to and "
                              "from the server",
                   .rate = "as ps-sync without delay, as ps-async with γ/n without bound",
                   .time = step_time},
          .source = "Li et al. 2014; catalogue 2.2",
          .family = SchemeFamily::bounded,
          .cast = shards_behind_proxies,
          .messages = {.by_keys = ByKeys::yes},
          .optimizers = {.range = OptimizerRange::plain,
                         .no_l1 = "adds γ/n of each change as it comes, and may hold some back"},
          .hyperparameters = {staleness_info, significance_info, proxies_info, wire_info()},
          .worker = work,
          .server = serve};
}

}  // namespace trainyard
