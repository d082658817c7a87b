#include "trainyard/runtime/shared_steps.hpp"

#include "trainyard/base/error.hpp"
#include "trainyard/base/even_split.hpp"
#include "trainyard/runtime/worker.hpp"

#include "runtime/line_waits.hpp"
#include "runtime/worker_parts.hpp"

namespace trainyard {

namespace {

/// In `wall`, how often a Hogwild worker looks how far the others have come: each look reads a line
/// that every other worker writes, about 100 ns apiece, against steps of 100 ns.
constexpr std::uint64_t staleness_sampled_every = 64;

SharedModels& shared_models_of(Worker& worker) {
  const WorkerParts parts(worker);
  SharedModels* const shared = parts.context.state.shared();
  if (shared == nullptr) parts.throw_wrong_home("SharedSteps()");
  return *shared;
}

const Model::SparseUpdate* sparse_update_of(const RunContext& context) {
  if (context.hot != nullptr) return context.hot->update.get();
  return context.optimizer.plain() ? context.model.sparse_update() : nullptr;
}

}  // namespace

SharedSteps::SharedSteps(Worker& worker)
    : worker_(worker),
      rank_(WorkerParts(worker).rank),
      context_(WorkerParts(worker).context),
      minibatches_(worker.minibatches()),
      models_(shared_models_of(worker)),
      penalty_(context_.model.absolute_penalty()),
      group_(models_.group_of(rank_.rank())),
      is_home_(context_.state.layout().home == ModelHome::shared),
      constant_step_(context_.optimizer.constant_step()),
      sparse_(sparse_update_of(context_)),
      rounding_(context_.state
                    .stream(rank_.rank(), "rounding",
                            RandomStream(context_.seed, Purpose::rounding,
                                         static_cast<std::uint32_t>(rank_.rank())))
                    .next_u32()) {
  if (!is_home_) return;
  weight_ = minibatches_.loss_weight();
  if (sparse_ != nullptr) {
    const std::size_t rows = context_.batch * minibatches_.shares();
    residuals_ = AlignedBuffer<float>(sparse_->residual_count(rows));
    return;
  }
  const std::size_t dimension = context_.model.dimension();
  read_copy_ = AlignedBuffer<float>::zeroed(dimension);
  gradient_ = VectorBuffer::zeroed(context_.model.scalar(), dimension);
}

double SharedSteps::step_size() const {
  if (constant_step_) return context_.optimizer.lr;
  return context_.optimizer.step_size(context_.epochs(minibatches_.number()));
}

void SharedSteps::touch(int group, LineUse use) {
  wait_for_lines(rank_, context_, [&](SharedLines& lines, SharedLines::Passage& passage) {
    lines.touch_all(passage, group, use);
  });
}

void SharedSteps::touch(int group, std::span<const std::size_t> first_of_lines, LineUse use) {
  wait_for_lines(rank_, context_, [&](SharedLines& lines, SharedLines::Passage& passage) {
    for (const std::size_t first : first_of_lines) lines.touch(passage, group, first, 1, use);
  });
}

/// The lines of the features of these rows. A worker's slices are its own.
void SharedSteps::touch_rows(Batch batch, LineUse use) {
  if (context_.lines == nullptr) return;
  const std::size_t width = context_.model.dimension() / context_.train.features;
  wait_for_lines(rank_, context_, [&](SharedLines& lines, SharedLines::Passage& passage) {
    for (const RowRange& range : batch) {
      for (std::size_t row = range.first; row < range.first + range.count; ++row) {
        for (const std::uint32_t column : range.data->sparse_row(row).columns) {
          if (column >= context_.train.features) continue;
          lines.touch(passage, group_, column * width, width, use);
        }
      }
    }
  });
}

void SharedSteps::descend(SharedAccess access) {
  if (!is_home_) WorkerParts(worker_).throw_wrong_home("SharedSteps::descend()");
  SharedModel& shared = own();
  const Batch batch = minibatches_.next();
  const auto step_size = static_cast<float>(this->step_size() * weight_);
  const bool sampled = context_.hot == nullptr &&
                       (context_.simulated || worker_.step() % staleness_sampled_every == 0);
  const std::uint64_t before = sampled ? context_.pacer.worker_steps_done() : 0;
  if (sparse_ != nullptr) {
    touch_rows(batch, LineUse::read);
    rank_.compute(minibatches_.costs().of_next(true),
                  [&] { shared.read_margins(*sparse_, batch, residuals_.span()); });
    touch_rows(batch, LineUse::write);
    if (shared.format()) {
      // Rounded, a number that is not finite would become the largest one without a word.
      require_finite(residuals_.span(), rank_, context_.scheme, worker_.step());
      shared.write_step_rounded(*sparse_, batch, residuals_.span(), step_size, rounding_);
    } else {
      shared.write_step(*sparse_, batch, residuals_.span(), step_size, access);
    }
  } else {
    descend_whole(shared, batch, step_size, access);
  }
  if (sampled) worker_.record_staleness(context_.pacer.worker_steps_done() - before);
}

/// Workers begin at different places of the model: of those who all began with its first line each
/// would follow on the heels of another and wait for its lines. Where a lock lets one in at a time
/// there is nobody to follow.
void SharedSteps::add_whole(SharedModel& shared, float scale, std::span<const float> change,
                            SharedAccess access) {
  constexpr std::size_t floats_of_line = 16;
  const std::span<float> copy = read_copy_.span();
  const std::size_t lines = access == SharedAccess::locked ? 0 : change.size() / floats_of_line;
  const std::size_t begin = even_cut(lines, rank_.rank(), rank_.workers()) * floats_of_line;
  shared.add(scale, change.subspan(begin), copy.subspan(begin), access, begin);
  if (begin > 0) shared.add(scale, change.first(begin), copy.first(begin), access);
}

void SharedSteps::descend_whole(SharedModel& shared, Batch batch, float step_size,
                                SharedAccess access) {
  if (!has_read_) {
    touch(group_, LineUse::read);
    shared.read(read_copy_.span());
  }
  has_read_ = true;
  rank_.compute(minibatches_.costs().of_next(), [&] {
    context_.model.gradient(read_copy_.span(), batch, gradient_.view(), workspace_);
  });
  const std::span<const float> gradient = gradient_.view().floats();
  touch(group_, LineUse::write);
  if (!shared.format()) {
    add_whole(shared, -step_size, gradient, access);
    const float threshold = step_size * static_cast<float>(penalty_.l1);
    for (const auto [first, count] : penalty_.weights) {
      shared.shrink(threshold, read_copy_.span().subspan(first, count), access, first);
    }
    return;
  }
  require_finite(gradient, rank_, context_.scheme, worker_.step());
  shared.add_rounded(-step_size, gradient, read_copy_.span(), rounding_);
}

}  // namespace trainyard
