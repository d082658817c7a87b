// Protocol buffers' wire format is written by hand: of three messages it needs numbers and bytes
// with a key before them. Their compiler and library would be two more packages that every build
// installs. A test reads the files with protobuf's own parser.
#include "trainyard/report/chakra_trace.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "report/rank_schedule.hpp"

namespace trainyard {

namespace {

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
void append_varint(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<char>(value | 0x80));
  to.push_back(static_cast<char>(value));
}

// By the number that the schema gives the field.
void append_number(std::string& to, int field, std::uint64_t value) {
  append_varint(to, static_cast<std::uint64_t>(field) << 3U);
  append_varint(to, value);
}

void append_bytes(std::string& to, int field, std::string_view bytes) {
  append_varint(to, static_cast<std::uint64_t>(field) << 3U | 2U);
  append_varint(to, bytes.size());
  to += bytes;
}

// Fields of AttributeProto's `value`.
constexpr int int32_value = 7, int64_value = 9, bool_value = 27;

void append_attribute(std::string& node, std::string_view name, int field, std::uint64_t value) {
  std::string attribute;
  append_bytes(attribute, 1, name);
  append_number(attribute, field, value);
  append_bytes(node, 10, attribute);
}

/// Whole microseconds; of a time and not of a duration, so that roundings do not add up.
std::uint64_t whole_microseconds(Time time) {
  return static_cast<std::uint64_t>((time.count() + 500'000) / 1'000'000);
}

std::string name_of(const ScheduledTask& task) {
  if (task.kind == ScheduledTask::Kind::compute) return "compute";
  return task.kind == ScheduledTask::Kind::send
             ? fmt::format("message {} to {}", task.message->id, task.message->to)
             : fmt::format("message {} from {}", task.message->id, task.message->from);
}

int node_type(ScheduledTask::Kind kind) {
  constexpr int comp_node = 4, comm_send_node = 5, comm_recv_node = 6;
  if (kind == ScheduledTask::Kind::compute) return comp_node;
  return kind == ScheduledTask::Kind::send ? comm_send_node : comm_recv_node;
}

void append_message(std::string& node, const Transfer& message) {
  append_attribute(node, "comm_src", int32_value, static_cast<std::uint64_t>(message.from));
  append_attribute(node, "comm_dst", int32_value, static_cast<std::uint64_t>(message.to));
  append_attribute(node, "comm_tag", int32_value, message.id);
  // One without bytes is refused by ASTRA-sim's networks.
  append_attribute(node, "comm_size", int64_value, std::max<std::uint64_t>(1, message.bytes));
}

/// A Node: id 1, name 2, type 3, data_deps 5, duration_micros 7, attr 10.
std::string node_of(const ScheduledTask& task, std::size_t id) {
  std::string node;
  append_number(node, 1, id);
  append_bytes(node, 2, name_of(task));
  append_number(node, 3, static_cast<std::uint64_t>(node_type(task.kind)));
  std::string deps;
  for (const int before : task.after) append_varint(deps, static_cast<std::uint64_t>(before));
  if (!deps.empty()) append_bytes(node, 5, deps);
  if (task.kind == ScheduledTask::Kind::compute) {
    append_number(node, 7, whole_microseconds(task.until) - whole_microseconds(task.from));
  }
  append_attribute(node, "is_cpu_op", bool_value, 0);
  if (task.message != nullptr) append_message(node, *task.message);
  return node;
}

void append_record(std::string& file, std::string_view message) {
  append_varint(file, message.size());
  file += message;
}

std::string file_of(const std::vector<ScheduledTask>& tasks) {
  std::string metadata, file;
  append_bytes(metadata, 1, "0.0.4");  // the schema's version
  append_record(file, metadata);
  for (std::size_t i = 0; i < tasks.size(); ++i) append_record(file, node_of(tasks[i], i));
  return file;
}

}  // namespace

std::vector<std::string> chakra_traces(const Timeline& timeline) {
  check_messages(timeline.trace, "--chakra");
  std::vector<std::string> files;
  for (std::size_t rank = 0; rank < timeline.names.size(); ++rank) {
    files.push_back(file_of(rank_schedule(static_cast<int>(rank), timeline.trace)));
  }
  return files;
}

}  // namespace trainyard
