#include "app/lab_flags.hpp"

#include <string>

#include "trainyard/base/units.hpp"
#include "trainyard/configuration/labs.hpp"

#include "app/training_flags.hpp"

namespace trainyard::app {

LabFlags::LabFlags(CLI::App& command)
    : name_(command.add_option("NAME", "the lab to begin with (list labs) [all of them]")
                ->type_name("")),
      port_(add_value_flag(command, "port", "N", "where it listens [any that is free]")),
      network_(add_value_flag(
          command, "listen-to-network", "ADDRESS",
          "listen on this address of the machine, and not only to it: whoever reaches the address "
          "may then run computations here and upload data; nobody is asked for a password")) {
  command.footer(
      "Prints its address, and answers until Ctrl-C ends it with exit status 0: nothing is lost.\n"
      "Only this machine reaches it. Questions have two seconds, at most 64 workers and 200,000\n"
      "parameters, and touch no files; who needs more has `trainyard compare`.");
}

LabPlace LabFlags::place() const {
  LabPlace place{.name = only_word(*name_)};
  if (!place.name.empty()) (void)lab_text("lab:" + place.name);  // says which there are
  if (const std::string port = only_value(*port_); !port.empty()) {
    place.port = static_cast<int>(parse_integer(port, "--port", 1, 65535));
  }
  place.network_address = only_value(*network_);
  return place;
}

}  // namespace trainyard::app
