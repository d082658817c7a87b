// The server's end.
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/collective/working_set.hpp"
#include "trainyard/model/kernels.hpp"

#include "collective/keyed_wire.hpp"

namespace trainyard {

WorkingSets::WorkingSets(Server& server, ModelRead read)
    : server_(server), shard_{0, server.shard().size(), server.gradient_shape().key_width} {
  if (shard_.width == 0) return;
  shard_.first = server.first_parameter();
  clients_.resize(static_cast<std::size_t>(server.comm().workers()));
  decoded_ = VectorBuffer(server.shard().scalar(), shard_.count);
  if (!server.is_regularised()) return;
  decay_ = VectorBuffer(server.shard().scalar(), shard_.count);
  for (int w = 0; read == ModelRead::each && w < server.comm().workers(); ++w) {
    copies_.push_back(server.keep(fmt::format("pulled({})", w), server.shard()));
  }
}

void WorkingSets::hear(const Message& push) {
  if (shard_.width == 0) return;
  Client& from = client(push.from());
  if (push.payload() != Payload::encoded) {
    from.whole_values = true;
    from.whole = from.whole || !push.bytes().empty();
    return;
  }
  std::span<const std::byte> rest = push.bytes();
  const auto take_keys = [&](std::size_t count, Features& into) {
    into.resize(count);
    // An empty list of keys has no memory to copy to.
    if (count > 0) std::memcpy(into.data(), rest.data(), count * sizeof(std::uint32_t));
    rest = rest.subspan(count * sizeof(std::uint32_t));
  };
  std::uint32_t bits = 0;
  std::memcpy(&bits, rest.data(), sizeof bits);
  rest = rest.subspan(sizeof bits);
  const keyed::Header header = keyed::Header::from_bits(bits);
  from.whole_values = header.whole_values;
  if (header.lists) {
    take_keys(header.listed, from.pushed);
  } else {
    from.pushed = from.asked;
  }
  from.values_at = push.bytes().size() - rest.size();
  const std::size_t numbers = header.whole_values ? shard_.count : shard_.numbers(from.pushed);
  if (header.asks_listed) {
    rest = rest.subspan(numbers * sizeof(float));
    take_keys(rest.size() / sizeof(std::uint32_t), from.asked);
  }
  if (header.asks_listed || header.asks_whole) from.whole = header.asks_whole;
}

/// The worker's vector: `base`, which is decoded_, where it says nothing.
ConstVector WorkingSets::over(Vector base, const Message& push) {
  const Client& from = client(push.from());
  const std::span<const std::byte> values = push.bytes().subspan(from.values_at);
  if (from.whole_values) {
    std::memcpy(base.data(), values.data(), base.bytes().size());
  } else {
    keyed::take_values(values, shard_, from.pushed, base);
  }
  return base;
}

ConstVector WorkingSets::read_by(int worker) {
  return keeps_copies() ? ConstVector(copies_[static_cast<std::size_t>(worker)])
                        : ConstVector(server_.shard());
}

ConstVector WorkingSets::gradient(const Message& push) {
  if (push.payload() != Payload::encoded) return push.vector();
  if (server_.is_regularised()) {
    server_.set_to_untouched(push.from(), read_by(push.from()), decoded_.view());
  } else {
    kernels::set_to_zero(decoded_.view());
  }
  return over(decoded_.view(), push);
}

ConstVector WorkingSets::model(const Message& push, std::uint64_t first, std::uint64_t count) {
  if (push.payload() != Payload::encoded) return push.vector();
  const Vector model = decoded_.view();
  kernels::copy(server_.shard(), model);
  // Steps of one row bring the regulariser of the row's features alone (Model::SparseUpdate).
  const bool decays = server_.is_regularised() && server_.batch() > 1;
  for (std::uint64_t step = first; decays && step < first + count; ++step) {
    server_.set_to_untouched(push.from(), model, decay_.view());
    kernels::axpy(-server_.step_size_of_worker(step), decay_.view(), model);
  }
  return over(model, push);
}

void WorkingSets::add_gradient(const Message& push, Vector sum) {
  const bool adds_few = push.payload() == Payload::encoded && !server_.is_regularised() &&
                        !client(push.from()).whole_values;
  if (!adds_few) {
    kernels::add(gradient(push), sum);
    return;
  }
  const Client& from = client(push.from());
  const std::byte* next = push.bytes().data() + from.values_at;
  const std::span<float> sums = sum.floats();
  keyed::for_each_piece(shard_, from.pushed, [&](std::size_t place, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, next += sizeof(float)) {
      float value = 0.0F;
      std::memcpy(&value, next, sizeof value);
      sums[place + i] += value;
    }
  });
}

void WorkingSets::sum_pushes(Vector sum) {
  Communicator& comm = server_.comm();
  if (shard_.width == 0) {
    trainyard::sum_pushes(comm, sum);
    return;
  }
  for (int worker = 0; worker < comm.workers(); ++worker) {
    const Message push = comm.receive(worker);
    hear(push);
    add_gradient(push, sum);
  }
}

void WorkingSets::answer(int worker, std::uint64_t tag) {
  if (keeps_copies()) kernels::copy(server_.shard(), copies_[static_cast<std::size_t>(worker)]);
  if (shard_.width == 0 || client(worker).whole) {
    server_.comm().send(worker, server_.shard(), tag);
    return;
  }
  const Features& asked = client(worker).asked;
  wire_.resize(shard_.numbers(asked) * sizeof(float));
  keyed::put_values_of(shard_, asked, server_.shard(), wire_.data());
  server_.comm().send_encoded(worker, wire_, tag);
}

void WorkingSets::answer_all() {
  for_each_worker(server_.comm(), [&](int worker) { answer(worker); });
}

void WorkingSets::worker_stepped(int worker, ConstVector gradient, std::uint64_t step) {
  if (!keeps_copies()) return;
  kernels::axpy(-server_.step_size_of_worker(step), gradient,
                copies_[static_cast<std::size_t>(worker)]);
}

}  // namespace trainyard
