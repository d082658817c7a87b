#include "web/lab_question.hpp"

#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "trainyard/configuration/defaults.hpp"
#include "trainyard/configuration/labs.hpp"
#include "trainyard/report/summary_format.hpp"
#include "trainyard/run/run.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"
#include "web/lab_limits.hpp"

namespace trainyard {

namespace {

using Catch::Matchers::StartsWith;
using Json = nlohmann::json;

std::shared_ptr<const UploadedData> no_upload(std::string_view) {
  return nullptr;
}

LabQuestion parsed(const Json& body) {
  return parse_lab_question(body.dump(), no_upload);
}

/// The message, and the option it is about in brackets; "accepted" where there is none.
std::string refusal(const std::string& body) {
  static LabData data;  // is loaded once
  try {
    LabQuestion question = parse_lab_question(body, no_upload);
    bound_lab_question(question, *data.load(question.request.configuration, nullptr));
  } catch (const UsageError& error) {
    return "[" + option_of(error) + "] " + error.what();
  }
  return "accepted";
}
std::string refusal_of_option(const std::string& name, const std::string& text) {
  return refusal(Json{{"options", {{name, text}}}}.dump());
}

/// A value that the program takes for each of the options that a lab does not.
const std::vector<OptionText> refused{{"scheme", "ring"},
                                      {"split", "dp=2,pp=2,tp=1"},
                                      {"time", "virtual"},
                                      {"links", "/etc/passwd"},
                                      {"up-bandwidth", "1Mbps"},
                                      {"down-bandwidth", "1Mbps"},
                                      {"data-format", "csv"},
                                      {"data-dir", "/etc"},
                                      {"optimum", "auto"},
                                      {"labels", "/etc/passwd"},
                                      {"test-labels", "/etc/passwd"},
                                      {"validation", "/etc/passwd"},
                                      {"weight-column", "w"},
                                      {"class-weight", "balanced"},
                                      {"start", "/etc"},
                                      {"checkpoint", "/etc"},
                                      {"resume", "/etc"},
                                      {"force-resume", "lr"},
                                      {"label-column", "0"},
                                      {"header", "auto"},
                                      {"columns", "1"},
                                      {"drop-columns", "1"},
                                      {"missing", "drop"},
                                      {"missing-words", "x"},
                                      {"categorical", "1"},
                                      {"numeric", "1"},
                                      {"date", "1"},
                                      {"hash", "2^18"},
                                      {"delimiter", "tab"},
                                      {"decimal", "."},
                                      {"first-index", "0"},
                                      {"placement", "none"},
                                      {"counters", "true"},
                                      {"force-memory", "true"},
                                      {"gradient-noise", "true"},
                                      {"out", "/tmp/x"},
                                      {"trace", "/tmp/x"},
                                      {"html", "/tmp/x"},
                                      {"trace-steps", "0:1"},
                                      {"format", "csv"},
                                      {"quiet", "true"},
                                      {"progress", "true"},
                                      {"force", "true"}};

}  // namespace

TEST_CASE("a question is the comparison that the command line makes", "[web]") {
  const LabQuestion question = parsed({{"schemes", "ring,gossip{topology=torus}"},
                                       {"options", {{"latency", "1ms"}, {"workers", "4"}}},
                                       {"seeds", 3},
                                       {"client", "a window"},
                                       {"question", 17}});
  CHECK(question.client == "a window");
  CHECK(question.number == 17);
  const ComparisonRequest& request = question.request;
  CHECK(request.options.seeds == 3);
  CHECK(request.options.step_sizes == StepSizes::as_given);
  REQUIRE(request.contestants.size() == 2);
  CHECK(request.contestants[1].label == "gossip{topology=torus}");
  // What `compare` has of the built-in set, and what was asked.
  Configuration expected = built_in_defaults();
  expected.time = TimeMode::simulated;
  expected.network.latency = std::chrono::milliseconds(1);
  expected.workers = 4;
  CHECK(configuration_text(request.configuration) == configuration_text(expected));

  const LabQuestion nothing = parsed(Json::object());
  CHECK(nothing.request.contestants.size() == 6);
  CHECK(!nothing.request.contestants.front().named);
  CHECK(nothing.request.configuration.compute_time == default_compute_time);
}

TEST_CASE("a question on another generated set takes 1 ms a minibatch", "[web]") {
  const Configuration c = parsed({{"options", {{"dataset", "blobs"}}}}).request.configuration;
  CHECK(c.compute_time == default_compute_time);
  CHECK(c.optimizer.lr == Configuration{}.optimizer.lr);
}

TEST_CASE("every lab can be asked about", "[web]") {
  for (const Lab& lab : labs()) {
    INFO(lab.name);
    LabQuestion question = parsed({{"lab", lab.name}});
    Configuration expected = default_configuration();
    std::vector<ContestantTable> tables;
    parse_configuration(lab.text, lab.name, expected, &tables);
    CHECK(question.request.configuration.steps == expected.steps);
    CHECK(question.request.configuration.network.latency == expected.network.latency);
    const LoadedData data = load_dataset(dataset_request(question.request.configuration));
    bound_lab_question(question, data);
    const Configuration& c = question.request.configuration;
    CHECK(c.evaluate_every == expected.evaluate_every);
    CHECK(c.time == TimeMode::simulated);
  }
  CHECK_THAT(refusal(R"({"lab":"stragler"})"), ContainsSubstring("did you mean 'straggler'?"));
}

TEST_CASE("evaluations that nobody spaces are as far apart as a page can show", "[web]") {
  LabQuestion question = parsed({{"options", {{"dataset", "blobs"}, {"epochs", "1000"}}}});
  bound_lab_question(question, load_dataset(dataset_request(question.request.configuration)));
  CHECK(question.request.configuration.evaluate_every == Approx(2.5));  // 400 times
}

TEST_CASE("a switch of a question is there or not, as on the command line", "[web]") {
  const auto charges = [](const Json& options) {
    return parsed({{"options", options}}).request.configuration.network.charge_control;
  };
  CHECK(charges({{"charge-control", ""}}));
  CHECK(charges({{"charge-control", "true"}}));
  CHECK_FALSE(charges({{"charge-control", "false"}}));
  CHECK_FALSE(charges(Json::object()));
}

TEST_CASE("a generated set of a question has its own rows or fewer", "[web]") {
  CHECK(parsed({{"options", {{"dataset", "power-law:20000"}}}}).request.configuration.dataset ==
        "power-law:20000");
  CHECK_THAT(refusal_of_option("dataset", "blobs:10001"),
             StartsWith("[dataset] --dataset: 10001 are more rows than the 10000 that"));
  const std::string wide = refusal_of_option("dataset", "wide-power-law");
  CHECK_THAT(wide, ContainsSubstring("none of the lab's sets") && !ContainsSubstring(", wide-"));
  CHECK_THAT(refusal_of_option("dataset", "blobs:1"), StartsWith("[dataset] "));
  CHECK_THAT(refusal_of_option("dataset", "blobs:x"), StartsWith("[dataset] "));
}

TEST_CASE("an option outside the list is refused by name, the whole table over", "[web]") {
  std::set<std::string> outside;
  for (const auto& [name, text] : refused) {
    outside.insert(name);
    INFO(name);
    CHECK_THAT(refusal_of_option(name, text), StartsWith("[" + name + "] --" + name + ": the lab"));
    // And as a contestant's own.
    CHECK_THAT(refusal(Json{{"schemes", "ring{" + name + "=" + text + "}"}}.dump()),
               StartsWith("[" + name + "] --" + name + ": the lab"));
  }
  for (const Option& option : options()) {
    INFO(option.name);
    CHECK(option.taken_by(taker::lab) == (outside.count(option.name) == 0));
  }
}

TEST_CASE("no file is named by a question", "[web]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("rows.csv", "1,2\n0,3\n").string();
  CHECK_THAT(refusal_of_option("dataset", file), StartsWith("[dataset] "));
  CHECK_THAT(refusal_of_option("dataset", "a9a"), StartsWith("[dataset] "));
  CHECK_THAT(refusal_of_option("test", file), StartsWith("[test] "));
  CHECK_THAT(refusal_of_option("topology", "file:" + file), StartsWith("[topology] "));
  CHECK_THAT(refusal_of_option("topology", "digraph:" + file), StartsWith("[topology] "));
  for (const std::string& word :
       {"gossip:file:" + file, "gossip{topology=file:" + file + "}", "ring{dataset=" + file + "}",
        "ring{links=" + file + "}", "all{ topology = file:" + file + "}"}) {
    INFO(word);
    CHECK_THAT(refusal(Json{{"schemes", word}}.dump()), StartsWith("["));
  }
}

TEST_CASE("errors of options read as on the command line", "[web]") {
  CHECK(refusal_of_option("latency", "soon").starts_with("[latency] --latency: 'soon'"));
  CHECK_THAT(refusal_of_option("latencie", "1ms"), ContainsSubstring("did you mean 'latency'?"));
  CHECK(refusal_of_option("lr", "") == "[lr] --lr: the value is empty; expected GAMMA");
  CHECK_THAT(refusal(R"({"schemes":"rign"})"), ContainsSubstring("did you mean 'ring'?"));
  CHECK_THAT(refusal(R"({"schemes":"ring{period=8"})"), StartsWith("[schemes] "));
}

TEST_CASE("what a question may cost is bounded", "[web]") {
  CHECK_THAT(refusal_of_option("workers", "65"), StartsWith("[workers] "));
  CHECK_THAT(refusal_of_option("servers", "65"), StartsWith("[servers] "));
  CHECK(refusal_of_option("workers", "64") == "accepted");
  CHECK_THAT(refusal(R"({"schemes":"ring{workers=65}"})"), StartsWith("[workers] "));
  CHECK_THAT(refusal(R"({"schemes":"all"})"), StartsWith("[schemes] "));
  CHECK_THAT(refusal(R"({"schemes":"ring,gossip{intercept=true}"})"), StartsWith("[schemes] "));
  CHECK_THAT(refusal(R"({"seeds":6})"), StartsWith("[seeds] "));
  CHECK_THAT(refusal(R"({"seeds":0})"), StartsWith("[seeds] "));
  CHECK_THAT(refusal_of_option("model", "mlp:1000"), StartsWith("[model] "));
  CHECK_THAT(refusal(R"({"schemes":"ring{model=mlp:1000}"})"), StartsWith("[model] "));
  CHECK_THAT(refusal_of_option("model", "mlp:1000000,1000000,1000000"), StartsWith("["));
  CHECK_THAT(refusal(R"({"options":{"dataset":"blobs","model":"mlp:1024","workers":"64"}})"),
             StartsWith("[workers] "));
  CHECK_THAT(refusal(R"({"options":{"dataset":"blobs","model":"mlp:1024","batch":"10000"}})"),
             StartsWith("[batch] "));
  CHECK_THAT(refusal_of_option("evaluate-every", "1e-6"), StartsWith("[evaluate-every] "));
  CHECK(refusal_of_option("evaluate-every", "0.025") == "accepted");  // 10 epochs
  CHECK_THAT(refusal(R"({"options":{"steps":"1e9","evaluate-every":"1"}})"),
             StartsWith("[evaluate-every] "));
  CHECK_THAT(refusal(R"({"options":{"seconds":"1h","compute-time":"0s"}})"),
             StartsWith("[seconds] "));
  CHECK_THAT(refusal_of_option("compute-time", "auto"), StartsWith("[compute-time] "));
  CHECK_THAT(refusal_of_option("straggler", std::string(most_option_text + 1, '1')),
             StartsWith("[straggler] "));
}

TEST_CASE("a body that is no question is refused", "[web]") {
  for (const std::string body :
       {"", "7", "[]", "{", "\xff", R"({"scheme":"ring"})", R"({"schemes":7})", R"({"options":[]})",
        R"({"options":{"latency":1}})", R"({"seeds":-1})", R"({"seeds":1.5})",
        R"({"question":"1"})", R"({"data":"0123"})", R"({"client":5})"}) {
    INFO(body);
    CHECK_THAT(refusal(body), StartsWith("[] "));
  }
  CHECK_THAT(refusal(Json{{"client", std::string(65, 'x')}}.dump()), StartsWith("[] client"));
  CHECK_THAT(refusal(Json{{"schemes", std::string(5000, 'x')}}.dump()), StartsWith("[] schemes"));
}

}  // namespace trainyard
