// The stories of the labs' pages: what each says of its sliders' positions is what the page shows
// there.
#include <string>

#include <fmt/format.h>

#include "labs/shown.hpp"

namespace trainyard::story {

TEST_CASE("story: ports and latency", "[labs]") {
  const Shown at_first = shown("ports-and-latency");
  const std::string tree = "all-reduce{collective=tree}",
                    parts = "all-reduce{collective=ps-colocated}";
  CHECK(at_first.seconds("ps-sync") > at_first.seconds(tree));
  CHECK(at_first.seconds(tree) > at_first.seconds("ring"));
  CHECK(at_first.seconds("ring") == Approx(at_first.seconds(parts)));
  CHECK(shown("ports-and-latency", {{"latency", "6ms"}}).shortest() == tree);
  const Shown slow = shown("ports-and-latency", {{"latency", "6ms"}, {"bandwidth", "160kbps"}});
  CHECK(slow.seconds("ring") < slow.seconds(tree));
}

TEST_CASE("story: whom a worker talks to", "[labs]") {
  CHECK(shown("who-talks").shortest() == "gossip:one-peer-exp");
  for (const OptionText& moved :
       {OptionText{"latency", "10us"}, OptionText{"bandwidth", "1Mbps"}}) {
    const Shown page = shown("who-talks", {moved});
    CHECK(page.seconds("ring") < page.seconds("ps-sync"));
    CHECK(page.seconds("local-sgd{period=8}") < page.seconds("gossip:one-peer-exp"));
  }
}

TEST_CASE("story: one slow worker", "[labs]") {
  const Shown slow = shown("straggler"), alike = shown("straggler", {{"straggler", "0:1"}});
  for (const char* waits : {"ps-sync", "ring", "gossip"}) {
    CHECK(slow.seconds(waits) > 8 * alike.seconds(waits));
  }
  for (const char* goes_on : {"ps-async{lr=0.125}", "ad-psgd"}) {
    CHECK(slow.seconds(goes_on) < 1.2 * alike.seconds(goes_on));
  }
  CHECK(slow.of("ps-async{lr=0.125}").staleness->mean == about(7));
}

TEST_CASE("story: how far ahead", "[labs]") {
  const Shown page = shown("staleness");
  CHECK(page.first() == "ssp{staleness=8}");
  CHECK(page.of("ssp{staleness=32}").staleness->mean > 80);
  const Shown careful = shown("staleness", {{"lr", "0.02"}}),
              hardly_pauses = shown("staleness", {{"pause", "0.05:1ms"}});
  CHECK(careful.to_target("ssp{staleness=32}") < never);
  CHECK_FALSE(hardly_pauses.of("ssp{staleness=0}").diverged);
  for (const char* bound : {"ssp{staleness=0}", "ssp{staleness=2}", "ssp{staleness=8}"}) {
    CHECK(careful.to_target(bound) == never);
  }
  for (const char* bound : {"ssp{staleness=2}", "ssp{staleness=8}", "ssp{staleness=32}"}) {
    CHECK(hardly_pauses.of(bound).diverged);
  }
}

TEST_CASE("story: steps between averages", "[labs]") {
  const Shown page = shown("local-steps");
  CHECK(page.first() == "local-sgd{period=16}");
  for (const char* period : {"1", "4", "16"}) {
    CHECK(page.loss(fmt::format("local-sgd{{period={}}}", period)) <
          page.loss("local-sgd{period=64}"));
  }
  CHECK(shown("local-steps", {{"partition", "iid"}}).first() == "local-sgd{period=64}");
  CHECK(shown("local-steps", {{"latency", "10us"}}).first() == "local-sgd{period=1}");
}

TEST_CASE("story: graphs of neighbours", "[labs]") {
  const auto apart = [](const Shown& page, const std::string& graph) {
    return page.of("gossip:" + graph).consensus_distance.value();
  };
  const Shown page = shown("topologies");
  CHECK(apart(page, "full") < 1e-12);
  CHECK(apart(page, "ring") > 3 * apart(page, "torus"));
  CHECK(apart(page, "ring") > 3 * apart(page, "static-exp"));
  CHECK(page.bytes("gossip:ring") == 2 * page.bytes("gossip:one-peer-exp"));
  const Shown four = shown("topologies", {{"workers", "4"}});
  CHECK(apart(four, "ring") < apart(four, "one-peer-exp"));
  for (const char* latency : {"10us", "1ms", "10ms"}) {
    const Shown eight = shown("topologies", {{"workers", "8"}, {"latency", latency}});
    for (const char* graph : {"ring", "torus", "static-exp", "one-peer-exp"}) {
      CHECK(eight.seconds(std::string("gossip:") + graph) < eight.seconds("gossip:full"));
    }
  }
}

TEST_CASE("story: different data", "[labs]") {
  const Shown page = shown("label-skew");
  CHECK(page.loss("gossip") > page.loss("ring") + 0.02);
  CHECK(page.loss("gradient-tracking") < page.loss("ring") + 0.01);
  CHECK(page.loss("exact-diffusion") < page.loss("ring") + 0.01);
  CHECK(page.bytes("gradient-tracking") == about(2 * page.bytes("gossip")));
  CHECK(page.bytes("exact-diffusion") == page.bytes("gossip"));
  for (const OptionText& moved : {OptionText{"partition", "iid"}, OptionText{"topology", "full"}}) {
    const Shown near = shown("label-skew", {moved});
    CHECK(near.loss("gossip") == Approx(near.loss("ring")).epsilon(0.01));
  }
}

TEST_CASE("story: fewer bits", "[labs]") {
  const std::string ring = "ring", coded = "coded-all-reduce",
                    top = "coded-all-reduce{codec=top-k:10%}", choco = "choco";
  const Shown page = shown("fewer-bits");
  CHECK(page.to_target(ring) > 3 * page.to_target(coded));
  CHECK(page.to_target(ring) > 9 * page.to_target(top));
  CHECK(*page.of(top).epochs_to_target < *page.of(choco).epochs_to_target);
  const Shown fast = shown("fewer-bits", {{"bandwidth", "100Mbps"}});
  CHECK(fast.seconds(coded) == about(0.9 * fast.seconds(ring)));
  const Shown far = shown("fewer-bits", {{"bandwidth", "100Mbps"}, {"latency", "1ms"}});
  CHECK(far.first() == choco);
  CHECK(far.to_target(choco) < far.to_target(top) / 3);
}

TEST_CASE("story: spare workers", "[labs]") {
  const std::string all = "ps-sync", spares = "ps-backup", stopped = "ps-backup-interrupt",
                    careful = "ps-async{lr=0.05}", bold = "ps-async{lr=0.2}";
  const Shown page = shown("backup-workers");
  CHECK(page.to_target(spares) == about(812 * ms));
  CHECK(page.to_target(stopped) == about(779 * ms));
  CHECK(page.to_target(all) == about(1.065));
  CHECK(page.to_target(careful) == about(1.48));
  CHECK(page.of(careful).staleness->mean == about(15));
  CHECK(page.of(bold).diverged);
  const Shown even = shown("backup-workers", {{"compute-noise", "none"}});
  CHECK(even.to_target(spares) == about(0.95 * even.to_target(all)));
  const Shown memoryless = shown("backup-workers", {{"compute-noise", "memoryless"}});
  CHECK(memoryless.to_target(spares) < 0.5 * memoryless.to_target(all));
  CHECK(memoryless.first() == bold);
  CHECK(memoryless.to_target(bold) < 0.5 * memoryless.to_target(stopped));
  const Shown few = shown("backup-workers", {{"backups", "12"}});
  CHECK(few.to_target(spares) < page.to_target(spares));
  CHECK(few.to_target(stopped) < page.to_target(stopped));
}

TEST_CASE("story: meeting rarely", "[labs]") {
  const auto downpour = [](int period) {
    return fmt::format("downpour{{fetch-period={0},push-period={0}}}", period);
  };
  const Shown page = shown("elastic");
  CHECK(page.first() == downpour(1));
  CHECK(page.to_target("easgd") == Approx(8 * page.to_target(downpour(1))).epsilon(0.05));
  CHECK(page.of(downpour(4)).diverged);
  CHECK(page.of(downpour(16)).diverged);
  const Shown often = shown("elastic", {{"period", "1"}}),
              rarely = shown("elastic", {{"period", "64"}});
  for (const char* elastic : {"easgd", "easgd-async"}) {
    CHECK(rarely.to_target(elastic) == Approx(1.065 * often.to_target(elastic)).epsilon(0.01));
    CHECK(rarely.bytes(elastic) == about(often.bytes(elastic) / 60));
  }
  const Shown tuned = shown("elastic", {}, StepSizes::tuned);
  CHECK(tuned.first() == "easgd");
  CHECK(tuned.to_target("easgd") == about(80 * ms));
  CHECK(tuned.of("easgd").lr == Approx(1.6));
  CHECK(tuned.to_target(downpour(1)) == about(147 * ms));
  CHECK(tuned.of(downpour(1)).lr == Approx(0.1));
  const Shown careful = shown("elastic", {{"lr", "0.02"}});
  CHECK(careful.first() == downpour(4));
  CHECK(careful.to_target(downpour(1)) < never);
  CHECK(careful.of(downpour(16)).diverged);
  const Shown slow = shown("elastic", {{"lr", "0.005"}});
  CHECK_FALSE(slow.of(downpour(16)).diverged);
  CHECK(slow.to_target(slow.first()) == never);
}

TEST_CASE("story: one peer at a time", "[labs]") {
  const std::string four = "gossip:static-exp", one = "gossip:one-peer-exp";
  const auto apart = [&](const Shown& page, const std::string& graph) {
    return page.of(graph).consensus_distance.value();
  };
  const Shown page = shown("one-peer");
  CHECK(page.loss(four) == Approx(0.439).margin(6e-4));
  CHECK(page.loss(one) == Approx(0.438).margin(6e-4));
  CHECK(page.bytes(four) == 4 * page.bytes(one));
  CHECK(page.seconds(four) == about(401 * ms));
  CHECK(page.seconds(one) == about(160 * ms));
  CHECK(apart(page, one) == Approx(3.7 * apart(page, four)).epsilon(0.1));
  const Shown twelve = shown("one-peer", {{"workers", "12"}});
  CHECK(twelve.loss(one) == Approx(twelve.loss(four)).epsilon(0.005));
  const Shown skewed = shown("one-peer", {{"partition", "shards"}});
  CHECK(skewed.loss(one) == Approx(0.451).margin(1e-3));
  CHECK(skewed.loss(four) == Approx(0.442).margin(1e-3));
  const Shown far = shown("one-peer", {{"lr", "0.4"}});
  CHECK(far.loss(one) == Approx(0.478).margin(2e-3));
  CHECK(far.loss(four) == Approx(0.459).margin(2e-3));
}

TEST_CASE("story: wide layers", "[labs][slow]") {
  const std::string ring = "ring", split = "tensor-split", copies = "tensor-split{tensor-size=2}";
  const Shown page = shown("wide-layers");
  CHECK(page.loss(split) == Approx(page.loss(ring)).epsilon(1e-3));
  CHECK(page.loss(copies) == Approx(page.loss(ring)).epsilon(1e-3));
  CHECK(page.of(ring).parameters == 85'002);
  CHECK(page.bytes(split) == about(31 * mega));
  CHECK(page.bytes(ring) == about(320 * mega));
  CHECK(page.seconds(split) == about(204 * ms));
  CHECK(page.seconds(ring) == about(738 * ms));
  const Shown many_rows = shown("wide-layers", {{"batch", "64"}});
  CHECK(many_rows.seconds(ring) == about(47 * ms));
  CHECK(many_rows.seconds(split) == about(72 * ms));
  CHECK(many_rows.seconds(copies) == about(41 * ms));
  CHECK(shown("wide-layers", {{"model", "mlp:16,16"}}).shortest() == ring);
  const Shown far = shown("wide-layers", {{"latency", "500us"}});
  CHECK(far.seconds(split) > far.seconds(ring));
  CHECK(far.shortest() == copies);
}

TEST_CASE("story: buckets", "[labs][slow]") {
  const std::string ring = "ring", layer = "ddp{bucket=64KiB}", tensor = "ddp{bucket=1}",
                    cycles = "fused-all-reduce{cycle-time=1ms}";
  const Shown page = shown("buckets");
  CHECK(page.seconds(layer) == about(116 * ms));
  CHECK(page.shortest() == layer);
  CHECK(page.of(layer).compute_s == Approx(100 * ms));
  CHECK(page.seconds(ring) == about(154 * ms));
  CHECK(page.seconds(tensor) == about(132 * ms));
  const Shown near = shown("buckets", {{"latency", "0s"}});
  CHECK(near.seconds(tensor) == Approx(near.seconds(layer)).epsilon(1e-3));
  const Shown far = shown("buckets", {{"latency", "200us"}});
  CHECK(far.seconds(layer) == about(267 * ms));
  CHECK(far.seconds(ring) == about(180 * ms));
  CHECK(far.seconds(cycles) == about(179 * ms));
  CHECK(far.seconds(tensor) > far.seconds(layer));
  CHECK(shown("buckets", {{"latency", "200us"}, {"workers", "2"}}).shortest() == layer);
}

TEST_CASE("story: the bubble of a pipeline", "[labs][slow]") {
  const auto with = [](const char* microbatches, const char* latency = "200us") {
    return shown("bubble", {{"microbatches", microbatches}, {"latency", latency}});
  };
  const Shown one = with("1"), four = with("4"), eight = with("8"), most = with("64");
  CHECK(one.of("gpipe").compute_s == Approx(0.25 * one.seconds("gpipe")).epsilon(0.05));
  CHECK(one.seconds("gpipe") == about(1.66));
  CHECK(four.seconds("gpipe") == about(0.88));
  CHECK(with("16").seconds("gpipe") == about(0.68));
  CHECK(most.seconds("gpipe") > four.seconds("gpipe"));
  CHECK(four.seconds("1f1b") < four.seconds("gpipe"));
  CHECK(eight.seconds("1f1b") > eight.seconds("gpipe"));
  CHECK(with("64", "20us").seconds("gpipe") < with("16", "20us").seconds("gpipe"));
  const Shown far = with("4", "2ms");
  CHECK(far.seconds("gpipe") < with("2", "2ms").seconds("gpipe"));
  CHECK(far.seconds("gpipe") < with("8", "2ms").seconds("gpipe"));
  CHECK(far.seconds("pipedream") < far.seconds("ring"));
  CHECK(four.seconds("pipedream") == about(0.61));
  CHECK(four.seconds("ring") == about(0.45));
  CHECK(four.shortest() == "ring");
  CHECK(four.loss("pipedream") == Approx(1.41).margin(0.02));
  CHECK(four.loss("ring") == Approx(1.36).margin(0.02));
}

TEST_CASE("story: activations", "[labs][slow]") {
  const std::string gradients = "ps-async", activations = "ps-activations";
  const auto saved = [&](const Shown& page) {
    return 1 - page.bytes(activations) / page.bytes(gradients);
  };
  const Shown page = shown("activations");
  CHECK(page.loss(activations) == Approx(page.loss(gradients)).epsilon(1e-3));
  CHECK(page.bytes(gradients) == about(109 * mega));
  CHECK(page.bytes(activations) == about(65 * mega));
  CHECK(saved(shown("activations", {{"batch", "4"}})) == Approx(0.5).margin(0.05));
  const double of_128 = saved(shown("activations", {{"batch", "128"}}));
  CHECK(of_128 > 0);
  CHECK(of_128 < 0.01);
  CHECK(saved(shown("activations", {{"batch", "256"}})) == 0);
  CHECK(page.seconds(gradients) == about(442 * ms));
  CHECK(page.seconds(activations) == about(440 * ms));
  const Shown four = shown("activations", {{"servers", "4"}});
  CHECK(four.seconds(activations) == about(165 * ms));
  CHECK(four.seconds(gradients) == about(180 * ms));
  CHECK(saved(four) < saved(page));
  const Shown two = shown("activations", {{"servers", "2"}});
  CHECK(two.seconds(activations) == about(276 * ms));
  CHECK(two.seconds(gradients) == about(256 * ms));
  const Shown fast = shown("activations", {{"bandwidth", "10Gbps"}});
  CHECK(fast.of(gradients).compute_s > 0.5 * fast.seconds(gradients));
  CHECK(fast.seconds(activations) == about(6.0 / 7 * fast.seconds(gradients)));
}

}  // namespace trainyard::story
