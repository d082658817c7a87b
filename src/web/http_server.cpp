#include "web/http_server.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <httplib.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A browser's head is under 2 kB.
constexpr std::size_t most_head_bytes = std::size_t{32} * 1024;
/// Slower than any network that somebody would show a page over.
constexpr double least_bytes_per_second = 64.0 * 1024;
/// How long what is left of a refused body is thrown away. Closing earlier would make the client's
/// system throw away the answer.
constexpr milliseconds farewell{500};
constexpr milliseconds accept_tick{100};

std::string error_text(int error) {
  return std::error_code(error, std::generic_category()).message();
}

/// False when the time is over.
bool wait_for(int socket, short events, Clock::time_point until) {
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
    if (left <= milliseconds::zero()) return false;
    pollfd one{socket, events, 0};
    const int ready = poll(&one, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

/// A socket with a deadline for all that is read, and one for all that is written.
class DeadlineStream final : public httplib::Stream {
 public:
  DeadlineStream(int socket, milliseconds timeout)
      : socket_(socket), timeout_(timeout), begin_(Clock::now()) {}

  void head_is_over() { in_head_ = false; }
  bool was_late() const { return late_; }
  /// The status that a head which is too long has, where nothing was answered yet; 0: it is not.
  /// Whoever reads may give it up by itself: httplib 0.18 does after lines of as many bytes.
  int status_of_long_head() const {
    if (!is_too_long() || written_ > 0) return 0;
    return line_is_over_ ? 431 : 414;
  }

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  socket_t socket() const override { return socket_; }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}

  ssize_t read(char* to, std::size_t size) override {
    if (is_too_long() || (at_ == filled_ && !fill())) return -1;
    const std::size_t count = std::min(size, filled_ - at_);
    std::memcpy(to, buffer_.data() + at_, count);
    line_is_over_ = line_is_over_ || std::memchr(to, '\n', count) != nullptr;
    at_ += count;
    taken_ += count;
    return static_cast<ssize_t>(count);
  }

  ssize_t write(const char* from, std::size_t size) override {
    if (written_ == 0) begin_ = Clock::now();  // what computing took is nobody's fault
    while (true) {
      const ssize_t count = send(socket_, from, size, MSG_NOSIGNAL);
      if (count > 0) written_ += static_cast<std::size_t>(count);
      if (count >= 0 || !is_to_wait()) return count;
      if (!wait_for(socket_, POLLOUT, deadline(written_))) return -1;
    }
  }

 private:
  bool is_too_long() const { return in_head_ && taken_ >= most_head_bytes; }

  static bool is_to_wait() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

  Clock::time_point deadline(std::size_t bytes) const {
    return begin_ + timeout_ +
           milliseconds(
               static_cast<int>(1000.0 * static_cast<double>(bytes) / least_bytes_per_second));
  }

  bool fill() {
    while (true) {
      const ssize_t count = recv(socket_, buffer_.data(), buffer_.size(), 0);
      if (count > 0) {
        at_ = 0;
        filled_ = static_cast<std::size_t>(count);
        return true;
      }
      if (count == 0 || !is_to_wait()) return false;
      if (wait_for(socket_, POLLIN, deadline(taken_))) continue;
      late_ = true;
      return false;
    }
  }

  const int socket_;
  const milliseconds timeout_;
  Clock::time_point begin_;
  std::array<char, 16384> buffer_{};
  std::size_t at_ = 0, filled_ = 0;
  std::size_t taken_ = 0, written_ = 0;
  bool in_head_ = true, line_is_over_ = false, late_ = false;
};

/// Also true for one that only listens from now on, which no browser does.
bool has_gone(int socket) {
  char byte = 0;
  const ssize_t count = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

HttpRequest request_of(const httplib::Request& theirs, int socket) {
  HttpRequest request{.method = theirs.method,
                      .path = theirs.path,
                      .headers = {},
                      .query = {theirs.params.begin(), theirs.params.end()},
                      .body = theirs.body,
                      .gone = [socket] { return has_gone(socket); }};
  for (const auto& [name, value] : theirs.headers) {
    std::string lower;
    for (const unsigned char c : name) lower += static_cast<char>(std::tolower(c));
    request.headers.emplace(std::move(lower), value);
  }
  return request;
}

void send_as(const HttpAnswer& answer, httplib::Response& response) {
  response.status = answer.status;
  for (const auto& [name, value] : answer.headers) response.set_header(name, value);
  response.set_content(answer.body, answer.type);
}

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

Address address_of(const std::string& text, int port) {
  Address address;
  auto* four = reinterpret_cast<sockaddr_in*>(&address.bytes);
  auto* six = reinterpret_cast<sockaddr_in6*>(&address.bytes);
  const auto number = htons(static_cast<std::uint16_t>(port));
  if (inet_pton(AF_INET, text.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = number;
    address.size = sizeof *four;
  } else if (inet_pton(AF_INET6, text.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = number;
    address.size = sizeof *six;
  } else {
    throw UsageError(fmt::format("{} is no address like 192.168.1.5 or fd00::5", echoed(text)));
  }
  return address;
}

/// Without the port, which is another for each connection.
std::string host_of(const sockaddr_storage& peer) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes =
      peer.ss_family == AF_INET
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(&peer)->sin_addr)
          : &reinterpret_cast<const sockaddr_in6*>(&peer)->sin6_addr;
  inet_ntop(peer.ss_family, bytes, text.data(), text.size());
  return text.data();
}

/// httplib closes without a word where it is not given the whole head.
void refuse_long_head(DeadlineStream& stream, int status) {
  const std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
      "{{\"error\":\"the {} of the request are more than {} kB\"}}\n",
      status, status == 414 ? "URI Too Long" : "Request Header Fields Too Large",
      status == 414 ? "bytes of the first line" : "header fields", most_head_bytes / 1024);
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t count = stream.write(rest.data(), rest.size());
    if (count <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
}

void throw_away_rest(int socket) {
  shutdown(socket, SHUT_WR);
  const auto until = Clock::now() + farewell;
  std::array<char, 16384> rest;
  while (wait_for(socket, POLLIN, until) && recv(socket, rest.data(), rest.size(), 0) > 0) {
  }
}

}  // namespace

const std::string* HttpRequest::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? nullptr : &found->second;
}

