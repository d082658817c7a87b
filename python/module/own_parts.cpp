#include "module/own_parts.hpp"

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pybind11/numpy.h>

#include "trainyard/base/error.hpp"
#include "trainyard/codec/add_codec.hpp"
#include "trainyard/topology/add_topology.hpp"

#include "module/beside.hpp"
#include "module/own_rank.hpp"
#include "module/python_stack.hpp"

namespace trainyard::python {

namespace {

// Topologies.

/// `make(workers)` gives [rounds, workers, workers].
Topology topology_of(const std::string& name, const py::object& make, int ranks) {
  std::vector<double> weights;
  with_python([&] {
    const auto made = make(ranks).cast<py::array_t<double, py::array::c_style>>();
    weights.assign(made.data(), made.data() + made.size());
  });
  const std::size_t round = static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks);
  Topology topology;
  for (std::size_t at = 0; at < weights.size(); at += round) {
    try {
      topology.matrices.push_back(matrix_of_weights(ranks, std::span(weights).subspan(at, round)));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("topology '{}': round {}: {}", name, at / round, error.what()));
    }
  }
  return topology;
}

/// What is called for as long as the process lasts: never destroyed, as the interpreter may be gone
/// by then.
const py::object& for_good(const py::object& function) {
  return *new py::object(function);  // NOLINT(cppcoreguidelines-owning-memory)
}

void add_own_topology(const std::string& name, const std::string& summary, const py::object& make) {
  const Beside nobody_else(py::none{});
  const py::object& kept = for_good(make);
  add_topology({.name = name, .summary = summary}, [name, &kept](const TopologyRequest& asked) {
    return topology_of(name, kept, asked.ranks);
  });
}

// Codecs.

struct AskedCodec {
  std::string name, summary;
  bool fixed_size = true, unbiased = false, draws = false;
  double error = 0.0;  // infinite: nobody knows
  py::object encode, decode, most_bytes;
};

std::size_t length_of(TensorShapes shapes) {
  std::size_t length = 0;
  for (const TensorShape& shape : shapes) length += shape.rows * shape.columns;
  return length;
}

class OwnPythonCodec final : public Codec {
 public:
  explicit OwnPythonCodec(const AskedCodec& asked) : asked_(asked) {}

  std::size_t most_bytes(Scalar scalar, TensorShapes shapes) const override {
    if (scalar == Scalar::float64) refuse("takes vectors of float32; the quadratic's are double");
    const std::size_t length = length_of(shapes);
    {
      const std::lock_guard lock(mutex_);
      const auto known = most_bytes_.find(length);
      if (known != most_bytes_.end()) return known->second;
    }
    std::size_t most = 0;
    with_python([&] {
      const py::object count = asked_.most_bytes(length);
      try {
        most = py::int_(count.attr("__index__")()).cast<std::size_t>();
      } catch (const std::exception&) {
        refuse("gave most_bytes = " + py::repr(count).cast<std::string>());
      }
    });
    const std::lock_guard lock(mutex_);
    return most_bytes_[length] = most;
  }
  bool fixed_size() const override { return asked_.fixed_size; }

  std::size_t encode(ConstVector x, TensorShapes /*shapes*/, RandomStream& random,
                     CodecScratch& /*scratch*/, std::span<std::byte> wire) const override {
    const std::uint64_t seed = asked_.draws ? random.next_u64() : 0;
    std::size_t written = 0;
    with_python([&] {
      const py::object made = asked_.draws ? asked_.encode(array_to_read(x), generator(seed))
                                           : asked_.encode(array_to_read(x));
      const py::bytes bytes = py::hasattr(made, "tobytes") ? made.attr("tobytes")() : made;
      const auto view = std::string_view(bytes);
      written = view.size();
      if (written > wire.size() || (asked_.fixed_size && written != wire.size())) {
        refuse(fmt::format("encoded {} numbers in {} bytes; its most_bytes says {}", x.size(),
                           written, wire.size()));
      }
      std::memcpy(wire.data(), view.data(), written);
    });
    return written;
  }

  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes /*shapes*/,
                  Vector sum) const override {
    VectorBuffer decoded;
    with_python([&] {
      const py::bytes bytes(reinterpret_cast<const char*>(wire.data()), wire.size());
      decoded = vector_of(asked_.decode(bytes, sum.size()), sum.scalar());
    });
    if (decoded.size() != sum.size()) {
      refuse(fmt::format("decoded {} numbers of {}", decoded.size(), sum.size()));
    }
    if (sum.scalar() == Scalar::float64) {
      add_scaled(scale, decoded.view().doubles(), sum.doubles());
    } else {
      add_scaled(static_cast<float>(scale), decoded.view().floats(), sum.floats());
    }
  }

  bool unbiased() const override { return asked_.unbiased; }
  double error_bound(std::size_t /*length*/) const override { return asked_.error; }

 private:
  /// Rounded twice, as the library's codecs do it.
  template <typename Number>
  static void add_scaled(Number scale, std::span<Number> decoded, std::span<Number> sum) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += scale * decoded[i];
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw UsageError(fmt::format("codec '{}' {}", asked_.name, what));
  }
  static py::object generator(std::uint64_t seed) {
    return py::module_::import("numpy.random").attr("default_rng")(seed);
  }

  const AskedCodec& asked_;
  mutable std::mutex mutex_;
  mutable std::map<std::size_t, std::size_t> most_bytes_;
};

void add_own_codec(const AskedCodec& asked) {
  const Beside nobody_else(py::none{});
  const auto* const kept = new AskedCodec(asked);  // NOLINT(cppcoreguidelines-owning-memory)
  const bool is_known = std::isfinite(asked.error);
  CodecInfo row{.name = asked.name,
                .summary = asked.summary,
                .wire = "as its program writes",
                .error = is_known ? fmt::format("at most {} ‖x‖²", asked.error) : "not known",
                .source = "a codec in Python"};
  if (asked.unbiased) row.error += "; unbiased";
  add_codec(std::move(row), [kept](std::string_view /*argument*/) {
    return std::make_shared<const OwnPythonCodec>(*kept);
  });
}

}  // namespace

void define_own_parts(py::module_& module) {
  module.def("add_topology", add_own_topology);
  py::class_<AskedCodec>(module, "AskedCodec")
      .def(py::init<>())
      .def_readwrite("name", &AskedCodec::name)
      .def_readwrite("summary", &AskedCodec::summary)
      .def_readwrite("fixed_size", &AskedCodec::fixed_size)
      .def_readwrite("unbiased", &AskedCodec::unbiased)
      .def_readwrite("draws", &AskedCodec::draws)
      .def_readwrite("error", &AskedCodec::error)
      .def_readwrite("encode", &AskedCodec::encode)
      .def_readwrite("decode", &AskedCodec::decode)
      .def_readwrite("most_bytes", &AskedCodec::most_bytes);
  module.def("add_codec", add_own_codec);
}

}  // namespace trainyard::python
