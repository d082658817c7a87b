#include "web/server_address.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include <arpa/inet.h>
#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/web/lab.hpp"

namespace trainyard {

namespace {

constexpr std::string_view scheme = "http://";
constexpr int http_port = 80;

template <typename Address>
std::string text_of(int family, const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  require(inet_ntop(family, &address, text.data(), text.size()) != nullptr, "an address of bytes");
  return text.data();
}

/// Throws where it stands for all addresses: that is no name under which anybody asks, and a page
/// could be asked under any.
std::string text_of_one(const in_addr& four, const std::string& text) {
  if (four.s_addr != INADDR_ANY) return text_of(AF_INET, four);
  throw UsageError(fmt::format(
      "--listen-to-network: {} stands for all addresses; one of this machine's own is accepted",
      text));
}

}  // namespace

std::string listening_address(const std::string& text) {
  in_addr four{};
  in6_addr six{};
  if (inet_pton(AF_INET, text.c_str(), &four) == 1) return text_of_one(four, text);
  if (inet_pton(AF_INET6, text.c_str(), &six) != 1) {
    throw UsageError(fmt::format(
        "--listen-to-network: {} is no address like 192.168.1.5 or fd00::5", echoed(text)));
  }
  if (IN6_IS_ADDR_UNSPECIFIED(&six)) return text_of_one({INADDR_ANY}, text);
  if (!IN6_IS_ADDR_V4MAPPED(&six)) return text_of(AF_INET6, six);
  constexpr std::size_t prefix = sizeof six - sizeof four;
  std::memcpy(&four, six.s6_addr + prefix, sizeof four);
  return text_of_one(four, text);
}

std::string url_of(const std::string& address, int port) {
  const bool is_six = address.find(':') != std::string::npos;
  return is_six ? fmt::format("{}[{}]:{}", scheme, address, port)
                : fmt::format("{}{}:{}", scheme, address, port);
}

bool is_host_of(const std::string& host, const std::string& address, int port) {
  const std::array names{std::string("127.0.0.1"), std::string("localhost"), std::string("::1"),
                         address};
  return std::ranges::any_of(names, [&](const std::string& name) {
    const std::string ours = url_of(name, port).substr(scheme.size());
    // Browsers leave the port out where it is HTTP's own.
    return host == ours || (port == http_port && host == ours.substr(0, ours.rfind(':')));
  });
}

}  // namespace trainyard
