#include <algorithm>
#include <utility>
#include <vector>

#include <bzlib.h>
#include <fmt/format.h>

#include "trainyard/base/error.hpp"

#include "data/byte_source.hpp"

namespace trainyard {

namespace {

class Bzip2Source : public ByteSource {
 public:
  Bzip2Source(std::unique_ptr<ByteSource> compressed, std::string name)
      : compressed_(std::move(compressed)), name_(std::move(name)), input_(compressed_input_bytes) {
    begin();
  }
  ~Bzip2Source() override { BZ2_bzDecompressEnd(&stream_); }
  Bzip2Source(const Bzip2Source&) = delete;
  Bzip2Source& operator=(const Bzip2Source&) = delete;

  std::size_t read(std::span<char> buffer) override {
    std::size_t filled = 0;
    while (filled < buffer.size() && !ended_) filled += decompress_some(buffer.subspan(filled));
    return filled;
  }

 private:
  void begin() {
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }

  bool refill() {
    if (stream_.avail_in > 0) return true;
    stream_.avail_in = static_cast<unsigned>(compressed_->read(input_));
    stream_.next_in = input_.data();
    return stream_.avail_in > 0;
  }

  std::size_t decompress_some(std::span<char> buffer) {
    if (!refill()) {
      if (!between_streams_) throw_truncated(name_, "bzip2");
      ended_ = true;
      return 0;
    }
    if (std::exchange(between_streams_, false)) {
      char* const next = stream_.next_in;
      const unsigned left = stream_.avail_in;
      BZ2_bzDecompressEnd(&stream_);
      stream_ = {};
      begin();
      stream_.next_in = next;
      stream_.avail_in = left;
    }
    const auto space = static_cast<unsigned>(std::min<std::size_t>(buffer.size(), 1U << 30));
    stream_.next_out = buffer.data();
    stream_.avail_out = space;
    const int status = BZ2_bzDecompress(&stream_);
    if (status == BZ_MEM_ERROR) throw std::bad_alloc();
    if (status != BZ_OK && status != BZ_STREAM_END) throw_damaged(name_, "bzip2");
    between_streams_ = status == BZ_STREAM_END;
    return space - stream_.avail_out;
  }

  std::unique_ptr<ByteSource> compressed_;
  std::string name_;
  std::vector<char> input_;
  bz_stream stream_{};
  bool between_streams_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> open_bzip2(std::unique_ptr<ByteSource> compressed, std::string name) {
  return std::make_unique<Bzip2Source>(std::move(compressed), std::move(name));
}

}  // namespace trainyard
