// Simulated messages a second in SimGrid S4U: simgrid RANKS MESSAGES [--cfg=...]
//
// Ring all-reduces of one part a message among RANKS actors on a star of links, until there were
// about MESSAGES messages. Each step posts the receive, sends, and waits, as bench/runtimes.cpp
// does it. Prints messages, seconds of wall time.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

namespace sg4 = simgrid::s4u;

int main(int argc, char** argv) {
  sg4::Engine engine(&argc, argv);
  const int ranks = std::atoi(argv[1]);
  const long rounds = std::max(1L, std::atol(argv[2]) / (2L * ranks * (ranks - 1)));

  auto* zone = sg4::create_star_zone("cluster");
  std::vector<sg4::Host*> hosts;
  for (int i = 0; i < ranks; ++i) {
    hosts.push_back(zone->create_host("host-" + std::to_string(i), 1e9));
    auto* link = zone->create_split_duplex_link("link-" + std::to_string(i), 125e6);
    link->set_latency(0.5e-3);
    link->seal();
    zone->add_route(hosts.back()->get_netpoint(), nullptr, nullptr, nullptr,
                    {{link, sg4::LinkInRoute::Direction::UP}}, true);
  }
  zone->seal();

  static int payload = 1;
  for (int i = 0; i < ranks; ++i) {
    sg4::Actor::create("rank", hosts[static_cast<std::size_t>(i)], [=] {
      auto* mine = sg4::Mailbox::by_name(std::to_string(i));
      auto* next = sg4::Mailbox::by_name(std::to_string((i + 1) % ranks));
      for (long step = 0; step < rounds * 2 * (ranks - 1); ++step) {
        int* received = nullptr;
        const sg4::CommPtr receive = mine->get_async<int>(&received);
        const sg4::CommPtr send = next->put_async(&payload, 4);
        receive->wait();
        send->wait();
      }
    });
  }
  const auto began = std::chrono::steady_clock::now();
  engine.run();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("%ld %.6f\n", rounds * 2 * ranks * (ranks - 1), took.count());
}
