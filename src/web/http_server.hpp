// HTTP on one port, by cpp-httplib, which reads requests and writes answers here; who is listened
// to, for how long, and how many at once is decided here.
//
// A connection carries one request and is closed: none idles, and what is left of a refused request
// is never taken for another. All of a request must arrive within a deadline that grows with what
// has arrived, so one byte now and then keeps nothing open; the same holds for who reads the answer
// slowly. Connections are bounded, and so are those of one address.
//
// Threads: serve() is called once, from one; handlers are called from a thread of each connection,
// all of which have ended when it returns.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/base/descriptor.hpp"

namespace trainyard {

struct HttpRequest {
  std::string method;                                      // "GET"
  std::string path;                                        // decoded, without the query
  std::multimap<std::string, std::string> headers, query;  // headers' names in lower case
  std::string body;
  std::function<bool()> gone;  // whether nobody listens any more; for any thread

  /// Null where it is not there. Of several the first.
  const std::string* header(const std::string& name) const;
};

struct HttpAnswer {
  int status = 200;
  std::string type, body;
  std::vector<std::pair<std::string, std::string>> headers{};
};

struct HttpHandlers {
  /// Called when the head has arrived, without a body. An answer is sent instead of reading it.
  std::function<std::optional<HttpAnswer>(const HttpRequest&)> admit;
  std::function<HttpAnswer(const HttpRequest&)> answer;
};

struct HttpOptions {
  std::string address = "127.0.0.1";  // a number, of this machine
  int port = 0;                       // 0: any that is free
  /// For what is short: the head of a request, or an answer that is taken at once.
  std::chrono::milliseconds timeout{5000};
  std::size_t most_connections = 256;
  std::vector<std::pair<std::string, std::string>> headers{};  // of every answer
};

class HttpServer {
 public:
  /// Binds. Throws UsageError for an address that is none, RunError where it cannot be had.
  HttpServer(HttpOptions options, HttpHandlers handlers);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const { return port_; }

  /// Answers until `interrupted`; then connections are cut, and their threads have ended when it
  /// returns.
  void serve(const std::atomic<bool>& interrupted);

  /// Answers one connection, on the calling thread: what serve() does with each that it accepts.
  /// `socket` does not block, and stays open.
  void attend(int socket);

 private:
  class Parser;
  struct Connection;

  void accept_one();
  bool has_room_for(const std::string& address) const;
  void remove_ended();

  const HttpOptions options_;
  std::unique_ptr<Parser> parser_;
  Descriptor listener_;
  int port_ = 0;
  std::vector<std::unique_ptr<Connection>> connections_;  // of the serving thread
};

}  // namespace trainyard
