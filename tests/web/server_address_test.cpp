#include "web/server_address.hpp"

#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/web/lab.hpp"

#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("an address is written as browsers write it", "[web]") {
  CHECK(listening_address("192.168.1.5") == "192.168.1.5");
  CHECK(listening_address("fd00::5") == "fd00::5");
  CHECK(listening_address("FD00::5") == "fd00::5");
  CHECK(listening_address("fd00:0::5") == "fd00::5");
  CHECK(listening_address("0:0:0:0:0:0:0:1") == "::1");
  CHECK(listening_address("::ffff:192.168.1.5") == "192.168.1.5");
  CHECK(listening_address("::FFFF:C0A8:105") == "192.168.1.5");
}

TEST_CASE("what stands for all addresses or for none is refused", "[web]") {
  const auto error_of = [](const std::string& text) -> std::string {
    try {
      return "taken as " + listening_address(text);
    } catch (const UsageError& error) {
      return error.what();
    }
  };
  for (const std::string all : {"0.0.0.0", "::", "0::0", "::ffff:0.0.0.0", "::ffff:0:0"}) {
    CHECK(error_of(all) == "--listen-to-network: " + all +
                               " stands for all addresses; one of this machine's own is accepted");
  }
  for (const std::string none : {"", "localhost", "1.2.3", "fd00::5%eth0", "[fd00::5]"}) {
    INFO(none);
    CHECK_THAT(error_of(none), ContainsSubstring("is no address like"));
  }
}

TEST_CASE("a host is ours without its port only where that is HTTP's own", "[web]") {
  for (const std::string host : {"127.0.0.1", "localhost", "[::1]", "[fd00::5]"}) {
    INFO(host);
    CHECK(is_host_of(host + ":80", "fd00::5", 80));
    CHECK(is_host_of(host, "fd00::5", 80));
    CHECK(is_host_of(host + ":8080", "fd00::5", 8080));
    CHECK_FALSE(is_host_of(host, "fd00::5", 8080));
    CHECK_FALSE(is_host_of(host + ":80", "fd00::5", 8080));
    CHECK_FALSE(is_host_of(host + ":", "fd00::5", 80));
  }
  CHECK(url_of("fd00::5", 80) == "http://[fd00::5]:80");
  CHECK(is_host_of("192.168.1.5", "192.168.1.5", 80));
  for (const std::string host : {"", "evil.example", "[fd00", "[fd00:", "fd00::5", "192.168.1.5"}) {
    INFO(host);
    CHECK_FALSE(is_host_of(host, "fd00::5", 80));
  }
}

}  // namespace trainyard
