#include "web/lab_server.hpp"

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "trainyard/report/summary_format.hpp"
#include "trainyard/web/page.hpp"

#include "support/catch.hpp"
#include "web/raw_connection.hpp"
#include "web/serving.hpp"

namespace trainyard {

namespace {

using std::chrono::milliseconds;
using Json = nlohmann::json;

constexpr const char* json_type = "application/json";
constexpr const char* bytes_type = "application/octet-stream";

/// On a data set of 16 rows: over in milliseconds.
Json quick_question() {
  return {{"schemes", "ring,ps-async"},
          {"options",
           {{"dataset", "two-scales"},
            {"model", "quadratic"},
            {"batch", "1"},
            {"workers", "4"},
            {"steps", "50"}}}};
}

/// Over in days.
Json endless_question() {
  Json question = quick_question();
  question["options"]["steps"] = "1e12";
  return question;
}

/// Without the first steps, which only the lab records.
std::string without_first_steps(const std::string& answer) {
  Json json = Json::parse(answer);
  for (Json& run : json["runs"]) run.erase("first_steps");
  return json.dump();
}

std::string direct_answer(const Json& json) {
  LabQuestion question = parse_lab_question(
      json.dump(), [](std::string_view) -> std::shared_ptr<const UploadedData> { return nullptr; });
  const LoadedData data = load_dataset(dataset_request(question.request.configuration));
  bound_lab_question(question, data);
  const Compared compared = run_comparison(question.request, data, {});
  return without_first_steps(
      comparison_json(compared.runs, question.request.options, compared.notes, compared.lacking));
}

}  // namespace

TEST_CASE("pages are those that there are and every answer has the headers", "[web]") {
  const Serving serving;
  auto client = serving.client();
  const auto page = client.Get("/lab/straggler?workers=8");
  REQUIRE(page);
  CHECK(page->status == 200);
  CHECK(page->body == "page /lab/straggler");
  CHECK(page->get_header_value("Content-Type") == "text/html; charset=utf-8");
  const auto head = client.Head("/");
  REQUIRE(head);
  CHECK(head->status == 200);
  CHECK(head->body.empty());

  const std::string host = "Host: " + serving.host() + "\r\n\r\n";
  for (const std::string& answer : {raw_answer(serving.port(), "GET / HTTP/1.1\r\n" + host),
                                    raw_answer(serving.port(), "GET /none HTTP/1.1\r\n" + host),
                                    raw_answer(serving.port(), "GET / HTTP/1.1\r\n\r\n"),
                                    raw_answer(serving.port(), "nonsense\r\n\r\n")}) {
    for (const char* header :
         {"Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src "
          "'unsafe-inline'; connect-src 'self'; img-src data: blob:; frame-ancestors 'none'; "
          "base-uri 'none'; form-action 'none'\r\n",
          "X-Content-Type-Options: nosniff\r\n", "Referrer-Policy: no-referrer\r\n",
          "Cache-Control: no-store\r\n"}) {
      CHECK_THAT(answer, ContainsSubstring(header));
    }
  }
}

TEST_CASE("no path leads out of the pages", "[web]") {
  const Serving serving;
  for (const std::string path :
       {"/../../etc/passwd", "/lab/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc%2fpasswd", "//etc/passwd", "/etc/passwd", "/lab/straggler/", "/lab/",
        "/%00", "/lab/straggler%00", "/.", "/api", "/api/", "/api/compare/x", "/index.html"}) {
    INFO(path);
    CHECK(raw_status(raw_answer(serving.port(), "GET " + path + " HTTP/1.1\r\nHost: " +
                                                    serving.host() + "\r\n\r\n")) == 404);
  }
}

TEST_CASE("a page that an interrupt ends is no answer", "[web]") {
  const Serving serving;
  const auto page = serving.client().Get("/lab/interrupted");
  REQUIRE(page);
  CHECK(page->status == 503);
  CHECK(page->has_header("Retry-After"));
  CHECK_THAT(page->body, ContainsSubstring("the server is about to end"));
}

TEST_CASE("an answer is what the comparison itself prints", "[web]") {
  const Serving serving;
  Json question = quick_question();
  question["seeds"] = 2;
  const auto [status, body] = serving.ask(question);
  CHECK(status == 200);
  CHECK(without_first_steps(body) == direct_answer(question));
  CHECK(Json::parse(body)["runs"].size() == 4);
}

TEST_CASE("a question that is wrong is answered with what is wrong about it", "[web]") {
  const Serving serving;
  Json question = quick_question();
  question["options"]["latency"] = "soon";
  auto [status, body] = serving.ask(question);
  CHECK(status == 400);
  CHECK(Json::parse(body)["option"] == "latency");
  CHECK_THAT(body, ContainsSubstring("'soon'"));
  // What shows only when it is run.
  question = quick_question();
  question["options"]["straggler"] = "9:2";
  std::tie(status, body) = serving.ask(question);
  CHECK(status == 400);
  CHECK(Json::parse(body)["option"] == "straggler");
  question = quick_question();
  question["options"]["workers"] = "17";
  CHECK(serving.ask(question).first == 400);
  // Two steps of that are more than the clock of a run holds.
  question = quick_question();
  question["options"]["compute-time"] = "2000h";
  std::tie(status, body) = serving.ask(question);
  CHECK(status == 422);
  CHECK_THAT(body, ContainsSubstring("error"));
  const auto no_json = serving.client().Post("/api/compare", "{", json_type);
  REQUIRE(no_json);
  CHECK(no_json->status == 400);
}

TEST_CASE("the budget ends a question with its results so far", "[web]") {
  const Serving serving({.budget = milliseconds(100)});
  Json question = endless_question();
  question["schemes"] = "ring";
  const auto [status, body] = serving.ask(question);
  CHECK(status == 200);
  CHECK(Json::parse(body)["runs"][0]["interrupted"] == true);
}

TEST_CASE("a window's newer question cancels its older one and no other's", "[web]") {
  const Serving serving;
  std::pair<int, std::string> older, others, newer;
  // Threads read these, so each has its own.
  Json endless = endless_question();
  Json of_other = quick_question();
  Json quick = quick_question();
  endless.update({{"client", "a"}, {"question", 1}});
  of_other["client"] = "b";
  quick.update({{"client", "a"}, {"question", 2}});
  std::atomic<bool> is_over{false};
  {
    const std::jthread first([&] {
      older = serving.ask(endless);
      is_over = true;
    });
    const std::jthread second([&] { others = serving.ask(of_other); });
    // More than one where the older comes last: a client whose questions have ended is forgotten.
    for (int number = 2; !is_over; ++number) {
      quick["question"] = number;
      newer = serving.ask(quick);
    }
  }
  CHECK(older.first == 409);
  CHECK(Json::parse(older.second)["error"] == "superseded");
  CHECK(newer.first == 200);
  CHECK(others.first == 200);
  CHECK(others.second == newer.second);
  CHECK(without_first_steps(newer.second) == direct_answer(quick));
}

TEST_CASE("twenty clients at once are answered or told why not", "[web]") {
  const Serving serving;
  std::vector<std::pair<int, std::string>> answers(20);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      threads.emplace_back([&, i] {
        Json question = quick_question();
        question["client"] = "window " + std::to_string(i % 15);  // some have two questions
        answers[i] = serving.ask(question);
      });
    }
  }
  std::set<int> statuses;
  const std::string expected = direct_answer(quick_question());
  for (const auto& [status, body] : answers) {
    statuses.insert(status);
    CHECK((status == 200 || status == 409 || status == 503));
    if (status == 200) CHECK(without_first_steps(body) == expected);
  }
  CHECK(statuses.count(200) == 1);
}

