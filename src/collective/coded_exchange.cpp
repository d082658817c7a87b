#include "trainyard/collective/coded_exchange.hpp"

#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/parameter_server.hpp"

namespace trainyard {

void push_coded(Communicator& comm, Coder& coder, ConstVector vector) {
  for_each_shard(comm, [&](int shard) {
    comm.send_encoded(comm.server(shard), coder.encode(even_split(vector, shard, comm.servers())));
  });
}

void push_coded(Communicator& comm, Coder& coder, ConstVector vector, Vector error) {
  for_each_shard(comm, [&](int shard) {
    comm.send_encoded(comm.server(shard), coder.encode(even_split(vector, shard, comm.servers()),
                                                       even_split(error, shard, comm.servers())));
  });
}

void pull_coded(Communicator& comm, Coder& coder, double scale, Vector sum) {
  for_each_shard(comm, [&](int shard) {
    const Message message = comm.receive(comm.server(shard));
    coder.decode_add(scale, message.bytes(), even_split(sum, shard, comm.servers()));
  });
}

void sum_coded_pushes(Communicator& comm, Coder& coder, double scale, Vector sum) {
  for (int worker = 0; worker < comm.workers(); ++worker) {
    const Message message = comm.receive(worker);
    coder.decode_add(scale, message.bytes(), sum);
  }
}

void answer_all_coded(Communicator& comm, std::span<const std::byte> wire) {
  for_each_worker(comm, [&](int worker) { comm.send_encoded(worker, wire); });
}

void send_coded_to_neighbours(Communicator& comm, const MixingRow& row,
                              std::span<const std::byte> wire) {
  for (const MixingRow::Neighbour& neighbour : row.sends_to) {
    comm.send_encoded(neighbour.rank, wire);
  }
}

void add_coded_of_neighbours(Communicator& comm, Coder& coder, const MixingRow& row, double scale,
                             Vector sum) {
  for (const MixingRow::Neighbour& neighbour : row.receives) {
    const Message message = comm.receive(neighbour.rank);
    coder.decode_add(scale * neighbour.weight, message.bytes(), sum);
  }
}

}  // namespace trainyard
