#include "web/raw_connection.hpp"

#include <array>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

RawConnection::RawConnection(int port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  require(connect(socket_.number(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0,
          "nobody listens");
}

bool RawConnection::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void RawConnection::end_sending() const {
  shutdown(socket_.number(), SHUT_WR);
}

bool RawConnection::has_news() const {
  pollfd one{socket_.number(), POLLIN, 0};
  return poll(&one, 1, 0) > 0;
}

std::string RawConnection::rest() const {
  std::string all;
  std::array<char, 4096> block;
  while (true) {
    const ssize_t count = recv(socket_.number(), block.data(), block.size(), 0);
    if (count <= 0) return all;
    all.append(block.data(), static_cast<std::size_t>(count));
  }
}

std::string raw_answer(int port, std::string_view text) {
  const RawConnection connection(port);
  (void)connection.send(text);
  return connection.rest();
}

int raw_status(const std::string& answer) {
  constexpr std::string_view version = "HTTP/1.1 ";
  if (!answer.starts_with(version) || answer.size() < version.size() + 3) return 0;
  return std::stoi(answer.substr(version.size(), 3));
}

}  // namespace trainyard
