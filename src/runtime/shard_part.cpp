#include "trainyard/runtime/shard_part.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/model/holding.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

ShardPart::ShardPart(Server& server, int worker)
    : server_(server),
      minibatches_(server.context_.state.count(server.rank_.rank(),
                                               fmt::format("minibatches of part {}", worker))),
      version_(server.context_.state.count(server.rank_.rank(),
                                           fmt::format("version of part {}", worker))) {
  const RunContext& context = server.context_;
  const Vector shard = server.shard();
  const int index = server.comm().rank() - server.comm().workers() - context.proxies;
  const int servers = server.comm().servers() - context.proxies;
  const std::size_t begin = context.model.dimension() * static_cast<std::size_t>(index) /
                            static_cast<std::size_t>(servers);
  for (const ParameterRange& range : context.state.layout().held_by(worker).ranges) {
    const std::size_t first = std::max(range.first, begin);
    const std::size_t end = std::min(range.first + range.count, begin + shard.size());
    if (first >= end) continue;
    const std::size_t place = first - begin, count = end - first;
    const auto kept = [&](std::string_view name) {
      return server.keep(name, shard.size()).subspan(place, count);
    };
    pieces_.push_back({shard.subspan(place, count),
                       Optimizer(context.optimizer, kept,
                                 context.state.count(server.rank_.rank(),
                                                     fmt::format("optimizer.t from {}", place)),
                                 penalty_within(context.model.absolute_penalty(), {first, count}),
                                 context.stepped_matrices({first, count}))});
    size_ += count;
  }
  if (pieces_.size() > 1) together_ = VectorBuffer(shard.scalar(), size_);
}

ConstVector ShardPart::values() {
  if (pieces_.empty()) return server_.shard().subspan(0, 0);
  if (pieces_.size() == 1) return pieces_.front().values;
  std::size_t done = 0;
  for (const Piece& piece : pieces_) {
    kernels::copy(piece.values, together_.view().subspan(done, piece.values.size()));
    done += piece.values.size();
  }
  return together_.view();
}

void ShardPart::apply(ConstVector gradient, std::uint64_t minibatches) {
  require(gradient.size() == size_, "a gradient of a part is as long as it");
  const double epochs = server_.context_.epochs(minibatches_);
  std::size_t done = 0;
  for (Piece& piece : pieces_) {
    piece.optimizer.apply(piece.values, gradient.subspan(done, piece.values.size()), epochs);
    done += piece.values.size();
  }
  minibatches_ += minibatches;
  ++version_;
}

void ShardPart::record_staleness(std::uint64_t version_read) {
  const RunContext& context = server_.context_;
  context.state.staleness_of(server_.comm().rank()).record(version_ - version_read);
}

}  // namespace trainyard
