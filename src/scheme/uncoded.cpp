// Uncoded partial computations by the cyclic schedule (Amiri & Gündüz, IEEE TSP 2019, scheme CS;
// catalogue §2.14): the minibatches of the n workers are n parts of a step's. Worker i computes
// parts i, i + 1, …, i + r − 1 (mod n), one after another, and sends each gradient as soon as it is
// there. The step closes when D distinct parts are there, whoever sent them: x ← x − γ · their
// mean. The paper calls r the computation load and D the computation target.
//
// Gradient coding has every worker compute s + 1 parts before it says a word, so that a step takes
// s + 1 times as long where nobody is slow, and what a slow worker has half done is lost. Here a
// step takes one part where nobody is slow, and each part of a slow worker counts; the price is
// messages, up to r n of them, which the server's port takes one after the other. Where worker i
// takes f_i c for a part and the network nothing, part p is there after the least of (j + 1)
// f_{p−j} c over j < r, and a step takes the D-th of these: one slow worker of n costs 2 c with r =
// 2, however slow it is.
//
// The new model goes to all, and whoever computes drops its part at once, as in
// ps-backup-interrupt, which this is with r = 1 and n − D spares. A second copy of a part, and what
// is of an older step, is dropped by its tag. With D = n it takes the step of ps-sync, from the
// same samples and, as parts are added up in their order, to the bit. One server, as a part is of
// one step only.
#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/listening_gradient.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

int copies_of(const Hyperparameters& given) {
  return static_cast<int>(hyperparameter(given, "copies"));
}
int distinct_of(const Hyperparameters& given) {
  return static_cast<int>(hyperparameter(given, "distinct"));
}

void require_at_most(int workers, const char* name, int value) {
  if (value <= workers) return;
  throw OptionError(
      name, fmt::to_string(value),
      fmt::format("there are {} parts, one for each worker; at most {}", workers, workers));
}

/// One server; worker i takes the minibatches of i, i + 1, …, i + r − 1, in this order.
Cast cyclic_cast(const CastSetting& setting) {
  const int copies = copies_of(setting.hyperparameters);
  require_at_most(setting.workers, "copies", copies);
  require_at_most(setting.workers, "distinct", distinct_of(setting.hyperparameters));
  Cast made = cast::one_server(setting);
  made.one_share_a_step = true;
  for (int worker = 0; worker < setting.workers; ++worker) {
    auto& parts = made.shares.emplace_back();
    for (int j = 0; j < copies; ++j) parts.push_back((worker + j) % setting.workers);
  }
  return made;
}

/// A part of a step, as a message's tag says it.
struct PartOfStep {
  std::uint64_t step = 0;
  int part = 0;

  std::uint64_t tag(int parts) const {
    return step * static_cast<std::uint64_t>(parts) + static_cast<std::uint64_t>(part);
  }
  static PartOfStep from_tag(std::uint64_t tag, int parts) {
    const auto count = static_cast<std::uint64_t>(parts);
    return {tag / count, static_cast<int>(tag % count)};
  }
};

/// Whether the program begins anew, in a later leg of the run (runtime/run_state.hpp): the model of
/// the step that was closed last may not have come to all in the leg before, so the server tells it
/// once more, and workers go on from there.
template <typename Program>
bool is_later_leg(Program& program) {
  return program.keep_counts("legs", 1).front()++ > 0;
}

/// The worker counts each part as a step.
void work(Worker& worker) {
  Communicator& comm = worker.comm();
  ListeningGradient gradients(worker);
  const int server = comm.server(0);
  const auto copies = static_cast<std::uint64_t>(worker.hyperparameter("copies"));
  std::uint64_t& step = worker.keep_counts("step", 1).front();
  std::uint64_t& done = worker.keep_counts("parts done", 1).front();  // of it
  const auto take = [&](const Message& model) {
    model.copy_to(worker.replica());
    if (model.tag() <= step) return;  // of its parts none is computed twice
    step = model.tag();
    done = 0;
  };
  if (is_later_leg(worker)) take(comm.receive(server));
  while (worker.next_step()) {
    // A slow worker may find several models, of which only the newest is worth computing at.
    while (const auto newer = comm.poll(server)) take(*newer);
    const auto gradient = gradients.compute_share_unless(done, step, take);
    if (!gradient) continue;
    const int part = (comm.rank() + static_cast<int>(done)) % comm.workers();
    comm.send(server, *gradient, PartOfStep{step, part}.tag(comm.workers()));
    if (++done == copies) take(comm.receive(server));
  }
}

