#!/usr/bin/env bash
# How fast Trainyard is, against its peers and with more ranks, on this machine.
#
#   scripts/bench.sh [--quick] [NAME…]     one table: work, peer's figure, ours, ratio, floor, met?
#   scripts/bench.sh scaling [FLAG…]       throughput and time to target against ranks; FLAGs go to
#                                          `trainyard run`, like --dataset a9a --data-dir data
#
# NAMEs: pytorch scikit_learn liblinear openmpi simgrid quoted; without any, all of them: about 20 minutes on
# 2 cores, 5 with --quick. Each is a script of bench/peers, which says what it compares and why that
# is fair. What is not installed is skipped and named; scripts/install_dependencies.sh --peers
# installs all of it. Leave the machine alone meanwhile.
#
# Results go to bench/results/MACHINE/DATE.csv; --out DIR puts them elsewhere.
# SCHEMES="ring hogwild", TARGET=0.3 and REPETITIONS=5 choose what `scaling` runs, to which loss and
# how often.
set -euo pipefail
cd "$(dirname "$0")/.."

names=(pytorch scikit_learn liblinear openmpi simgrid quoted)
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

# run_once SCHEME RANKS FLAG…: samples a second, seconds to the target, loss at the end.
run_once() {
  local scheme=$1 ranks=$2
  shift 2
  build/release/trainyard run --scheme "$scheme" --workers "$ranks" --time wall --format csv --quiet \
    --target-loss "$TARGET" "$@" 2>/dev/null | awk -F , '
      NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
      NR == 2 {
        reached = $column["seconds_to_target"]
        print $column["samples_per_second"], reached == "" ? "never" : reached, $column["train_loss"]
      }'
}

# The middle one, by throughput, of several runs.
median_run() {
  for ((i = 0; i < REPETITIONS; i++)); do run_once "$@"; done | sort -g | sed -n "$((REPETITIONS / 2 + 1))p"
}

scaling() {
  : "${SCHEMES:=ring ps-sync hogwild gossip}" "${TARGET:=0.3}" "${REPETITIONS:=5}"
  if [[ "${1:-}" == --quick ]]; then
    REPETITIONS=1
    shift
  fi
  # What the user gives takes the place of all of it.
  local flags=(--dataset blobs --model "mlp:256,128" --lr 0.05 --epochs 50)
  [[ $# -eq 0 ]] || flags=("$@")
  ./scripts/install_dependencies.sh
  ./scripts/build.sh release trainyard
  # What is wrong with the flags is said once, and here.
  build/release/trainyard run --scheme sequential --workers 1 --time wall --quiet --steps 1 \
    "${flags[@]}" >/dev/null

  local cores ranks n scheme rate seconds loss base
  cores=$(nproc)
  ranks=()
  for ((n = 1; n < cores; n *= 2)); do ranks+=("$n"); done
  ranks+=("$cores" "$((2 * cores))")
  echo "$(machine): trainyard run ${flags[*]} --target-loss $TARGET, median of $REPETITIONS"
  printf '%-12s %6s %14s %9s %14s %9s %10s\n' \
    scheme ranks samples/s speed-up 'to target, s' speed-up loss
  for scheme in $SCHEMES; do
    base=
    for n in "${ranks[@]}"; do
      read -r rate seconds loss < <(median_run "$scheme" "$n" "${flags[@]}") || {
        printf '%-12s %6s   does not run\n' "$scheme" "$n"
        continue
      }
      [[ -n "$base" ]] || base="$rate $seconds"
      awk -v scheme="$scheme" -v n="$n" -v over="$((n > cores))" -v rate="$rate" -v seconds="$seconds" \
        -v loss="$loss" -v base="$base" 'BEGIN {
          split(base, first)
          faster = seconds > 0 && first[2] > 0 ? sprintf("%.2f", first[2] / seconds) : "-"
          if (seconds > 0) seconds = sprintf("%.4g", seconds)
          remark = over ? "   more ranks than cores" : ""
          printf "%-12s %6s %14.4g %9.2f %14s %9s %10.5f%s\n", scheme, n, rate, rate / first[1],
            seconds, faster, loss, remark
        }'
    done
  done
}

case ${1:-} in
  -h | --help) usage ;;
  scaling)
    shift
    scaling "$@"
    ;;
  *) compare "$@" ;;
esac
