// The published results of docs/published, taken into the program when it is built.
#pragma once

#include <string_view>
#include <vector>

namespace trainyard {

struct PublishedText {
  std::string_view name, text;  // of NAME.toml
};

/// By name.
const std::vector<PublishedText>& published_texts();

}  // namespace trainyard
