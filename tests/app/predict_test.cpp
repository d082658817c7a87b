#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using Json = nlohmann::json;

TEST_CASE("predict: every scheme, and bounds", "[app]") {
  const auto outcome = run_program({"predict", "--json"});
  REQUIRE(outcome.status == 0);
  CHECK(outcome.errors.empty());
  const Json document = Json::parse(outcome.output);
  CHECK(document["workers"] == 8);
  bool ring = false;
  for (const Json& row : document["rows"]) {
    if (row["scheme"] != "ring") continue;
    ring = true;
    // 1 ms + 14 (100 µs + 128 KiB / 125 MB/s)
    CHECK(row["closed_form_s"].get<double>() == Approx(1e-3 + 14 * (1e-4 + 131072 / 125e6)));
    CHECK(row["step_s"].get<double>() == Approx(row["closed_form_s"].get<double>()));
    CHECK(row["way"].is_null());
  }
  CHECK(ring);
  CHECK(document["lower_bounds"]["rows"].size() > 5);
}

TEST_CASE("what is said of a call is in its document, with the network", "[app]") {
  struct Call {
    std::vector<std::string> arguments;
    std::string note;
  };
  const std::vector<Call> calls{
      {{"predict", "--schemes", "ring", "--staleness", "3"}, "--staleness has no effect"},
      {{"predict", "--schemes", "ring", "--vary", "workers=2,4", "--staleness", "3"},
       "--staleness has no effect"},
      {{"netcheck", "--collectives", "ring", "--workers", "2", "--servers", "3"},
       "--servers has no effect"},
      {{"timeline", "ring", "--workers", "2", "--force"}, "--force has no effect"}};
  for (const Call& call : calls) {
    CAPTURE(call.arguments);
    std::vector<std::string> arguments = call.arguments;
    arguments.insert(arguments.end(), {"--json", "--latency", "3ms", "--bandwidth", "16Mbps"});
    const auto outcome = run_program(arguments);
    REQUIRE(outcome.status == 0);
    CHECK_THAT(outcome.errors, ContainsSubstring(call.note));
    const Json document = Json::parse(outcome.output);
    REQUIRE(document["notes"].size() == 1);
    CHECK_THAT(document["notes"][0]["text"].get<std::string>(), ContainsSubstring(call.note));
    CHECK(document["latency_s"] == 0.003);
    CHECK(document["bandwidth_bytes_per_s"] == 2e6);
  }
  const auto unlimited = run_program({"timeline", "ring", "--bandwidth", "infinite", "--json"});
  CHECK(Json::parse(unlimited.output)["bandwidth_bytes_per_s"].is_null());
  CHECK(Json::parse(unlimited.output)["notes"].empty());
}

TEST_CASE("predict: what is varied is no setting of all points", "[app]") {
  const auto outcome = run_program(
      {"predict", "--schemes", "ring", "--vary", "latency=1ms,2ms", "--workers", "4", "--json"});
  const Json document = Json::parse(outcome.output);
  CHECK(document["workers"] == 4);
  CHECK_FALSE(document.contains("latency_s"));
  CHECK(document["bandwidth_bytes_per_s"] == 125e6);
}

// A network of cut-through ports and two racks was told by its latency and bandwidth alone, and a
// sweep by nothing; workers that share memory had their note in a table without a sweep only.
TEST_CASE("predict: documents and tables say what they are for, and what to know", "[app]") {
  const std::vector<std::string> asked{
      "predict", "--schemes",         "ring,hogwild", "--workers",
      "4",       "--ports",           "cutthrough",   "--racks",
      "2",       "--between-latency", "1ms",          "--straggler",
      "0:2",     "--charge-control"};
  const Json settings{{"ports", "cutthrough"},
                      {"racks", "2"},
                      {"between-latency", "1ms"},
                      {"charge-control", "true"},
                      {"straggler", "0:2"}};
  const std::string free = "cache lines that others have written are free here";
  for (const std::vector<std::string>& varied :
       {std::vector<std::string>{}, {"--vary", "latency=1ms,2ms"}}) {
    CAPTURE(varied);
    std::vector<std::string> arguments = asked;
    arguments.insert(arguments.end(), varied.begin(), varied.end());
    const std::string table = run_program(arguments).output;
    const std::string first_line = table.substr(0, table.find('\n'));
    CHECK_THAT(first_line, ContainsSubstring("4 workers, a model of 1.049 MB (262144 floats), 1ms "
                                             "a minibatch of 32; "));
    CHECK(first_line.find("100us a message, ") ==
          (varied.empty() ? first_line.find("; ") + 2 : std::string::npos));
    for (const auto& [option, text] : settings.items()) {
      CHECK_THAT(first_line, ContainsSubstring(", " + option));
    }
    CHECK_THAT(table, ContainsSubstring("note: hogwild: " + free));
    arguments.emplace_back("--json");
    const Json document = Json::parse(run_program(arguments).output);
    CHECK(document.at("settings") == settings);
    REQUIRE(document["notes"].size() == 1);
    CHECK(document["notes"][0]["about"] == "hogwild");
    CHECK_THAT(document["notes"][0]["text"].get<std::string>(), ContainsSubstring(free));
  }
  const auto plain = run_program({"predict", "--schemes", "ring", "--json"});
  CHECK(Json::parse(plain.output).at("settings").empty());
}

