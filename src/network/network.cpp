#include "trainyard/network/network.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

// In the order of Jitter::Kind.
constexpr std::array<std::string_view, 4> jitter_names{"none", "uniform", "exponential",
                                                       "lognormal"};

}  // namespace

PortMode parse_port_mode(std::string_view text, std::string_view what) {
  static const std::array<std::string, 2> names{"circuit", "cutthrough"};
  return static_cast<PortMode>(chosen(text, what, names));
}

std::string port_mode_text(PortMode mode) {
  return mode == PortMode::circuit ? "circuit" : "cutthrough";
}

ServerPlacement parse_server_placement(std::string_view text, std::string_view what) {
  static const std::array<std::string, 2> names{"dedicated", "colocated"};
  return static_cast<ServerPlacement>(chosen(text, what, names));
}

std::string server_placement_text(ServerPlacement placement) {
  return placement == ServerPlacement::dedicated ? "dedicated" : "colocated";
}

Jitter parse_jitter(std::string_view text, std::string_view what) {
  const auto colon = text.find(':');
  const auto* name = std::ranges::find(jitter_names, text.substr(0, colon));
  const bool has_scale = colon != std::string_view::npos;
  if (name == jitter_names.end() || has_scale == (*name == "none")) {
    throw UsageError(
        fmt::format("{}: {} is not none, uniform:SCALE, exponential:SCALE or lognormal:SCALE, like "
                    "'exponential:50us'",
                    what, echoed(text)));
  }
  if (!has_scale) return {};
  return {.kind = static_cast<Jitter::Kind>(name - jitter_names.begin()),
          .scale = parse_duration(text.substr(colon + 1), what)};
}

std::string jitter_text(const Jitter& jitter) {
  const std::string_view name = jitter_names[static_cast<std::size_t>(jitter.kind)];
  if (jitter.kind == Jitter::Kind::none) return std::string(name);
  return fmt::format("{}:{}", name, exact_text(jitter.scale));
}

/// What a window leaves of a link is of the link then: so it need not be a whole number of bytes.
void slow_down(Network& network, double factor) {
  const auto slowed = [&](const Link& link) {
    return network.within_window(link).bytes_per_second * factor;
  };
  if (network.between_bytes_per_second || network.between_latency) {
    const double fastest =
        std::max({network.bytes_per_second, network.worker_up(), network.worker_down()});
    network.between_bytes_per_second = slowed({network.between_latency.value_or(network.latency),
                                               network.between_bytes_per_second.value_or(fastest)});
  }
  for (auto* ports : {&network.up_bytes_per_second, &network.down_bytes_per_second}) {
    if (*ports) *ports = slowed({network.latency, **ports});
  }
  for (NamedLink& named : network.links.named) named.link.bytes_per_second = slowed(named.link);
  network.bytes_per_second = slowed({network.latency, network.bytes_per_second});
  network.tcp_window = 0;
}

}  // namespace trainyard
