// `trainyard list presets --json`.
#pragma once

#include <string>

namespace trainyard::app {

/// As list_command(), for programs. Throws UsageError for what has no such form.
int list_as_json(const std::string& what, const std::string& name);

}  // namespace trainyard::app