void serve(Server& server) {
  Communicator& comm = server.comm();
  const int n = comm.workers();
  const int needed = static_cast<int>(server.hyperparameter("distinct"));
  const int copies = static_cast<int>(server.hyperparameter("copies"));
  std::vector<std::optional<Message>> parts(static_cast<std::size_t>(n));
  int heard = 0;
  const auto tell = [&](int worker) { comm.send(worker, server.shard(), server.version()); };
  if (is_later_leg(server)) for_each_worker(comm, tell);
  while (auto gradient = comm.receive_any()) {
    const PartOfStep of = PartOfStep::from_tag(gradient->tag(), n);
    auto& place = parts[static_cast<std::size_t>(of.part)];
    if (of.step >= server.version() && !server.has_steps_left()) {
      // A process that has not heard yet that the last step is closed computes one more, and waits
      // for an answer after the last of its parts: it names the step after that, as they come in
      // order.
      const int from = gradient->from();
      gradient.reset();
      if (of.part == (from + copies - 1) % n) comm.send(from, server.shard(), of.step + 1);
      continue;
    }
    if (of.step != server.version() || place) continue;
    place.emplace(std::move(*gradient));
    if (++heard < needed) continue;
    const auto sum = server.zeroed_sum();
    for (auto& part : parts) {
      if (part) kernels::add(part->vector(), sum);
      part.reset();
    }
    heard = 0;
    server.close_step(sum, static_cast<std::uint64_t>(needed), 1.0 / needed);
    for_each_worker(comm, tell);
  }
}

/// The port takes D of the first parts, one from each worker; then its other half tells all. What
/// else they send meanwhile delays later steps.
/// Known while the step ends before anybody has a second part to send, which would meet its
/// messages.
std::optional<Duration> step_time(const StepSetting& s) {
  const Duration exchange = (s.workers + distinct_of(s.hyperparameters)) * s.whole_model();
  if (copies_of(s.hyperparameters) > 1 && exchange > s.compute) return std::nullopt;
  return s.compute + exchange;
}

const HyperparameterInfo copies{
    .name = "copies",
    .argument = "R",
    .help = "workers that compute each part of a step, at most all; 2 if not given",
    .fallback = 1,
    .low = 1,
    .high = 1e6,
    .whole = true,
    .run_fallback = [](int workers, const Hyperparameters&) -> double {
      return std::min(2, workers);
    }};

const HyperparameterInfo distinct{
    .name = "distinct",
    .argument = "D",
    .help = "distinct parts that close a step, of as many as there are workers; all if not given",
    .fallback = 1,
    .low = 1,
    .high = 1e6,
    .whole = true,
    .run_fallback = [](int workers, const Hyperparameters&) -> double { return workers; }};

}  // namespace

Scheme uncoded_scheme() {
  return {
      .name = "uncoded",
      .summary =
          "workers compute --copies parts in a cycle, each sent at once: --distinct of them "
          "close a step",
      .step = "γ × mean over the parts that came in time",
      .cost = {.formula = "c + (n + D)(α + t), if 2c or less; with stragglers c of the D-th part",
               .rate = "1/ε + σ²/(Dε²)",
               .time = step_time,
               .learns_from = [](int, const Hyperparameters& given) { return distinct_of(given); }},
      .source = "Amiri & Gündüz 2019; catalogue 2.14",
      .family = SchemeFamily::synchronous,
      .order = {.pace = Pace::server,
                .repeats_with = "--distinct n, as by default",
                .outlives_worker = true},
      .cast = cyclic_cast,
      .hyperparameters = {copies, distinct},
      .worker = work,
      .server = serve};
}

}  // namespace trainyard
