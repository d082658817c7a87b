#!/usr/bin/env bash
# How fast Trainyard is, against its peers and with more ranks, on this machine.
#
#   scripts/bench.sh [--pairs N] [NAME…]   one table: work, peer's figure, ours, ratio, floor, met?
#   scripts/bench.sh scaling [FLAG…]       throughput and time to target against ranks, the laws of Amdahl and
#                                          Gunther fitted to it (bench/scaling.py), its share of what as many
#                                          independent copies of one rank do (bench/copies.py), and a figure;
#                                          FLAGs go to `trainyard compare`, like --dataset a9a --seeds 5 --format csv
#
# NAMEs: pytorch splits codecs products scikit_learn liblinear openmpi mpi simgrid; without any, all of them:
# 15 minutes on 2 cores with three turns of each side (--pairs), and longer at first, when all is built and
# the peers' fastest settings are tried, to be kept in build/bench/settings.json. Each is a script of
# bench/peers, which says what it compares and why that is fair. What is not installed is skipped and named;
# scripts/install_dependencies.sh --peers installs all of it. Leave the machine alone meanwhile.
#
# Results go to bench/results/MACHINE/DATE.csv, the figure of `scaling` to scaling-DATE.svg there; --out DIR
# puts them elsewhere, and keeps the runs of `scaling`. SCHEMES=sequential,ring chooses what `scaling` runs.
set -euo pipefail
cd "$(dirname "$0")/.."

names=(pytorch splits codecs products scikit_learn liblinear openmpi mpi simgrid)
build=$PWD/build/bench

# The first value of a name in /proc/cpuinfo.
processor() {
  sed -n "s/^$1[[:space:]]*: //p" /proc/cpuinfo | head -1
}

# Processor and cores, like intel-core-i7-9700k-8. Virtual machines hide the model's number in the name;
# then family and model say which it is: intel-xeon-6-167-2.
machine() {
  local model
  model=$(processor 'model name' | sed -E 's/@.*GHz//')
  [[ -z $model || $model == *[0-9]* ]] || model+=" $(processor 'cpu family')-$(processor model)"
  printf '%s-%s' "${model:-$(uname -m)}" "$(nproc)" |
    tr '[:upper:]' '[:lower:]' | sed -E 's/\((r|tm)\)|cpu|processor//g; s/[^a-z0-9]+/-/g'
}

usage() {
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'
}

# Debian's own Python: another one in front of it on the path does not see the distribution's packages.
python() {
  TRAINYARD_BUILD="$build" PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$@"
}

compare() {
  local results pairs=() chosen=()
  results=bench/results/$(machine)
  while [[ $# -gt 0 ]]; do
    case $1 in
      --pairs)
        pairs=(--pairs "${2:?--pairs needs a number}")
        shift
        ;;
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
  [[ ! -e $build/settings.json ]] ||
    echo "note: peers have the settings that were the fastest on $(date -r "$build/settings.json" +%F);" \
      "without build/bench/settings.json all are tried again"
  local file
  mkdir -p "$results"
  file=$results/$(date -u +%Y-%m-%d-%H%M).csv
  rm -f "$file"
  for name in "${chosen[@]}"; do
    echo "$name:"
    SECONDS=0
    python "bench/peers/$name.py" --csv "$file" "${pairs[@]}" ||
      echo "skipped: the rest of $name failed"
    echo "$name took $SECONDS s"
  done
  [[ -s "$file" ]] || exit 1
  echo
  python bench/peers/table.py "$file"
  echo "written to $file"
}

# Cores, and twice as many ranks: what sharing them costs shows, too.
scaling() {
  local cores ranks=1 n runs='' figure flags=() code=0 to=1
  while [[ $# -gt 0 ]]; do
    case $1 in
      --out)
        runs=${2:?--out needs a directory}
        shift
        ;;
      --out=*) runs=${1#--out=} ;;
      *)
        [[ $1 != --json && $1 != --format* ]] || to=2 # others read standard output
        flags+=("$1")
        ;;
    esac
    shift
  done
  [[ ${#flags[@]} -gt 0 ]] ||
    flags=(--dataset blobs --model "mlp:256,128" --lr 0.05 --epochs 50 --target-loss 0.3)
  if [[ -n $runs ]]; then
    figure=$runs/scaling.svg
  else
    figure=bench/results/$(machine)/scaling-$(date -u +%Y-%m-%d-%H%M).svg
    temporary=$(mktemp -d)
    trap 'rm -rf "$temporary"' EXIT
    runs=$temporary/runs
  fi
  ./scripts/install_dependencies.sh
  ./scripts/build.sh release trainyard
  cores=$(nproc)
  for ((n = 2; n < cores; n *= 2)); do ranks+=",$n"; done
  [[ "$cores" -eq 1 ]] || ranks+=",$cores"
  build/release/trainyard compare --time wall --latency 0us --bandwidth infinite \
    --schemes "${SCHEMES:-sequential,ring,ps-sync,hogwild,gossip}" --vary "workers=$ranks,$((2 * cores))" \
    --out "$runs" "${flags[@]}" || code=$?
  [[ $code -eq 0 || $code -eq 4 ]] || exit "$code" # 4: a run diverged, and is kept
  [[ -x /usr/bin/python3 ]] || {
    echo "no fit: it needs python3: scripts/install_dependencies.sh --peers" >&2
    return
  }
  python bench/copies.py build/release/trainyard "$runs/limit.json" "$ranks" --latency 0us --bandwidth infinite \
    "${flags[@]}" || echo "no limit: copies of one rank did not run with these flags" >&2
  { echo && python bench/scaling.py "$runs" "$figure"; } >&"$to"
}

case ${1:-} in
  -h | --help) usage ;;
  scaling)
    shift
    scaling "$@"
    ;;
  *) compare "$@" ;;
esac
