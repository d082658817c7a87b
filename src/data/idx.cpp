// IDX (Y. LeCun's format of MNIST): a big-endian header (two zero bytes, the type of the values,
// the number of dimensions, the size of each), then the values. Images have two or more dimensions,
// the first of which counts them; labels have one. Values are unsigned bytes (type 8).
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/function_ref.hpp"

#include "data/dataset_builder.hpp"
#include "data/parse_number.hpp"
#include "data/readers.hpp"

namespace trainyard {

namespace {

constexpr unsigned unsigned_bytes = 0x08;
constexpr std::size_t block_bytes = std::size_t{128} * 1024;

struct IdxHeader {
  std::size_t items = 0;
  std::size_t item_bytes = 1;
};

unsigned byte_at(std::span<const char> bytes, std::size_t place) {
  return static_cast<unsigned char>(bytes[place]);
}

void read_header_bytes(NamedSource& file, std::span<char> bytes) {
  if (file.bytes->read(bytes) < bytes.size()) {
    throw DataError(fmt::format("{}: the file ends within its IDX header", file.name));
  }
}

/// The number of dimensions.
unsigned read_magic(NamedSource& file) {
  std::array<char, 4> magic{};
  read_header_bytes(file, magic);
  if (byte_at(magic, 0) != 0 || byte_at(magic, 1) != 0) {
    throw DataError(
        fmt::format("{}: found {} at the beginning; expected an IDX header "
                    "(0x00 0x00 0x08 and the number of dimensions)",
                    file.name, echoed({magic.data(), magic.size()})));
  }
  if (byte_at(magic, 2) != unsigned_bytes) {
    throw DataError(
        fmt::format("{}: found IDX values of type 0x{:02x}; expected 0x08, unsigned "
                    "bytes",
                    file.name, byte_at(magic, 2)));
  }
  return byte_at(magic, 3);
}

/// REQUIRES of the file: `wanted` dimensions, or two and more when `wanted` is 2.
IdxHeader read_header(NamedSource& file, unsigned wanted) {
  const unsigned dimensions = read_magic(file);
  const bool right = wanted == 1 ? dimensions == 1 : dimensions >= 2;
  if (!right) {
    throw DataError(fmt::format("{}: found IDX data of {} dimension(s); expected {}", file.name,
                                dimensions, wanted == 1 ? "1 (labels)" : "2 or more (images)"));
  }
  IdxHeader header;
  for (unsigned i = 0; i < dimensions; ++i) {
    std::array<char, 4> bytes{};
    read_header_bytes(file, bytes);
    const std::uint64_t size = byte_at(bytes, 0) << 24 | byte_at(bytes, 1) << 16 |
                               byte_at(bytes, 2) << 8 | byte_at(bytes, 3);
    if (i == 0) {
      header.items = size;
    } else if (size == 0 || header.item_bytes > largest_index / size) {
      throw DataError(
          fmt::format("{}: the IDX header claims images of size {} in dimension {}; "
                      "expected 1 to {} values in all",
                      file.name, size, i + 1, largest_index));
    } else {
      header.item_bytes *= size;
    }
  }
  return header;
}

/// Hands over all bytes after the header, 128 KiB at a time. What the header promises decides
/// nothing about memory: a file of 16 bytes may claim 2^60 of them.
void for_each_block(NamedSource& file, const IdxHeader& header,
                    FunctionRef<void(std::span<const char>)> handle) {
  // 2^32 items of 2^31 bytes at most: no overflow.
  const std::uint64_t total = std::uint64_t{header.items} * header.item_bytes;
  std::vector<char> block(static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, total)));
  for (std::uint64_t done = 0; done < total;) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, total - done));
    const std::size_t count = file.bytes->read({block.data(), wanted});
    handle({block.data(), count});
    done += count;
    if (count < wanted) {
      throw DataError(fmt::format("{}: the IDX header promises {} of {}; the file ends after {}",
                                  file.name, counted(header.items, "item"),
                                  counted(header.item_bytes, "byte"),
                                  counted(done / header.item_bytes, "whole one")));
    }
  }
  char extra = 0;
  if (file.bytes->read({&extra, 1}) != 0) {
    throw DataError(
        fmt::format("{}: found bytes after the last item that the IDX header promises", file.name));
  }
}

void read_images(NamedSource& file, const IdxHeader& header, float scale, DatasetBuilder& builder) {
  std::array<float, 256> scaled{};
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] = static_cast<float>(i) * scale;
  std::vector<float> values;
  for_each_block(file, header, [&](std::span<const char> bytes) {
    values.clear();
    for (const char byte : bytes) values.push_back(scaled[static_cast<unsigned char>(byte)]);
    builder.append_values(values);
  });
}

void read_labels(NamedSource& file, const IdxHeader& header, DatasetBuilder& builder) {
  for_each_block(file, header, [&](std::span<const char> bytes) {
    for (const char byte : bytes) builder.append_label(static_cast<unsigned char>(byte));
  });
}

}  // namespace

CodedDataset read_idx(NamedSource images, NamedSource labels, const ReadOptions& options) {
  if (options.real_labels) {
    throw DataError(fmt::format(
        "{}: the labels of IDX files are classes; expected real labels in a CSV, TSV, LIBSVM or "
        "npy file",
        labels.name));
  }
  const IdxHeader image_header = read_header(images, 2);
  const bool labelled = labels.bytes != nullptr;
  const IdxHeader label_header = labelled ? read_header(labels, 1) : IdxHeader{image_header.items};
  if (image_header.items != label_header.items) {
    throw DataError(fmt::format("{}: found {}; expected {}, one for each image of {}", labels.name,
                                counted(label_header.items, "label"), image_header.items,
                                images.name));
  }
  if (options.features != 0 && options.features != image_header.item_bytes) {
    throw DataError(fmt::format("{}: found images of {}; expected {}", images.name,
                                counted(image_header.item_bytes, "value"), options.features));
  }
  require_room_for(images, std::uint64_t{image_header.items} * image_header.item_bytes, 1);
  DatasetBuilder builder(labelled ? labels.name : images.name, options);
  if (labelled) {
    read_labels(labels, label_header, builder);
  } else {
    builder.append_no_labels(image_header.items);
  }
  read_images(images, image_header, options.scale, builder);
  return builder.finish_dense(image_header.item_bytes);
}

}  // namespace trainyard
