#!/usr/bin/env bash
# How fast Trainyard is, against its peers and with more ranks, on this machine.
#
#   scripts/bench.sh [--quick] [NAME…]     one table: work, peer's figure, ours, ratio, floor, met?
#   scripts/bench.sh scaling [FLAG…]       throughput and time to target against ranks; FLAGs go to
#                                          `trainyard compare`, like --dataset a9a --seeds 5 --format csv
#
# NAMEs: pytorch codecs scikit_learn liblinear openmpi simgrid quoted; without any, all of them: about 20 minutes on
# 2 cores, 5 with --quick. Each is a script of bench/peers, which says what it compares and why that
# is fair. What is not installed is skipped and named; scripts/install_dependencies.sh --peers
# installs all of it. Leave the machine alone meanwhile.
#
# Results go to bench/results/MACHINE/DATE.csv; --out DIR puts them elsewhere.
# SCHEMES=sequential,ring chooses what `scaling` runs.
set -euo pipefail
cd "$(dirname "$0")/.."

names=(pytorch codecs scikit_learn liblinear openmpi simgrid quoted)
build=$PWD/build/bench

# Processor and cores, like amd-epyc-2.
machine() {
  local model
  model=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -1)
  printf '%s-%s' "${model:-$(uname -m)}" "$(nproc)" |
    tr '[:upper:]' '[:lower:]' | sed -E 's/\((r|tm)\)|cpu|processor|@.*ghz//g; s/[^a-z0-9]+/-/g'
}

usage() {
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'
}

# Debian's own Python: another one in front of it on the path does not see the distribution's packages.
python() {
  env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE TRAINYARD_BUILD="$build" PYTHONDONTWRITEBYTECODE=1 \
    /usr/bin/python3 "$@"
}

compare() {
  local results quick=() chosen=()
  results=bench/results/$(machine)
  while [[ $# -gt 0 ]]; do
    case $1 in
      --quick) quick=(--quick) ;;
      --out)
        results=${2:?--out needs a directory}
        shift
        ;;
      *)
        [[ " ${names[*]} " == *" $1 "* ]] || {
          echo "bench.sh: no comparison '$1'; known: scaling ${names[*]}" >&2
          exit 2
        }
        chosen+=("$1")
        ;;
    esac
    shift
  done
  [[ ${#chosen[@]} -gt 0 ]] || chosen=("${names[@]}")
  [[ -x /usr/bin/python3 ]] || {
    echo "bench.sh: the comparisons need python3: scripts/install_dependencies.sh --peers" >&2
    exit 1
  }
  [[ -e /usr/include/benchmark/benchmark.h || -e /usr/local/include/benchmark/benchmark.h ]] || {
    echo "bench.sh: Google Benchmark is missing: scripts/install_dependencies.sh --peers" >&2
    exit 1
  }
  ./scripts/install_dependencies.sh
  ./scripts/build.sh bench

  # Two ranks on two cores have no room for a third process.
  awk '$1 > 0.5 { print "note: this machine is busy (load " $1 "): figures will be too low, and uneven" }' \
    /proc/loadavg
  local file
  mkdir -p "$results"
  file=$results/$(date -u +%Y-%m-%d-%H%M).csv
  rm -f "$file"
  for name in "${chosen[@]}"; do
    echo "$name:"
    python "bench/peers/$name.py" --csv "$file" "${quick[@]}" ||
      echo "skipped: the rest of $name failed"
  done
  [[ -s "$file" ]] || exit 1
  echo
  python bench/peers/table.py "$file"
  echo "written to $file"
}

# Cores, and twice as many ranks: what sharing them costs shows, too.
scaling() {
  local cores ranks=1 n flags=(--dataset blobs --model "mlp:256,128" --lr 0.05 --epochs 50 --target-loss 0.3)
  [[ $# -eq 0 ]] || flags=("$@")
  ./scripts/install_dependencies.sh
  ./scripts/build.sh release trainyard
  cores=$(nproc)
  for ((n = 2; n < cores; n *= 2)); do ranks+=",$n"; done
  [[ "$cores" -eq 1 ]] || ranks+=",$cores"
  build/release/trainyard compare --time wall --latency 0us --bandwidth infinite \
    --schemes "${SCHEMES:-sequential,ring,ps-sync,hogwild,gossip}" --vary "workers=$ranks,$((2 * cores))" "${flags[@]}"
}

case ${1:-} in
  -h | --help) usage ;;
  scaling)
    shift
    scaling "$@"
    ;;
  *) compare "$@" ;;
esac
