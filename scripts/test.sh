#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test.
#   scripts/test.sh            all tests, release build
#   scripts/test.sh --fast     without those labelled slow
#   scripts/test.sh asan       the same under AddressSanitizer and UndefinedBehaviorSanitizer; also debug, and
#                              tsan (ThreadSanitizer: the tests of the library's parts that have threads)
set -euo pipefail
cd "$(dirname "$0")/.."

preset=release
select=()
for argument in "$@"; do
  case "$argument" in
    --fast) select=(--label-exclude slow) ;;
    release | debug | asan | tsan) preset=$argument ;;
    *)
      echo "test.sh: '$argument' is not --fast, release, debug, asan or tsan" >&2
      exit 2
      ;;
  esac
done

developer=()
[[ $preset != asan ]] || developer=(--developer)  # clang
./scripts/install_dependencies.sh "${developer[@]}"
./scripts/build.sh "$preset"
export TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp halt_on_error=1 ${TSAN_OPTIONS:-}"
export ASAN_OPTIONS="detect_stack_use_after_return=0 ${ASAN_OPTIONS:-}"
exec ctest --test-dir "build/$preset" --output-on-failure --parallel "$(nproc)" "${select[@]}"
