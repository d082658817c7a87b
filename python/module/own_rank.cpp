#include "module/own_rank.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <pybind11/numpy.h>

#include "trainyard/base/error.hpp"

namespace trainyard::python {

namespace {

py::dtype dtype_of(Scalar scalar) {
  return scalar == Scalar::float64 ? py::dtype::of<double>() : py::dtype::of<float>();
}

Letter letter_of(const Message& message, bool says_from) {
  if (message.payload() == Payload::encoded) {
    throw UsageError("a message is encoded; a scheme in Python takes vectors");
  }
  Letter letter{.vector = VectorBuffer::copy_of(message.vector()), .tag = message.tag()};
  if (says_from) letter.from = message.from();
  return letter;
}

Waited letter_or_none(const std::optional<Message>& message, bool says_from) {
  if (!message) return {};
  return letter_of(*message, says_from);
}

Wait send(const OwnRank& own, int to, const py::object& values, std::uint64_t tag) {
  return own.wait("send",
                  [&comm = own.comm(), to = own.other(to), vector = own.vector(values), tag] {
                    comm.send(to, std::as_const(*vector).view(), tag);
                    return Waited{};
                  });
}

Wait receive(const OwnRank& own, int from) {
  return own.wait("receive", [&comm = own.comm(), from = own.other(from)] {
    return Waited(letter_of(comm.receive(from), false));
  });
}

Wait poll(const OwnRank& own, int from) {
  return own.wait("poll", [&comm = own.comm(), from = own.other(from)] {
    return letter_or_none(comm.poll(from), false);
  });
}

Wait receive_any(const OwnRank& own) {
  return own.wait("receive_any",
                  [&comm = own.comm()] { return letter_or_none(comm.receive_any(), true); });
}

Wait poll_any(const OwnRank& own) {
  return own.wait("poll_any",
                  [&comm = own.comm()] { return letter_or_none(comm.poll_any(), true); });
}

int server(const OwnRank& own, int index) {
  const int servers = own.comm().servers();
  if (index < 0 || index >= servers) {
    throw UsageError(
        fmt::format("a scheme asks for server {} of {}; they count from 0", index, servers));
  }
  return own.comm().server(index);
}

}  // namespace

void refuse_wait() {
  throw py::type_error(
      "this is a wait, and has no value yet: write `(yield …)`, `(yield from …)` or `await …` "
      "around it");
}

std::string with_hyphens(std::string name) {
  std::ranges::replace(name, '_', '-');
  return name;
}

py::object array_of(VectorBuffer vector) {
  auto kept = std::make_unique<VectorBuffer>(std::move(vector));
  const Vector view = kept->view();
  const py::capsule owner(kept.release(),
                          [](void* held) { delete static_cast<VectorBuffer*>(held); });
  return py::array(dtype_of(view.scalar()), {static_cast<py::ssize_t>(view.size())}, {},
                   view.data(), owner);
}

py::object array_to_read(ConstVector vector) {
  py::object copy = array_of(VectorBuffer::copy_of(vector));
  copy.attr("flags").attr("writeable") = false;
  return copy;
}

VectorBuffer vector_of(const py::object& values, Scalar scalar) {
  if (py::isinstance<Wait>(values)) refuse_wait();
  const py::object array =
      py::module_::import("numpy").attr("ascontiguousarray")(values, dtype_of(scalar));
  const auto made = array.cast<py::array>();
  if (made.ndim() != 1) {
    throw UsageError(
        fmt::format("a scheme gave an array of {} dimensions and {} numbers; expected a vector",
                    made.ndim(), made.size()));
  }
  return VectorBuffer::copy_of(ConstVector(scalar, static_cast<const std::byte*>(made.data()),
                                           static_cast<std::size_t>(made.size())));
}

void set_vector(Vector into, const py::object& values, const char* what) {
  const VectorBuffer given = vector_of(values, into.scalar());
  if (given.size() != into.size()) {
    throw UsageError(
        fmt::format("a scheme sets a {} of {} numbers to {}", what, into.size(), given.size()));
  }
  if (!into.empty()) std::memcpy(into.data(), given.view().data(), into.bytes().size());
}

Communicator& OwnRank::comm() const {
  if (comm_ == nullptr) throw UsageError("this rank's run has ended");
  return *comm_;
}

std::shared_ptr<VectorBuffer> OwnRank::vector(const py::object& values) const {
  auto made = std::make_shared<VectorBuffer>(vector_of(values, scalar_));
  if (made->empty()) throw UsageError("a scheme gave a vector without numbers");
  return made;
}

int OwnRank::other(int rank) const {
  const int size = comm().size();
  if (rank < 0 || rank >= size || rank == comm().rank()) {
    throw UsageError(fmt::format("rank {} talks to rank {}; expected another one below {}",
                                 comm().rank(), rank, size));
  }
  return rank;
}

void define_ranks(py::module_& module) {
  py::class_<Wait>(module, "Wait", "What a program waits for: `yield` it, or `await` it.")
      .def("__bool__", [](const Wait& /*wait*/) -> bool { refuse_wait(); });
  py::class_<OwnRank, std::shared_ptr<OwnRank>> type(module, "Rank");
  type.def_property_readonly("rank", [](const OwnRank& own) { return own.comm().rank(); })
      .def_property_readonly("workers", [](const OwnRank& own) { return own.comm().workers(); })
      .def_property_readonly("servers", [](const OwnRank& own) { return own.comm().servers(); })
      .def("server", server, py::arg("index") = 0, "The rank of a server.")
      .def("send", send, py::arg("to"), py::arg("vector"), py::arg("tag") = 0,
           "Sends a vector to a rank.")
      .def("receive", receive, py::arg("rank"), "(vector, tag), the next message of that rank.")
      .def("poll", poll, py::arg("rank"), "As receive(), or None where nothing has come.")
      .def("receive_any", receive_any,
           "(rank, vector, tag), the next message of anybody; None when none can come any more.")
      .def("poll_any", poll_any, "As receive_any(), or None where nothing has come.");
}

}  // namespace trainyard::python
