// The numbers that a scheme's rule leaves open, by name: the period of local SGD. What each is, and
// what it is when nobody says, stands in the scheme's row (scheme/scheme.hpp).
//
// Threads: a value like any other: any number of threads may read one, and who writes one has it
// alone.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "trainyard/base/error.hpp"

namespace trainyard {

using Hyperparameters = std::map<std::string, double, std::less<>>;

/// A scheme asks for a hyperparameter that its row does not name.
class UnnamedHyperparameter : public UsageError {
 public:
  explicit UnnamedHyperparameter(std::string_view name)
      : UsageError(".hyperparameters: it asks for '" + std::string(name) +
                   "', which its row does not name") {}
};

/// Throws UnnamedHyperparameter.
inline double hyperparameter(const Hyperparameters& hyperparameters, std::string_view name) {
  const auto found = hyperparameters.find(name);
  if (found == hyperparameters.end()) throw UnnamedHyperparameter(name);
  return found->second;
}

}  // namespace trainyard
