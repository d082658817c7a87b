#include <vector>

#include <fmt/format.h>

#include "trainyard/report/netcheck_format.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

int netcheck_command(const NetcheckOptions& options, const std::vector<std::string>& collectives,
                     bool json) {
  std::vector<NetcheckRow> rows;
  for (const std::string& name : collectives) {
    rows.push_back(netcheck(find_all_reduce(name), options));
  }
  fmt::print("{}", json ? netcheck_json(rows) : netcheck_table(rows, options));
  return exit_done;
}

}  // namespace trainyard::app
