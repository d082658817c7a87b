#!/usr/bin/env bash
# Configures and builds one preset of CMakePresets.json: scripts/build.sh PRESET [TARGET…]
# Quiet unless it fails.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=$1
shift
targets=()
[[ $# -gt 0 ]] && targets=(--target "$@")

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "building ($preset)…" >&2
if ! { cmake --preset "$preset" && cmake --build --preset "$preset" "${targets[@]}"; } >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
