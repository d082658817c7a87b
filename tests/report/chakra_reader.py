#!/usr/bin/env python3
"""protobuf's own parser reads what --chakra writes of every scheme, and who runs it comes to the timeline's end.

    chakra_reader.py PROGRAM

The messages are those of MLCommons' schema, as far as they are used, by their numbers. A node runs once all of its
data_deps are over, one computation and one message that is sent at a time a rank, as in ASTRA-sim; what a message takes, and how
long it holds who sends it, is the network's, here that of `--ports cutthrough`. Says "skipped" and ends with status 77 where protobuf is missing.
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

#: A message without bytes, which is free and not in the files, may wait at a port, and what is behind it then does, too.
SOONER = {"decoupled-diloco"}


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
    """When the last node is over, and when each message has arrived, by its tag; in picoseconds, as are the
    latency and the time of a byte: whole ones, so that who comes first of two is no matter of rounding."""
    over = [{} for _ in ranks]           # by rank, of a node: when
    followers = [{} for _ in ranks]      # by rank, of a node: those that wait for it
    missing = [[len(node.data_deps) for node in nodes] for nodes in ranks]
    said = [[attributes(node) for node in nodes] for nodes in ranks]
    computing, sending, receiving = ([0] * len(ranks) for _ in range(3))
    sent, awaited, arrived = {}, {}, {}  # by tag: when its first byte is there; the (rank, node) that receives it; when it has
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
        at = max([over[rank][before] for before in node.data_deps], default=0)
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
            over[rank][place] = computing[rank] = at + 10**6 * node.duration_micros
        elif node.type == SEND:
            assert what["comm_src"] == rank and not what["is_cpu_op"]
            over[rank][place] = at
            sending[rank] = at + what["comm_size"] * a_byte
            sent[what["comm_tag"]] = at + latency
            if what["comm_tag"] in awaited:
                ready.add(awaited.pop(what["comm_tag"]))
        else:
            assert what["comm_dst"] == rank
            over[rank][place] = receiving[rank] = arrived[what["comm_tag"]] = at + what["comm_size"] * a_byte
        for later in followers[rank].get(place, []):
            missing[rank][later] -= 1
            if not missing[rank][later]:
                may_begin(rank, later)
    assert [len(ends) for ends in over] == [len(nodes) for nodes in ranks], "the ranks wait for each other"
    return max(max(ends.values(), default=0) for ends in over), arrived


def look_at(what, flags, classes, folder):
    """False where it has no timeline, or none that can be written."""
    prefix = folder / what.replace(":", "-")
    done = subprocess.run([PROGRAM, "timeline", what, *flags, "--ports", "cutthrough", "--chakra", prefix, "--json"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        assert "takes no time here" in done.stderr or "no message" in done.stderr or "share" in done.stderr, (what, done.stderr)
        print(f"{what}: {done.stderr.strip()}")
        return False
    timeline = json.loads(done.stdout)
    files = sorted(folder.glob(f"{prefix.name}.*.et"), key=lambda file: int(file.suffixes[-2][1:]))
    assert len(files) == len(timeline["ranks"])
    ranks = []
    for file in files:
        metadata, nodes = messages_of(file, *classes)
        assert metadata.version == "0.0.4"
        assert [node.id for node in nodes] == list(range(len(nodes)))
        ranks.append(nodes)
    sent = sum(node.type == SEND for nodes in ranks for node in nodes)
    assert sent == sum(one["bytes"] > 0 or one["end"] > one["start"] for one in timeline["messages"]), what
    took, arrived = end_of(ranks, round(1e12 * timeline["latency_s"]), round(1e12 / timeline["bandwidth_bytes_per_s"]))
    began, until = timeline["from"], timeline["makespan"]
    near = 2e-6 * max(len(nodes) for nodes in ranks)  # microseconds are rounded
    for tag, at in arrived.items():
        late = began + 1e-12 * at - timeline["messages"][tag]["end"]
        assert abs(late) < near or (what in SOONER and late < 0.0), (what, tag, at)
    # Who waits for nothing more at the end has nothing to do there.
    assert max(arrived.values(), default=0) <= took < 1e12 * (until + near), (what, took, until)
    print(f"{what}: {len(ranks)} ranks, {sent} messages, {1e-12 * took:.6f} s")
    return True


if __name__ == "__main__":
    made = schema()
    listed = json.loads(subprocess.run([PROGRAM, "list", "schemes", "--json"], check=True, capture_output=True).stdout)
    names = [scheme["name"] for scheme in listed["schemes"]]
    with tempfile.TemporaryDirectory() as name:
        for each in ("ring", "ps-sync", "gossip:one-peer-exp", "gossip:ring", "ddp"):
            assert look_at(each, ["--workers", "16"], made, Path(name))
        every = Path(name) / "every"
        every.mkdir()
        assert sum(look_at(each, [], made, every) for each in names) > 100
