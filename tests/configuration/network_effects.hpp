// Cases of the network's options, of faults and of what survives them, in which each has an effect
// and in which it has none.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "configuration/links_file.hpp"

namespace trainyard {

using Values = std::map<std::string, std::string>;

/// `given` with its value and what else is set, and who runs it.
struct EffectCase {
  Values values;
  std::vector<std::string> schemes{"ring"};
};

struct Effect {
  std::string option;
  EffectCase without, with;
};

/// A case of the network's options: one rank sends nothing.
inline Effect of_network(const std::string& name, const std::string& value, Values besides = {}) {
  besides[name] = value;
  return {name, {besides, {"sequential"}}, {besides, {"sequential", "ring"}}};
}

/// And of what survives it.
inline std::vector<Effect> effects_of_network() {
  return {
      {"force-resume",
       {{{"force-resume", "lr"}}},
       {{{"force-resume", "lr"}, {"resume", "checkpoints"}}}},
      of_network("latency", "1ms"),
      of_network("bandwidth", "1Gbps"),
      of_network("up-bandwidth", "1Mbps"),
      of_network("down-bandwidth", "1Mbps"),
      of_network("ports", "cutthrough", {{"latency", "1ms"}}),
      of_network("tcp-window", "64KiB", {{"latency", "10ms"}}),
      {"tcp-window",
       {{{"tcp-window", "1GiB"}, {"latency", "10ms"}, {"bandwidth", "1Gbps"}}, {"ring"}},
       {{{"tcp-window", "64KiB"}, {"latency", "10ms"}}, {"ring"}}},
      of_network("links", links_file()),
      of_network("jitter", "uniform:1ms"),
      of_network("fault", "loss:0.1"),
      {"fault",
       {{{"fault", "slow-link:0:2"}}, {"sequential", "hogwild"}},
       {{{"fault", "stall:0@1s-2s"}}, {"sequential", "hogwild", "ring"}}},
      {"fault",
       {{{"fault", "slow-link:0:2"}}, {"sequential"}},
       {{{"fault", "crash:0@1s-2s"}}, {"sequential", "hogwild", "ring"}}},
      {"on-failure",
       {{{"on-failure", "restart"}, {"fault", "loss:0.1"}}, {"ring"}},
       {{{"on-failure", "restart"}, {"fault", "crash:0@1s-2s"}}, {"sequential", "ring"}}},
      {"detection",
       {{{"detection", "1s"}, {"fault", "crash:0@1s-2s"}}, {"ring"}},
       {{{"detection", "1s"}, {"on-failure", "shrink"}, {"fault", "crash:0@1s-2s"}}, {"ring"}}},
      {"checkpoint-time",
       {{{"checkpoint-time", "1s"}}, {"ring"}},
       {{{"checkpoint-time", "1s"}, {"checkpoint-every", "1"}}, {"ring"}}},
      of_network("retransmit", "1s", {{"fault", "loss:0.1"}}),
      {"retransmit",
       {{{"retransmit", "1s"}, {"fault", "slow-link:0:2"}}, {"ring"}},
       {{{"retransmit", "1s"}, {"fault", "loss:0.1"}}, {"ring"}}},
      of_network("charge-control", "true"),
      of_network("racks", "2", {{"between-latency", "1ms"}}),
      of_network("between-latency", "1ms", {{"racks", "2"}}),
      of_network("between-bandwidth", "1Gbps", {{"racks", "2"}}),
      {"server-placement",
       {{{"server-placement", "colocated"}}, {"ring", "hogwild"}},
       {{{"server-placement", "colocated"}}, {"ring", "ps-async"}}},
      {"sparse-wire",
       {{{"sparse-wire", "off"}}, {"ring", "hogwild"}},
       {{{"sparse-wire", "off"}}, {"ring", "ps-sync"}}},
      {"sparse-wire",
       {{{"sparse-wire", "off"}, {"l2", "0.1"}}, {"downpour"}},
       {{{"sparse-wire", "off"}, {"l2", "0"}}, {"downpour"}}},
      {"sparse-wire",
       {{{"sparse-wire", "off"}, {"significance", "0.1"}}, {"key-value"}},
       {{{"sparse-wire", "off"}, {"significance", "0"}}, {"key-value"}}},
      {"sparse-wire",
       {{{"sparse-wire", "off"}, {"proxies", "2"}}, {"key-value"}},
       {{{"sparse-wire", "off"}, {"proxies", "0"}}, {"key-value"}}},
      {"sparse-wire",
       {{{"sparse-wire", "off"}, {"data-source", "server"}}, {"ps-sync"}},
       {{{"sparse-wire", "off"}, {"l2", "0.1"}}, {"ps-sync"}}},
      {"racks", {{{"racks", "2"}}}, {{{"racks", "2"}, {"between-bandwidth", "1Gbps"}}}},
      {"between-latency",
       {{{"between-latency", "1ms"}}},
       {{{"between-latency", "inside"}, {"racks", "2"}}}},
      {"between-bandwidth",
       {{{"between-bandwidth", "1Gbps"}}},
       {{{"between-bandwidth", "1Gbps"}, {"racks", "2"}}}},
  };
}

}  // namespace trainyard
