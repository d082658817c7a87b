#include "data/text_pipeline.hpp"

#include <atomic>
#include <exception>
#include <string>
#include <vector>

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

/// Makes what one thread wrote visible to the next that takes over. oneTBB sees to that itself; but
/// ThreadSanitizer cannot look into the distribution's library, and one uncontended atomic per
/// block of text costs nothing.
class Handover {
 public:
  // release/acquire: everything written before pass() is seen after receive().
  void pass() { passed_.fetch_add(1, std::memory_order_release); }
  void receive() const { (void)passed_.load(std::memory_order_acquire); }

 private:
  std::atomic<unsigned> passed_{0};
};

/// Receives at its beginning, passes on at its end, by exception too.
class Turn {
 public:
  explicit Turn(Handover& handover) : handover_(&handover) { handover_->receive(); }
  ~Turn() { handover_->pass(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Handover* handover_;
};

/// One block on its way through the stages.
struct Slot {
  Handover handover;
  bool in_use = false;
  TextBlock text;
  ParsedBlock parsed;
  std::exception_ptr read_failure;  // reported only after the faults of all lines before it
};

class Pipeline {
 public:
  Pipeline(TextBlocks& blocks, FunctionRef<void(std::string_view, ParsedBlock&)> parse,
           DatasetBuilder& builder, OnFault on_fault)
      : blocks_(&blocks),
        on_fault_(on_fault),
        parse_(parse),
        builder_(&builder),
        // Two blocks more than cores: one being read and one being appended.
        slots_(static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()) + 2) {}

  ~Pipeline() {
    read_turn_.receive();
    append_turn_.receive();
    for (const Slot& slot : slots_) slot.handover.receive();
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  void run() {
    using tbb::filter_mode;
    read_turn_.pass();
    tbb::parallel_pipeline(
        slots_.size(),
        tbb::make_filter<void, Slot*>(filter_mode::serial_in_order, ReadStage{this}) &
            tbb::make_filter<Slot*, Slot*>(filter_mode::parallel, ParseStage{this}) &
            tbb::make_filter<Slot*, void>(filter_mode::serial_in_order, AppendStage{this}));
  }

 private:
  // The stages travel through oneTBB, out of ThreadSanitizer's sight: reading their pointer is all
  // that they do unwatched.
  struct ReadStage {
    Pipeline* pipeline;
    [[gnu::no_sanitize_thread]] Slot* operator()(tbb::flow_control& flow) const {
      Slot* slot = pipeline->read_block();
      if (slot == nullptr) flow.stop();
      return slot;
    }
  };
  struct ParseStage {
    Pipeline* pipeline;
    [[gnu::no_sanitize_thread]] Slot* operator()(Slot* slot) const {
      return pipeline->parse_block(slot);
    }
  };
  struct AppendStage {
    Pipeline* pipeline;
    [[gnu::no_sanitize_thread]] void operator()(Slot* slot) const { pipeline->append_block(slot); }
  };

  Slot* read_block() {
    const Turn turn(read_turn_);
    const bool in_vain =
        on_fault_ == OnFault::end && has_fault_.load(std::memory_order_relaxed);  // as above
    return ended_ || in_vain ? nullptr : fill(slots_[next_slot_++ % slots_.size()]);
  }

  /// There are as many slots as blocks under way, and blocks leave in the order in which they came:
  /// the slot used longest ago is always free again.
  Slot* fill(Slot& slot) {
    const Turn turn(slot.handover);
    require(!slot.in_use, "a block of text is still in use");
    try {
      if (!blocks_->next(slot.text)) return nullptr;
    } catch (const DataError&) {
      slot.read_failure = std::current_exception();
      ended_ = true;
    }
    slot.in_use = true;
    return &slot;
  }

  Slot* parse_block(Slot* slot) const {
    const Turn turn(slot->handover);
    slot->parsed.clear();
    if (!slot->read_failure) parse_(text_of(slot->text), slot->parsed);
    return slot;
  }

  void append_block(Slot* slot) {
    const Turn turn(append_turn_);
    const Turn slot_turn(slot->handover);
    if (slot->read_failure && !(on_fault_ == OnFault::end && builder_->has_faults())) {
      builder_->check_faults();
      std::rethrow_exception(slot->read_failure);
    }
    builder_->append(slot->parsed);
    // relaxed: whoever reads one block more reads it in vain.
    if (builder_->has_faults()) has_fault_.store(true, std::memory_order_relaxed);
    slot->in_use = false;
  }

  // Owned by whichever thread runs the reading stage.
  Handover read_turn_;
  TextBlocks* blocks_;
  std::size_t next_slot_ = 0;
  bool ended_ = false;

  const OnFault on_fault_;
  std::atomic<bool> has_fault_{false};

  FunctionRef<void(std::string_view, ParsedBlock&)> parse_;

  // Owned by whichever thread runs the appending stage.
  Handover append_turn_;
  DatasetBuilder* builder_;

  std::vector<Slot> slots_;
};

}  // namespace

void parse_text(TextBlocks& blocks, FunctionRef<void(std::string_view, ParsedBlock&)> parse,
                DatasetBuilder& builder, OnFault on_fault) {
  Pipeline(blocks, parse, builder, on_fault).run();
}

}  // namespace trainyard
