#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test.
#   scripts/test.sh            all tests, release build
#   scripts/test.sh --fast     without those labelled slow
#   scripts/test.sh asan       the same under AddressSanitizer and UndefinedBehaviorSanitizer; also debug,
#                              separate (release with each source by itself), and
#                              tsan (ThreadSanitizer: the tests of the library's parts that have threads).
#                              Under sanitizers some fifty tests share a process, as starting it takes longer than a test
set -euo pipefail
cd "$(dirname "$0")/.."

preset=release
select=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    --fast) select+=(--label-exclude slow) ;;
    release | separate | debug | asan | tsan) preset=$1 ;;
    *)
      echo "test.sh: '$1' is not --fast, release, separate, debug, asan or tsan" >&2
      exit 2
      ;;
  esac
  shift
done

developer=()
[[ $preset != asan ]] || developer=(--developer)  # clang
./scripts/install_dependencies.sh "${developer[@]}"
./scripts/build.sh "$preset"
export TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp halt_on_error=1 ${TSAN_OPTIONS:-}"
export ASAN_OPTIONS="detect_stack_use_after_return=0 ${ASAN_OPTIONS:-}"
if [[ $preset != asan && $preset != tsan ]]; then
  exec ctest --test-dir "build/$preset" --output-on-failure --parallel "$(nproc)" "${select[@]}"
fi

# Names of tests, one a line, dealt out to files as cards are: neighbours take alike long.
program="build/$preset/tests/trainyard_tests"
which="~[.]"
[[ ${#select[@]} -eq 0 ]] || which="~[slow]~[.]"
hands=$(mktemp -d)
# Catch2 2 lists by the first flag, and exits with their number; Catch2 3 by the second.
{ "$program" --list-test-names-only "$which" 2>/dev/null || true; } >"$hands.names"
[[ -s $hands.names ]] || "$program" --list-tests --verbosity quiet "$which" >"$hands.names"
trap 'rm -rf "$hands" "$hands.names"' EXIT
# A comma in a name would begin another one.
sed 's/[],\\["*]/\\&/g' "$hands.names" | awk -v hands="$hands" '{ print > (hands "/" (NR % 32)) }'
printf '%s\n' "$hands"/* | xargs --max-procs "$(nproc)" --replace sh -c \
  "timeout 3600 $program --input-file {} >{}.log 2>&1 || { cat {}.log; exit 1; }"
ran=$(sed -nE 's/.*(assertions? in |test cases: *)([0-9]+).*/\2/p' "$hands"/*.log | awk '{ sum += $1 } END { print sum + 0 }')
asked=$(wc -l <"$hands.names")
echo "$ran of $asked tests passed under $preset"
[[ $ran -eq $asked ]]