TEST_CASE("predict: break-evens say what they are for", "[app]") {
  const std::vector<std::string> asked{
      "predict", "--break-even", "--schemes", "csgd",    "--codec",    "qsgd:127",  "--workers",
      "2",       "--batch",      "1",         "--ports", "cutthrough", "--latency", "1ms"};
  CHECK_THAT(run_program(asked).output,
             ContainsSubstring("2 workers, a model of 1.049 MB (262144 floats), 1ms a minibatch of "
                               "1; 1ms a message") &&
                 ContainsSubstring(", ports cutthrough"));
  std::vector<std::string> json = asked;
  json.emplace_back("--json");
  const Json document = Json::parse(run_program(json).output);
  CHECK(document.at("settings").at("ports") == "cutthrough");
  CHECK(document.at("compute_s") == 1e-3);
}

TEST_CASE("predict: bounds say their numbers of servers and steps", "[app]") {
  const auto table = run_program(
      {"predict", "--workers", "4", "--schemes", "ps-sync", "--servers", "2", "--period", "10"});
  CHECK_THAT(table.output, ContainsSubstring("k = 2 servers, synchronous") &&
                               ContainsSubstring("averaged every τ = 10 steps: a local step") &&
                               !ContainsSubstring("too many links"));
  const auto sweep = run_program({"predict", "--workers", "4", "--vary", "servers=1,2"});
  CHECK_THAT(sweep.output, ContainsSubstring("\nk servers, synchronous "));
}

TEST_CASE("predict: servers that are as many as workers can be varied", "[app]") {
  const auto outcome = run_program({"predict", "--schemes", "ps-sync", "--workers", "4", "--vary",
                                    "servers=1,workers,2", "--json"});
  REQUIRE(outcome.status == 0);
  const Json document = Json::parse(outcome.output);
  std::vector<std::string> values;
  for (const Json& point : document["points"]) values.push_back(point["value"]);
  CHECK(values == std::vector<std::string>{"1", "workers", "2"});
  CHECK(document["unit"].is_null());
  CHECK(document["points"][1]["rows"][0]["servers"] == 4);
}

// It knew neither braces nor any quantity but six.
TEST_CASE("predict: contestants have settings, and any option is varied", "[app]") {
  const auto outcome =
      run_program({"predict", "--workers", "4", "--schemes",
                   "local-sgd{period=8},local-sgd:ring,ring", "--vary", "period=1:8", "--json"});
  REQUIRE(outcome.status == 0);
  CHECK(outcome.errors.empty());
  const Json document = Json::parse(outcome.output);
  CHECK(document["unit"].get<std::string>().empty());
  REQUIRE(document["points"].size() == 4);
  const Json& rows = document["points"][3]["rows"];
  CHECK(rows[0]["label"] == "local-sgd{period=8}");
  CHECK(rows[0]["step_s"] == rows[1]["step_s"]);
  CHECK(document["points"][0]["rows"][0]["step_s"] == rows[0]["step_s"]);
  CHECK(document["points"][0]["rows"][1]["step_s"] == rows[2]["step_s"]);
  const auto own = run_program(
      {"predict", "--workers", "4", "--schemes", "local-sgd{period=8}", "--vary", "period=1,2"});
  CHECK_THAT(own.errors, ContainsSubstring("note: --vary period has no effect"));
  const auto idle =
      run_program({"predict", "--workers", "4", "--schemes", "ring", "--vary", "period=1,2"});
  CHECK_THAT(idle.errors, ContainsSubstring("note: --period has no effect"));
}