/// Reads requests and writes answers.
class HttpServer::Parser : public httplib::Server {
 public:
  Parser(const HttpOptions& options, HttpHandlers handlers)
      : handlers_(std::move(handlers)), timeout_(options.timeout) {
    httplib::Headers headers;
    for (const auto& [name, value] : options.headers) headers.emplace(name, value);
    set_default_headers(std::move(headers));
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      return before_body(request, response);
    });
    Post("/.*", [this](const httplib::Request& request, httplib::Response& response) {
      send_as(handlers_.answer(request_of(request, current_->socket())), response);
    });
  }

  void talk(int socket) {
    DeadlineStream stream(socket, timeout_);
    current_ = &stream;
    process(*this, stream, [](httplib::Request& request) {
      // Packing costs more than loopback gains, and nobody needs a part of an answer.
      for (const char* name : {"Accept-Encoding", "Range"}) request.headers.erase(name);
      request.ranges.clear();
    });
    current_ = nullptr;
    if (const int status = stream.status_of_long_head()) refuse_long_head(stream, status);
    if (!stream.was_late()) throw_away_rest(socket);
  }

 private:
  /// httplib's parameters differ between 0.11 (Debian 12) and 0.18 (Debian 13).
  template <typename Server, typename Setup>
  static void process(Server& server, httplib::Stream& stream, const Setup& setup) {
    const bool close = true;
    bool closed = false;
    if constexpr (requires { server.process_request(stream, close, closed, setup); }) {
      (void)server.process_request(stream, close, closed, setup);
    } else {
      (void)server.process_request(stream, "", 0, "", 0, close, closed, setup);
    }
  }

  HandlerResponse before_body(const httplib::Request& theirs, httplib::Response& response) {
    current_->head_is_over();
    const HttpRequest request = request_of(theirs, current_->socket());
    if (const auto refused = handlers_.admit(request)) {
      send_as(*refused, response);
      return HandlerResponse::Handled;
    }
    if (theirs.method == "POST") return HandlerResponse::Unhandled;
    send_as(handlers_.answer(request), response);
    return HandlerResponse::Handled;
  }

  const HttpHandlers handlers_;
  const milliseconds timeout_;
  // Handlers are not told of which connection they are, but called on its thread.
  static thread_local DeadlineStream* current_;
};

