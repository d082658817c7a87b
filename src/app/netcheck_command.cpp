#include <string>
#include <vector>

#include <fmt/format.h>

#include "trainyard/report/network_format.hpp"
#include "trainyard/report/status_line.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

namespace {

std::vector<NetcheckRow> check_all(const std::vector<std::string>& collectives,
                                   const NetcheckOptions& options, const AnswerOutput& output) {
  StatusLine status_line(output.progress_to());
  std::vector<NetcheckRow> rows;
  for (const std::string& name : collectives) {
    status_line.show(fmt::format("{}, {} of {}", name, rows.size() + 1, collectives.size()));
    const Primitive* primitive = find_primitive(name);
    rows.push_back(primitive != nullptr ? netcheck(*primitive, options)
                                        : netcheck(find_all_reduce(name), options));
  }
  return rows;
}

}  // namespace

int netcheck_command(const NetcheckOptions& options, const std::vector<std::string>& collectives,
                     const AnswerOutput& output) {
  const Answer answer(output);
  const std::vector<NetcheckRow> rows = check_all(collectives, options, output);
  answer.give(PageKind::netcheck, "Collectives: closed form and emulation",
              {.text = [&] { return netcheck_table(rows, options); },
               .json = [&] { return netcheck_json(rows, options); }});
  return exit_done;
}

}  // namespace trainyard::app
