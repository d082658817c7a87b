#!/usr/bin/env python3
"""protobuf's own parser reads what --chakra writes, and ASTRA-sim's way to run it comes to the timeline's end.

    chakra_reader.py PROGRAM

The messages are those of MLCommons' schema, as far as they are used, by their numbers. ASTRA-sim runs a node once all of its
data_deps are over, one computation and one message that is sent at a time a rank; what a message takes is the network's, here
that of `--ports cutthrough`. Says "skipped" and ends with status 77 where protobuf is missing.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    from google.protobuf.internal.decoder import _DecodeVarint
except ImportError:
    print("skipped: no protobuf for Python")
    sys.exit(77)

PROGRAM = sys.argv[1]
COMPUTE, SEND, RECEIVE = 4, 5, 6


def schema():
    """The classes GlobalMetadata and Node."""
    kinds = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="et_def.proto", package="ChakraProtoMsg", syntax="proto3")

    def add(name, fields):
        message = file.message_type.add(name=name)
        for field, number, kind, *repeated in fields:
            made = message.field.add(name=field, number=number, label=3 if repeated else 1)
            if isinstance(kind, str):
                made.type, made.type_name = kinds.TYPE_MESSAGE, f".ChakraProtoMsg.{kind}"
            else:
                made.type = kind
        return message

    value = add("AttributeProto", [("name", 1, kinds.TYPE_STRING), ("int32_val", 7, kinds.TYPE_INT32),
                                   ("int64_val", 9, kinds.TYPE_INT64), ("bool_val", 27, kinds.TYPE_BOOL)])
    value.oneof_decl.add(name="value")
    for field in value.field[1:]:
        field.oneof_index = 0
    add("GlobalMetadata", [("version", 1, kinds.TYPE_STRING), ("attr", 2, "AttributeProto", True)])
    add("Node", [("id", 1, kinds.TYPE_UINT64), ("name", 2, kinds.TYPE_STRING), ("type", 3, kinds.TYPE_INT32),
                 ("ctrl_deps", 4, kinds.TYPE_UINT64, True), ("data_deps", 5, kinds.TYPE_UINT64, True),
                 ("start_time_micros", 6, kinds.TYPE_UINT64), ("duration_micros", 7, kinds.TYPE_UINT64),
                 ("attr", 10, "AttributeProto", True)])
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    class_of = getattr(message_factory, "GetMessageClass", None) or message_factory.MessageFactory(pool).GetPrototype
    return [class_of(pool.FindMessageTypeByName(f"ChakraProtoMsg.{name}")) for name in ("GlobalMetadata", "Node")]


def messages_of(file, first_class, other_class):
    data, at, read = file.read_bytes(), 0, []
    while at < len(data):
        size, at = _DecodeVarint(data, at)
        message = (other_class if read else first_class)()
        assert message.ParseFromString(data[at:at + size]) == size
        assert not message.UnknownFields() if hasattr(message, "UnknownFields") else True
        read.append(message)
        at += size
    return read[0], read[1:]


def attributes(node):
    return {one.name: getattr(one, one.WhichOneof("value")) for one in node.attr}


def end_of(ranks, latency, a_byte):
    """When the last node is over, in seconds."""
    over = [{} for _ in ranks]           # by rank, of a node: when
    followers = [{} for _ in ranks]      # by rank, of a node: those that wait for it
    missing = [[len(node.data_deps) for node in nodes] for nodes in ranks]
    said = [[attributes(node) for node in nodes] for nodes in ranks]
    computing, sending, receiving = ([0.0] * len(ranks) for _ in range(3))
    sent, awaited = {}, {}               # by tag: when its first byte is there; the (rank, node) that receives it
    ready = set()

    def may_begin(rank, place):
        node = ranks[rank][place]
        tag = said[rank][place].get("comm_tag")
        if node.type == RECEIVE and tag not in sent:
            awaited[tag] = (rank, place)
        else:
            ready.add((rank, place))

    def begins(rank, place):
        node = ranks[rank][place]
        at = max([over[rank][before] for before in node.data_deps], default=0.0)
        if node.type == RECEIVE:
            return max(at, sent[said[rank][place]["comm_tag"]], receiving[rank])
        return max(at, (computing if node.type == COMPUTE else sending)[rank])

    for rank, nodes in enumerate(ranks):
        for place, node in enumerate(nodes):
            for before in node.data_deps:
                followers[rank].setdefault(before, []).append(place)
            if not node.data_deps:
                may_begin(rank, place)
    while ready:
        at, rank, place = min((begins(*one), *one) for one in ready)
        ready.remove((rank, place))
        node, what = ranks[rank][place], said[rank][place]
        if node.type == COMPUTE:
            over[rank][place] = computing[rank] = at + 1e-6 * node.duration_micros
        elif node.type == SEND:
            assert what["comm_src"] == rank and not what["is_cpu_op"]
            over[rank][place] = at
            sending[rank] = at + what["comm_size"] * a_byte
            sent[what["comm_tag"]] = at + latency
            if what["comm_tag"] in awaited:
                ready.add(awaited.pop(what["comm_tag"]))
        else:
            assert what["comm_dst"] == rank
            over[rank][place] = receiving[rank] = at + what["comm_size"] * a_byte
        for later in followers[rank].get(place, []):
            missing[rank][later] -= 1
            if not missing[rank][later]:
                may_begin(rank, later)
    assert [len(ends) for ends in over] == [len(nodes) for nodes in ranks], "the ranks wait for each other"
    return max(max(ends.values()) for ends in over)


def look_at(what, classes, folder):
    prefix = folder / what.replace(":", "-")
    done = subprocess.run([PROGRAM, "timeline", what, "--workers", "16", "--ports", "cutthrough", "--chakra", prefix, "--json"],
                          check=True, capture_output=True, text=True)
    timeline = json.loads(done.stdout)
    files = sorted(folder.glob(f"{prefix.name}.*.et"), key=lambda file: int(file.suffixes[-2][1:]))
    ranks = []
    for file in files:
        metadata, nodes = messages_of(file, *classes)
        assert metadata.version == "0.0.4"
        assert [node.id for node in nodes] == list(range(len(nodes)))
        ranks.append(nodes)
    sent = sum(node.type == SEND for nodes in ranks for node in nodes)
    assert sent == len(timeline["messages"]) and sent > 0
    longest = max(node.duration_micros for nodes in ranks for node in nodes)
    took = end_of(ranks, timeline["latency_s"], 1.0 / timeline["bandwidth_bytes_per_s"])
    assert abs(took - timeline["makespan"]) < 2e-6 * max(len(nodes) for nodes in ranks), (what, took, timeline["makespan"])
    assert took > 1e-6 * longest
    print(f"{what}: {len(ranks)} ranks, {sent} messages, {took:.6f} s")


if __name__ == "__main__":
    made = schema()
    with tempfile.TemporaryDirectory() as name:
        for each in ("ring", "ps-sync", "gossip:one-peer-exp", "gossip:ring", "ddp"):
            look_at(each, made, Path(name))
