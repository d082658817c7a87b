// A rank as its program in Python sees it, as long as that runs: what workers and servers have in
// common.
//
// Threads: with the interpreter's lock, on the rank's own thread or fiber.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <pybind11/pybind11.h>

#include "trainyard/base/vector.hpp"
#include "trainyard/runtime/communicator.hpp"

#include "module/wait.hpp"

namespace trainyard::python {

namespace py = pybind11;

/// For whoever takes a wait for its value.
[[noreturn]] void refuse_wait();

/// An array that owns the vector.
py::object array_of(VectorBuffer vector);
/// A copy that nobody may write to, of what is only set as a whole.
py::object array_to_read(ConstVector vector);
/// A copy in that precision. Throws UsageError for what is no vector.
VectorBuffer vector_of(const py::object& values, Scalar scalar);
/// Copies `values` to what has to be as long.
void set_vector(Vector into, const py::object& values, const char* what);

/// "most-steps" of "most_steps", as options are named in Python.
std::string with_hyphens(std::string name);

class OwnRank : public std::enable_shared_from_this<OwnRank> {
 public:
  OwnRank(Communicator& comm, Scalar scalar) : comm_(&comm), scalar_(scalar) {}
  virtual ~OwnRank() = default;
  OwnRank(const OwnRank&) = delete;
  OwnRank& operator=(const OwnRank&) = delete;

  virtual void end() { comm_ = nullptr; }

  /// Throws UsageError once the program has ended, as all below do.
  Communicator& comm() const;
  Scalar scalar() const { return scalar_; }
  /// `rank`, which is another one.
  int other(int rank) const;

  /// That of the verb `name`.
  Wait wait(const char* name, std::function<Waited()> work) const {
    (void)comm();
    count_wait();
    return {shared_from_this(), std::move(work), UntilTaken(forgotten_, name)};
  }
  /// The verb that was called without a `yield`; null: none was.
  const char* forgotten() const { return forgotten_; }
  /// vector_of(), which has some numbers.
  std::shared_ptr<VectorBuffer> vector(const py::object& values) const;

 private:
  /// Throws UsageError where there are so many that the program will not end by itself.
  virtual void count_wait() const {}

  Communicator* comm_;
  Scalar scalar_;
  mutable const char* forgotten_ = nullptr;
};

/// Before those of workers and servers, which are made from it.
void define_ranks(py::module_& module);

}  // namespace trainyard::python
