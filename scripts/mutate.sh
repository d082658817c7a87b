#!/usr/bin/env bash
# Do the tests notice when the code is wrong? Makes small changes of src/, one at a time, in a copy of
# the tree under build/mutants, and runs the tests on each.
#
#   scripts/mutate.sh [--seed S] [--count N]     default: seed 1, 20 changes
#
# A change is killed when a test fails, crashes or runs into the time limit: those of the mirrored
# folder of tests/ first, then everything that is not slow. Each survivor is printed as a diff: it wants
# a test, or is no change at all. The same seed and sources give the same changes.
set -euo pipefail
cd "$(dirname "$0")/.."

./scripts/install_dependencies.sh
command -v python3 >/dev/null || {
  echo "mutate.sh: python3 is missing" >&2
  exit 1
}
exec python3 scripts/mutate.py "$@"
