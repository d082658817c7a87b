// The labs of docs/labs: that what they promise is what one sees. Orderings only; the figures in
// their README are of one machine.
#include "trainyard/configuration/labs.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/analysis/prediction.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/topology/spectrum.hpp"

#include "app/program.hpp"
#include "docs/pages.hpp"
#include "labs/documented.hpp"
#include "support/catch.hpp"

using namespace trainyard;

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// What the README's longer runs have as flags over the lab.
const Settings& flags_of(const std::string& name) {
  static const std::map<std::string, Settings> flags{
      {"straggler", {{"seconds", "20"}, {"epochs", "100"}}},
      {"staleness", {{"lr", "0.25"}, {"steps", "3000"}, {"evaluate-every", "0.25"}}},
      {"local-steps",
       {{"lr", "0.05"}, {"epochs", "100"}, {"target-loss", "0.43"}, {"evaluate-every", "0.1"}}},
      {"label-skew",
       {{"workers", "16"},
        {"batch", "625"},
        {"order", "once"},
        {"lr", "0.05"},
        {"epochs", "400"},
        {"evaluate-every", "100"}}},
      {"fewer-bits",
       {{"dataset", "sparse-logistic"},
        {"model", "logistic"},
        {"l2", "0"},
        {"lr", "4"},
        {"epochs", "8"},
        {"target-loss", "0.42"}}},
      {"backup-workers", {{"evaluate-every", "1"}, {"steps", "3000"}}},
      {"elastic", {}},
      {"one-peer", {{"lr", "0.02"}, {"epochs", "20"}, {"evaluate-every", "2"}}},
      {"wide-layers", {{"epochs", "1"}, {"evaluate-every", "1"}}},
      {"buckets", {}},
      {"bubble", {{"epochs", "5"}, {"evaluate-every", "1"}}},
      {"activations", {{"epochs", "1"}, {"evaluate-every", "1"}}}};
  return flags.at(name);
}

/// The lab with these and `settings` over it.
RunResult lab(const std::string& name, const Settings& settings) {
  Configuration c;
  std::vector<ContestantTable> contestants;
  read_configuration("lab:" + name, c, &contestants);
  for (const Settings& over : {flags_of(name), settings}) {
    for (const auto& [key, text] : over) option_named(key).set(c, text, "--" + key);
  }
  static std::map<std::string, LoadedData> loaded;
  auto found = loaded.find(c.dataset);
  if (found == loaded.end()) {
    found = loaded.emplace(c.dataset, load_dataset(dataset_request(c))).first;
  }
  return run_experiment(plan_run(resolve(c, {c.scheme}, found->second, {}), found->second), {});
}

/// Infinite where the target is not reached.
double seconds_to_target(const std::string& name, const Settings& settings) {
  return lab(name, settings)
      .summary.seconds_to_target.value_or(std::numeric_limits<double>::infinity());
}

double throughput(const std::string& scheme, const std::string& stragglers) {
  Settings settings{{"scheme", scheme}};
  if (!stragglers.empty()) settings.emplace_back("straggler", stragglers);
  return lab("straggler", settings).summary.samples_per_second;
}

}  // namespace

TEST_CASE("labs are numbered as in their README, and can be read by name", "[labs]") {
  REQUIRE(labs().size() == 25);
  const std::string readme = text_of_page(documented::root() / "docs/labs/README.md");
  for (std::size_t i = 0; i < labs().size(); ++i) {
    const Lab& lab = labs()[i];
    CAPTURE(lab.name);
    CHECK(lab.page.number == static_cast<int>(i) + 1);
    Configuration c;
    std::vector<ContestantTable> contestants;
    CHECK_NOTHROW(read_configuration("lab:" + lab.name, c, &contestants));
    CHECK(c.time == TimeMode::simulated);
    // Its row, and its section, which begins with what the page shows first.
    CHECK_THAT(readme, ContainsSubstring(fmt::format("| [{} ", i + 1)) &&
                           ContainsSubstring(fmt::format("]({}.toml) | ", lab.name)));
    const std::string heading = fmt::format("\n## {} {}\n", i + 1, lab.page.title);
    const std::size_t section = readme.find(heading);
    REQUIRE(section != std::string::npos);
    const std::size_t command = readme.find("\n    trainyard ", section);
    CHECK(readme.substr(command).starts_with(
        fmt::format("\n    trainyard compare lab:{}\n", lab.name)));
  }
  Configuration c;
  CHECK_THROWS_WITH(read_configuration("lab:local-step", c),
                    ContainsSubstring("did you mean 'local-steps'?"));
}

