#include "trainyard/base/hash.hpp"

#include <string_view>

#include "support/catch.hpp"

using namespace trainyard;

// FNV-1a, 64 bits: the test vectors of its authors (Fowler, Noll, Vo).
TEST_CASE("the fingerprint is FNV-1a", "[base]") {
  const auto bytes = [](std::string_view text) { return std::as_bytes(std::span(text)); };
  CHECK(fingerprint(bytes("")) == 0xcbf29ce484222325ULL);
  CHECK(fingerprint(bytes("a")) == 0xaf63dc4c8601ec8cULL);
  CHECK(fingerprint_text(bytes("foobar")) == "85944171f73967e8");
}
