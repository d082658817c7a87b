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
/// mebibyte of text costs nothing.
class Handover {
 public:
  Handover() = default;
  // release/acquire: everything written before pass() is seen after receive().
  void pass() { passed_.fetch_add(1, std::memory_order_release); }
  void receive() const { (void)passed_.load(std::memory_order_acquire); }

 private:
  std::atomic<unsigned> passed_{0};
};

/// One block on its way through the stages.
struct Slot {
  Handover handover;
  bool in_use = false;
  std::string text;
  ParsedBlock parsed;
  std::exception_ptr read_failure;  // reported only after the faults of all lines before it
};

class Pipeline {
 public:
  Pipeline(TextBlocks& blocks, FunctionRef<void(std::string_view, ParsedBlock&)> parse,
           DatasetBuilder& builder)
      : blocks_(&blocks),
        parse_(parse),
        builder_(&builder),
        // Two blocks more than cores: one being read and one being appended.
        slots_(static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()) + 2) {}

  void run() {
    tbb::parallel_pipeline(
        slots_.size(),
        tbb::make_filter<void, Slot*>(tbb::filter_mode::serial_in_order,
                                      [this](tbb::flow_control& flow) {
                                        Slot* slot = read_block();
                                        if (slot == nullptr) flow.stop();
                                        return slot;
                                      }) &
            tbb::make_filter<Slot*, Slot*>(tbb::filter_mode::parallel,
                                           [this](Slot* slot) { return parse_block(slot); }) &
            tbb::make_filter<Slot*, void>(tbb::filter_mode::serial_in_order,
                                          [this](Slot* slot) { append_block(slot); }));
    append_turn_.receive();
    read_turn_.receive();
  }

 private:
  Slot* read_block() {
    read_turn_.receive();
    Slot* slot = nullptr;
    if (!ended_) slot = fill(slots_[next_slot_++ % slots_.size()]);
    read_turn_.pass();
    return slot;
  }

  /// There are as many slots as blocks under way, and blocks leave in the order in which they came:
  /// the slot used longest ago is always free again.
  Slot* fill(Slot& slot) {
    slot.handover.receive();
    require(!slot.in_use, "a block of text is still in use");
    try {
      if (!blocks_->next(slot.text)) return nullptr;
    } catch (const DataError&) {
      slot.read_failure = std::current_exception();
      ended_ = true;
    }
    slot.in_use = true;
    slot.handover.pass();
    return &slot;
  }

  Slot* parse_block(Slot* slot) {
    slot->handover.receive();
    slot->parsed.clear();
    if (!slot->read_failure) parse_(slot->text, slot->parsed);
    slot->handover.pass();
    return slot;
  }

  void append_block(Slot* slot) {
    append_turn_.receive();
    slot->handover.receive();
    if (slot->read_failure) std::rethrow_exception(slot->read_failure);
    builder_->append(slot->parsed);
    slot->in_use = false;
    slot->handover.pass();
    append_turn_.pass();
  }

  // Owned by whichever thread runs the reading stage.
  Handover read_turn_;
  TextBlocks* blocks_;
  std::size_t next_slot_ = 0;
  bool ended_ = false;

  FunctionRef<void(std::string_view, ParsedBlock&)> parse_;

  // Owned by whichever thread runs the appending stage.
  Handover append_turn_;
  DatasetBuilder* builder_;

  std::vector<Slot> slots_;
};

}  // namespace

void parse_text(TextBlocks& blocks, FunctionRef<void(std::string_view, ParsedBlock&)> parse,
                DatasetBuilder& builder) {
  Pipeline(blocks, parse, builder).run();
}

}  // namespace trainyard