TEST_CASE("one scheme of a lab can be run, in the place of its contestants", "[labs]") {
  const Outcome one = run_program({"run", "lab:elastic", "--scheme", "easgd", "--json", "--quiet"});
  CHECK(one.status == 0);
  CHECK_THAT(one.output, ContainsSubstring(R"("scheme": "easgd")"));
  const Outcome unsaid = run_program({"run", "lab:elastic"});
  CHECK(unsaid.status == 2);
  CHECK_THAT(unsaid.errors, ContainsSubstring("--scheme NAME runs one in their place"));
}

TEST_CASE("lab: one slow worker slows those who wait for it", "[labs][slow]") {
  for (const char* scheme : {"ps-sync", "ring", "local-sgd", "ssp", "gossip"}) {
    CAPTURE(scheme);
    CHECK(throughput(scheme, "0:1") / throughput(scheme, "0:10") > 8.0);
  }
  for (const char* scheme : {"ps-async", "hogwild", "ad-psgd", "gosgd"}) {
    CAPTURE(scheme);
    CHECK(throughput(scheme, "0:1") / throughput(scheme, "0:10") < 1.2);
  }
}

TEST_CASE("lab: bounded staleness has a best bound", "[labs]") {
  const auto median_time = [](const char* bound) {
    std::vector<double> times;
    for (const char* seed : {"1", "2", "3", "4", "5"}) {
      times.push_back(seconds_to_target("staleness",
                                        {{"scheme", "ssp"}, {"staleness", bound}, {"seed", seed}}));
    }
    std::ranges::sort(times);
    return times[2];
  };
  const double best = median_time("4");
  CHECK(best < 0.7 * median_time("1"));
  CHECK(best < 0.9 * median_time("2"));
  CHECK(best < 0.95 * median_time("8"));
  CHECK(best < 0.7 * median_time("16"));
  CHECK(best < 0.1 * median_time("1000"));
}

TEST_CASE("lab: a cached model saves messages and time, and costs freshness", "[labs]") {
  const auto run = [](const char* scheme, const char* bound, const char* lr) {
    return lab("staleness",
               {{"scheme", scheme}, {"staleness", bound}, {"pause", "0:0ms"}, {"lr", lr}})
        .summary;
  };
  const auto step = [](const Summary& s) { return s.seconds / s.steps; };
  const auto down = [](const Summary& s) {  // 16 bytes a model
    return static_cast<double>(s.bytes_sent) / (8 * s.steps * 16) - 1;
  };
  const Summary fresh = run("ps-async", "0", "0.06");
  const Summary cached = run("ssp", "3", "0.06");
  CHECK(step(cached) < 0.92 * step(fresh));
  CHECK(down(cached) < 0.36 * down(fresh));
  CHECK(cached.staleness->mean > 2.0 * fresh.staleness->mean);
  CHECK(*cached.seconds_to_target < 0.9 * *fresh.seconds_to_target);
  // Eight steps old models do not tolerate that step size.
  CHECK(run("ssp", "8", "0.06").diverged);
  const Summary careful = run("ssp", "8", "0.04");
  CHECK(careful.seconds_to_target);
  CHECK(down(careful) < 0.125 * down(fresh));
}

