// Writes the text files that both sides of a comparison read: rows of a logistic problem.
//
//   generate uniform ROWS FEATURES NONZEROS FILE   LIBSVM: NONZEROS different features in each row,
//                                                  which has length 1
//   generate words   ROWS FEATURES NONZEROS FILE   the same, features by Zipf's law, as in text
//   generate dense   ROWS FEATURES FILE            CSV, label first: N(0,1)
//
// P(y = +1 | x) = sigma(margin), margin = scale * w.x with w ~ N(0,1). No part of Trainyard is
// used, so that neither side reads its own writing.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace {

using Random = std::mt19937_64;

double uniform(Random& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

class Writer {
 public:
  explicit Writer(const char* path) : file_(std::fopen(path, "w")), buffer_(1 << 20) {
    if (file_ == nullptr) std::perror(path), std::exit(1);
  }
  ~Writer() {
    std::fwrite(buffer_.data(), 1, size_, file_);
    std::fclose(file_);
  }
  void text(const char* value) {
    reserve(32);
    const std::size_t length = std::strlen(value);
    std::memcpy(buffer_.data() + size_, value, length);
    size_ += length;
  }
  void integer(std::uint32_t value) { print(value); }
  void number(double value, int digits) { print(value, std::chars_format::fixed, digits); }

 private:
  template <typename... What>
  void print(What... what) {
    reserve(32);
    char* begin = buffer_.data() + size_;
    size_ += static_cast<std::size_t>(std::to_chars(begin, begin + 32, what...).ptr - begin);
  }
  void reserve(std::size_t bytes) {
    if (size_ + bytes <= buffer_.size()) return;
    std::fwrite(buffer_.data(), 1, size_, file_);
    size_ = 0;
  }
  std::FILE* file_;
  std::vector<char> buffer_;
  std::size_t size_ = 0;
};

const char* label(double margin, Random& random) {
  return uniform(random) < 1.0 / (1.0 + std::exp(-margin)) ? "+1" : "-1";
}

void sparse(bool words, std::size_t rows, std::size_t features, std::size_t nonzeros,
            const char* path) {
  constexpr double scale = 10.0;
  Random random(1);
  std::normal_distribution<double> normal;
  std::vector<double> weights(features), totals(features);
  double total = 0.0;
  for (std::size_t j = 0; j < features; ++j) {
    weights[j] = normal(random);
    totals[j] = total += words ? 1.0 / static_cast<double>(j + 1) : 1.0;
  }
  Writer out(path);
  std::vector<std::uint32_t> columns;
  std::vector<double> values(nonzeros);
  for (std::size_t row = 0; row < rows; ++row) {
    columns.clear();
    while (columns.size() < nonzeros) {
      while (columns.size() < nonzeros) {
        const auto place = std::upper_bound(totals.begin(), totals.end(), uniform(random) * total);
        columns.push_back(static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(
            place - totals.begin(), static_cast<std::ptrdiff_t>(features) - 1)));
      }
      std::sort(columns.begin(), columns.end());
      columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    }
    double squares = 0.0, margin = 0.0;
    for (double& value : values) {
      value = normal(random);
      squares += value * value;
    }
    for (std::size_t i = 0; i < nonzeros; ++i) {
      values[i] /= std::sqrt(squares);
      margin += scale * values[i] * weights[columns[i]];
    }
    out.text(label(margin, random));
    for (std::size_t i = 0; i < nonzeros; ++i) {
      out.text(" ");
      out.integer(columns[i] + 1);
      out.text(":");
      out.number(values[i], 6);
    }
    out.text("\n");
  }
}

void dense(std::size_t rows, std::size_t features, const char* path) {
  Random random(1);
  std::normal_distribution<double> normal;
  const double scale = 4.0 / std::sqrt(static_cast<double>(features));
  std::vector<double> weights(features), values(features);
  for (double& weight : weights) weight = normal(random);
  Writer out(path);
  for (std::size_t row = 0; row < rows; ++row) {
    double margin = 0.0;
    for (std::size_t j = 0; j < features; ++j) {
      values[j] = normal(random);
      margin += scale * values[j] * weights[j];
    }
    out.text(label(margin, random)[0] == '+' ? "1" : "0");
    for (const double value : values) {
      out.text(",");
      out.number(value, 4);
    }
    out.text("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i) { return static_cast<std::size_t>(std::atoll(argv[i])); };
  const auto is = [&](const char* what) { return argc > 1 && std::strcmp(argv[1], what) == 0; };
  if (argc == 6 && (is("uniform") || is("words"))) {
    sparse(is("words"), number(2), number(3), number(4), argv[5]);
  } else if (argc == 5 && is("dense")) {
    dense(number(2), number(3), argv[4]);
  } else {
    std::fputs(
        "usage: generate uniform|words ROWS FEATURES NONZEROS FILE\n"
        "       generate dense ROWS FEATURES FILE\n",
        stderr);
    return 2;
  }
}
