#include "trainyard/base/echoed.hpp"

#include <string>

#include "trainyard/base/error.hpp"

#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("echoed text is as it was where it can be printed", "[base]") {
  CHECK(echoed("") == "''");
  CHECK(echoed("ring") == "'ring'");
  CHECK(echoed("Bäume, 10 µs, 梯度, 🚂") == "'Bäume, 10 µs, 梯度, 🚂'");
}

TEST_CASE("echoed text steers no terminal", "[base]") {
  CHECK(echoed("a\033[2Jb\r\n\x7f") == "'a\\x1b[2Jb\\x0d\\x0a\\x7f'");
  CHECK(echoed(std::string_view("\0x", 2)) == "'\\x00x'");
  CHECK(echoed("\u009bm") == "'\\xc2\\x9bm'");  // CSI as one character
  // What turns the direction of writing, and what ends a line; but no joiner of letters.
  CHECK(echoed("ring\u202egnp") == "'ring\\xe2\\x80\\xaegnp'");
  for (const std::string turn :
       {"\u061c", "\u200e", "\u200f", "\u202a", "\u2066", "\u2069", "\u2028", "\u2029"}) {
    CHECK_THAT(printable("a" + turn + "b"), ContainsSubstring("a\\x"));
  }
  for (const std::string stays : {"\u200d", "\u2027", "\u202f", "\u2065", "\u206a", "\u061b"}) {
    CHECK(printable("a" + stays + "b") == "a" + stays + "b");
  }
  // No UTF-8: a lone byte, a cut character, an overlong '/', a surrogate, above U+10FFFF.
  CHECK(echoed("\xff") == "'\\xff'");
  CHECK(echoed("\xe6\xa2") == "'\\xe6\\xa2'");
  CHECK(echoed("\xc0\xaf") == "'\\xc0\\xaf'");
  CHECK(echoed("\xe0\x80\xaf") == "'\\xe0\\x80\\xaf'");
  CHECK(echoed("\xed\xa0\x80") == "'\\xed\\xa0\\x80'");
  CHECK(echoed("\xf4\x90\x80\x80") == "'\\xf4\\x90\\x80\\x80'");
}

TEST_CASE("echoed text ends after 80 characters, whole ones", "[base]") {
  const std::string most(80, 'x');
  CHECK(echoed(most) == "'" + most + "'");
  CHECK(echoed(most + "y") == "'" + most + "…'");
  std::string umlauts;
  for (int i = 0; i < 80; ++i) umlauts += "ä";
  CHECK(echoed(umlauts) == "'" + umlauts + "'");
  CHECK(echoed(umlauts + "ä") == "'" + umlauts + "…'");
  CHECK(echoed(std::string(1000, '\0')).size() == 80 + 2 + std::string("…").size());
}

TEST_CASE("a printable message keeps its lines and steers no terminal", "[base]") {
  CHECK(printable("Bäume:\n\t10 µs, 梯度, 🚂") == "Bäume:\n\t10 µs, 梯度, 🚂");
  CHECK(printable("a\033[31mb\r\x7f\u009bm\xff") == "a\\x1b[31mb\\x0d\\x7f\\xc2\\x9bm\\xff");
  CHECK(printable(std::string(1000, 'x')) == std::string(1000, 'x'));
}

TEST_CASE("UTF-8 is told from other bytes", "[base]") {
  CHECK(is_utf8(""));
  CHECK(is_utf8("Bäume, 梯度, 🚂\033"));
  for (const char* text : {"\xff", "a\xe6\xa2", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    CHECK(!is_utf8(text));
  }
}

TEST_CASE("a message that is too long loses its middle, and no half characters", "[base]") {
  CHECK(shortened("short") == "short");
  const std::string long_text = "begin" + std::string(5000, 'x') + "end";
  CHECK(shortened(long_text).starts_with("beginxxx"));
  CHECK(shortened(long_text).ends_with("xxxend"));
  CHECK(shortened(long_text).size() <= 1500);
  // Three bytes a character, at every offset against the cuts.
  for (const std::string before : {"", "a", "aa"}) {
    std::string message = before;
    for (int k = 0; k < 1000; ++k) message += "…";
    const std::string cut = shortened(message);
    CHECK(cut.size() <= 1500);
    CHECK(echoed(cut).find("\\x") == std::string::npos);
    CHECK(echoed(cut.substr(cut.size() - 240)).find("\\x") == std::string::npos);
  }
}

TEST_CASE("unknown names of any length are refused quickly and briefly", "[base]") {
  const std::string long_name(5'000'000, 'n');
  const std::vector<std::string> known{"ring", "gossip"};
  CHECK(nearest_name(long_name, known).empty());
  CHECK_THROWS_WITH(throw_unknown("scheme", long_name, known),
                    "no scheme named '" + std::string(80, 'n') + "…' (known: ring, gossip)");
  CHECK_THROWS_WITH(chosen("a\tb", "--x", known), "--x: 'a\\x09b' is not one of ring, gossip");
}

}  // namespace trainyard