TEST_CASE("lab: microbatches fill a pipeline until messages do", "[labs]") {
  const auto rate = [](const char* scheme, const char* microbatches) {
    return lab("bubble", {{"scheme", scheme}, {"microbatches", microbatches}})
        .summary.samples_per_second;
  };
  for (const char* scheme : {"gpipe", "1f1b"}) {
    CAPTURE(scheme);
    // Of 4 stages a bubble of 3/(m + 3); 1 microbatch is no pipeline at all.
    CHECK(rate(scheme, "2") > 1.4 * rate(scheme, "1"));
    CHECK(rate(scheme, "4") > 1.25 * rate(scheme, "2"));
    CHECK(rate(scheme, "8") > 1.1 * rate(scheme, "4"));
    CHECK(rate(scheme, "64") < 0.8 * rate(scheme, "8"));  // a latency each
  }
  CHECK(rate("gpipe", "8") > 0.95 * rate("1f1b", "8"));
  CHECK(lab("bubble", {{"scheme", "pipedream"}}).summary.samples_per_second >
        1.1 * rate("gpipe", "8"));
}

TEST_CASE("lab: local steps have a best number", "[labs][slow]") {
  const auto time = [](const char* period) {
    return seconds_to_target("local-steps", {{"scheme", "local-sgd"}, {"period", period}});
  };
  const double best = time("8");
  CHECK(best < 0.5 * time("1"));
  CHECK(best < 0.9 * time("4"));
  CHECK(best < 0.9 * time("16"));
  CHECK(best < 0.5 * time("64"));
}

TEST_CASE("lab: on heterogeneous data gossip stalls, and corrected gossip does not",
          "[labs][slow]") {
  const auto loss = [](const char* scheme) {
    return lab("label-skew", {{"scheme", scheme}}).summary.train_loss;
  };
  const double all_reduce = loss("ring");
  for (const char* scheme : {"gossip", "d-psgd", "sgp"}) {
    CAPTURE(scheme);
    CHECK(loss(scheme) > all_reduce + 0.005);
  }
  for (const char* scheme : {"gradient-tracking", "diging", "exact-diffusion", "nids", "extra"}) {
    CAPTURE(scheme);
    CHECK(loss(scheme) < all_reduce + 0.001);
  }
}

TEST_CASE("lab: spare workers beat waiting for all and waiting for none, each at its best",
          "[labs]") {
  const auto best = [](const char* scheme, std::initializer_list<const char*> step_sizes) {
    double shortest = std::numeric_limits<double>::infinity();
    for (const char* lr : step_sizes) {
      shortest =
          std::min(shortest, seconds_to_target("backup-workers", {{"scheme", scheme}, {"lr", lr}}));
    }
    return shortest;
  };
  const double spares = best("ps-backup", {"1.8"});
  CHECK(spares < 0.95 * best("ps-sync", {"1.5", "1.7", "1.8", "1.85", "1.9", "1.95"}));
  CHECK(spares < 0.95 * best("ps-async", {"0.02", "0.04", "0.06", "0.07", "0.08", "0.085", "0.09",
                                          "0.095", "0.1", "0.11", "0.12", "0.15", "0.2"}));
  CHECK(best("ps-backup-interrupt", {"1.8"}) < spares);
}

TEST_CASE("lab: elastic averaging tolerates a period at which Downpour diverges", "[labs]") {
  for (const char* scheme : {"easgd", "easgd-async"}) {
    CAPTURE(scheme);
    const Summary elastic = lab("elastic", {{"scheme", scheme}}).summary;
    CHECK_FALSE(elastic.diverged);
    CHECK(elastic.train_loss <= 1e-6);
  }
  const auto downpour_diverges = [](const char* period) {
    return lab("elastic",
               {{"scheme", "downpour"}, {"fetch-period", period}, {"push-period", period}})
        .summary.diverged;
  };
  CHECK(downpour_diverges("16"));
  CHECK_FALSE(downpour_diverges("1"));
}

