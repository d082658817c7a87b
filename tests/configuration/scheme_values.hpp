// For each hyperparameter of some families of schemes a text that is not its fallback.
#pragma once

#include <map>
#include <string>

namespace trainyard {

inline const std::map<std::string, std::string>& other_values_of_federated_schemes() {
  static const std::map<std::string, std::string> values{
      {"global-lr", "0.9"},         {"proximal-mu", "0.3"},       {"dynamic-alpha", "0.4"},
      {"server-lr", "0.2"},         {"server-beta1", "0.8"},      {"server-beta2", "0.95"},
      {"adaptivity", "0.01"},       {"server-optimizer", "yogi"}, {"mixing-alpha", "0.5"},
      {"staleness-power", "0.75"},  {"buffer-size", "3"},         {"proximal-step", "2"},
      {"skip-probability", "0.25"}, {"fairness", "0.5"}};
  return values;
}

inline const std::map<std::string, std::string>& other_values_of_decentralised_schemes() {
  static const std::map<std::string, std::string> values{
      {"mixing-share", "0.75"},       {"step-spread", "4"},
      {"snapshot-period", "9"},       {"snapshot-probability", "0.125"},
      {"consensus-penalty", "0.75"},  {"communication-step", "0.75"},
      {"mixing-probability", "0.25"}, {"correction-rate", "0.125"},
      {"clip-radius", "2"},           {"tolerated", "2"},
      {"worker-momentum", "0.5"},     {"push-sum", "running-sums"}};
  return values;
}

inline const std::map<std::string, std::string>& other_values_of_outer_optimizers() {
  static const std::map<std::string, std::string> values{{"outer-lr", "0.6"},
                                                         {"outer-momentum", "0.8"},
                                                         {"outer-optimizer", "sgd"},
                                                         {"slow-lr", "0.9"},
                                                         {"slow-momentum", "0.6"},
                                                         {"fragments", "3"},
                                                         {"fragment-delay", "2"},
                                                         {"local-share", "0.25"},
                                                         {"mixing-group", "3"},
                                                         {"outer-gradient", "delayed"},
                                                         {"pull-probability", "0.2"},
                                                         {"pull-rate", "0.8"},
                                                         {"momentum-delay", "2"},
                                                         {"momentum-activation", "0.1"},
                                                         {"local-updates", "dynamic"},
                                                         {"quorum", "3"},
                                                         {"grace", "2ms"},
                                                         {"merge", "mean"},
                                                         {"error-feedback", "on"},
                                                         {"region-lr", "1.5"},
                                                         {"region-momentum", "0.7"},
                                                         {"region-momentum-delay", "4"},
                                                         {"merge-period", "8"},
                                                         {"global-share", "0.5"},
                                                         {"root-lr", "0.2"},
                                                         {"root-momentum", "0.4"},
                                                         {"root-momentum-delay", "3"},
                                                         {"averaged-share", "0.01"},
                                                         {"first-moment-period", "21"},
                                                         {"second-moment-period", "43"},
                                                         {"loco-lr", "0.9"},
                                                         {"loco-decay", "0.8"},
                                                         {"loco-chunk", "512"},
                                                         {"loco-kept", "9"},
                                                         {"loco-values", "whole"},
                                                         {"demo-decay", "0.99"},
                                                         {"demo-chunk", "32"},
                                                         {"demo-kept", "5"},
                                                         {"demo-transform", "none"},
                                                         {"demo-step", "mean"}};
  return values;
}

}  // namespace trainyard
