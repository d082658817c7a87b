#include "app/lab_flags.hpp"

#include <string>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/configuration/labs.hpp"
#include "trainyard/web/lab.hpp"

#include "app/training_flags.hpp"

namespace trainyard::app {

LabFlags::LabFlags(CLI::App& command)
    : name_(command
                .add_option("NAME", "the lab to begin with, or to export alone [the list of them]")
                ->type_name("")),
      port_(add_value_flag(command, "port", "N", "where it listens [any that is free]")),
      network_(add_value_flag(
          command, "listen-to-network", "ADDRESS",
          "listen on this address of the machine, and not only to it: whoever reaches the address "
          "may then run computations here and upload data; nobody is asked for a password")) {
  export_ = add_value_flag(command, "export", "DIR|FILE.zip",
                           "write the pages as files instead, into a folder or as one archive, for "
                           "any web server or none");
  untold_ =
      add_switch(command, "without-answers",
                 "pages for students: no answers and no explanations; what was guessed is saved "
                 "as a file, which scripts/grade_answers.py grades");
  force_ = add_switch(command, "force", "overwrite files that --export names");
  quiet_ = add_switch(command, "quiet", "no progress of --export on standard error");
  command.footer(
      "Prints its address, and answers until Ctrl-C ends it with exit status 0: nothing is lost.\n"
      "Only this machine reaches it. Questions have two seconds, at most 64 workers and 200,000\n"
      "parameters, and name no file of this machine; who needs more has `trainyard compare`.");
}

LabPlace LabFlags::place() const {
  LabPlace place{.name = std::string(lab_name(only_word(*name_)))};
  if (!place.name.empty()) require_lab(place.name);  // says which there are
  place.folder = only_value(*export_);
  place.without_answers = is_given(*untold_);
  place.force = is_given(*force_);
  place.quiet = is_given(*quiet_);
  if (!place.folder.empty() && (port_->count() > 0 || network_->count() > 0)) {
    throw UsageError("--export: pages in files need no server; --port and --listen-to-network do");
  }
  if (const std::string port = only_value(*port_); !port.empty()) {
    place.port = static_cast<int>(parse_integer(port, "--port", 1, 65535));
  }
  place.network_address = only_value(*network_);
  return place;
}

std::vector<std::string> LabFlags::notes() const {
  std::vector<std::string> notes;
  for (const CLI::Option* flag : {force_, quiet_}) {
    if (flag->count() == 0 || export_->count() > 0) continue;
    notes.push_back(fmt::format("note: {} has no effect: it is for --export, which is not given",
                                flag->get_name()));
  }
  return notes;
}

}  // namespace trainyard::app
