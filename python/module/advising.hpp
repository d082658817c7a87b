// Advice for Python: what limits workers, and with data and a target also runs to it, on a thread
// beside the caller's.
//
// Threads: as compare() and run() (module/training.hpp).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <pybind11/pybind11.h>

#include "module/rows.hpp"
#include "module/settings.hpp"

namespace trainyard::python {

namespace py = pybind11;

struct AskedAdvice {
  Asked asked{};          // machines and links; of data also these, the model, and the target
  bool has_data = false;  // of a file or arrays; else the options are those of advised_options()
  std::string size{};     // of the model; empty: that of the data's model
  std::string memory{};   // of each worker; empty: unbounded
  std::optional<double> measured{};  // rows a second
  std::string scheme{};              // whose that is; empty: of the fastest
  std::optional<double> noise_scale{};
  bool measures_noise = false;  // of the data, instead
  bool shared = false;          // workers are threads of this machine
  std::optional<int> seeds{};   // of each run to a target; empty: as the program has them
};

/// (JSON, text, notes, whether it was interrupted), as the program prints them. Raises
/// KeyboardInterrupt where an interrupt left nothing to answer with.
py::tuple advise(const AskedAdvice& asked, std::shared_ptr<const ArrayRows> rows,
                 py::object progress);

}  // namespace trainyard::python
