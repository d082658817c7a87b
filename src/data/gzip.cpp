// zlib's own gzread() is not used: it takes a file only, not bytes in memory, and passes over
// whatever follows the last member without a word.
#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include "trainyard/base/error.hpp"

#include "data/byte_source.hpp"

namespace trainyard {

namespace {

constexpr std::size_t input_bytes = std::size_t{32} * 1024;
constexpr int gzip_window_bits = 16 + MAX_WBITS;  // 16: a gzip header and trailer, nothing else

class GzipSource : public ByteSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> compressed, std::string name)
      : compressed_(std::move(compressed)), name_(std::move(name)), input_(input_bytes) {
    if (inflateInit2(&stream_, gzip_window_bits) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  std::size_t read(std::span<char> buffer) override {
    std::size_t filled = 0;
    while (filled < buffer.size() && !ended_) filled += inflate_some(buffer.subspan(filled));
    return filled;
  }

 private:
  /// False at the end of the compressed bytes.
  bool refill() {
    if (stream_.avail_in > 0) return true;
    stream_.avail_in = static_cast<uInt>(compressed_->read(input_));
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    return stream_.avail_in > 0;
  }

  /// False when no other member follows. Zeros are what the end of a tape's last block is filled
  /// with; gzip passes over them, too.
  bool begin_member() {
    between_members_ = false;
    if (!refill()) return false;
    if (*stream_.next_in != 0) return true;
    while (refill()) {
      if (std::any_of(stream_.next_in, stream_.next_in + stream_.avail_in,
                      [](Bytef byte) { return byte != 0; })) {
        throw DataError(fmt::format(
            "{}: found more behind the zeros that follow the gzip data; expected nothing", name_));
      }
      stream_.avail_in = 0;
    }
    return false;
  }

  std::size_t inflate_some(std::span<char> buffer) {
    if (between_members_ && !begin_member()) {
      ended_ = true;
      return 0;
    }
    if (!refill()) {
      throw DataError(
          fmt::format("{}: the gzip data ends early after {} decompressed bytes; the "
                      "file is truncated",
                      name_, total_));
    }
    // zlib counts in 32 bits; a buffer of 1 GiB at a time is never the bottleneck.
    const auto space = static_cast<uInt>(std::min<std::size_t>(buffer.size(), 1U << 30));
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = space;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    const std::size_t made = space - stream_.avail_out;
    total_ += made;
    if (status == Z_STREAM_END) {
      between_members_ = true;
      inflateReset(&stream_);
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw DataError(fmt::format("{}: the gzip data is damaged after {} decompressed bytes: {}",
                                  name_, total_,
                                  stream_.msg != nullptr ? stream_.msg : "unknown damage"));
    }
    return made;
  }

  std::unique_ptr<ByteSource> compressed_;
  std::string name_;
  std::vector<char> input_;
  z_stream stream_{};
  std::size_t total_ = 0;
  bool between_members_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> open_gzip(std::unique_ptr<ByteSource> compressed, std::string name) {
  return std::make_unique<GzipSource>(std::move(compressed), std::move(name));
}

}  // namespace trainyard