TEST_CASE("lab: one peer at a time trains as all of them, at a quarter of the traffic", "[labs]") {
  const auto run = [](const char* graph) {
    return lab("one-peer", {{"scheme", "gossip"}, {"topology", graph}}).summary;
  };
  const Summary all = run("static-exp");
  const Summary one = run("one-peer-exp");
  CHECK(one.train_loss == Approx(all.train_loss).epsilon(1e-3));
  CHECK(4 * one.bytes_sent == all.bytes_sent);
  CHECK(one.seconds < 0.5 * all.seconds);
}

TEST_CASE("lab: fewer bits train faster where bytes count, and not where latency does", "[labs]") {
  const auto seconds = [](const char* scheme, const char* codec, const char* bandwidth) {
    const Settings settings{{"scheme", scheme}, {"codec", codec}, {"bandwidth", bandwidth}};
    const Summary summary = lab("fewer-bits", settings).summary;
    REQUIRE(summary.seconds_to_target);
    return *summary.seconds_to_target;
  };
  const char* const ring = "ring";
  const char* const coded = "coded-all-reduce";
  CHECK(seconds(coded, "qsgd:127", "10Mbps") < 0.35 * seconds(ring, "identity", "10Mbps"));
  CHECK(seconds(coded, "top-k:1%", "10Mbps") < 0.1 * seconds(ring, "identity", "10Mbps"));
  CHECK(seconds(coded, "qsgd:127", "1Gbps") > 0.8 * seconds(ring, "identity", "1Gbps"));
  const double fast = seconds(ring, "identity", "100Gbps");
  CHECK(seconds(coded, "qsgd:127", "100Gbps") == Approx(fast).epsilon(0.01));
  CHECK(seconds(coded, "top-k:1%", "100Gbps") > 1.02 * fast);
  CHECK(seconds("choco", "qsgd:127", "1Gbps") < 0.6 * seconds(coded, "qsgd:127", "1Gbps"));
  CHECK(seconds("ec-sgd", "top-k:1%", "1Gbps") < 0.9 * seconds("csgd", "top-k:1%", "1Gbps"));
}

TEST_CASE("lab: splitting layers beats splitting minibatches for wide layers and small batches",
          "[labs]") {
  const auto run = [](const char* scheme, const char* batch, const char* model, const char* size) {
    Settings settings{{"scheme", scheme}, {"batch", batch}, {"model", model}};
    if (*size != '\0') settings.emplace_back("tensor-size", size);
    return lab("wide-layers", settings).summary;
  };
  const char *const wide = "mlp:256,256", *const narrow = "mlp:16,16";
  const Summary few_rows = run("ring", "4", wide, ""),
                few_split = run("tensor-split", "4", wide, "");
  CHECK(few_split.seconds < 0.3 * few_rows.seconds);
  CHECK(few_split.train_loss == Approx(few_rows.train_loss).epsilon(1e-3));
  const Summary many_rows = run("ring", "64", wide, "");
  const Summary many_split = run("tensor-split", "64", wide, "");
  CHECK(many_rows.seconds < 0.7 * many_split.seconds);
  CHECK(run("tensor-split", "64", wide, "2").seconds < 0.95 * many_rows.seconds);
  // An epoch has as many rows whatever the batch; and as many gradients as steps.
  CHECK(static_cast<double>(many_split.bytes_sent) ==
        Approx(static_cast<double>(few_split.bytes_sent)).epsilon(0.05));
  CHECK(many_rows.bytes_sent < few_rows.bytes_sent / 15);
  CHECK(run("ring", "4", narrow, "").seconds < 0.8 * run("tensor-split", "4", narrow, "").seconds);
}

