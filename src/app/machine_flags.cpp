#include "app/machine_flags.hpp"

#include <string>

#include "trainyard/configuration/options.hpp"

#include "app/training_flags.hpp"

namespace trainyard::app {

MachineFlags::MachineFlags(CLI::App& command)
    : workers_(
          add_value_flag(command, "workers", "N", "number of ranks to place [one for each core]")),
      placement_(add_value_flag(command, "placement", "compact|scatter|none",
                                "which cores they are pinned to [compact]")),
      measure_(add_switch(command, "measure",
                          "measure latency from core to core, the cost of a shared cache line, and "
                          "the memory bandwidth of each node, in some seconds")),
      output_(command, "cores, places and what is measured as JSON", AnswerFiles::none) {}

MachineQuestion MachineFlags::question() const {
  Configuration asked;
  asked.workers = 0;
  for (const CLI::Option* flag : {workers_, placement_}) {
    const std::string text = only_value(*flag);
    if (flag->count() > 0) option_named(flag->get_single_name()).set(asked, text, flag->get_name());
  }
  return {.ranks = asked.workers,
          .placement = asked.placement,
          .measure = is_given(*measure_),
          .output = output_.read()};
}

}  // namespace trainyard::app
