#!/usr/bin/env bash
# clang-format and clang-tidy over the whole tree; fails when either has something to say.
set -euo pipefail
cd "$(dirname "$0")/.."

./scripts/install_dependencies.sh --developer
git ls-files '*.cpp' '*.hpp' | xargs clang-format --dry-run -Werror
[[ "${1:-}" == --format-only ]] && exit 0

cmake --preset release >/dev/null
git ls-files 'src/*.cpp' | xargs -P "$(nproc)" -n 4 clang-tidy -p build/release --quiet 2>/dev/null
