// Data-parallel SGD whose small gradients travel together: Horovod (Sergeev & Del Balso 2018, §4).
// Every worker tells a coordinator which tensors are final, the last one first as backpropagation
// gets to them. Once in a cycle, of --cycle-time, the coordinator says which are final everywhere;
// all workers pack these, in order, into buffers of at most --fusion-buffer bytes, and sum one
// buffer after the other around a ring, while the layers below are still computed. The step is
// taken when all tensors are in:
//   x ← x − γ (1/n) Σ_i g_i.
//
// A cycle begins --cycle-time after the one before it, or when the sums of that are done, whichever
// is later. So tensors that come quickly one after another share latencies, which ddp leaves to the
// size of its buckets, and a lone one waits half a cycle on average. A tensor that is larger than
// the buffer goes by itself. With --wire fp16 (Compression.fp16) a tensor is rounded to 16 bits
// when it is final, and so is each sum on its way, whose hops send half the bytes. In Horovod the
// coordinator is a thread of rank 0; here it is a rank of its own, which sends and receives control
// traffic only, and rank 0 tells it when the sums are done. Horovod's own copying into the buffer
// and out of it takes no time here: a gradient's tensors lie side by side as they are.
//
// In `wall` the clock decides which tensors go together, and with it in which order their sums are
// taken: as in Horovod, runs on threads agree but for rounding, unless a gradient is one tensor or
// --fusion-buffer is 0. The replicas of one run are alike to the bit.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/concurrent_rings.hpp"
#include "trainyard/model/gradient_parts.hpp"
#include "trainyard/runtime/overlapped_gradient.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/gradient_buckets.hpp"
#include "scheme/gradient_wire.hpp"

namespace trainyard {

namespace {

/// A message of rank 0 to the coordinator. Other tags to it are numbers of tensors of a worker that
/// have been final since the run began, and tags of the coordinator are numbers of tensors to be
/// summed.
constexpr std::uint64_t sums_are_done = ~std::uint64_t{0};

/// Adds buffers with `tensors` in order, each with as many as fit.
void pack(std::span<const ParameterRange> tensors, std::size_t bytes_of_number, double bytes,
          std::vector<ParameterRange>& buffers) {
  double room = -1.0;  // in the last one
  for (const ParameterRange& tensor : tensors) {
    const auto needed = static_cast<double>(tensor.count * bytes_of_number);
    if (needed <= room) {
      buffers.back() = joined(tensor, buffers.back());
    } else {
      buffers.push_back(tensor);
      room = bytes;
    }
    room -= needed;
  }
}

/// One worker's gradients on their way.
class Fusion {
 public:
  explicit Fusion(Worker& worker)
      : comm_(worker.comm()),
        wire_(worker),
        rings_(comm_, wire_.codec()),
        tensors_(tensors_backwards(worker.model().tensors())),
        bytes_of_number_(wire_bytes(wire_.kind(), worker.replica().scalar())),
        buffer_(worker.hyperparameter("fusion-buffer")) {}

  /// Tells the coordinator.
  void is_final(Vector gradient, ParameterRange part) {
    gradient_ = gradient;
    wire_.round(gradient.subspan(part.first, part.count));
    while (final_ < tensors_.size() && tensors_[final_].first >= part.first) ++final_;
    comm_.send_control(comm_.server(0), before_ + final_);
  }
  /// A chunk of another worker, or the coordinator's word.
  void take(Message& message) {
    if (message.from() == comm_.server(0)) {
      const std::size_t until = message.tag() - before_;
      pack(std::span(tensors_).subspan(chosen_, until - chosen_), bytes_of_number_, buffer_,
           buffers_);
      chosen_ = until;
    } else {
      rings_.take(message);
    }
    go_on();
  }
  /// Waits until all tensors of this step are summed.
  void finish() {
    while (chosen_ < tensors_.size() || rings_.under_way() > 0) {
      auto message = comm_.receive_any();
      take(*message);
    }
    before_ += tensors_.size();
    final_ = chosen_ = started_ = 0;
    buffers_.clear();
  }

 private:
  /// One sum at a time.
  void go_on() {
    while (rings_.under_way() == 0 && started_ < buffers_.size()) {
      const ParameterRange& buffer = buffers_[started_];
      rings_.start(started_++, gradient_.subspan(buffer.first, buffer.count));
      told_ = false;
    }
    if (rings_.under_way() > 0 || told_) return;
    told_ = true;
    if (comm_.rank() == 0) comm_.send_control(comm_.server(0), sums_are_done);
  }

  Communicator& comm_;
  GradientWire wire_;
  ConcurrentRings rings_;
  const std::vector<ParameterRange> tensors_;  // the last one first
  const std::size_t bytes_of_number_;
  const double buffer_;                  // bytes
  Vector gradient_;                      // of this step
  std::uint64_t before_ = 0;             // tensors of the steps before
  std::size_t final_ = 0, chosen_ = 0;   // tensors of this step
  std::vector<ParameterRange> buffers_;  // that the coordinator has chosen in this step
  std::size_t started_ = 0;              // of these
  bool told_ = true;                     // all that was chosen is summed, and the coordinator knows
};

void work(Worker& worker) {
  Fusion fusion(worker);
  OverlappedGradient gradients(worker);
  while (worker.next_step()) {
    const Vector gradient =
        gradients.compute([&](Vector whole, ParameterRange part) { fusion.is_final(whole, part); },
                          [&](Message& message) { fusion.take(message); });
    fusion.finish();
    worker.apply(gradient, 1.0 / worker.comm().workers());
  }
}

/// When cycles begin.
class Cycles {
 public:
  explicit Cycles(Duration length) : length_(length) {}

