// A parameter server as its program in Python sees it.
//
// Threads: as own_rank.hpp.
#pragma once

#include <optional>

#include "trainyard/collective/working_set.hpp"
#include "trainyard/runtime/server.hpp"

#include "module/own_rank.hpp"

namespace trainyard::python {

class OwnServer : public OwnRank {
 public:
  explicit OwnServer(Server& server)
      : OwnRank(server.comm(), server.shard().scalar()), server_(server) {
    keys_.emplace(server, ModelRead::each);  // which is right for common reads, too
  }
  void end() override {
    OwnRank::end();
    keys_.reset();
  }

  Server& server() const {
    (void)comm();
    return server_;
  }
  WorkingSets& keys() {
    (void)comm();
    return *keys_;
  }

 private:
  Server& server_;
  std::optional<WorkingSets> keys_;
};

void define_servers(py::module_& module);

}  // namespace trainyard::python
