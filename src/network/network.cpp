#include "trainyard/network/network.hpp"

#include <array>

#include "trainyard/base/error.hpp"

namespace trainyard {

PortMode parse_port_mode(std::string_view text, std::string_view what) {
  static const std::array<std::string, 2> names{"circuit", "cutthrough"};
  if (text == names[0]) return PortMode::circuit;
  if (text == names[1]) return PortMode::cutthrough;
  throw_unknown(std::string(what) + " port mode", text, names);
}

std::string port_mode_text(PortMode mode) {
  return mode == PortMode::circuit ? "circuit" : "cutthrough";
}

}  // namespace trainyard
