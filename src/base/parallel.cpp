#include "trainyard/base/parallel.hpp"

#include <atomic>

#include <tbb/parallel_for.h>

namespace trainyard {

namespace {

/// The work and who has done what of it. oneTBB makes what the caller wrote visible to the blocks,
/// and what they wrote to the caller; but ThreadSanitizer cannot look into the distribution's
/// library, so an atomic of ours says it again, once a block.
class Blocks {
 public:
  explicit Blocks(FunctionRef<void(std::size_t block)> body) : body_(body) { pass(); }
  ~Blocks() { receive(); }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  void run(std::size_t block) {
    receive();
    try {
      body_(block);
    } catch (...) {
      pass();
      throw;
    }
    pass();
  }

 private:
  // release/acquire: everything written before pass() is seen after receive().
  void pass() { passed_.fetch_add(1, std::memory_order_release); }
  void receive() const { (void)passed_.load(std::memory_order_acquire); }

  FunctionRef<void(std::size_t block)> body_;
  std::atomic<std::size_t> passed_{0};
};

/// The task travels through oneTBB, out of ThreadSanitizer's sight: reading its pointer is all that
/// it does unwatched.
struct BlockTask {
  Blocks* blocks;
  [[gnu::no_sanitize_thread]] void operator()(std::size_t block) const { blocks->run(block); }
};

}  // namespace

void parallel_blocks(std::size_t blocks, FunctionRef<void(std::size_t block)> body) {
  Blocks work(body);
  tbb::parallel_for(std::size_t{0}, blocks, BlockTask{&work});
}

}  // namespace trainyard
