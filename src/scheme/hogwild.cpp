// Hogwild!: all workers read and write one shared model, and no one locks (Niu, Recht, Ré & Wright,
// NIPS 2011; catalogue §2.15). On sparse linear models a step touches only the coordinates of its
// rows, so that two workers rarely meet at one; on dense models they always do, and the memory
// system pays.
//
// In `virtual` the time between the read and the write is the minibatch's compute time.
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

void hogwild_worker(Worker& worker) {
  while (worker.next_step()) worker.descend_shared();
}

}  // namespace trainyard
