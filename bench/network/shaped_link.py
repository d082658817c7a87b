"""Processes over a real TCP network of a set bandwidth, against what Trainyard predicts.

  shaped_link.py BUILD [--runs R]

BUILD is the folder with trainyard and trainyard-mpi. Each process gets a network namespace of its
own, all are linked to a bridge in one more, and both ends of each link are shaped by tbf to the
same rate: a port that sends and one that receives. trainyard-mpi trains there, started by mpirun.
Root makes the namespaces, which nothing leaves and which are deleted in the end.

A frame of 1514 bytes, as tbf counts it, carries 1448 bytes of messages; the rest are the headers of
Ethernet, IP and TCP. So the prediction's bandwidth is the rate times 1448/1514. Its latency is half
of a round trip of four bytes, its compute time that of `sequential`, both measured here.

Exit status 77: this machine has no namespaces, no tbf or no trainyard-mpi, or it is not root's.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

HERE = pathlib.Path(__file__).parent
SKIPPED = 77
PAYLOAD = 1448 / 1514
# What a message may be to leave at once. Above it OpenMPI asks the receiver first, whose answer
# probably waits behind what it sends itself: a ring of two then takes up to twice as long.
EAGER_BYTES = 32 << 20


@dataclass
class Rate:
    """Of a link. The bucket is what may pass at line speed after a pause: a hundredth of a message and
    less, and so much that a late timer does not matter. As much is one packet, of so many frames."""
    bits: float
    bucket: int
    frames: int
    hidden: int  # units of the model
    steps: int

    @property
    def parameters(self):
        return self.hidden * (64 + 1) + 10 * (self.hidden + 1)

    def model(self):
        return ["--dataset", "blobs", "--model", f"mlp:{self.hidden}", "--batch", "1", "--lr", "0.0001"]


RATES = {
    "10Mbps": Rate(10e6, 3200, 1, 3500, 4),
    "100Mbps": Rate(100e6, 32000, 10, 12000, 6),
    "1Gbps": Rate(1e9, 100000, 30, 35000, 20),
}


@dataclass
class Case:
    scheme: str
    workers: int
    servers: int = 0
    codec: str = ""
    eager: bool = True

    @property
    def processes(self):
        return self.workers + self.servers

    def flags(self):
        return ["--workers", str(self.workers), *(["--codec", self.codec] if self.codec else [])]

    def text(self):
        ranks = f"{self.workers} + {self.servers}" if self.servers else str(self.workers)
        codec = f", `{self.codec}`" if self.codec else ""
        return f"`{self.scheme}`{codec}, {ranks}{'' if self.eager else ', OpenMPI as it comes'}"


CASES = [
    Case("ring", 2),
    Case("ring", 3),
    Case("ps-sync", 1, 1),
    Case("ps-sync", 2, 1),
    Case("double-squeeze", 1, 1, "qsgd:127"),
    Case("double-squeeze", 2, 1, "qsgd:127"),
    Case("ring", 2, eager=False),
]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def command(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise OSError(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


class Star:
    """Namespaces trainyard-PID-0, -1, … around trainyard-PID-bridge. Use it in a with statement."""

    def __init__(self, hosts, rate, folder):
        self.names = [f"trainyard-{os.getpid()}-{host}" for host in range(hosts)]
        self.bridge = f"trainyard-{os.getpid()}-bridge"
        self.rate, self.folder = rate, folder

    def __enter__(self):
        try:
            command("ip", "netns", "add", self.bridge)
            command("ip", "-n", self.bridge, "link", "add", "bridge", "type", "bridge")
            command("ip", "-n", self.bridge, "link", "set", "bridge", "up")
            for host, name in enumerate(self.names):
                self.link(host, name)
        except OSError as error:
            self.__exit__()
            skip(f"no namespaces, or no tbf: {error}")
        # mpirun starts its daemons by it as by ssh: AGENT HOST COMMAND…
        self.agent = self.folder / "agent"
        self.agent.write_text(f"""#!/bin/sh
