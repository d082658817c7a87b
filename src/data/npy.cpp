// NumPy's .npy files: one of features, rows × features, whose further dimensions are taken as one
// (pictures), and one of labels, a row each. Nothing is allocated for what a header only promises.
#include "trainyard/data/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/function_ref.hpp"

#include "data/dataset_builder.hpp"
#include "data/npy_header.hpp"
#include "data/readers.hpp"

namespace trainyard {

namespace {

constexpr std::size_t values_at_once = std::size_t{128} * 1024;

/// Appends the values that `bytes` holds, each of type T.
template <typename T>
void decode_as(std::span<const char> bytes, bool swapped, std::vector<double>& values) {
  std::array<char, sizeof(T)> one{};
  for (std::size_t place = 0; place < bytes.size(); place += sizeof(T)) {
    std::memcpy(one.data(), bytes.data() + place, sizeof(T));
    if (swapped) std::ranges::reverse(one);
    values.push_back(static_cast<double>(std::bit_cast<T>(one)));
  }
}

/// IEEE 754's binary16: a sign, 5 bits of exponent, 10 of fraction.
double half_value(std::uint16_t bits) {
  const unsigned exponent = bits >> 10U & 31U;
  const double fraction = bits & 1023U;
  double size = std::ldexp(1024.0 + fraction, static_cast<int>(exponent) - 25);
  if (exponent == 0) size = std::ldexp(fraction, -24);
  if (exponent == 31) {
    size = fraction == 0.0 ? std::numeric_limits<double>::infinity()
                           : std::numeric_limits<double>::quiet_NaN();
  }
  return bits >> 15U != 0 ? -size : size;
}

void decode_halves(std::span<const char> bytes, bool swapped, std::vector<double>& values) {
  const std::size_t before = values.size();
  decode_as<std::uint16_t>(bytes, swapped, values);
  for (std::size_t i = before; i < values.size(); ++i) {
    values[i] = half_value(static_cast<std::uint16_t>(values[i]));
  }
}

void decode(const NpyHeader& header, std::span<const char> bytes, std::vector<double>& values) {
  using Decode = void (*)(std::span<const char>, bool, std::vector<double>&);
  struct Row {
    char kind;
    std::size_t value_bytes;
    Decode decode;
  };
  static constexpr std::array<Row, 12> types{{{'b', 1, decode_as<std::uint8_t>},
                                              {'i', 1, decode_as<std::int8_t>},
                                              {'i', 2, decode_as<std::int16_t>},
                                              {'i', 4, decode_as<std::int32_t>},
                                              {'i', 8, decode_as<std::int64_t>},
                                              {'u', 1, decode_as<std::uint8_t>},
                                              {'u', 2, decode_as<std::uint16_t>},
                                              {'u', 4, decode_as<std::uint32_t>},
                                              {'u', 8, decode_as<std::uint64_t>},
                                              {'f', 2, decode_halves},
                                              {'f', 4, decode_as<float>},
                                              {'f', 8, decode_as<double>}}};
  for (const Row& type : types) {
    if (type.kind != header.kind || type.value_bytes != header.value_bytes) continue;
    type.decode(bytes, header.swapped, values);
    return;
  }
  throw InternalError("a type of npy values without a decoder");
}

/// Hands over all values in the file's order, many at a time.
void for_each_value_block(NamedSource& file, const NpyHeader& header,
                          FunctionRef<void(std::span<const double>)> handle) {
  // 2^32 rows of 2^31 values at most: no overflow.
  const std::uint64_t total = header.rows() * header.row_values;
  const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(total, values_at_once));
  std::vector<char> bytes(most * header.value_bytes);
  std::vector<double> values;
  for (std::uint64_t done = 0; done < total;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(most, total - done));
    const std::size_t count = file.bytes->read({bytes.data(), wanted * header.value_bytes});
    values.clear();
    decode(header, {bytes.data(), count - count % header.value_bytes}, values);
    handle(values);
    done += values.size();
    if (values.size() < wanted) {
      throw DataError(fmt::format("{}: the npy header promises {} of {}; the file ends after {}",
                                  file.name, counted(total, "value"),
                                  counted(header.value_bytes, "byte"), counted(done, "whole one")));
    }
  }
  char extra = 0;
  if (file.bytes->read({&extra, 1}) != 0) {
    throw DataError(fmt::format("{}: found bytes after the last value that the npy header promises",
                                file.name));
  }
}

/// Checks a value as text formats do, with the row in place of the line.
void check_value(const NamedSource& file, const NpyHeader& header, std::uint64_t place,
                 double value) {
  constexpr double most = std::numeric_limits<float>::max();
  if (std::abs(value) <= most) return;
  const std::uint64_t rows = header.rows();
  const std::uint64_t row = header.fortran_order ? place % rows : place / header.row_values;
  const std::uint64_t column = header.fortran_order ? place / rows : place % header.row_values;
  throw DataError(fmt::format("{}: row {}, column {} (from 1): found {}; expected a {}", file.name,
                              row + 1, column + 1, value,
                              std::isfinite(value) ? fmt::format("number of at most {:.4g}", most)
                                                   : std::string("finite number")));
}

