#include "scheme/vector_shard.hpp"

#include <algorithm>
#include <span>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

double dot_product(std::span<const double> x, std::span<const double> y) {
  double sum = 0.0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * y[j];
  return sum;
}

}  // namespace

std::size_t pairs_kept(const Server& server) {
  return static_cast<std::size_t>(server.hyperparameter("history")) + 1;
}

void tell_shards(Communicator& comm, const Command& command, std::optional<double> number) {
  for (int shard = 1; shard < comm.servers(); ++shard) {
    if (number) {
      comm.send(comm.server(shard), std::span(&*number, 1), command.tag());
    } else {
      comm.send_control(comm.server(shard), command.tag());
    }
  }
}

double sum_of_answers(Communicator& comm) {
  double sum = 0.0;
  for (int shard = 1; shard < comm.servers(); ++shard) {
    sum += last(comm.receive(comm.server(shard)).vector());
  }
  return sum;
}

VectorShard::VectorShard(Server& server)
    : server_(server),
      counted_(server.portions(), false),
      sent_(server.shard().scalar(), server.shard().size()) {
  const std::size_t length = server.shard().size();
  for (const char* name :
       {"parameters", "gradient", "trial parameters", "trial gradient", "direction"}) {
    vectors_.push_back(server.keep(name, length, Scalar::float64));
  }
  const std::size_t more = 2 * pairs_kept(server);
  const Vector history = server.keep("history", more * length, Scalar::float64);
  for (std::size_t i = 0; i < more; ++i) vectors_.push_back(history.subspan(i * length, length));
  with_scalar(sent_.scalar(), [&]<typename T>(T) {
    const std::span<const T> model = ConstVector(server.shard()).as<T>();
    std::ranges::copy(model, held(Held::point).doubles().begin());
  });
}

void VectorShard::serve() {
  while (const auto message = server_.comm().receive_any()) {
    if (message->from() == server_.comm().server(0)) {
      obey(Command::from_tag(message->tag()), *message);
    } else {
      hear(*message);
    }
  }
}

/// A worker wants the point, or brings a portion's gradient. That counts once, and only at the
/// point where it was taken.
void VectorShard::hear(const Message& message) {
  if (message.payload() == Payload::control) {
    server_.comm().send(message.from(), sent_.view());
    return;
  }
  const Task task = Task::from_tag(message.tag());
  if (task.evaluation != evaluation_ || counted_[task.portion]) return;
  counted_[task.portion] = true;
  --missing_;
  const double share = server_.portion_share(task.portion);
  const std::span<double> sum = held(Held::trial_slopes).doubles();
  with_scalar(sent_.scalar(), [&]<typename T>(T) {
    const std::span<const T> gradient = message.vector().as<T>();
    for (std::size_t j = 0; j < sum.size(); ++j) {
      sum[j] += share * static_cast<double>(gradient[j]);
    }
  });
}

void VectorShard::obey(const Command& command, const Message& message) {
  const double a = message.bytes().empty() ? 0.0 : last(message.vector());
  const ConstVector from = held(command.from);
  const Vector to = held(command.to);
  switch (command.verb) {
    case Verb::evaluate:
      begin_evaluation(a);
      server_.comm().send_control(message.from(), 0);
      return;
    case Verb::gather:
      while (missing_ > 0) {
        const auto brought = server_.comm().receive_any();
        require(brought.has_value(), "portions that are done are on their way to the shards");
        hear(*brought);
      }
      return answer(
          dot_product(held(Held::trial_slopes).doubles(), held(Held::direction).doubles()));
    case Verb::publish:
      return kernels::copy(sent_.view(), server_.shard());
    case Verb::dot:
      return answer(dot_product(from.doubles(), to.doubles()));
    case Verb::axpy:
      return kernels::axpy(a, from, to);
    case Verb::scale:
      return kernels::scale(a, to);
    case Verb::copy:
      return kernels::copy(from, to);
  }
}

void VectorShard::answer(double number) {
  server_.comm().send(server_.comm().server(0), std::span(&number, 1));
}

void VectorShard::begin_evaluation(double step) {
  ++evaluation_;
  counted_.assign(counted_.size(), false);
  missing_ = counted_.size();
  kernels::set_to_zero(held(Held::trial_slopes));
  const std::span<const double> x = held(Held::point).doubles();
  const std::span<const double> d = held(Held::direction).doubles();
  const std::span<double> at = held(Held::trial).doubles();
  with_scalar(sent_.scalar(), [&]<typename T>(T) {
    const std::span<T> rounded = sent_.view().as<T>();
    for (std::size_t j = 0; j < x.size(); ++j) {
      rounded[j] = static_cast<T>(x[j] + step * d[j]);
      at[j] = static_cast<double>(rounded[j]);
    }
  });
}

}  // namespace trainyard
