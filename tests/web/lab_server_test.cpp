#include "web/lab_server.hpp"

#include <set>
#include <string>
#include <thread>
#include <vector>

#include <httplib.h>
#include <nlohmann/json.hpp>

#include "trainyard/report/summary_format.hpp"

#include "support/catch.hpp"
#include "web/page.hpp"
#include "web/raw_connection.hpp"

namespace trainyard {

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using Json = nlohmann::json;

constexpr const char* json_type = "application/json";
constexpr const char* bytes_type = "application/octet-stream";

/// Serves for as long as it is there. In these tests no clock ends a question.
class Serving {
 public:
  explicit Serving(LabServerOptions options = {.budget = hours(1)})
      : server_({.page = [](const std::string& path) -> std::optional<std::string> {
                  if (path != "/" && path != "/lab/straggler") return std::nullopt;
                  return "page " + path;
                }},
                options),
        thread_([this] { server_.serve(interrupted_); }) {}
  ~Serving() { interrupt(); }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  // relaxed: only read for itself.
  void interrupt() { interrupted_.store(true, std::memory_order_relaxed); }
  int port() const { return server_.port(); }
  std::string host() const { return "127.0.0.1:" + std::to_string(port()); }
  httplib::Client client() const {
    httplib::Client made("127.0.0.1", port());
    made.set_read_timeout(300, 0);
    return made;
  }
  /// Status and body.
  std::pair<int, std::string> ask(const Json& question) const {
    const auto result = client().Post("/api/compare", question.dump(), json_type);
    return result ? std::pair(result->status, result->body) : std::pair(0, std::string());
  }

 private:
  std::atomic<bool> interrupted_{false};
  LabServer server_;
  std::jthread thread_;
};

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
  return without_first_steps(
      comparison_json(run_comparison(question.request, data, {}), question.request.options));
}

std::string post(const std::string& host, const std::string& headers, std::size_t length) {
  return "POST /api/compare HTTP/1.1\r\nHost: " + host + "\r\n" + headers +
         "Content-Length: " + std::to_string(length) + "\r\n\r\n";
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

TEST_CASE("only this server's own hosts are answered", "[web]") {
  const Serving serving;
  const std::string port = std::to_string(serving.port());
  const auto status = [&](const std::string& headers) {
    return raw_status(raw_answer(serving.port(), "GET / HTTP/1.1\r\n" + headers + "\r\n"));
  };
  for (const std::string& host : {"127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port}) {
    INFO(host);
    CHECK(status("Host: " + host + "\r\n") == 200);
    CHECK(status("Host: " + host + "\r\nOrigin: http://" + host + "\r\n") == 200);
  }
  for (const std::string& host :
       {std::string("127.0.0.1"), std::string("localhost"), "evil.example:" + port,
        "127.0.0.1.evil.example:" + port, "127.0.0.1:" + port + ".evil.example",
        "localhost:" + port + "1", std::string(), "127.0.0.1:" + port + ", evil.example",
        "0.0.0.0:" + port, "2130706433:" + port}) {
    INFO(host);
    CHECK(status("Host: " + host + "\r\n") == 421);
  }
  const std::string ours = "Host: " + serving.host() + "\r\n";
  CHECK(status("") == 421);
  CHECK(status(ours + ours) == 421);
  for (const std::string& origin :
       {std::string("null"), std::string("http://evil.example"), "https://" + serving.host(),
        "http://127.0.0.1:" + std::to_string(serving.port() - 1), "http://" + serving.host() + "/",
        serving.host(), "http://evil.example\r\nOrigin: http://" + serving.host()}) {
    INFO(origin);
    CHECK(status(ours + "Origin: " + origin + "\r\n") == 403);
  }
  CHECK(status(ours + "Sec-Fetch-Site: cross-site\r\n") == 403);
  CHECK(status(ours + "Sec-Fetch-Site: same-site\r\n") == 403);
  CHECK(status(ours + "Sec-Fetch-Site: same-origin\r\n") == 200);
  CHECK(status(ours + "Sec-Fetch-Site: none\r\n") == 200);
}

TEST_CASE("each place has its methods", "[web]") {
  const Serving serving;
  const std::string rest = " HTTP/1.1\r\nHost: " + serving.host() + "\r\nContent-Length: 0\r\n\r\n";
  for (const std::string method : {"PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"}) {
    for (const std::string path : {"/", "/api/compare", "/api/data"}) {
      INFO(method << " " << path);
      const int status = raw_status(raw_answer(serving.port(), method + " " + path + rest));
      CHECK((status == 405 || status == 400));  // 400: no method that httplib knows
    }
  }
  CHECK(raw_status(raw_answer(serving.port(), "POST /" + rest)) == 405);
  for (const std::string path : {"/api/compare", "/api/data"}) {
    const std::string answer = raw_answer(serving.port(), "GET " + path + rest);
    CHECK(raw_status(answer) == 405);
    CHECK_THAT(answer, ContainsSubstring("Allow: POST"));
  }
}

TEST_CASE("a body is refused before it is read", "[web]") {
  const Serving serving;
  const std::string json = "Content-Type: application/json\r\n";
  const auto status = [&](const std::string& text) {
    return raw_status(raw_answer(serving.port(), text));
  };
  CHECK(status(post(serving.host(), json, 64 * 1024 + 1)) == 413);
  CHECK(status(post(serving.host(), json, 64 * 1024 + 1) + std::string(64 * 1024 + 1, ' ')) == 413);
  CHECK(status(post(serving.host(), json, 99'999'999'999'999)) == 413);
  CHECK(status(post(serving.host(), json + "Content-Length: 2\r\n", 2) + "{}") == 400);
  CHECK(status(post(serving.host(), "", 2) + "{}") == 415);
  CHECK(status(post(serving.host(), "Content-Type: text/plain\r\n", 2) + "{}") == 415);
  CHECK(status(post(serving.host(), "Content-Type: multipart/form-data; boundary=x\r\n", 2) +
               "{}") == 415);
  CHECK(status(post(serving.host(), json + "Content-Encoding: gzip\r\n", 2) + "{}") == 415);
  const std::string head = "POST /api/compare HTTP/1.1\r\nHost: " + serving.host() + "\r\n" + json;
  CHECK(status(head + "\r\n") == 411);
  CHECK(status(head + "Content-Length: x\r\n\r\n") == 400);
  CHECK(status(head + "Content-Length: -1\r\n\r\n") == 400);
  CHECK(status(head + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n") == 411);
  auto client = serving.client();
  const auto upload = client.Post("/api/data?name=a.csv",
                                  std::string(LabData::most_upload_bytes + 1, '1'), bytes_type);
  // The answer may come while the client still sends.
  if (upload) CHECK(upload->status == 413);
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
  {
    const std::jthread first([&] { older = serving.ask(endless); });
    const std::jthread second([&] { others = serving.ask(of_other); });
    newer = serving.ask(quick);
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
  CHECK(serving.ask(quick_question()).first == 200);
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
