// What checks the rule of each scheme: a golden trajectory that was worked out elsewhere
// (tests/oracles/golden_trajectories.json), or a test case that holds a closed form or an invariant
// against it. The table stands here to be read; that it speaks of the whole table of schemes, of
// trajectories that a test compares with and of test cases that exist is tested below.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/oracles.hpp"

using namespace trainyard;

namespace {

struct Check {
  std::string scheme;
  std::string golden{};     // the trajectory that it follows
  std::string test_case{};  // where there is none: the test that holds it to its rule
};

const std::vector<Check> checks{
    {"sequential", "psgd_mean"},
    {"ps-sync", "psgd_mean"},
    {"ring", "psgd_mean"},
    {"zero-1", "", "zero-1 is the ring, bit for bit, with every optimizer, in both runtimes"},
    {"all-reduce", "psgd_mean"},
    {"ddp", "", "ddp with one bucket is ring, bit for bit"},
    {"fused-all-reduce", "", "without layers fused-all-reduce is ring, bit for bit"},
    {"ps-hierarchical", "", "ps-hierarchical follows ps-sync, whatever the groups"},
    {"tensor-split", "", "workers that split each layer train the model of one rank"},

    {"csgd", "csgd_top1_noEF"},
    {"ec-sgd", "ecsgd_top1"},
    {"double-squeeze", "doublesqueeze_scaledsign"},
    {"coded-all-reduce", "ecsgd_top1"},
    {"terngrad", "", "terngrad is right on average, with the error of a common unit"},
    {"sign-sgd", "", "sign-sgd follows a count of signs of its own, with ties or without"},
    {"one-bit-adam", "", "one-bit-adam is Adam, and then steps along encoded momenta"},
    {"power-sgd", "", "power-sgd follows its paper, whichever error it keeps"},

    {"gpipe", "", "gpipe and 1f1b have the bits of one rank that adds up the same microbatches"},
    {"1f1b", "", "gpipe and 1f1b have the bits of one rank that adds up the same microbatches"},
    {"pipedream", "", "pipedream follows its rule bit for bit with stashed weights"},

    {"ps-backup", "", "ps-backup without spares is ps-sync, bit for bit"},
    {"ps-backup-interrupt", "", "where the late ones drop their work a step takes H_n - H_b"},
    {"gradient-coding", "", "gradient coding follows ps-sync, whoever is slow"},
    {"uncoded", "", "uncoded follows ps-sync, whoever is slow"},

    {"ps-async", "asgd_roundrobin_plain"},
    {"ps-hierarchical-async", "", "ps-hierarchical-async follows its rule"},
    {"staleness-aware", "asgd_roundrobin_sa"},
    {"dc-asgd-c", "asgd_roundrobin_dc"},
    {"dc-asgd-a", "", "dc-asgd-a follows its rule, its running mean square included"},
    {"ps-activations", "", "activations and deltas give the update that gradients give"},
    {"downpour", "", "downpour follows the paper's algorithm"},

    {"ssp", "", "a read holds all own updates, and all others' up to s + 1 steps ago"},
    {"ssp-strict", "psgd_sum"},
    {"essp", "", "essp without staleness is synchronous SGD on the sum, however slow the network"},
    {"key-value", "psgd_mean"},
    {"value-bound", "", "without a value bound it is ps-async"},
    {"ps-async-epochs", "", "an epoch waits for a slow worker only if its share is needed"},

    {"sandblaster", "", "sandblaster follows L-BFGS on one machine, evaluation by evaluation"},

    {"local-sgd", "local_sgd_tau4"},
    {"post-local-sgd", "",
     "post-local-sgd averages after every step until the switch, then every τ"},
    {"fedavg", "", "each round of fedavg is the average of as many workers as asked for"},
    {"fedpaq", "", "fedpaq moves the model by the mean of encoded updates"},
    {"qsparse-local-sgd", "ecsgd_top1"},
    {"easgd", "easgd_sync_alpha0.18"},
    {"easgd-async", "easgd_async_roundrobin_tau2"},
    {"eamsgd", "", "eamsgd follows its rule, replicas and centre"},
    {"tree-easgd", "", "tree-easgd follows its rule along every edge"},
    {"mpca-sgd", "", "mpca-sgd follows its rule"},

    {"hogwild", "", "one worker is serial SGD, bit for bit, with every access"},
    {"buckwild", "", "buckwild in 16 bits is hogwild, but for its rounding"},
    {"hogwild-split", "", "what workers add to their slices is what the model gets"},
    {"hogwild-numa", "", "replicas are averaged in every τ-th step, once for all"},
    {"hogwild++", "", "an exchange of the ring does what its formula says"},

    {"gossip", "dsgd_atc_one_peer_exp"},
    {"hierarchical-gossip", "", "hierarchical-gossip follows its rule"},
    {"d-psgd", "dsgd_awc_ring"},
    {"exact-gradient-gossip", "", "exact-gradient-gossip follows its rule"},
    {"gradient-tracking", "gt_atc_ring"},
    {"diging", "gt_diging_ring"},
    {"d2", "d2_exact_diffusion_ring_W"},
    {"exact-diffusion", "d2_exact_diffusion_ring_Wbar"},
    {"nids", "", "nids follows its paper, with a step size of each worker's own"},
    {"extra", "extra_ring"},
    {"sgp", "sgp_irregular_digraph"},
    {"sgp-overlap", "", "sgp-overlap takes in what was sent a step before"},
    {"gossip-pga", "gossip_pga_ring_H4"},
    {"gossip-aga", "", "gossip-aga averages as often as gossip-pga where the loss does not fall"},
    {"qgm", "", "quasi-global momentum follows its rule, and tolerates a step of zero"},
    {"relay-sum", "", "relay-sum follows its rule, message by message"},
    {"matcha", "", "matcha applies the matrices that were planned, for 1000 rounds"},
    {"ad-psgd", "", "without steps averaging in pairs keeps the sum, and ends, over any graph"},
    {"gosgd", "gosgd_schedule_i_to_i+2"},

    {"naive-compression", "naive_dsgd_top2"},
    {"dcd", "dcd_top2(biased, deterministic)"},
    {"ecd", "ecd_identity(=dsgd_awc_ring)"},
    {"choco", "choco_deep_top1_gc0.3"},
    {"deep-squeeze", "deepsqueeze_top1_eta0.3"},
};

/// The sources of all tests but this one.
std::string sources_of_tests() {
  const auto tests = std::filesystem::path(TRAINYARD_SOURCE_DIR) / "tests";
  std::string text;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tests)) {
    const bool this_one = entry.path().filename() == "checked_schemes_test.cpp";
    if (entry.path().extension() != ".cpp" || this_one) continue;
    std::ifstream stream(entry.path());
    text.append(std::istreambuf_iterator<char>(stream), {});
  }
  return text;
}

}  // namespace

TEST_CASE("every scheme has a golden trajectory, a closed form or an invariant", "[scheme]") {
  const auto golden = test::read_oracle("golden_trajectories");
  const std::string sources = sources_of_tests();
  REQUIRE(sources.size() > 100'000);
  for (const Scheme& scheme : schemes()) {
    CAPTURE(scheme.name);
    CHECK(std::ranges::count(checks, scheme.name, &Check::scheme) == 1);
  }
  CHECK(checks.size() == schemes().size());
  for (const Check& check : checks) {
    CAPTURE(check.scheme, check.golden, check.test_case);
    CHECK(check.golden.empty() != check.test_case.empty());
    if (check.golden.empty()) {
      CHECK(sources.find("TEST_CASE(\"" + check.test_case + "\"") != std::string::npos);
    } else {
      CHECK(golden.contains(check.golden));
      CHECK(sources.find('"' + check.golden + '"') != std::string::npos);
    }
  }
}
