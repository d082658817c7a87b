#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <lzma.h>

#include "trainyard/base/error.hpp"

#include "data/byte_source.hpp"

namespace trainyard {

namespace {

class XzSource : public ByteSource {
 public:
  XzSource(std::unique_ptr<ByteSource> compressed, std::string name)
      : compressed_(std::move(compressed)), name_(std::move(name)), input_(compressed_input_bytes) {
    if (lzma_stream_decoder(&stream_, UINT64_MAX, LZMA_CONCATENATED) != LZMA_OK) {
      throw std::bad_alloc();
    }
  }
  ~XzSource() override { lzma_end(&stream_); }
  XzSource(const XzSource&) = delete;
  XzSource& operator=(const XzSource&) = delete;

  std::size_t read(std::span<char> buffer) override {
    std::size_t filled = 0;
    while (filled < buffer.size() && !ended_) filled += decompress_some(buffer.subspan(filled));
    return filled;
  }

 private:
  std::size_t decompress_some(std::span<char> buffer) {
    if (stream_.avail_in == 0 && !input_ended_) {
      stream_.avail_in = compressed_->read(input_);
      stream_.next_in = reinterpret_cast<const std::uint8_t*>(input_.data());
      input_ended_ = stream_.avail_in < input_.size();
    }
    stream_.next_out = reinterpret_cast<std::uint8_t*>(buffer.data());
    stream_.avail_out = buffer.size();
    const lzma_ret status = lzma_code(&stream_, input_ended_ ? LZMA_FINISH : LZMA_RUN);
    if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (status == LZMA_BUF_ERROR) throw_truncated(name_, "xz");
    if (status != LZMA_OK && status != LZMA_STREAM_END) throw_damaged(name_, "xz");
    ended_ = status == LZMA_STREAM_END;
    return buffer.size() - stream_.avail_out;
  }

  std::unique_ptr<ByteSource> compressed_;
  std::string name_;
  std::vector<char> input_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool input_ended_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> open_xz(std::unique_ptr<ByteSource> compressed, std::string name) {
  return std::make_unique<XzSource>(std::move(compressed), std::move(name));
}

}  // namespace trainyard
