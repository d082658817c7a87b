#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test.
#   scripts/test.sh            all tests, release build
#   scripts/test.sh --fast     without those labelled slow
#   scripts/test.sh asan       the same under AddressSanitizer and UndefinedBehaviorSanitizer; also debug,
#                              separate (release with each source by itself),
#                              tsan (ThreadSanitizer: the tests of the library's parts that have threads), and
#                              aarch64 (built for 64-bit Arm; qemu runs it, ten times as slow), and
#                              python (the Python module: pytest). With release the module's tests run, too, where
#                              Python, pybind11 and pytest are there.
# Tests that take milliseconds share processes, some fifty each, as starting one takes longer than a test: 1,900
# starts were a fifth of the time. `ctest --test-dir build/release` has each in a process of its own.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=release
fast=0
while [[ $# -gt 0 ]]; do
  case "$1" in
    --fast) fast=1 ;;
    release | separate | debug | asan | tsan | aarch64 | python) preset=$1 ;;
    *)
      echo "test.sh: '$1' is not --fast, release, separate, debug, asan, tsan, aarch64 or python" >&2
      exit 2
      ;;
  esac
  shift
done

developer=()
[[ $preset != asan ]] || developer=(--developer)  # clang
[[ $preset != aarch64 ]] || developer=(--arm64)
[[ $preset != python ]] || developer=(--python)
./scripts/install_dependencies.sh "${developer[@]}"
[[ $preset == python ]] || ./scripts/build.sh "$preset"  # else by its tests, for their interpreter

# The tests of the Python module; what they lack is said.
test_python() {
  local python=${PYTHON:-/usr/bin/python3} lacking=()
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || lacking+=("Python 3.11")
  "$python" -c 'import numpy, pandas' 2>/dev/null || lacking+=("NumPy and pandas")
  "$python" -c 'import pytest' 2>/dev/null || lacking+=(pytest)
  [[ -e /usr/include/pybind11/pybind11.h ]] || lacking+=(pybind11)
  if [[ ${#lacking[@]} -gt 0 ]]; then
    printf 'the tests of the Python module are skipped, as these are not there:%s; ' "$(printf ' %s,' "${lacking[@]}")"
    echo "scripts/install_dependencies.sh --python installs them"
    return 0
  fi
  cmake --preset python -DPython_EXECUTABLE="$python" >/dev/null
  ./scripts/build.sh python
  MPLBACKEND=Agg PYTHONPATH=build/python/python "$python" -m pytest -q -p no:cacheprovider python/tests
}
if [[ $preset == python ]]; then
  test_python
  exit
fi
# With a short history ThreadSanitizer forgets where an access was made, and tests/tsan.supp cannot know it: a
# worker of oneTBB counts down on the stack of who waits for it, which others of its tests use later.
export TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp history_size=7 halt_on_error=1 ${TSAN_OPTIONS:-}"
# qemu keeps a record of each page that a program asks for, used or not: readers of data ask for 64 GiB, and for the
# half where that is refused. With 28 GiB for all a test of theirs takes 10 s instead of 57.
[[ $preset != aarch64 ]] || export QEMU_RESERVED_VA=0x700000000
export ASAN_OPTIONS="detect_stack_use_after_return=0 ${ASAN_OPTIONS:-}"

# What qemu 7.2 cannot do: it tells nobody that the owner of a mutex was killed (set_robust_list), and of a guard that
# is asked for by madvise it says that it is there.
beyond_qemu='/^a mutex that a killed process held goes to the next one$/d
             /^stacks lie apart, and a page below each is nobody.s$/d'

# Runs the tests that the program has itself, some fifty of them a process. Names are dealt out to files, one a
# line, as cards are: neighbours take alike long.
run_together() { # EXPRESSION of Catch2
  local program=("build/$preset/tests/trainyard_tests") ran asked
  [[ $preset != aarch64 ]] || program=(qemu-aarch64-static "${program[@]}")
  hands=$(mktemp -d)
  trap 'rm -rf "$hands" "$hands.names"' EXIT
  # Catch2 2 lists by the first flag, and exits with their number; Catch2 3 by the second.
  { "${program[@]}" --list-test-names-only "$1" 2>/dev/null || true; } >"$hands.names"
  [[ -s $hands.names ]] || "${program[@]}" --list-tests --verbosity quiet "$1" >"$hands.names"
  [[ $preset != aarch64 ]] || sed -i "$beyond_qemu" "$hands.names"
  # A comma in a name would begin another one.
  sed 's/[],\\["*]/\\&/g' "$hands.names" | awk -v hands="$hands" '{ print > (hands "/" (NR % 32)) }'
  local failed=0
  printf '%s\n' "$hands"/* | xargs --max-procs "$(nproc)" --replace sh -c \
    "timeout --foreground 3600 ${program[*]} --input-file {} >{}.log 2>&1 || { cat {}.log; exit 1; }" || failed=1
  ran=$(sed -nE 's/.*(assertions? in |test cases: *)([0-9]+).*/\2/p' "$hands"/*.log | awk '{ sum += $1 } END { print sum + 0 }')
  asked=$(wc -l <"$hands.names")
  grep -ahE ': FAILED:?$' "$hands"/*.log >"$failures" || true
  echo "$ran of $asked tests that share processes ran under $preset"
  [[ $failed -eq 0 && $ran -eq $asked ]]
}
failures=$(mktemp)  # where they are, to be said again at the end
trap 'rm -f "$failures"' EXIT

quick="~[slow]~[.]"
if [[ $preset == asan || $preset == tsan ]]; then
  [[ $fast -eq 1 ]] || quick="~[.]"
  (run_together "$quick")
  exit
fi
status=0
# Both at once: those that do not share processes wait a third of their time, for a browser, a clock or processes.
(run_together "$quick") &
quick_ones=$!
apart=together  # the label of the quick ones
[[ $fast -eq 0 ]] || apart="together|slow"
ctest --test-dir "build/$preset" --output-on-failure --parallel "$(nproc)" --label-exclude "$apart" || status=1
# The library for it is compiled once more: as long as the release build takes.
if [[ $preset == release ]]; then
  if [[ $fast -eq 1 ]]; then
    echo "the tests of the Python module are skipped with --fast; scripts/test.sh python runs them"
  else
    test_python || status=1
  fi
fi
wait "$quick_ones" || {
  echo "of the tests that share processes some failed, see above:" >&2
  cat "$failures" >&2
  status=1
}
exit "$status"
