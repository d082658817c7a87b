#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zstd.h>

#include "trainyard/base/error.hpp"

#include "data/byte_source.hpp"

namespace trainyard {

namespace {

class ZstdSource : public ByteSource {
 public:
  ZstdSource(std::unique_ptr<ByteSource> compressed, std::string name)
      : compressed_(std::move(compressed)),
        name_(std::move(name)),
        input_(compressed_input_bytes),
        stream_(ZSTD_createDStream(), &ZSTD_freeDStream) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }

  std::size_t read(std::span<char> buffer) override {
    ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
    while (out.pos < out.size) {
      if (in_.pos == in_.size) {
        in_ = {input_.data(), compressed_->read(input_), 0};
        // What is decompressed already may not have found room in the last call.
        if (in_.size == 0 && between_frames_) break;
      }
      const std::size_t before = out.pos;
      const std::size_t left = ZSTD_decompressStream(stream_.get(), &out, &in_);
      if (ZSTD_isError(left) != 0) throw_damaged(name_, "zstd");
      between_frames_ = left == 0;
      if (in_.size == 0 && out.pos == before && !between_frames_) throw_truncated(name_, "zstd");
    }
    return out.pos;
  }

 private:
  std::unique_ptr<ByteSource> compressed_;
  std::string name_;
  std::vector<char> input_;
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool between_frames_ = true;
};

}  // namespace

std::unique_ptr<ByteSource> open_zstd(std::unique_ptr<ByteSource> compressed, std::string name) {
  return std::make_unique<ZstdSource>(std::move(compressed), std::move(name));
}

}  // namespace trainyard
