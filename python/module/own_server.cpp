#include "module/own_server.hpp"

#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

namespace trainyard::python {

namespace {

using Own = OwnServer;

/// What a worker pushed, whole.
Waited pushed(WorkingSets& keys, const std::optional<Message>& push) {
  if (!push) return {};
  return Letter{.from = push->from(),
                .vector = VectorBuffer::copy_of(keys.heard_gradient(*push)),
                .tag = push->tag()};
}

int worker(const Own& own, int rank) {
  const int workers = own.comm().workers();
  if (rank >= 0 && rank < workers) return rank;
  throw UsageError(
      fmt::format("a server deals with worker {}; they are 0 to {}", rank, workers - 1));
}

Wait receive(Own& own, int from) {
  return own.wait("receive", [&keys = own.keys(), &comm = own.comm(), from = worker(own, from)] {
    Waited letter = pushed(keys, comm.receive(from));
    std::get<Letter>(letter).from.reset();
    return letter;
  });
}

Wait receive_any(Own& own) {
  return own.wait("receive_any", [&keys = own.keys(), &comm = own.comm()] {
    return pushed(keys, comm.receive_any());
  });
}

Wait poll_any(Own& own) {
  return own.wait("poll_any", [&keys = own.keys(), &comm = own.comm()] {
    return pushed(keys, comm.poll_any());
  });
}

Wait await_message(const Own& own) {
  return own.wait("await_message", [&comm = own.comm()] { return Waited(comm.await_message()); });
}

Wait sum_pushes(Own& own) {
  return own.wait("sum_pushes", [&keys = own.keys(), &server = own.server()] {
    const Vector sum = server.zeroed_sum();
    keys.sum_pushes(sum);
    return Waited(VectorBuffer::copy_of(sum));
  });
}

Wait answer(Own& own, int to, std::uint64_t tag) {
  return own.wait("answer", [&keys = own.keys(), to = worker(own, to), tag] {
    keys.answer(to, tag);
    return Waited{};
  });
}

Wait answer_all(Own& own) {
  return own.wait("answer_all", [&keys = own.keys()] {
    keys.answer_all();
    return Waited{};
  });
}

VectorBuffer gradient_of(const Own& own, const py::object& values) {
  VectorBuffer given = vector_of(values, own.scalar());
  const std::size_t expected = own.server().shard().size();
  if (given.size() != expected) {
    throw UsageError(fmt::format("a server has {} numbers, and is given a gradient of {}", expected,
                                 given.size()));
  }
  return given;
}

void apply(const Own& own, const py::object& gradient, std::uint64_t minibatches, double scale,
           double stretch) {
  const VectorBuffer given = gradient_of(own, gradient);
  if (!std::isfinite(scale) || !std::isfinite(stretch)) {
    throw UsageError(
        fmt::format("a server applies a gradient {} times, stretched {} times", scale, stretch));
  }
  own.server().apply(given.view(), minibatches, scale, stretch);
}

void worker_stepped(Own& own, int rank, const py::object& gradient, std::uint64_t step) {
  const VectorBuffer given = gradient_of(own, gradient);
  own.keys().worker_stepped(worker(own, rank), given.view(), step);
}

void set_shard(const Own& own, const py::object& values, std::uint64_t minibatches) {
  set_vector(own.server().shard(), values, "shard");
  own.server().count_update(minibatches);
}

using Type = py::class_<Own, OwnRank, std::shared_ptr<Own>>;

void define_state(Type& type) {
  type.def_property_readonly("shard",
                             [](const Own& own) { return array_to_read(own.server().shard()); })
      .def_property_readonly("version", [](const Own& own) { return own.server().version(); })
      .def_property_readonly("step_size", [](const Own& own) { return own.server().step_size(); })
      .def("hyperparameter",
           [](const Own& own, const std::string& name) {
             return own.server().hyperparameter(with_hyphens(name));
           })
      .def("apply", apply, py::arg("gradient"), py::arg("minibatches") = 1, py::arg("scale") = 1.0,
           py::arg("stretch") = 1.0,
           "One step of the optimizer on the shard, which speaks for so many minibatches; the "
           "version goes up by one.")
      .def("set_shard", set_shard, py::arg("values"), py::arg("minibatches") = 1,
           "An update by a rule of one's own, which speaks for so many minibatches; the version "
           "goes up by one.")
      .def(
          "record_staleness",
          [](const Own& own, std::uint64_t read) { return own.server().record_staleness(read); },
          py::arg("version_read"),
          "A gradient at that version is about to be applied; returns how many updates old it is.")
      .def("worker_stepped", worker_stepped, py::arg("worker"), py::arg("gradient"),
           py::arg("step"),
           "Of schemes that go by keys: the worker has stepped what it pulled along its own "
           "gradient.");
}

void define_waits(Type& type) {
  type.def("receive", receive, py::arg("worker"), "(vector, tag), that worker's next push.")
      .def("receive_any", receive_any,
           "(worker, vector, tag), the next push of anybody; None when none can come any more.")
      .def("poll_any", poll_any, "As receive_any(), or None where nothing has come.")
      .def("await_message", await_message,
           "Until something has arrived; False when nothing can come any more.")
      .def("sum_pushes", sum_pushes,
           "The sum of what all workers push, in the order of the workers.")
      .def("answer", answer, py::arg("worker"), py::arg("tag") = 0,
           "Sends the shard to a worker that pulls.")
      .def("answer_all", answer_all, "Sends the shard to every worker.");
}

}  // namespace

void define_servers(py::module_& module) {
  Type type(module, "Server", "A parameter server, of which scheme_of() says more.");
  define_state(type);
  define_waits(type);
}

}  // namespace trainyard::python