// A bare name became one contestant for each usual graph, of which none followed what was varied.
TEST_CASE("predict: what is varied is what a bare name leaves open", "[app]") {
  const auto outcome = run_program({"predict", "--workers", "4", "--schemes", "gossip", "--vary",
                                    "topology=full,ring", "--json"});
  CHECK(outcome.errors.empty());
  const Json points = Json::parse(outcome.output)["points"];
  REQUIRE(points.size() == 2);
  REQUIRE(points[0]["rows"].size() == 1);
  CHECK(points[0]["rows"][0]["messages_per_step"] == 12);
  CHECK(points[1]["rows"][0]["messages_per_step"] == 8);
}

TEST_CASE("predict: a bandwidth without a limit is said so", "[app]") {
  const auto outcome = run_program(
      {"predict", "--workers", "2", "--schemes", "ring", "--vary", "bandwidth=1Gbps,infinite"});
  CHECK_THAT(outcome.output, ContainsSubstring("\ninfinite "));
}

TEST_CASE("predict: break-evens are over the topology that is given", "[app]") {
  const auto outcome =
      run_program({"predict", "--break-even", "--workers", "4", "--schemes", "choco,dcd:ring",
                   "--topology", "full", "--codec", "sign", "--json"});
  const Json rows = Json::parse(outcome.output)["rows"];
  CHECK(rows[0]["way"] == "full");
  CHECK(rows[1]["way"] == "ring");
}

TEST_CASE("predict: few messages are not none", "[app]") {
  const auto outcome = run_program(
      {"predict", "--schemes", "gosgd", "--workers", "2", "--send-probability", "0.01"});
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.output, ContainsSubstring(" 0.0") && !ContainsSubstring(" 0.0 "));
}

TEST_CASE("predict: a table for people, with a crossing point", "[app]") {
  const auto table = run_program({"predict", "--workers", "4", "--schemes", "ring,gossip"});
  CHECK(table.status == 0);
  CHECK_THAT(table.output, ContainsSubstring("gossip:one-peer-exp"));
  CHECK_THAT(table.output, ContainsSubstring("first step"));
  const auto sweep = run_program({"predict", "--vary", "latency=10us:100ms"});
  CHECK(sweep.status == 0);
  CHECK_THAT(sweep.output, ContainsSubstring("from ring to gossip:ring"));
  CHECK_THAT(sweep.output, ContainsSubstring("by formula, without latency"));
}

// These showed qsgd:127 and top-k:1% whatever was asked for.
TEST_CASE("predict: a codec that is given is the one that is played", "[app]") {
  const auto outcome = run_program(
      {"predict", "--workers", "4", "--size", "64KiB", "--codec", "top-k:5%", "--json", "--quiet",
       "--schemes",
       "csgd,ec-sgd,double-squeeze,coded-all-reduce,one-bit-adam,fedpaq,qsparse-local-sgd,choco:"
       "ring"});
  REQUIRE(outcome.status == 0);
  CHECK(outcome.errors.empty());
  const Json rows = Json::parse(outcome.output)["rows"];
  REQUIRE(rows.size() == 8);
  for (std::size_t i = 0; i < 7; ++i) CHECK(rows[i]["way"] == "top-k:5%");
  CHECK(rows[7]["way"] == "ring");
  // And of one who says another, that one.
  const auto own = run_program(
      {"predict", "--schemes", "csgd:top-k:1%", "--codec", "qsgd:127", "--json", "--quiet"});
  CHECK(Json::parse(own.output)["rows"][0]["way"] == "top-k:1%");
}

TEST_CASE("predict: a mean is printed with its error", "[app]") {
  const std::vector<std::string> command{"predict", "--workers", "4",          "--size",
                                         "4KiB",    "--schemes", "fedavg,ring"};
  const auto table = run_program(command);
  CHECK_THAT(table.output, ContainsSubstring(" ± "));
  CHECK_THAT(table.output, ContainsSubstring("in 998 of 1000 cases"));
  auto as_json = command;
  as_json.emplace_back("--json");
  const Json rows = Json::parse(run_program(as_json).output)["rows"];
  CHECK(rows[0]["step_error_s"].get<double>() > 0.0);
  CHECK(rows[1]["step_error_s"] == 0.0);
  const auto exact = run_program({"predict", "--workers", "4", "--schemes", "ring"});
  CHECK(exact.output.find("±") == std::string::npos);
}

