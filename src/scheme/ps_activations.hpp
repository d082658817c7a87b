// Activations and deltas of fully connected layers in place of their gradients (ps_activations.cpp
// says how), for asynchronous parameter servers whatever their steps are.
#pragma once

#include "scheme/ps_async.hpp"

namespace trainyard {

/// `steps` with a minibatch's activations and deltas where they are fewer floats than the gradient;
/// with gradients for a model without layers.
void ps_activations_work(Worker& worker, void (*steps)(Worker& worker, PushStep push_step));
/// The servers of that.
void ps_activations_serve(Server& server, void (*serve)(Server& server, ReadPush read));

}  // namespace trainyard
