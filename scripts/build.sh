#!/usr/bin/env bash
# Configures and builds one preset of CMakePresets.json: scripts/build.sh PRESET [TARGET…]
# Says how far it is: in one line on a terminal, at every tenth of the way elsewhere. Where it fails,
# everything that was printed follows.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=$1
shift
targets=()
[[ $# -gt 0 ]] && targets=(--target "$@")

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Reads what ninja prints, `[12/318] Building …` once a step.
show_progress() {
  local line step steps last=0
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) && $line != *'Re-checking globbed'* ]] || continue
    step=${BASH_REMATCH[1]} steps=${BASH_REMATCH[2]}
    if [[ -t 2 ]]; then
      line="building ($preset) $step of $steps: ${BASH_REMATCH[3]##*/}"
      printf '\r\033[K%.*s' "$(($(tput cols 2>/dev/null || echo 80) - 1))" "$line" >&2
    elif ((step * 10 / steps > last)); then
      last=$((step * 10 / steps))
      echo "  $step of $steps built" >&2
    fi
  done
  [[ ! -t 2 ]] || printf '\r\033[K' >&2
}

build() {
  cmake --preset "$preset" && cmake --build --preset "$preset" "${targets[@]}"
}

echo "building ($preset)…" >&2
if ! build 2>&1 | show_progress; then
  cat "$log" >&2
  exit 1
fi
