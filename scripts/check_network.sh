#!/usr/bin/env bash
# Is the simulated network right? The tables of docs/network.md, made again.
#
#   scripts/check_network.sh simgrid [--short]   the same messages simulated by SimGrid (Debian's libsimgrid-dev):
#                                                what is equal, what is not and by how much; 10 minutes
#   scripts/check_network.sh link [FLAG…]        processes over TCP between network namespaces, shaped by tbf, against
#                                                what is predicted; needs root, iproute2 and OpenMPI, 10 minutes;
#                                                --rates 10Mbps,1Gbps and --runs R make it shorter
#
# Says what is missing, and then ends with 77. bench/network/ has what it runs.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'
}

command -v python3 >/dev/null || {
  echo "check_network.sh: it needs python3" >&2
  exit 1
}
case ${1:-} in
  simgrid)
    shift
    ./scripts/install_dependencies.sh
    ./scripts/build.sh release trainyard >&2
    PYTHONDONTWRITEBYTECODE=1 python3 bench/network/simgrid.py build/release/trainyard "$@"
    ;;
  link)
    shift
    ./scripts/install_dependencies.sh --mpi
    ./scripts/build.sh release trainyard trainyard-mpi >&2
    PYTHONDONTWRITEBYTECODE=1 python3 bench/network/shaped_link.py build/release "$@"
    ;;
  -h | --help) usage ;;
  *)
    echo "check_network.sh: '${1:-}' is not simgrid or link" >&2
    exit 2
    ;;
esac
