#include "trainyard/runtime/message.hpp"

#include <cstring>
#include <exception>

#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

void Delivery::copy_to(Vector into) const {
  const ConstVector sent = vector();
  require(sent.size() == into.size() && (into.empty() || sent.scalar() == into.scalar()),
          "a message is received into as much as was sent, in its precision");
  if (!into.empty()) std::memcpy(into.data(), data, into.bytes().size());
}

std::uint64_t Communicator::receive_into(int from, Vector into) {
  const Message message = receive(from);
  message.copy_to(into);
  return message.tag();
}

void Communicator::receive_add(int from, Vector sum) {
  kernels::add(receive(from).vector(), sum);
}

void Communicator::show(ConstVector /*vector*/, bool /*copied*/, NumbersFor /*numbers_for*/) {
  require(false, "workers show vectors only where shows() says so");
}

ConstVector Communicator::shown_by(int /*worker*/, std::size_t /*first*/, std::size_t /*count*/) {
  require(false, "workers show vectors only where shows() says so");
  return {};
}

Loans::~Loans() {
  comm_.reclaim(std::uncaught_exceptions() > exceptions_);
}

}  // namespace trainyard
