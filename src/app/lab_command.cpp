// A server of pages to play with, until Ctrl-C.
#include <optional>
#include <string>

#include <arpa/inet.h>
#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/labs.hpp"

#include "app/commands.hpp"
#include "app/failures.hpp"
#include "base/echoed.hpp"
#include "base/interrupt.hpp"
#include "base/standard_streams.hpp"
#include "web/lab_server.hpp"

namespace trainyard::app {

namespace {

/// The page of a path; empty where there is none.
std::optional<std::string> lab_page(const std::string& path) {
  if (path != "/") return std::nullopt;
  std::string list;
  for (const Lab& lab : labs()) {
    list += fmt::format("<li><a href=\"/lab/{}\">{}</a>\n", lab.name, lab.question);
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Trainyard: labs</title>\n"
      "<h1>Labs</h1>\n<ol>\n{}</ol>\n",
      list);
}

/// "0.0.0.0" is no name under which anybody asks, and a page could be asked under any.
void check_address(const std::string& address) {
  in_addr four{};
  in6_addr six{};
  const bool is_four = inet_pton(AF_INET, address.c_str(), &four) == 1;
  const bool is_six = inet_pton(AF_INET6, address.c_str(), &six) == 1;
  if (!is_four && !is_six) {
    throw UsageError(fmt::format(
        "--listen-to-network: {} is no address like 192.168.1.5 or fd00::5", echoed(address)));
  }
  if ((is_four && four.s_addr == INADDR_ANY) || (is_six && IN6_IS_ADDR_UNSPECIFIED(&six))) {
    throw UsageError(fmt::format(
        "--listen-to-network: {} stands for all addresses; one of this machine's own is accepted",
        address));
  }
}

}  // namespace

int lab_command(const LabPlace& place) {
  LabServerOptions options{.port = place.port};
  if (!place.network_address.empty()) {
    check_address(place.network_address);
    options.address = place.network_address;
  }
  LabServer server({.page = lab_page}, options);
  // There is nothing to keep; but the files of uploads are to go.
  keep_results_when_interrupted();
  if (!place.network_address.empty()) {
    complain(fmt::format("warning: whoever reaches {} may run computations here",
                         place.network_address));
  }
  fmt::print("{}/{}\n", server.url(), place.name.empty() ? "" : "lab/" + place.name);
  flush_output();
  server.serve(interrupt_flag());
  return exit_done;
}

}  // namespace trainyard::app
