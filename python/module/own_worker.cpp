#include "module/own_worker.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "trainyard/base/error.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/collective/parameter_server.hpp"

namespace trainyard::python {

void OwnWorker::look_ahead(std::uint64_t minibatches) {
  if (keys_) throw UsageError("look_ahead() comes before the first step");
  if (minibatches == 0) throw UsageError("look_ahead() takes a number of minibatches, 1 or more");
  horizon_ = minibatches;
}

bool OwnWorker::next_step() {
  if (!keys_ && comm().servers() > 0) keys_.emplace(worker_, horizon_);
  const bool goes_on = worker_.next_step();
  if (goes_on) waits_ = 0;
  return goes_on;
}

void OwnWorker::count_wait() const {
  // More than any step has: 64 workers that send each other 64 parts wait 8,192 times.
  constexpr std::uint64_t most_waits = 100'000;
  if (++waits_ <= most_waits) return;
  throw UsageError(
      fmt::format("a worker has waited {} times since w.next_step() said that there is another "
                  "step; expected a loop over steps, `while (yield w.next_step()):`",
                  most_waits));
}

WorkingSet& OwnWorker::keys() {
  if (comm().servers() == 0) throw NoServers();
  if (!keys_) throw UsageError("a scheme talks to its servers before the first step");
  return *keys_;
}

namespace {

using Own = OwnWorker;

/// nullptr: the run's.
const AllReduce* collective_named(const std::string& way) {
  return way.empty() ? nullptr : &find_all_reduce(way);
}

const AllReduce& collective_for(Worker& worker, const AllReduce* named) {
  return named == nullptr ? collective_of(worker) : *named;
}

Wait next_step(Own& own) {
  return own.wait("next_step", [&own] { return Waited(own.next_step()); });
}

Wait gradient(const Own& own) {
  return own.wait("gradient", [&worker = own.worker()] {
    return Waited(VectorBuffer::copy_of(worker.compute_gradient()));
  });
}

Wait descend(const Own& own) {
  return own.wait("descend", [&worker = own.worker()] {
    worker.descend();
    return Waited{};
  });
}

Wait barrier(const Own& own) {
  return own.wait("barrier", [&comm = own.comm()] {
    comm.barrier();
    return Waited{};
  });
}

Wait all_reduce(const Own& own, const py::object& values, const std::string& way) {
  return own.wait("all_reduce", [&worker = own.worker(), vector = own.vector(values),
                                 named = collective_named(way)] {
    all_reduce_sum(worker.comm(), vector->view(), collective_for(worker, named));
    return Waited(std::move(*vector));
  });
}

Wait average(const Own& own, const std::string& way) {
  return own.wait("average", [&worker = own.worker(), named = collective_named(way)] {
    all_reduce_mean(worker.comm(), worker.replica(), collective_for(worker, named));
    return Waited{};
  });
}

Wait neighbour_average_of(Own& own, const py::object& values) {
  Worker& worker = own.worker();
  if (values.is_none()) {
    return own.wait("neighbour_average", [&own, &worker] {
      neighbour_average(worker.comm(), worker.next_round(), worker.replica(), own.scratch());
      return Waited{};
    });
  }
  return own.wait("neighbour_average", [&own, &worker, vector = own.vector(values)] {
    neighbour_average(worker.comm(), worker.next_round(), vector->view(), own.scratch());
    return Waited(std::move(*vector));
  });
}

/// One for each server.
std::vector<std::uint64_t> tags_of(const py::object& given, int servers) {
  const auto count = static_cast<std::size_t>(servers);
  std::vector<std::uint64_t> tags;
  try {
    tags = py::isinstance<py::sequence>(given)
               ? given.cast<std::vector<std::uint64_t>>()
               : std::vector<std::uint64_t>(count, given.cast<std::uint64_t>());
  } catch (const py::cast_error&) {
    throw UsageError("push() takes a tag, a whole number of 64 bits, or a list of one a server");
  }
  if (tags.size() != count) {
    throw UsageError(fmt::format("push() was given {} tags for {} servers", tags.size(), count));
  }
  return tags;
}

void check_is_model_long(const Own& own, std::size_t size, const char* what) {
  const std::size_t expected = own.worker().replica().size();
  if (size == expected) return;
  throw UsageError(
      fmt::format("a scheme {} a gradient of {} numbers; expected {}", what, size, expected));
}

Wait push(Own& own, const py::object& values, const py::object& tag, bool pull_follows) {
  WorkingSet& keys = own.keys();
  auto vector = own.vector(values);
  check_is_model_long(own, vector->size(), "pushes");
  auto tags = tags_of(tag, own.comm().servers());
  return own.wait("push",
                  [&keys, vector = std::move(vector), tags = std::move(tags), pull_follows] {
                    if (pull_follows) {
                      keys.push(vector->view(), tags);
                    } else {
                      keys.push_alone(vector->view(), tags);
                    }
                    return Waited{};
                  });
}

Wait pull(Own& own) {
  return own.wait("pull", [&own, &keys = own.keys()] {
    std::vector<std::uint64_t> tags(static_cast<std::size_t>(own.comm().servers()));
    keys.pull(tags);
    return Waited(std::move(tags));
  });
}

Wait rest(const Own& own, double minibatches) {
  if (!(minibatches >= 0.0) || minibatches > 1e9) {
    throw UsageError("rest() takes a number of minibatches, 0 or more");
  }
  return own.wait("rest", [&worker = own.worker(), minibatches] {
    worker.compute(minibatches, [] {});
    return Waited{};
  });
}

void apply(const Own& own, const py::object& gradient, double scale, double stretch) {
  const VectorBuffer given = vector_of(gradient, own.scalar());
  check_is_model_long(own, given.size(), "applies");
  if (!std::isfinite(scale) || !std::isfinite(stretch)) {
    throw UsageError(
        fmt::format("a scheme applies a gradient {} times, stretched {} times", scale, stretch));
  }
  own.worker().apply(given.view(), scale, stretch);
}

using Type = py::class_<Own, OwnRank, std::shared_ptr<Own>>;

void define_state(Type& type) {
  type.def_property_readonly("step", [](const Own& own) { return own.worker().step(); })
      .def_property_readonly("epochs", [](const Own& own) { return own.worker().epochs(); })
      .def_property_readonly("step_size", [](const Own& own) { return own.worker().step_size(); })
      .def_property(
          "replica", [](const Own& own) { return array_to_read(own.worker().replica()); },
          [](const Own& own, const py::object& values) {
            set_vector(own.worker().replica(), values, "replica");
          })
      .def("hyperparameter",
           [](const Own& own, const std::string& name) {
             return own.worker().hyperparameter(with_hyphens(name));
           })
      .def("apply", apply, py::arg("gradient"), py::arg("scale") = 1.0, py::arg("stretch") = 1.0,
           "One step of the optimizer on the replica.")
      .def("record_staleness",
           [](const Own& own, std::uint64_t updates) { own.worker().record_staleness(updates); })
      .def("remark", [](const Own& own, const std::string& text) { own.worker().remark(text); });
}

void define_waits(Type& type) {
  type.def("next_step", next_step, "Begins the next step; False when the budget is spent.")
      .def("gradient", gradient, "The gradient of the next minibatch, a new array.")
      .def("descend", descend, "gradient() and apply() in one.")
      .def("barrier", barrier, "Until every worker has called it.")
      .def("all_reduce", all_reduce, py::arg("vector"), py::arg("collective") = "",
           "The sum over all workers, a new array; by the run's collective where none is named.")
      .def("average", average, py::arg("collective") = "", "Makes all replicas their mean.")
      .def("neighbour_average", neighbour_average_of, py::arg("vector") = py::none(),
           "The average with the neighbours of the next round of the graph: of the vector, or of "
           "the replica in place.")
      .def("look_ahead", &Own::look_ahead, py::arg("minibatches"),
           "Before the first step, of schemes that go by keys: each pull is for so many "
           "minibatches.")
      .def("push", push, py::arg("vector"), py::arg("tag") = 0, py::arg("pull_follows") = true,
           "Sends each server its part of the vector, and a tag, or one of a list each.")
      .def("pull", pull, "Puts what each server answers into the replica; the list of their tags.")
      .def("rest", rest, py::arg("minibatches"),
           "In simulated time, computes as long as so many minibatches take: for arithmetic of "
           "one's own.");
}

}  // namespace

void define_workers(py::module_& module) {
  Type type(module, "Worker", "A worker, of which scheme_of() says more.");
  define_state(type);
  define_waits(type);
}

}  // namespace trainyard::python
