#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test.
#   scripts/test.sh            all tests, release build
#   scripts/test.sh --fast     without those labelled slow
#   scripts/test.sh --third K  every third one, from the first on (K = 0), the second (1) or the third (2)
#   scripts/test.sh asan       the same under AddressSanitizer and UndefinedBehaviorSanitizer; also debug,
#                              separate (release with each source by itself), and
#                              tsan (ThreadSanitizer: the tests of the library's parts that have threads)
set -euo pipefail
cd "$(dirname "$0")/.."

preset=release
select=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    --fast) select+=(--label-exclude slow) ;;
    --third)
      [[ ${2:-} == [012] ]] || {
        echo "test.sh: --third takes 0, 1 or 2" >&2
        exit 2
      }
      select+=(--tests-information "$(($2 + 1)),,3")
      shift
      ;;
    release | separate | debug | asan | tsan) preset=$1 ;;
    *)
      echo "test.sh: '$1' is not --fast, --third, release, separate, debug, asan or tsan" >&2
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
exec ctest --test-dir "build/$preset" --output-on-failure --parallel "$(nproc)" "${select[@]}"