thread_local DeadlineStream* HttpServer::Parser::current_ = nullptr;

struct HttpServer::Connection {
  Descriptor socket;
  std::string address;
  std::atomic<bool> ended{false};
  std::jthread thread{};
};

HttpServer::HttpServer(HttpOptions options, HttpHandlers handlers)
    : options_(std::move(options)),
      parser_(std::make_unique<Parser>(options_, std::move(handlers))) {
  Address address = address_of(options_.address, options_.port);
  auto* bytes = reinterpret_cast<sockaddr*>(&address.bytes);
  listener_ =
      Descriptor(socket(address.bytes.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;  // a port is free again as soon as the program has ended
  if (!listener_.is_open() ||
      setsockopt(listener_.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      bind(listener_.number(), bytes, address.size) != 0 ||
      listen(listener_.number(), SOMAXCONN) != 0 ||
      getsockname(listener_.number(), bytes, &address.size) != 0) {
    throw RunError(fmt::format("cannot listen on {} port {}: {}", options_.address, options_.port,
                               error_text(errno)));
  }
  // The port lies at one place in both.
  port_ = ntohs(reinterpret_cast<const sockaddr_in*>(bytes)->sin_port);
}

HttpServer::~HttpServer() = default;

bool HttpServer::has_room_for(const std::string& address) const {
  const auto same = std::ranges::count(connections_, address,
                                       [](const auto& connection) { return connection->address; });
  return connections_.size() < options_.most_connections &&
         static_cast<std::size_t>(same) < std::max<std::size_t>(1, options_.most_connections / 2);
}

void HttpServer::remove_ended() {
  // acquire: with the release of its thread, which does nothing any more.
  std::erase_if(connections_, [](const auto& connection) {
    return connection->ended.load(std::memory_order_acquire);
  });
}

void HttpServer::accept_one() {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  Descriptor socket(accept4(listener_.number(), reinterpret_cast<sockaddr*>(&peer), &size,
                            SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!socket.is_open()) {
    // Gone again; or no descriptors, until some connection ends.
    if (errno == EMFILE || errno == ENFILE) std::this_thread::sleep_for(accept_tick);
    return;
  }
  std::string address = host_of(peer);
  if (!has_room_for(address)) {
    constexpr std::string_view busy =
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n"
        "Connection: close\r\n\r\n{\"error\":\"busy: too many connections\"}\n";
    (void)send(socket.number(), busy.data(), busy.size(), MSG_NOSIGNAL);
    return;
  }
  auto made = std::make_unique<Connection>();
  made->socket = std::move(socket);
  made->address = std::move(address);
  try {
    made->thread = std::jthread([this, connection = made.get()] {
      attend(connection->socket.number());
      shutdown(connection->socket.number(), SHUT_RDWR);  // at once, and not when the next one comes
      connection->ended.store(true, std::memory_order_release);  // after all that it has done
    });
  } catch (const std::system_error&) {
    return;  // no more threads: this one is closed
  }
  connections_.push_back(std::move(made));
}

void HttpServer::attend(int socket) {
  try {
    parser_->talk(socket);
  } catch (const std::exception&) {
    // No memory to say so; the connection is closed.
  }
}

void HttpServer::serve(const std::atomic<bool>& interrupted) {
  // relaxed: a flag that is read for itself.
  while (!interrupted.load(std::memory_order_relaxed)) {
    const bool somebody = wait_for(listener_.number(), POLLIN, Clock::now() + accept_tick);
    remove_ended();
    if (somebody) accept_one();
  }
  for (const auto& connection : connections_) {
    shutdown(connection->socket.number(), SHUT_RDWR);
  }
  connections_.clear();
}

}  // namespace trainyard