  /// The beginning of the first one from `at` on.
  Time from(Time at) {
    if (next_ < at && length_.count() > 0) {
      next_ += length_ * ((at - next_ + length_ - Duration{1}) / length_);
    }
    return next_ = std::max(next_, at);
  }
  /// The one that began last has sums, which end now.
  void end(Time at) { next_ = std::max(next_ + length_, at); }

 private:
  const Duration length_;
  Time next_{0};
};

void coordinate(Server& server) {
  Communicator& comm = server.comm();
  Cycles cycles(seconds(server.hyperparameter("cycle-time")));
  std::vector<std::uint64_t> final(static_cast<std::size_t>(comm.workers()), 0);
  std::uint64_t chosen = 0;
  bool summing = false;
  const auto take_what_came = [&] {
    while (const auto message = comm.poll_any()) {
      if (message->tag() == sums_are_done) {
        summing = false;
        cycles.end(server.now());
      } else {
        final[static_cast<std::size_t>(message->from())] = message->tag();
      }
    }
  };
  while (comm.await_message()) {
    take_what_came();
    if (summing || *std::ranges::min_element(final) == chosen) continue;
    server.stand_still_until(cycles.from(server.now()));
    take_what_came();
    chosen = *std::ranges::min_element(final);
    summing = true;
    for (int w = 0; w < comm.workers(); ++w) comm.send_control(w, chosen);
  }
}

std::optional<Duration> step_time(const StepSetting& s) {
  const AllReduce& ring = find_all_reduce("ring");
  std::vector<GradientPart> parts{{.parameters = {0, s.parameters}}};
  std::vector<ParameterRange> tensors{{0, s.parameters}};
  if (s.model != nullptr) {
    parts = gradient_parts(*s.model);
    tensors = tensors_backwards(s.model->tensors());
  }
  const auto is_final_at = [&](const ParameterRange& tensor) {
    const auto found = std::ranges::find_if(
        parts, [&](const GradientPart& part) { return part.parameters.first <= tensor.first; });
    return found->final_after(s.compute);
  };
  const Wire wire = wire_of(s.hyperparameters);
  const auto message = [&](std::size_t numbers) { return wire_message(s, wire, numbers); };
  Cycles cycles(seconds(hyperparameter(s.hyperparameters, "cycle-time")));
  Time ends{0};
  for (std::size_t chosen = 0; chosen < tensors.size();) {
    ends = cycles.from(is_final_at(tensors[chosen]));
    std::size_t until = chosen;
    while (until < tensors.size() && is_final_at(tensors[until]) <= ends) ++until;
    std::vector<ParameterRange> buffers;
    pack(std::span(tensors).subspan(chosen, until - chosen), wire_bytes(wire, Scalar::float32),
         hyperparameter(s.hyperparameters, "fusion-buffer"), buffers);
    for (const ParameterRange& buffer : buffers) {
      ends += ring.duration(s.workers, s.servers, buffer.count, message);
    }
    cycles.end(ends);
    chosen = until;
  }
  return std::max(ends, s.compute);
}

HyperparameterInfo cycle_time_info() {
  return {.name = "cycle-time",
          .argument = "DURATION",
          .help = "once in this time, those gradients that are final everywhere are summed",
          .fallback = 5e-3,
          .low = 0.0,
          .high = 1e6,
          .unit = Unit::seconds};
}

HyperparameterInfo fusion_buffer_info() {
  return {
      .name = "fusion-buffer",
      .argument = "BYTES",
      .help = "gradients of one cycle are summed together, so many bytes at most; 0: one by one",
      .fallback = 64.0 * 1024 * 1024,
      .low = 0,
      .high = 1e15,
      .whole = true,
      .unit = Unit::bytes};
}

}  // namespace

Scheme fused_all_reduce_scheme() {
  return {
      .name = "fused-all-reduce",
      .summary = "ring all-reduces of what is final in each cycle, fused, while backward goes on",
      .step = "γ × mean over workers",
      .cost = {.formula = "2(n-1)(α + t/n) after the first cycle that begins at c or later, with "
                          "fp16 half of t; of a "
                          "model with layers, cycle by cycle from when they are final",
               .rate = "as ring",
               .time = step_time},
      .source = "Sergeev & Del Balso 2018; catalogue 2.17, 7",
      .family = SchemeFamily::synchronous,
      .order = {.by_clock = true, .repeats_with = "--fusion-buffer 0"},
      .cast = [](const CastSetting& s) { return Cast{.workers = s.workers, .servers = 1}; },
      .messages = {.by_layers = true},
      .hyperparameters = {cycle_time_info(), fusion_buffer_info(), wire_info()},
      .worker = work,
      .server = coordinate};
}

}  // namespace trainyard