/// In the file's order. Digits of `subtracted` are taken before those that a float does not have.
void read_features(NamedSource& file, const NpyHeader& header, const ReadOptions& options,
                   DatasetBuilder& builder) {
  const std::vector<double>& subtracted = options.subtracted;
  std::uint64_t place = 0;
  std::vector<float> scaled;
  for_each_value_block(file, header, [&](std::span<const double> values) {
    scaled.clear();
    for (double value : values) {
      check_value(file, header, place, value);
      if (!subtracted.empty()) {
        value -= subtracted[static_cast<std::size_t>(
            header.fortran_order ? place / header.rows() : place % header.row_values)];
      }
      ++place;
      scaled.push_back(static_cast<float>(value) * options.scale);
    }
    builder.append_values(scaled);
  });
}

void read_npy_labels(NamedSource& file, const NpyHeader& header, bool real,
                     DatasetBuilder& builder) {
  std::uint64_t place = 0;
  for_each_value_block(file, header, [&](std::span<const double> values) {
    for (const double value : values) {
      if (real) check_value(file, header, place, value);
      ++place;
      if (real) {
        builder.append_target(static_cast<float>(value));
        continue;
      }
      // Not a number compares false.
      const bool is_class = std::abs(value) <= double{largest_label};
      if (!is_class || value != std::floor(value)) {
        throw DataError(fmt::format(
            "{}: row {}: found {}; expected a class label: a whole number from {} to {}; {}",
            file.name, place, value, -largest_label, largest_label, real_labels_hint));
      }
      builder.append_label(static_cast<std::int32_t>(value));
    }
  });
}

std::string shape_text(const NpyHeader& header) {
  return fmt::format("({})", fmt::join(header.shape, ", "));
}

void check_shape(const NamedSource& features, const NpyHeader& of_features,
                 const ReadOptions& options) {
  if (of_features.shape.size() < 2 || of_features.row_values == 0) {
    throw DataError(fmt::format("{}: found values of shape {}; expected rows × features",
                                features.name, shape_text(of_features)));
  }
  if (of_features.fortran_order && of_features.shape.size() > 2) {
    throw DataError(
        fmt::format("{}: found values of shape {} in Fortran order; expected two dimensions, or C "
                    "order (numpy.ascontiguousarray)",
                    features.name, shape_text(of_features)));
  }
  if (options.features != 0 && options.features != of_features.row_values) {
    throw DataError(fmt::format("{}: found {}; expected {}", features.name,
                                counted(of_features.row_values, "feature"), options.features));
  }
}

void check_labels(const NamedSource& features, const NpyHeader& of_features,
                  const NamedSource& labels, const NpyHeader& of_labels) {
  if (of_labels.shape.empty() || of_labels.shape.size() > 2 || of_labels.row_values != 1) {
    throw DataError(fmt::format("{}: found labels of shape {}; expected one for each row",
                                labels.name, shape_text(of_labels)));
  }
  if (of_labels.rows() != of_features.rows()) {
    throw DataError(fmt::format("{}: found {}; expected {}, one for each row of {}", labels.name,
                                counted(of_labels.rows(), "label"), of_features.rows(),
                                features.name));
  }
}

/// Columns that lie one after another become rows.
void transpose(Dataset& data) {
  AlignedBuffer<float> rows(data.rows * data.features);
  for (std::size_t row = 0; row < data.rows; ++row) {
    for (std::size_t f = 0; f < data.features; ++f) {
      rows[row * data.features + f] = data.dense[f * data.rows + row];
    }
  }
  data.dense = std::move(rows);
}

}  // namespace

std::vector<double> read_npy_vector(const std::filesystem::path& file) {
  NamedSource source{open_file(file), file.string()};
  const NpyHeader header = read_npy_header(source);
  if (header.shape.size() != 1) {
    throw DataError(fmt::format("{}: found values of shape {}; expected one dimension", source.name,
                                shape_text(header)));
  }
  std::vector<double> all;
  for_each_value_block(source, header, [&](std::span<const double> values) {
    all.insert(all.end(), values.begin(), values.end());
  });
  return all;
}

std::string npy_head(Scalar scalar, std::span<const std::size_t> shape) {
  return npy_head(scalar == Scalar::float32 ? "f4" : "f8", shape);
}

std::string npy_head(std::string_view type, std::span<const std::size_t> shape) {
  static_assert(std::endian::native == std::endian::little, "the header says little-endian");
  std::string header = fmt::format("{{'descr': '<{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   type, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  // Magic, version and length take 10 bytes; the data begins at a multiple of 64.
  header.append(64 - (10 + header.size() + 1) % 64, ' ');
  header += '\n';
  std::string head = "\x93NUMPY\x01";
  head += '\0';
  head += static_cast<char>(header.size() & 0xFFU);
  head += static_cast<char>(header.size() >> 8U);
  return head + header;
}

CodedDataset read_npy(NamedSource features, NamedSource labels, const ReadOptions& options) {
  const NpyHeader of_features = read_npy_header(features);
  check_shape(features, of_features, options);
  const bool labelled = labels.bytes != nullptr;
  require_room_for(features, of_features.rows() * of_features.row_values, of_features.value_bytes);
  DatasetBuilder builder(labelled ? labels.name : features.name, options);
  if (labelled) {
    const NpyHeader of_labels = read_npy_header(labels);
    check_labels(features, of_features, labels, of_labels);
    read_npy_labels(labels, of_labels, options.real_labels, builder);
  } else {
    builder.append_no_labels(static_cast<std::size_t>(of_features.rows()));
  }
  read_features(features, of_features, options, builder);
  CodedDataset result = builder.finish_dense(static_cast<std::size_t>(of_features.row_values));
  if (of_features.fortran_order) transpose(result.data);
  return result;
}

}  // namespace trainyard
