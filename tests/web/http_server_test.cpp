#include "web/http_server.hpp"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "trainyard/base/error.hpp"

#include "support/catch.hpp"
#include "web/raw_connection.hpp"

namespace trainyard {

namespace {

using std::chrono::milliseconds;

/// Serves for as long as it is there: "METHOD PATH BODY", and 403 for /no.
class Serving {
 public:
  explicit Serving(HttpOptions options)
      : server_(std::move(options),
                {.admit = [](const HttpRequest& request) -> std::optional<HttpAnswer> {
                   if (request.path != "/no") return std::nullopt;
                   return HttpAnswer{.status = 403, .type = "text/plain", .body = "no"};
                 },
                 .answer =
                     [](const HttpRequest& request) {
                       return HttpAnswer{
                           .type = "text/plain",
                           .body = request.method + " " + request.path + " " + request.body};
                     }}),
        thread_([this] { server_.serve(interrupted_); }) {}
  // relaxed: only read for itself.
  ~Serving() { interrupted_.store(true, std::memory_order_relaxed); }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  int port() const { return server_.port(); }

 private:
  std::atomic<bool> interrupted_{false};
  HttpServer server_;
  std::jthread thread_;
};

}  // namespace

TEST_CASE("a request is answered and its connection closed", "[web]") {
  const Serving serving({.headers = {{"X-Own", "yes"}}});
  const std::string answer = raw_answer(
      serving.port(), "POST /a%20b?c=d HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nxyz");
  CHECK(raw_status(answer) == 200);
  CHECK(answer.ends_with("\r\n\r\nPOST /a b xyz"));
  CHECK_THAT(answer, ContainsSubstring("Connection: close"));
  CHECK_THAT(answer, ContainsSubstring("X-Own: yes"));
  const std::string head = raw_answer(serving.port(), "HEAD /x HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(head.ends_with("\r\n\r\n"));
  CHECK_THAT(head, ContainsSubstring("Content-Length: 8"));
}

TEST_CASE("what is left of a refused request is no other request", "[web]") {
  const Serving serving({});
  const std::string hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n";
  const std::string answer =
      raw_answer(serving.port(), "POST /no HTTP/1.1\r\nHost: x\r\nContent-Length: " +
                                     std::to_string(hidden.size()) + "\r\n\r\n" + hidden);
  CHECK(raw_status(answer) == 403);
  CHECK_THAT(answer, !ContainsSubstring("hidden"));
}

TEST_CASE("what is no request is refused", "[web]") {
  const Serving serving({.headers = {{"X-Own", "yes"}}});
  for (const std::string& text :
       std::vector<std::string>{"nonsense\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
                                std::string("\0\0\0\r\n\r\n", 7), "\r\n\r\n"}) {
    const std::string answer = raw_answer(serving.port(), text);
    INFO(answer);
    CHECK(raw_status(answer) >= 400);
    CHECK_THAT(answer, ContainsSubstring("X-Own: yes"));
  }
}

TEST_CASE("the length of a head is bounded", "[web]") {
  const Serving serving({});
  const std::string long_path =
      raw_answer(serving.port(), "GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\n\r\n");
  CHECK(raw_status(long_path) == 414);
  // Longer than the head may be, so that its end is never seen.
  for (const std::size_t bytes : {32'750U, 33'000U, 40'000U, 200'000U}) {
    CAPTURE(bytes);
    const std::string line = "GET /" + std::string(bytes, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n";
    CHECK(raw_status(raw_answer(serving.port(), line)) == 414);
  }
  std::string many = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 10'000; ++i) many += "A" + std::to_string(i) + ": 1234567890\r\n";
  const int status = raw_status(raw_answer(serving.port(), many + "\r\n"));
  CHECK((status == 431 || status == 400));  // 400: httplib's own
}

TEST_CASE("who sends a byte now and then is cut off", "[web]") {
  const Serving serving({.timeout = milliseconds(50)});
  // Endless, unless somebody closes.
  for (const std::string begin :
       {"", "GET / HTTP/1.1\r\n", "POST / HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n"}) {
    const RawConnection slow(serving.port());
    CHECK(slow.send(begin));
    while (!slow.has_news() && slow.send("a")) std::this_thread::sleep_for(milliseconds(10));
    CHECK(raw_status(slow.rest()) != 200);
  }
  CHECK(raw_status(raw_answer(serving.port(), "GET / HTTP/1.1\r\n\r\n")) == 200);
}

TEST_CASE("connections are bounded and so are those of one address", "[web]") {
  const Serving serving({.most_connections = 4});
  const RawConnection first(serving.port());
  const RawConnection second(serving.port());
  std::string third = raw_answer(serving.port(), "");
  CHECK(raw_status(third) == 503);
  CHECK_THAT(third, ContainsSubstring("Retry-After"));
  CHECK(first.send("GET / HTTP/1.1\r\n\r\n"));
  CHECK(raw_status(first.rest()) == 200);
}

TEST_CASE("serving ends although connections are open", "[web]") {
  std::vector<RawConnection> open;
  {
    const Serving serving({.timeout = std::chrono::hours(1)});
    for (int i = 0; i < 3; ++i) open.emplace_back(serving.port());
    CHECK(open.front().send("GET / HT"));
    CHECK(raw_status(raw_answer(serving.port(), "GET / HTTP/1.1\r\n\r\n")) == 200);
  }
  for (const RawConnection& connection : open) CHECK(connection.rest().empty());
}

TEST_CASE("an address that is none and a port that is taken are said", "[web]") {
  const HttpHandlers nobody{.admit = [](const HttpRequest&) { return std::nullopt; },
                            .answer = [](const HttpRequest&) { return HttpAnswer{}; }};
  CHECK_THROWS_AS(HttpServer({.address = "localhost"}, nobody), UsageError);
  const HttpServer first({}, nobody);
  CHECK(first.port() > 0);
  CHECK_THROWS_AS(HttpServer({.port = first.port()}, nobody), RunError);
  // Of documentation (RFC 5737): no machine has it.
  CHECK_THROWS_AS(HttpServer({.address = "192.0.2.1"}, nobody), RunError);
}

}  // namespace trainyard