TEST_CASE("predict: what it does not understand", "[app]") {
  struct Row {
    std::vector<std::string> flags;
    const char* says;
  };
  for (const Row& row : std::vector<Row>{
           {{"--size", "3"}, "--size: '3' is not a multiple of 4 bytes"},
           {{"--size", "0"}, "--size: '0'"},
           {{"--rows", "0"}, "--rows: '0'"},
           {{"--schemes", "rnig"}, "did you mean 'ring'?"},
           {{"--schemes", "gossip:rnig"}, "did you mean 'ring'?"},
           {{"--compute-time", "auto"}, "--compute-time: a prediction takes a duration"},
           {{"--vary", "epochs=1,2"}, "--vary: 'epochs' is nothing that a prediction varies"},
           {{"--vary", "latency=1ms,2ms", "--latency", "3ms"}, "--latency is given beside"},
           {{"--vary", "size=4B,8B", "--size", "4"}, "--size is given beside"},
           {{"--straggler", "9:2"}, "--straggler"},
           {{"--reduce-rate", "3"}, "--reduce-rate: '3'"},
           {{"--training-time", "--tokens", "300e9", "--devices", "8"},
            "--training-time: --parameters, --peak, --utilisation missing"},
           {{"--training-time", "--utilisation", "1.5"}, "'1.5' is not above 0 and at most 1"},
           {{"--training-time", "--tokens", "-1"}, "--tokens: '-1' is not above 0"},
           {{"--training-time", "--peak", "312TFLOPS"}, "--peak: '312TFLOPS'"},
           {{"--training-time", "--html", "page.html"}, "--html: --training-time is given beside"},
           {{"--noise-ratio", "-1"}, "--noise-ratio: '-1' is not from 0 to 1e15"},
           {{"--noise-ratio", "2", "--compute-time", "0"}, "--compute-time: 0: with --noise-ratio"},
           {{"--noise-ratio", "2", "--straggler", "8:2"}, "--straggler: there is no worker 8"},
           {{"--noise-ratio", "2", "--html", "page.html"}, "--html: --noise-ratio is given beside"},
           {{"--split", "all", "--html", "page.html"}, "--html: --split all is given beside"},
           {{"--split", "dp=2,xp=2"}, "--split: 'dp=2,xp=2' is no split of workers"},
           {{"--split", "dp=2", "--workers", "2"}, "--split: --workers is given beside"},
           {{"--lr", "1"}, "no flag named '--lr'"}}) {
    std::vector<std::string> command{"predict"};
    command.insert(command.end(), row.flags.begin(), row.flags.end());
    CAPTURE(row.flags);
    const auto outcome = run_program(command);
    CHECK(outcome.status == 2);
    CHECK(outcome.output.empty());
    CHECK_THAT(outcome.errors, ContainsSubstring(row.says));
  }
}

TEST_CASE("predict: how long language models train", "[app]") {
  const auto published = run_program({"predict", "--training-time", "--json"});
  CHECK(published.status == 0);
  CHECK(published.errors.empty());
  const Json rows = Json::parse(published.output)["rows"];
  REQUIRE(rows.size() == 4);
  CHECK(rows[0]["name"] == "GPT-3");
  CHECK(rows[0]["seconds"].get<double>() == Approx(8 * 300e9 * 175e9 / (1024 * 140e12)));
  CHECK(rows[0]["published_seconds"] == 34 * 86400.0);
  CHECK(rows[3]["difference"].get<double>() == Approx(1.093).margin(0.001));
  CHECK(rows[3]["published_utilisation"].get<double>() == Approx(0.628).margin(0.001));

  const auto table = run_program({"predict", "--training-time"});
  CHECK_THAT(table.output, ContainsSubstring("LLaMA-65B, Kun Yuan 2024; Touvron et al. 2023: U = "
                                             "0.3 does not follow from 21 days, which take U = "
                                             "0.63"));
  CHECK(table.output.find("GPT-3, ") == std::string::npos);  // those do

  std::vector<std::string> own{
      "predict", "--training-time", "--tokens", "1e9",           "--parameters", "2e6", "--devices",
      "4",       "--peak",          "1e12",     "--utilisation", "0.5"};
  const auto of_own = run_program(own);
  CHECK(of_own.status == 0);
  CHECK_THAT(of_own.output, ContainsSubstring("0.0926 d"));  // 8000 s
  CHECK(of_own.output.find("published") == std::string::npos);
  own.insert(own.end(), {"--json", "--latency", "1ms", "--vary", "size=4B,8B"});
  const auto with_more = run_program(own);
  CHECK(with_more.status == 0);
  const Json row = Json::parse(with_more.output)["rows"][0];
  CHECK(row["seconds"] == 8000.0);
  CHECK(row["name"].is_null());
  CHECK(row["published_seconds"].is_null());
  CHECK_THAT(with_more.errors, ContainsSubstring("--latency has no effect: --training-time"));
  CHECK_THAT(with_more.errors, ContainsSubstring("--vary has no effect: --training-time"));
  CHECK_THAT(run_program({"predict", "--schemes", "ring", "--tokens", "3"}).errors,
             ContainsSubstring("--tokens has no effect: it is for --training-time"));
}

