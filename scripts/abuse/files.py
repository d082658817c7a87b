"""Calls with malformed files: data, configurations, topologies, links, messages and values."""

import gzip
import struct
import zlib

from call import Call, Command
from flags import data_file

TOKENS = [
    b"nan", b"-inf", b"1e308", b"-1e308", b"1e309", b"1e-320", b"-0", b"99999999999999999999", b"2147483647", b"2147483648",
    b"4294967295", b"1000000000", b"9223372036854775807", b"-1", b"0", b"1:", b":1", b"1:1:1", b"0x10", b"1e", b".", b"+", b"-", b"\0",
    b"\0\0\0\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b[2J", b"%s%n", b"{}", b",", b",,,", b"\t", b" ", b"\r", b"\n\n", b"\"", b"'", b"#", b"[", b"]",
    b"=", b"[run]\n", b"inf", b"1_0", "é".encode(), "\u2028".encode(), b"true", b"1e999999999999", b"9" * 5000, b"a" * 5000,
]
CONFIGURATION = b"""[run]
scheme = "ring"
workers = 3
time = "virtual"
steps = 4
[data]
dataset = "data.svm"
[compute]
compute-time = "1ms"
[network]
latency = "1ms"
bandwidth = "1Gbps"
"""


def csv_file(draw):
    rows = [f"{draw.randint(0, 2)}," + ",".join(f"{draw.uniform(-9, 9):.3f}" for _ in range(5)) for _ in range(30)]
    return "\n".join(rows).encode() + b"\n"


def table_file(draw):
    """With a header line, words and fields that are missing."""
    fields = ["red", "blue", "", "NA", "?", '"a, b"', '"a ""b"""', "1.5", "7"]
    rows = [f"{draw.choice(['no', 'yes'])},{draw.choice(fields)},{draw.uniform(-9, 9):.3f}" for _ in range(30)]
    return "\n".join(["class,colour,size", *rows]).encode() + b"\n"


def npy_file(kind, shape, values):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + values


def npy_files(draw):
    """Features and labels of 20 rows."""
    features = npy_file("<f4", "(20, 3)", struct.pack("<60f", *(draw.uniform(-9, 9) for _ in range(60))))
    return features, npy_file("|u1", "(20,)", bytes(draw.randrange(3) for _ in range(20)))


def idx_files(draw):
    """Images and labels, 20 pictures of 4 by 4."""
    images = struct.pack(">IIII", 0x803, 20, 4, 4) + draw.randbytes(320)
    return images, struct.pack(">II", 0x801, 20) + bytes(draw.randrange(3) for _ in range(20))


def damaged(data, draw):
    """One to four kinds of damage to the bytes."""
    for _ in range(draw.choice([1, 1, 1, 2, 4])):
        data = draw.choice(DAMAGE)(bytearray(data), draw)[:1 << 21]
    return bytes(data)


def place(data, draw):
    return draw.randint(0, len(data))


def cut(data, draw):
    return data[:place(data, draw)]


def flip_bits(data, draw):
    for _ in range(draw.randint(1, 8) if data else 0):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    return data


def insert_token(data, draw):
    at = place(data, draw)
    return data[:at] + draw.choice(TOKENS) + data[at:]


def replace_number(data, draw):
    """A number of the text becomes another; in binary files a byte or four."""
    digits = [i for i, byte in enumerate(data) if chr(byte).isdigit()]
    if not digits:
        return insert_token(data, draw)
    begin = end = draw.choice(digits)
    while end < len(data) and chr(data[end]) in "0123456789.":
        end += 1
    while begin > 0 and chr(data[begin - 1]) in "0123456789.":
        begin -= 1
    return data[:begin] + draw.choice(TOKENS) + data[end:]


