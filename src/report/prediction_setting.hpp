// What predictions are for: the line above their tables, and the members of their documents.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "trainyard/analysis/prediction.hpp"

namespace trainyard {

/// "8 workers, a model of 1.049 MB (262144 floats), 1ms a minibatch of 32; 100us a message, 1Gbps,
/// ports cutthrough", without what is `varied`.
std::string setting_text(const PredictionSetting& setting, std::string_view varied = {});

/// {"ports": "cutthrough", …}: the options that are not as without flags, have no member of their
/// own in a prediction's document and are not `varied`.
nlohmann::ordered_json other_settings(const PredictionSetting& setting,
                                      std::string_view varied = {});

/// null: no limit.
nlohmann::ordered_json bandwidth_value(const Network& network);

/// Four digits: 1 Gbps, and not 1.00013 Gbps, whose digits say nothing.
std::string bits_per_second(double bytes_per_second);

}  // namespace trainyard
