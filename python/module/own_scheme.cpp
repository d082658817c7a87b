#include "module/own_scheme.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "module/beside.hpp"
#include "module/own_server.hpp"
#include "module/own_worker.hpp"
#include "module/python_stack.hpp"

namespace trainyard::python {

namespace {

constexpr std::size_t most_schemes = 64;

/// What makes the programs of a worker and of a server: called with an OwnWorker, an OwnServer.
/// They stay for good, as rows do.
struct Makers {
  PyObject *worker = nullptr, *server = nullptr;

  PyObject* of(const OwnWorker& /*rank*/) const { return worker; }
  PyObject* of(const OwnServer& /*rank*/) const { return server; }
};
std::array<Makers, most_schemes> makers{};
std::vector<std::string> names;  // of the schemes

/// The program of one rank, between its waits.
template <typename Own>
class Program {
 public:
  template <typename Rank>
  Program(Rank& rank, std::size_t slot) : slot_(slot) {
    with_python([&] {
      own_ = std::make_shared<Own>(rank);
      try {
        made_ = py::reinterpret_borrow<py::object>(makers[slot].of(*own_))(own_);
        check_is_program();
        send_ = made_.attr("send");
      } catch (...) {
        let_go();  // as no destructor will, and with the interpreter's lock
        throw;
      }
    });
  }
  /// What the program has behind its waits, `finally`, is run.
  ~Program() {
    with_python([&] {
      own_->end();
      try {
        if (made_) made_.attr("close")();
      } catch (py::error_already_set& error) {
        error.discard_as_unraisable("a scheme that ends");
      }
      let_go();
    });
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// The next wait; nothing when the program has returned.
  std::optional<Wait> go_on(Waited waited) {
    std::optional<Wait> next;
    with_python([&] {
      try {
        const py::object wait = send_(object_of(std::move(waited)));
        check_all_are_taken();
        next.emplace(take(wait));
      } catch (py::error_already_set& error) {
        if (!error.matches(PyExc_StopIteration)) throw;
        check_all_are_taken();
      }
    });
    return next;
  }

 private:
  void let_go() {
    send_ = made_ = py::object();
    own_.reset();
  }
  void check_is_program() const {
    if (PyGen_Check(made_.ptr()) != 0 || PyCoro_CheckExact(made_.ptr()) != 0) return;
    if (PyAsyncGen_CheckExact(made_.ptr()) != 0) {
      throw UsageError(
          fmt::format("the program of scheme '{}' is an async def with a `yield` in it; there all "
                      "waits are awaited: write `await` in its place",
                      names[slot_]));
    }
    throw UsageError(
        fmt::format("the program of scheme '{}' waits for nothing; expected a generator, with a "
                    "yield for each wait, or an async def",
                    names[slot_]));
  }
  static py::object object_of(Waited waited) {
    if (const auto* truth = std::get_if<bool>(&waited)) return py::bool_(*truth);
    if (auto* vector = std::get_if<VectorBuffer>(&waited)) return array_of(std::move(*vector));
    if (const auto* tags = std::get_if<std::vector<std::uint64_t>>(&waited)) return py::cast(*tags);
    auto* letter = std::get_if<Letter>(&waited);
    if (letter == nullptr) return py::none();
    py::object vector = array_of(std::move(letter->vector));
    if (letter->from) return py::make_tuple(*letter->from, vector, letter->tag);
    return py::make_tuple(vector, letter->tag);
  }
  void check_all_are_taken() const {
    if (own_->forgotten() == nullptr) return;
    throw UsageError(fmt::format(
        "scheme '{}' calls {}() and does not wait for it, so that nothing of it is "
        "done; write `{}` before it",
        names[slot_], own_->forgotten(), PyCoro_CheckExact(made_.ptr()) != 0 ? "await" : "yield"));
  }
  Wait take(const py::object& wait) const {
    if (!py::isinstance<Wait>(wait)) {
      throw UsageError(
          fmt::format("a scheme yielded {}; expected what its worker gives it, as "
                      "w.gradient()",
                      py::repr(wait).cast<std::string>()));
    }
    auto& taken = wait.cast<Wait&>();
    if (!taken.until_taken.take()) {
      throw UsageError("a scheme waits twice for the same; each w.gradient() is another");
    }
    if (taken.of != own_) {
      throw UsageError("a scheme waits for what was asked of another rank than its own");
    }
    return std::move(taken);
  }

  const std::size_t slot_;
  std::shared_ptr<Own> own_;
  py::object made_, send_;
};

template <typename Own, typename Rank>
void run_own(Rank& rank, std::size_t slot) {
  Program<Own> program(rank, slot);
  Waited waited;
  while (const std::optional<Wait> wait = program.go_on(std::move(waited))) waited = wait->work();
}

/// A row has functions without anything of their own: two for each place.
struct Programs {
  void (*worker)(Worker&);
  void (*server)(Server&);
};
template <std::size_t slot>
constexpr Programs programs_of{[](Worker& worker) { run_own<OwnWorker>(worker, slot); },
                               [](Server& server) { run_own<OwnServer>(server, slot); }};
template <std::size_t... slots>
constexpr auto all_programs(std::index_sequence<slots...> /*slots*/) {
  return std::array<Programs, sizeof...(slots)>{programs_of<slots>...};
}
constexpr auto programs = all_programs(std::make_index_sequence<most_schemes>{});

std::size_t slot_of(const std::string& name) {
  for (std::size_t slot = 0; slot < names.size(); ++slot) {
    if (names[slot] == name) return slot;
  }
  if (names.size() == most_schemes) {
    throw UsageError(fmt::format("{} schemes were added; there is room for no more", most_schemes));
  }
  return names.size();
}

SchemeFamily family_of(const std::string& name) {
  static const std::vector<std::string> known{"synchronous",   "asynchronous",  "bounded",
                                              "local_updates", "shared_memory", "decentralised"};
  return static_cast<SchemeFamily>(chosen(name, "family", known));
}

/// A hyperparameter of the published schemes by its name, or one of the scheme's own.
struct AskedHyperparameter {
  std::string name;
  std::optional<double> fallback{};     // empty: as the published schemes have it
  std::optional<std::string> choice{};  // the same of one whose values are words
  bool own = false;                     // then these say what it is
  double low = 0.0, high = 0.0;
  bool whole = false;
  std::string help{};
};

/// What scheme_of() was told of the scheme beside its programs.
struct AskedScheme {
  std::string name, summary, family;
  std::vector<std::string> takes;
  std::vector<AskedHyperparameter> hyperparameters;
  bool lockstep = true, by_keys = false;
  bool model_at_servers = true;  // of schemes that have some
};

void set_servers(Scheme& scheme, const AskedScheme& asked, std::size_t slot) {
  scheme.cast = asked.model_at_servers ? cast::servers : cast::replicas_with_servers;
  scheme.messages.by_keys = asked.by_keys ? ByKeys::yes : ByKeys::no;
  scheme.server = programs[slot].server;
}

HyperparameterInfo hyperparameter_of(const AskedHyperparameter& asked) {
  if (asked.own) {
    return {.name = asked.name,
            .argument = asked.whole ? "N" : "X",
            .help = asked.help,
            .fallback = *asked.fallback,
            .low = asked.low,
            .high = asked.high,
            .whole = asked.whole};
  }
  HyperparameterInfo known = known_hyperparameter(asked.name);
  if (!asked.fallback && !asked.choice) return known;
  known.machine_fallback = nullptr;
  known.run_fallback = nullptr;
  if (known.choices.empty() != asked.fallback.has_value()) {
    throw OptionError("hyperparameters", asked.name,
                      known.choices.empty()
                          ? "expected a number, or None as it is elsewhere"
                          : "expected one of its words: " + joined(known.choices));
  }
  known.fallback = asked.choice
                       ? static_cast<double>(
                             chosen(*asked.choice, "hyperparameters: " + asked.name, known.choices))
                       : *asked.fallback;
  return known;
}

Scheme row_of(const AskedScheme& asked, std::size_t slot, bool serves) {
  Scheme scheme{.name = asked.name, .summary = asked.summary, .step = "γ, as its program says"};
  scheme.source = "a program in Python";
  scheme.family = family_of(asked.family);
  scheme.order.pace = asked.lockstep ? Pace::lockstep : Pace::free;
  // A few steps do not show how often it waits.
  if (scheme.family == SchemeFamily::bounded) scheme.order.rhythm = Rhythm::by_chance;
  scheme.takes = asked.takes;
  for (const AskedHyperparameter& parameter : asked.hyperparameters) {
    scheme.hyperparameters.push_back(hyperparameter_of(parameter));
  }
  scheme.worker = programs[slot].worker;
  if (serves) {
    set_servers(scheme, asked, slot);
  } else if (takes(scheme, "collective")) {
    scheme.server = serve_collective;
  }
  return scheme;
}

void add_own_scheme(const py::object& worker, const py::object& server, const AskedScheme& asked) {
  const Beside nobody_else(py::none{});
  const std::size_t slot = slot_of(asked.name);
  Scheme row = row_of(asked, slot, !server.is_none());
  check_hyperparameter_names(row);
  add_scheme_late(std::move(row));
  add_options_of_schemes();
  if (slot == names.size()) names.push_back(asked.name);
  const auto keep = [](PyObject*& kept, const py::object& maker) {
    Py_XDECREF(std::exchange(kept, py::object(maker).release().ptr()));
  };
  keep(makers[slot].worker, worker);
  keep(makers[slot].server, server);
}

}  // namespace

void define_own_schemes(py::module_& module) {
  define_ranks(module);
  define_workers(module);
  define_servers(module);
  py::class_<AskedHyperparameter>(module, "AskedHyperparameter")
      .def(py::init<>())
      .def_readwrite("name", &AskedHyperparameter::name)
      .def_readwrite("fallback", &AskedHyperparameter::fallback)
      .def_readwrite("choice", &AskedHyperparameter::choice)
      .def_readwrite("own", &AskedHyperparameter::own)
      .def_readwrite("low", &AskedHyperparameter::low)
      .def_readwrite("high", &AskedHyperparameter::high)
      .def_readwrite("whole", &AskedHyperparameter::whole)
      .def_readwrite("help", &AskedHyperparameter::help);
  py::class_<AskedScheme>(module, "AskedScheme")
      .def(py::init<>())
      .def_readwrite("name", &AskedScheme::name)
      .def_readwrite("summary", &AskedScheme::summary)
      .def_readwrite("family", &AskedScheme::family)
      .def_readwrite("takes", &AskedScheme::takes)
      .def_readwrite("hyperparameters", &AskedScheme::hyperparameters)
      .def_readwrite("lockstep", &AskedScheme::lockstep)
      .def_readwrite("by_keys", &AskedScheme::by_keys)
      .def_readwrite("model_at_servers", &AskedScheme::model_at_servers);
  module.def("add_scheme", add_own_scheme);
}

}  // namespace trainyard::python