def huge_header(data, draw):
    at = 4 * draw.randrange(4)
    return data[:at] + draw.choice([b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\0\0\0\0", b"\x80\0\0\0"]) + data[at + 4:]


def remove_chunk(data, draw):
    begin, end = sorted((place(data, draw), place(data, draw)))
    return data[:begin] + data[end:]


def repeat_chunk(data, draw):
    begin, end = sorted((place(data, draw), place(data, draw)))
    times = draw.choice([1, 2, 1000])
    # No more than is kept in the end: gigabytes here would count as the program's, which begins as a copy of this one.
    times = min(times, (1 << 21) // max(1, end - begin) + 1)
    return data[:end] + data[begin:end] * times + data[end:]


def swap_lines(data, draw):
    lines = bytes(data).split(b"\n")
    draw.shuffle(lines)
    return bytearray(b"\n".join(lines))


def other_line_ends(data, draw):
    return bytearray(bytes(data).replace(b"\n", draw.choice([b"\r\n", b"\r", b"\n\n", b" ", b"\0", b""])))


def mark_at_begin(data, draw):
    return draw.choice([b"\xef\xbb\xbf", b"\xff\xfe", b"\0" * 512, b"\n" * 1000, b" " * 100000]) + data


def append(data, draw):
    return data + draw.choice([b"\0" * 512, b"\n" * 1000, b"x" * (1 << 20), b"1 " * 300000, b"#" * (1 << 20), b"\x1a"])


def empty(data, draw):
    return bytearray()


DAMAGE = [cut, flip_bits, insert_token, insert_token, replace_number, replace_number, replace_number, huge_header, remove_chunk,
          repeat_chunk, swap_lines, other_line_ends, mark_at_begin, append, empty]


def packed(data, draw):
    """As gzip: good, cut, with something behind it, damaged, or unpacking to much."""
    good = gzip.compress(bytes(data), mtime=0)
    kind = draw.randrange(6)
    if kind == 0:
        return good[:draw.randrange(len(good))]
    if kind == 1:
        return good + draw.choice([b"\0" * 512, b"x", b"\x1f\x8b", good, good[:9]])
    if kind == 2:
        return bytes(flip_bits(bytearray(good), draw))
    if kind == 3:
        return bomb(draw.choice([b"\0", b"1", b" ", b"\n", b"+1 1:1\n"]))
    return good


def bomb(unit):
    """About 60 kB that unpack to 60 MB."""
    squeezer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = unit * (1000000 // len(unit))
    return b"".join(squeezer.compress(block) for _ in range(60)) + squeezer.flush()


def data_call(draw):
    kind = draw.choice(["svm", "svm", "svm", "csv", "csv", "tsv", "idx", "npy"])
    files = {}
    name = "bad." + kind
    if kind == "idx":
        name = "bad-images-idx3-ubyte"
        images, labels = idx_files(draw)
        files["bad-labels-idx1-ubyte"] = damaged(labels, draw) if draw.random() < 0.4 else labels
        data = images
    elif kind == "npy":
        name = "X_bad.npy"
        data, labels = npy_files(draw)
        files["y_bad.npy"] = damaged(labels, draw) if draw.random() < 0.4 else labels
    elif kind == "svm":
        data = data_file(draw)
    else:
        data = draw.choice([csv_file, table_file])(draw)
        data = data.replace(b",", b"\t") if kind == "tsv" else data
    data = damaged(data, draw) if kind not in ("idx", "npy") or draw.random() < 0.7 else data
    if draw.random() < 0.25:
        data, name = packed(data, draw), name + ".gz"
    files[name] = data
    words = ["run", "--dataset", name, "--time", "virtual", "--compute-time", "1ms", "--steps", "3",
             "--workers", draw.choice(["1", "2", "4"])]
    words += draw.choice([[], [], ["--test", "every-fifth"], ["--test", name], ["--model", "mlp:4"], ["--optimizer", "adam"],
                          ["--scheme", draw.choice(["gossip", "hogwild", "ps-async", "dc-asgd-a"])], ["--json"],
                          ["--partition", draw.choice(["shards", "dirichlet:0.1", "label-quantity:1", "size:0.5", "by:0", "by:1", "by:-1"])], ["--label-column", "3"], ["--missing", draw.choice(["mean", "drop"])],
                          ["--scale", draw.choice(["standard", "minmax", "unit-rows"])], ["--intercept"], ["--header", "yes"]])
    return Call(f"data: {kind}", [Command(words)], files, accepted=(0, 1, 2, 3, 4))


def configuration_call(draw, configuration):
    """Of a small one by hand, or of a whole one as the program writes it."""
    data = damaged(draw.choice([CONFIGURATION, CONFIGURATION, configuration]), draw)
    words = draw.choice([["run", "bad.toml"], ["run", "bad.toml"], ["compare", "bad.toml", "--schemes", "ring,gossip"]])
    return Call("configuration", [Command([*words, "--quiet"])], {"bad.toml": data, "data.svm": data_file(draw)},
                accepted=(0, 1, 2, 3, 4), may_last=True, outputs=(".",))


def topology_call(draw):
    weighted = "".join(f"{i} {(i + 1) % 4} 0.25\n{(i + 1) % 4} {i} 0.25\n" for i in range(4))
    plain = "# a ring\n" + "".join(f"{i} {(i + 1) % 4}\n" for i in range(4))
    data = damaged(draw.choice([weighted, plain]).encode(), draw)
    name = draw.choice(["file:", "digraph:"]) + "bad.txt"
    words = draw.choice([
        ["topology", name, "--workers", "4", "--json"], ["topology", name, "--workers", "4", "--svg", "figure.svg"],
        ["consensus", "--topology", name, "--workers", "4", "--json"],
        ["run", "--scheme", draw.choice(["gossip", "sgp", "relay-sum", "matcha"]), "--topology", name, "--workers", "4",
         "--dataset", "data.svm", "--time", "virtual", "--compute-time", "1ms", "--steps", "3"],
    ])
    return Call("topology file", [Command(words)], {"bad.txt": data, "data.svm": data_file(draw)}, outputs=("figure.svg",),
                accepted=(0, 1, 2, 3, 4))


def links_call(draw):
    data = damaged(b"# from,to,latency,bandwidth\n0,1,5ms,1Mbps\n1,2,1ms,infinite\n2,0,0s,10MB/s\n", draw)
    words = draw.choice([
        ["predict", "--workers", "4", "--schemes", "ring,gossip", "--links", "bad.csv", "--json"],
        ["run", "--dataset", "data.svm", "--time", "virtual", "--compute-time", "1ms", "--steps", "3", "--workers", "4",
         "--links", "bad.csv", "--json"],
    ])
    return Call("links file", [Command(words)], {"bad.csv": data, "data.svm": data_file(draw)}, accepted=(0, 1, 2, 3, 4))


def messages_call(draw):
    data = damaged(b"# time from to bytes\n0 0 1 1000\n0.5 1 2 2000\n0.5 2 0 1\n3 0 3 1000000\n", draw)
    words = ["timeline", "bad.txt", *draw.choice([[], ["--json"], ["--svg", "figure.svg"], ["--workers", "4"]])]
    return Call("messages file", [Command(words)], {"bad.txt": data}, outputs=("figure.svg",), accepted=(0, 1, 2, 3))


def values_call(draw):
    data = damaged(b"# a number for each\n1\n-2.5\n3e3\n0\n", draw)
    words = ["consensus", "--workers", "4", "--from", "bad.txt", *draw.choice([[], ["--json"], ["--topology", "full"]])]
    return Call("values file", [Command(words)], {"bad.txt": data}, accepted=(0, 1, 2, 3))


def data_files(draw):
    while True:
        yield data_call(draw)


def other_files(draw, configuration):
    while True:
        yield configuration_call(draw, configuration)
        yield topology_call(draw)
        yield draw.choice([links_call, messages_call, values_call])(draw)