TEST_CASE("a report is the page of the same comparison", "[web]") {
  const Serving serving;
  const Json question = quick_question();
  const auto result = serving.client().Post("/api/report", question.dump(), json_type);
  REQUIRE(result);
  CHECK(result->status == 200);
  CHECK(result->get_header_value("Content-Type") == "text/html; charset=utf-8");
  CHECK(result->body ==
        html_page(PageKind::comparison, "A comparison of the lab", serving.ask(question).second));
  const auto wrong = serving.client().Post("/api/report", R"({"schemes": "none"})", json_type);
  REQUIRE(wrong);
  CHECK(wrong->status == 400);
}

TEST_CASE("who has gone computes no more", "[web]") {
  const Serving serving;
  const std::string body = endless_question().dump();
  for (int i = 0; i < 20; ++i) {  // more than there are places
    const RawConnection gone(serving.port());
    CHECK(
        gone.send(post(serving.host(), "Content-Type: application/json\r\n", body.size()) + body));
  }
  // With a name: those that have gone may hold all places of those without for a moment.
  Json question = quick_question();
  question["client"] = "a";
  CHECK(serving.ask(question).first == 200);
}

TEST_CASE("an interrupt ends the server whatever it computes", "[web]") {
  const std::string body = endless_question().dump();
  Serving serving;
  const RawConnection asking(serving.port());
  CHECK(
      asking.send(post(serving.host(), "Content-Type: application/json\r\n", body.size()) + body));
  CHECK(serving.ask(quick_question()).first == 200);
  serving.interrupt();
  CHECK(raw_status(asking.rest()) != 200);
}

TEST_CASE("a file of one's own is uploaded and asked about", "[web]") {
  const Serving serving;
  auto client = serving.client();
  std::string rows = "kind,a,b\n";
  for (int i = 0; i < 40; ++i) {
    rows += std::string(i % 2 == 0 ? "yes" : "no") + "," + std::to_string(i % 7) + "," +
            std::to_string(i % 3) + "\n";
  }
  const auto upload = client.Post("/api/data?name=rows.csv&label-column=kind", rows, bytes_type);
  REQUIRE(upload);
  REQUIRE(upload->status == 200);
  const Json about = Json::parse(upload->body);
  CHECK(about["name"] == "rows.csv");
  CHECK(about["rows"] == 40);
  CHECK(about["features"] == 2);
  const auto [status, body] = serving.ask({{"schemes", "ring"},
                                           {"data", about["data"]},
                                           {"options", {{"workers", "2"}, {"batch", "4"}}}});
  INFO(body);
  CHECK(status == 200);
  CHECK(Json::parse(body)["runs"][0]["dataset"]["name"] == "rows.csv");

  const auto bad = client.Post("/api/data?name=rows.csv", "1,2\n0,x\n1,3\n", bytes_type);
  REQUIRE(bad);
  CHECK(bad->status == 400);
  CHECK_THAT(Json::parse(bad->body)["error"].get<std::string>(),
             ContainsSubstring("rows.csv:2:3: "));
  for (const char* query : {"name=rows.csv&out=/tmp/x", "name=rows.csv&dataset=/etc/passwd", "",
                            "name=rows.csv&header=perhaps"}) {
    const auto refused = client.Post(std::string("/api/data?") + query, rows, bytes_type);
    REQUIRE(refused);
    CHECK(refused->status == 400);
  }
}

}  // namespace trainyard