host=$((${{1##*.}} - 1))
shift
mkdir -p "{self.folder}/$host"
exec ip netns exec trainyard-{os.getpid()}-$host unshare --uts -- sh -c \\
  "hostname host-$host; export TMPDIR={self.folder}/$host; $*"
""")
        self.agent.chmod(0o755)
        return self

    def link(self, host, name):
        port = f"port{host}"
        command("ip", "netns", "add", name)
        command("ip", "link", "add", "eth0", "netns", name, "type", "veth", "peer", "name", port,
                "netns", self.bridge)
        command("ip", "-n", name, "addr", "add", f"10.91.0.{host + 1}/24", "dev", "eth0")
        command("ip", "-n", name, "link", "set", "lo", "up")
        # Two packets of 64 KiB in the queue would hold up acknowledgements for 100 ms at 10 Mbps.
        command("ip", "-n", name, "link", "set", "eth0", "gso_max_segs", self.rate.frames)
        command("ip", "-n", name, "link", "set", "eth0", "up")
        command("ip", "-n", self.bridge, "link", "set", port, "master", "bridge", "up")
        # Windows are open from the start, as between hosts that have talked for a while.
        command("ip", "-n", name, "route", "change", "10.91.0.0/24", "dev", "eth0", "src",
                f"10.91.0.{host + 1}", "initcwnd", 1000, "initrwnd", 1000)
        for setting in ("tcp_slow_start_after_idle=0", "tcp_rmem=4096 4194304 16777216",
                        "tcp_wmem=4096 4194304 16777216"):
            command("ip", "netns", "exec", name, "sysctl", "-q", "-w", f"net.ipv4.{setting}")
        # So long a queue that nothing is ever dropped.
        shape = ["root", "tbf", "rate", f"{self.rate.bits:.0f}bit", "burst", f"{self.rate.bucket}b",
                 "limit", "64mb"]
        command("tc", "-n", name, "qdisc", "add", "dev", "eth0", *shape)
        command("tc", "-n", self.bridge, "qdisc", "add", "dev", port, *shape)

    def __exit__(self, *_):
        for name in [*self.names, self.bridge]:
            subprocess.run(["ip", "netns", "delete", name], stderr=subprocess.DEVNULL, check=False)

    def mpirun(self, processes, *program, eager=True):
        """Of the first so many hosts, a process on each. What rank 0 printed."""
        hosts = ",".join(f"10.91.0.{host + 1}:1" for host in range(processes))
        # Yields: hosts share the machine's cores, and the kernel's part of TCP needs them, too.
        settings = {"plm_rsh_agent": self.agent, "pml": "ob1", "btl": "tcp,self",
                    "mpi_yield_when_idle": 1,
                    "btl_tcp_if_include": "10.91.0.0/24", "oob_tcp_if_include": "10.91.0.0/24"}
        if eager:
            for limit in ("eager_limit", "rndv_eager_limit", "max_send_size"):
                settings[f"btl_tcp_{limit}"] = EAGER_BYTES
        words = [word for name, value in settings.items() for word in ("--mca", name, value)]
        return command("ip", "netns", "exec", self.names[0], "env", "OMPI_ALLOW_RUN_AS_ROOT=1",
                       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", f"TMPDIR={self.folder}", "mpirun", "-np",
                       processes, "--host", hosts, "--bind-to", "none", *words, *program)


def compute_seconds(build, rate):
    """Of a step of a worker alone."""
    done = json.loads(command(build / "trainyard", "run", "--scheme", "sequential", "--time", "wall",
                              *rate.model(), "--steps", 100, "--json", "--quiet"))
    return done["seconds"] / done["steps"]


def measured(build, star, case):
    """Seconds of a step."""
    rate = star.rate
    done = json.loads(star.mpirun(
        case.processes, build / "trainyard-mpi", "run", "--scheme", case.scheme, *case.flags(),
        *rate.model(), "--steps", rate.steps, "--json", "--quiet", eager=case.eager))
    return done["seconds"] / done["steps"]


def predicted(build, rate, case, latency, compute):
    """Seconds of a step: from lockstep, and in a long run."""
    row = json.loads(command(
        build / "trainyard", "predict", "--schemes", case.scheme, *case.flags(), "--size",
        f"{4 * rate.parameters}B", "--batch", 1, "--latency", f"{latency * 1e9:.0f}ns",
        "--bandwidth", f"{rate.bits * PAYLOAD:.0f}bps", "--compute-time", f"{compute * 1e9:.0f}ns",
        "--json"))["rows"][0]
    return row["closed_form_s"], row["step_s"]


def report(build, star, name, case, runs, latency, compute):
    times = [measured(build, star, case) for _ in range(runs)]
    here = statistics.median(times)
    compared = [f"{1e3 * expected:.1f} ms, {100 * (here / expected - 1):+.1f} %"
                for expected in predicted(build, star.rate, case, latency, compute)]
    print(f"| {name} | {case.text()} | {1e3 * here:.1f} ms ({1e3 * min(times):.1f} … "
          f"{1e3 * max(times):.1f}) | {' | '.join(compared)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="folder with trainyard and trainyard-mpi")
    parser.add_argument("--runs", type=int, default=3, help="of each, of which the median counts [3]")
    parser.add_argument("--rates", default=",".join(RATES), help="of " + ", ".join(RATES))
    options = parser.parse_args()
    for name in options.rates.split(","):
        if name not in RATES:
            parser.error(f"--rates: no '{name}'; known are {', '.join(RATES)}")
    if options.runs < 1:
        parser.error(f"--runs {options.runs}: one run at least")
    build = options.build.resolve()
    if os.geteuid() != 0:
        skip("namespaces need root")
    for program in ("ip", "tc", "unshare", "mpirun", "mpicxx", build / "trainyard-mpi"):
        if shutil.which(program) is None:
            skip(f"no {program}; Debian's packages are iproute2, openmpi-bin and libopenmpi-dev")
    print("| rate | scheme, processes | measured | `predict`, from lockstep | `predict`, sustained |\n"
          "|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        ping_pong = folder / "ping_pong"
        command("mpicxx", "-O2", "-o", ping_pong, HERE / "ping_pong.cpp")
        for name in options.rates.split(","):
            compute = compute_seconds(build, RATES[name])
            with Star(max(case.processes for case in CASES), RATES[name], folder) as star:
                latency = float(star.mpirun(2, ping_pong))
                print(f"| {name} | α = {1e6 * latency:.0f} µs, c = {1e3 * compute:.1f} ms | | | |")
                for case in CASES:
                    report(build, star, name, case, options.runs, latency, compute)


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(f"shaped_link.py: {error}")
