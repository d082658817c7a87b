// The labs of docs/labs, taken into the program when it is built.
#pragma once

#include <string_view>
#include <vector>

namespace trainyard {

struct LabText {
  std::string_view name, text;  // of NAME.toml
};

/// By name.
const std::vector<LabText>& lab_texts();

}  // namespace trainyard
