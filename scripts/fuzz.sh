#!/bin/sh
# Builds the fuzz targets (tests/fuzz, one for each reader of what comes from outside) and runs each
# on the given number of inputs.
#
#   scripts/fuzz.sh [RUNS] [READER...]      default: 1000000 runs of all readers
#
# New inputs that reach new code are kept under build/fuzz/corpus/READER, beside the seeds of
# tests/fuzz/corpus/READER. A finding stops the script and leaves its input in build/fuzz/findings.
# Exit status: 0 nothing found; 2 wrong usage; else that of the target with the finding.
set -eu

cd "$(dirname "$0")/.."
readers="libsvm csv idx npy npz gzip bzip2 xz zstd split configuration command_line graph links messages values codec lab_request"
runs=1000000
case ${1:-} in
  '' | [a-z]*) ;;
  *[!0-9]*)
    printf 'fuzz.sh: %s is no number of runs\n' "$1" >&2
    exit 2
    ;;
  *)
    runs=$1
    shift
    ;;
esac
# shellcheck disable=SC2086  # words
[ $# -gt 0 ] || set -- $readers
for reader in "$@"; do
  [ -f "tests/fuzz/$reader.cpp" ] || {
    printf "fuzz.sh: no fuzz target '%s'; known: %s\n" "$reader" "$readers" >&2
    exit 2
  }
done

# Freed memory is kept from reuse for 4 MiB only: with the usual 256 MiB a run takes twice as long,
# half of it in page faults.
export ASAN_OPTIONS=quarantine_size_mb=4:thread_local_quarantine_size_kb=64
./scripts/install_dependencies.sh --developer
./scripts/build.sh asan fuzz_targets
mkdir -p build/fuzz/findings
for reader in "$@"; do
  printf '%s: %s runs\n' "$reader" "$runs"
  mkdir -p "build/fuzz/corpus/$reader"
  "build/asan/tests/fuzz/fuzz_$reader" -runs="$runs" -seed=1 -timeout=10 -rss_limit_mb=2048 \
    -verbosity=0 -print_final_stats=1 -artifact_prefix=build/fuzz/findings/ \
    "build/fuzz/corpus/$reader" "tests/fuzz/corpus/$reader" </dev/null
done
