// Shared by ps-async and other asynchronous parameter servers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "trainyard/base/function_ref.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// Computes a gradient, which it returns, and sends each server what it is to know of it, with that
/// server's tag.
using PushStep = FunctionRef<ConstVector(std::span<const std::uint64_t> tags)>;
/// A server's gradient out of what a worker sent. Valid until the next call.
using ReadPush = FunctionRef<ConstVector(const Message& push)>;

/// Of each server's part of the model that the worker read last: what its gradients are tagged
/// with.
inline std::span<std::uint64_t> versions_of(Worker& worker) {
  return worker.keep_counts("versions", static_cast<std::size_t>(worker.comm().servers()));
}

/// The gradient as it is, to each server its part.
ConstVector push_gradient(Worker& worker, std::span<const std::uint64_t> tags);

/// Pushes a gradient, with the versions that it was taken at; pulls the model; takes the next step.
/// Both by keys: a server has WorkingSets for it.
void ps_async_worker(Worker& worker);
/// The same, but it pushes when the server wants the gradient (push_queue.hpp).
void ps_async_queueing_worker(Worker& worker);
/// The same, but a newer model that comes while it computes ends that: it begins again at once. Of
/// one server, which then answers no gradient of a worker that it has sent a newer model.
void ps_async_interruptible_worker(Worker& worker);
/// The same with gradients that travel in another way, and whole models.
void ps_async_steps(Worker& worker, PushStep push_step);
/// Its server: applies each gradient the moment it comes, and answers that worker alone.
void ps_async_serve(Server& server, ReadPush read);

/// c + (n + 1)(α + t): the server's port takes the n gradients one after the other, and the last is
/// answered at once. Empty with several servers, where it depends on which shard comes when.
std::optional<Duration> ps_async_step_time(const StepSetting& setting);
/// The same where workers push and pull after every step, --period 1, and c where they do after
/// several.
std::optional<Duration> ps_async_rounds_time(const StepSetting& setting);
/// c + n(α + t): one worker of n > 1 is on the server's machine.
std::optional<Duration> ps_async_step_time_colocated(const StepSetting& setting);

}  // namespace trainyard
