// The stories of the pages about what fails: workers, links (stories_test.cpp has the others').
#include <cmath>
#include <string>

#include "labs/shown.hpp"

namespace trainyard::story {

TEST_CASE("story: away", "[labs]") {
  const Shown never = shown("away", {{"fault", "none"}}), away = shown("away");
  const auto later = [&](const std::string& label) {
    return away.seconds(label) - never.seconds(label);
  };
  for (const char* label : {"ring", "gossip", "local-sgd{period=16}"}) {
    CAPTURE(label);
    CHECK(later(label) == Approx(0.200).epsilon(0.05));
  }
  CHECK(later("ps-async{lr=0.125}") < 0.050);
  CHECK(later("ad-psgd") > 0.100);
  CHECK(shown("away", {{"fault", "crash:3@100ms-150ms"}}).seconds("ring") - never.seconds("ring") ==
        Approx(0.050).epsilon(0.05));

  const Shown gone = shown("away", {{"fault", "crash:3@100ms"}});
  CHECK(gone.seconds("ring") < 0.120);
  for (const char* label : {"gossip", "local-sgd{period=16}"}) {
    CAPTURE(label);
    CHECK(gone.seconds(label) > gone.seconds("ring"));
    CHECK(gone.seconds(label) < 0.3 * never.seconds(label));
  }
  // 392 minibatches of 10 ms one after another.
  CHECK(gone.seconds("ad-psgd") == Approx(4.0).epsilon(0.05));
  CHECK(gone.of("ps-async{lr=0.125}").epochs > 0.98 * never.of("ps-async{lr=0.125}").epochs);
}

TEST_CASE("story: when-to-checkpoint", "[labs]") {
  const std::string often = "ring{checkpoint-every=0.1}", each = "ring{checkpoint-every=1}",
                    rarely = "ring{checkpoint-every=4}";
  const Shown page = shown("when-to-checkpoint");
  CHECK(page.shortest() == each);
  CHECK(page.seconds(each) == about(4.7));
  CHECK(page.seconds(often) == about(8.4));
  // Of ten a pass the checkpoints alone: one after each four steps.
  const Shown free = shown("when-to-checkpoint", {{"checkpoint-time", "0s"}});
  CHECK(page.seconds(often) - free.seconds(often) > 0.45 * page.seconds(often));
  CHECK(free.shortest() == often);
  CHECK(shown("when-to-checkpoint", {{"fault", "crash:worker-mtbf=40s,repair=100ms"}}).shortest() ==
        rarely);
  const Shown whole = shown("when-to-checkpoint", {{"fault", "none"}});
  CHECK(whole.shortest() == rarely);
  CHECK(whole.seconds(rarely) < whole.seconds(each));
  const Shown bad = shown("when-to-checkpoint", {{"fault", "crash:worker-mtbf=4s,repair=100ms"}});
  CHECK(bad.seconds(rarely) == Approx(6.1 * bad.seconds(each)).epsilon(0.05));
}

TEST_CASE("story: lossy-links", "[labs]") {
  const std::string ring = "ring", server = "ps-sync", rarely = "local-sgd{period=16}",
                    nobody = "ps-async{lr=0.125}";
  const Shown whole = shown("lossy-links", {{"fault", "none"}}), page = shown("lossy-links");
  CHECK(page.seconds(ring) == Approx(7.0 * whole.seconds(ring)).epsilon(0.05));
  CHECK(page.seconds(server) < 2.0 * whole.seconds(server));
  CHECK(page.shortest() == rarely);
  CHECK(page.seconds(nobody) > 0.9 * page.seconds(server));
  // "in two steps of three"
  CHECK(1.0 - std::pow(0.99, 112.0) == Approx(2.0 / 3.0).epsilon(0.02));
  CHECK(shown("lossy-links", {{"retransmit", "5ms"}}).seconds(ring) ==
        Approx(1.5 * whole.seconds(ring)).epsilon(0.1));
  CHECK(shown("lossy-links", {{"retransmit", "1ms"}}).seconds(ring) ==
        Approx(10.0 / 9.0 * whole.seconds(ring)).epsilon(0.02));
}

TEST_CASE("story: split-network", "[labs]") {
  const std::string gossip = "gossip", often = "local-sgd{period=16}",
                    rarely = "local-sgd{period=64}", server = "ps-sync",
                    nobody = "ps-async{lr=0.125}";
  const Shown whole = shown("split-network", {{"fault", "none"}}), page = shown("split-network");
  const auto late = [&](const Shown& one, const std::string& label) {
    return one.seconds(label) - whole.seconds(label);
  };
  for (const std::string& label : {often, rarely, server, nobody}) {
    CHECK(page.seconds(label) < page.seconds(gossip));
  }
  CHECK(late(page, gossip) == Approx(0.4).epsilon(0.03));
  CHECK(late(page, often) == Approx(0.28).epsilon(0.03));
  for (const std::string& label : {rarely, server, nobody}) CHECK(late(page, label) == 0.0);
  CHECK(page.loss(gossip) == whole.loss(gossip));
  CHECK(whole.seconds(server) > whole.seconds(gossip));  // else who is last tells nothing of it
  const Shown longer = shown("split-network", {{"fault", "partition:0-3|4-7@200ms-1s"}});
  CHECK(late(longer, rarely) == Approx(0.36).epsilon(0.03));
  const Shown apart = shown("split-network", {{"fault", "partition:0-3,8|4-7@200ms-600ms"}});
  CHECK(late(apart, server) == Approx(0.4).epsilon(0.03));
  CHECK(late(apart, nobody) == Approx(0.4).epsilon(0.03));
}

}  // namespace trainyard::story
