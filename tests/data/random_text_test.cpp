// Random files in every notation that is allowed, several blocks of text each: what is read has the
// bits that std::from_chars gives each number by itself.
#include <bit>
#include <charconv>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/random.hpp"
#include "trainyard/data/read.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

class RandomText {
 public:
  explicit RandomText(std::uint64_t seed) : random_(seed, Purpose::data_generator) {}

  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
  std::string one_of(const std::vector<std::string>& texts) { return texts[below(texts.size())]; }

  /// Nearly always of the plain form; its value goes behind `values`.
  std::string number(std::vector<float>& values) {
    std::string text;
    switch (below(40)) {
      case 0:
        text = fmt::format("{:e}", random_.normal());
        break;
      case 1:
        text = fmt::format("{:.{}g}", random_.normal() * 1e6, 1 + below(17));
        break;
      case 2:
        text = fmt::format("{}", static_cast<std::int64_t>(below(1 << 30)) - (1 << 29));
        break;
      case 3:
        text = fmt::format("{:.20f}", random_.normal());
        break;
      default:
        text = fmt::format("{:.{}f}", random_.normal() * 3.0, below(10));
    }
    float value = 0.0F;
    std::from_chars(text.data(), text.data() + text.size(), value);
    values.push_back(value);
    return below(50) == 0 && text.front() != '-' ? "+" + text : text;
  }

 private:
  RandomStream random_;
};

template <typename Values>
bool same_bits(const Values& found, const std::vector<float>& expected) {
  if (found.size() != expected.size()) return false;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(found[i]) != std::bit_cast<std::uint32_t>(expected[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("random LIBSVM files are read to the bit", "[data][libsvm]") {
  RandomText random(1);
  for (int file = 0; file < 5; ++file) {
    std::string text;
    std::vector<float> values;
    std::vector<std::uint32_t> columns;
    std::vector<std::uint64_t> rows{0};
    while (text.size() < 600'000) {
      text += random.one_of({"+1", "-1", "1", " 1", "-1.0"});
      std::uint64_t column = 0;
      for (std::uint64_t i = random.below(60); i > 0; --i) {
        column += 1 + random.below(random.below(20) == 0 ? 1'000'000 : 300);
        text += random.below(40) == 0 ? random.one_of({"  ", "\t", " \t "}) : " ";
        text += (random.below(50) == 0 ? "000" : "") + fmt::format("{}:", column);
        text += random.number(values);
        columns.push_back(static_cast<std::uint32_t>(column - 1));
      }
      rows.push_back(values.size());
      text += random.below(8) == 0 ? random.one_of({"\r\n", " \n", " # 7:1\n", "#x\n", "\t\r\n"})
                                   : "\n";
    }
    if (file % 2 == 1) text.pop_back();
    const Dataset data = read_dataset_bytes(text, {}, "data", {});
    CHECK(same_bits(data.values, values));
    CHECK(std::vector<std::uint32_t>(data.columns.begin(), data.columns.end()) == columns);
    CHECK(std::vector<std::uint64_t>(data.row_begin.begin(), data.row_begin.end()) == rows);
  }
}

TEST_CASE("random tables are read to the bit", "[data][csv]") {
  RandomText random(2);
  for (const char separator : {',', '\t'}) {
    for (const std::size_t features : {1, 2, 37}) {
      CAPTURE(separator, features);
      std::string text;
      std::vector<float> values;
      for (int row = 0; text.size() < 400'000; ++row) {
        text += fmt::format("{}", row % 2);
        for (std::size_t f = 0; f < features; ++f) {
          text += separator;
          const bool quoted = random.below(60) == 0;
          const bool padded = !quoted && random.below(60) == 0;
          const std::string number = random.number(values);
          text += quoted ? "\"" + number + "\"" : padded ? " " + number + " " : number;
        }
        text += random.below(8) == 0 ? "\r\n" : "\n";
      }
      ReadOptions options;
      options.format = separator == ',' ? Format::csv : Format::tsv;
      const Dataset data = read_dataset_bytes(text, {}, "data", options);
      CHECK(data.features == features);
      CHECK(same_bits(data.dense, values));
    }
  }
}

}  // namespace trainyard
