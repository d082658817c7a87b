// Prepared experiments with one question each: configurations that the program brings along.
// docs/labs/README.md says what to look at.
//
//   trainyard compare lab:local-steps --schemes local-sgd --vary period=1,4,16
//
// Threads: any; the table is built at the first call and never changes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

struct Lab {
  int number = 0;  // in docs/labs/README.md
  std::string name;
  std::string question;
  std::string_view text;  // TOML
};

/// By number.
const std::vector<Lab>& labs();

/// The text of "lab:NAME"; empty for what does not begin with "lab:". Throws UsageError for an
/// unknown name.
std::optional<std::string_view> lab_text(std::string_view configuration);

}  // namespace trainyard
