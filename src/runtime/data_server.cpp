#include "trainyard/runtime/data_server.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace trainyard {

std::uint64_t bytes_of_rows(Batch rows) {
  std::uint64_t bytes = 0;
  for (const RowRange& range : rows) {
    const Dataset& data = *range.data;
    bytes += range.count * sizeof(Label);
    if (!data.weights.empty()) bytes += range.count * sizeof(float);
    if (data.sparse) {
      const std::uint64_t nonzeros =
          data.row_begin[range.first + range.count] - data.row_begin[range.first];
      bytes += range.count * sizeof(std::uint32_t);
      bytes += nonzeros * (sizeof(std::uint32_t) + sizeof(float));
    } else {
      bytes += range.count * data.features * sizeof(float);
    }
  }
  return bytes;
}

// The tag of a request says how many bytes the rows have.

void fetch_rows(Communicator& comm, int data_server, Batch rows) {
  comm.send_control(data_server, bytes_of_rows(rows));
  (void)comm.receive(data_server);
}

void serve_rows(Communicator& comm) {
  std::vector<std::byte> rows;
  while (const auto request = comm.receive_any()) {
    if (rows.size() < request->tag()) rows.resize(request->tag());
    comm.send_encoded(request->from(), std::span(rows).first(request->tag()));
  }
}

}  // namespace trainyard