TEST_CASE("predict: the fastest splits of a network", "[app]") {
  std::vector<std::string> command{"predict",   "--split", "all",     "--workers",       "16",
                                   "--dataset", "blobs",   "--model", "mlp:256,256,256", "--batch",
                                   "4"};
  const auto table = run_program(command);
  CHECK(table.status == 0);
  CHECK(table.errors.empty());
  CHECK_THAT(table.output, ContainsSubstring("mlp:256,256,256 on 16 workers, 4 rows of each"));
  CHECK_THAT(table.output, ContainsSubstring("dp=16,pp=1,tp=1"));
  command.insert(command.end(), {"--json", "--rows", "5", "--schemes", "ring"});
  const auto outcome = run_program(command);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.errors, ContainsSubstring("--rows has no effect: --split all"));
  CHECK_THAT(outcome.errors, ContainsSubstring("--schemes has no effect: --split all"));
  const Json document = Json::parse(outcome.output);
  CHECK(document["workers"] == 16);
  CHECK(document["rows"].size() + document["left_out"].get<std::size_t>() == 15);
  for (const Json& row : document["rows"]) {
    CHECK(row["dp"].get<int>() * row["pp"].get<int>() * row["tp"].get<int>() == 16);
  }
  const auto flat = run_program({"predict", "--split", "all"});
  CHECK(flat.status == 2);
  CHECK_THAT(flat.errors, ContainsSubstring("--model: a model without layers"));
  const auto one = run_program({"predict", "--split", "dp=2,pp=2,tp=2", "--schemes", "gpipe,ring",
                                "--model", "mlp:8", "--json"});
  CHECK(one.status == 0);
  CHECK(Json::parse(one.output)["workers"] == 8);
  CHECK_THAT(one.errors, ContainsSubstring("--model has no effect: it is for --split all"));
}

TEST_CASE("predict: lower bounds along what is varied", "[app]") {
  // T = 1 ms, R = U = 2 ms at 2 workers.
  const std::vector<std::string> command{"predict",     "--schemes",     "ring",    "--vary",
                                         "workers=2,4", "--size",        "1MB",     "--bandwidth",
                                         "1GB/s",       "--reduce-rate", "0.5GB/s", "--update-rate",
                                         "0.5GB/s",     "--period",      "4",       "--json"};
  const auto outcome = run_program(command);
  REQUIRE(outcome.status == 0);
  const Json points = Json::parse(outcome.output)["points"];
  REQUIRE(points.size() == 2);
  const auto bound = [](const Json& point, const char* name) {
    for (const Json& row : point["lower_bounds"]) {
      if (row["name"] == name) return row["seconds"].get<double>();
    }
    FAIL("no bound named " << name);
    return 0.0;
  };
  const char* colocated = "servers on the workers' own ports";
  CHECK(bound(points[0], colocated) == Approx(1e-3 + 1e-3 + 1e-3));        // (2T + R)/2 + U/2
  CHECK(bound(points[1], colocated) == Approx(1.5e-3 + 1.5e-3 + 0.5e-3));  // ¾(2T + R) + U/4
  for (const Json& point : points) {
    CHECK(bound(point, "averaged every τ = 4 steps: a local step") == Approx(0.25e-3));
  }
  CHECK(outcome.errors.empty());  // --period is in the bounds, if in nothing of the ring's
}
