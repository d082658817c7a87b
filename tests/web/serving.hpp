// A server of the lab for tests, with pages that say which they are.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <httplib.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/error.hpp"

#include "web/lab_server.hpp"

namespace trainyard {

/// Serves for as long as it is there. In these tests no clock ends a question.
class Serving {
 public:
  explicit Serving(LabServerOptions options = {.budget = std::chrono::hours(1)})
      : server_({.page = [](const std::string& path) -> std::optional<std::string> {
                  if (path == "/lab/interrupted") throw Interrupted("interrupted");
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
  std::pair<int, std::string> ask(const nlohmann::json& question) const {
    const auto result = client().Post("/api/compare", question.dump(), "application/json");
    return result ? std::pair(result->status, result->body) : std::pair(0, std::string());
  }

 private:
  std::atomic<bool> interrupted_{false};
  LabServer server_;
  std::jthread thread_;
};

/// The head of a question.
inline std::string post(const std::string& host, const std::string& headers, std::size_t length) {
  return "POST /api/compare HTTP/1.1\r\nHost: " + host + "\r\n" + headers +
         "Content-Length: " + std::to_string(length) + "\r\n\r\n";
}

}  // namespace trainyard
