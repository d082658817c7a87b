// Who is listened to by the lab's server, and what is refused before it is read.
#include <string>

#include "support/catch.hpp"
#include "web/lab_server.hpp"
#include "web/raw_connection.hpp"
#include "web/serving.hpp"

namespace trainyard {

namespace {

constexpr const char* bytes_type = "application/octet-stream";

}  // namespace

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

TEST_CASE("a link on another site leads to a page and to nothing else", "[web]") {
  const Serving serving;
  const std::string host = "Host: " + serving.host() + "\r\n";
  const auto status = [&](const std::string& begin, const std::string& headers) {
    return raw_status(raw_answer(
        serving.port(), begin + " HTTP/1.1\r\n" + host + headers + "Content-Length: 0\r\n\r\n"));
  };
  const std::string to_document = "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n";
  for (const std::string site :
       {"Sec-Fetch-Site: cross-site\r\n", "Sec-Fetch-Site: same-site\r\n"}) {
    INFO(site);
    CHECK(status("GET /lab/straggler", site + to_document) == 200);
    CHECK(status("POST /lab/straggler", site + to_document) == 403);
    for (const char* api : {"/api/compare", "/api/report", "/api/data?name=a.csv"}) {
      CHECK(status(std::string("GET ") + api, site + to_document) == 403);
      CHECK(status(std::string("POST ") + api, site + to_document) == 403);
    }
    for (const std::string other :
         {"Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n", "Sec-Fetch-Mode: navigate\r\n",
          "Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: document\r\n",
          "Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: script\r\n"}) {
      INFO(other);
      CHECK(status("GET /lab/straggler", site + other) == 403);
    }
    CHECK(status("GET /lab/straggler", site + to_document + "Origin: null\r\n") == 403);
  }
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

}  // namespace trainyard