TEST_CASE("lab: activations are shorter than gradients of few rows, and save one server no time",
          "[labs]") {
  const auto run = [](const char* scheme, const char* batch, const char* servers) {
    return lab("activations", {{"scheme", scheme}, {"batch", batch}, {"servers", servers}}).summary;
  };
  const auto share_of_bytes = [&](const char* batch, const char* servers) {
    return static_cast<double>(run("ps-activations", batch, servers).bytes_sent) /
           static_cast<double>(run("ps-async", batch, servers).bytes_sent);
  };
  CHECK(share_of_bytes("4", "1") < 0.55);
  CHECK(share_of_bytes("4", "1") > 0.5);  // models come down as they did
  CHECK(share_of_bytes("16", "1") < share_of_bytes("64", "1"));
  CHECK(share_of_bytes("128", "1") > 0.99);
  CHECK(share_of_bytes("128", "1") < 1.0);
  CHECK(share_of_bytes("256", "1") == 1.0);
  CHECK(share_of_bytes("16", "4") > share_of_bytes("16", "1"));
  const auto share_of_time = [&](const char* servers) {
    return run("ps-activations", "16", servers).seconds / run("ps-async", "16", servers).seconds;
  };
  CHECK(share_of_time("1") == Approx(1.0).epsilon(0.01));
  CHECK(share_of_time("4") < 0.95);
}

TEST_CASE("lab: buckets have a best size, between a tensor and the model", "[labs]") {
  const auto step = [](const Settings& settings) {
    Settings of_scheme{{"scheme", "ddp"}};
    of_scheme.insert(of_scheme.end(), settings.begin(), settings.end());
    const Summary summary = lab("buckets", of_scheme).summary;
    return summary.seconds / summary.steps;
  };
  const double ring = step({{"scheme", "ring"}});
  const double whole = step({{"bucket", "25MiB"}});
  const double layer = step({{"bucket", "64KiB"}});
  const double tensor = step({{"bucket", "1"}});
  CHECK(whole == Approx(ring).epsilon(1e-9));
  CHECK(layer < 0.85 * whole);
  CHECK(layer < 0.9 * tensor);
  CHECK(layer < step({{"bucket", "256KiB"}}));
  // Where latency is nothing, the smallest are as good; where it is much, one is best.
  const auto with_latency = [&](const char* bucket, const char* latency) {
    return step({{"bucket", bucket}, {"latency", latency}});
  };
  CHECK(with_latency("1", "0") < 1.001 * with_latency("64KiB", "0"));
  CHECK(with_latency("25MiB", "1ms") < 0.6 * with_latency("64KiB", "1ms"));
  // Cycles fuse what comes quickly one after another, and wait where nothing does.
  const auto fused = [&](const char* cycle) {
    return step({{"scheme", "fused-all-reduce"}, {"cycle-time", cycle}});
  };
  CHECK(fused("1ms") < 0.9 * whole);
  CHECK(fused("1ms") < fused("5ms"));
}

TEST_CASE("lab: 25 workers agree exactly over base graphs, and only nearly over one peer",
          "[labs]") {
  CHECK(analyse(make_topology("base:2", 25, 1)).exact_rounds == 9U);
  const TopologyFigures one_peer = analyse(make_topology("one-peer-exp", 25, 1));
  CHECK_FALSE(one_peer.exact_rounds);
  CHECK(one_peer.rho < 1.0);
}

TEST_CASE("lab: gossip beats the ring where latency counts, not where bandwidth does", "[labs]") {
  const auto step = [](const char* variant, double latency_s, double bits_per_second) {
    PredictionSetting setting;
    setting.configuration.workers = 8;
    setting.configuration.compute_time = Duration{0};
    setting.configuration.network = {.latency = seconds(latency_s),
                                     .bytes_per_second = bits_per_second / 8};
    setting.parameters = 270'000;
    return predict(predicted_contestants(variant).front(), setting).step_s;
  };
  CHECK(step("ring", 20e-3, 1.4e9) > 5 * step("gossip:ring", 20e-3, 1.4e9));
  CHECK(step("ring", 20e-3, 5e6) < step("gossip:ring", 20e-3, 5e6));
  CHECK(step("ring", 20e-3, 5e6) > 1.5 * step("gossip:one-peer-exp", 20e-3, 5e6));
}
