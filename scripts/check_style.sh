#!/usr/bin/env bash
# clang-format over the whole tree, types of the pages' modules, and clang-tidy; fails when either has something to say.
#
#   scripts/check_style.sh          clang-tidy over the sources that differ from the commit named in
#                                   .ci/clang_tidy_base, where the whole tree was found clean
#   scripts/check_style.sh --all    over all of them: 12 to 20 processor seconds each, half an hour on two
#                                   cores. Where nothing is found and all is committed, the commit
#                                   becomes the base
set -euo pipefail
cd "$(dirname "$0")/.."

./scripts/install_dependencies.sh --developer
git ls-files '*.cpp' '*.hpp' | xargs clang-format --dry-run -Werror
tsc --project src/web/page  # types of the pages' modules

base_file=.ci/clang_tidy_base
case "${1:-}" in
  --all) files=$(git ls-files 'src/*.cpp') ;;
  '')
    base=$(cat "$base_file")
    # A clone without that commit says nothing about it: then all of them.
    files=$(git diff --name-only --diff-filter=d "$base" -- 'src/*.cpp' 2>/dev/null ||
      git ls-files 'src/*.cpp')
    ;;
  *)
    echo "check_style.sh: '$1' is not --all" >&2
    exit 2
    ;;
esac

cmake --preset separate >/dev/null
echo "clang-tidy: $(wc -w <<<"$files") sources" >&2
# Which headers a source takes in says nothing here: clang-tidy reports what it finds in them too.
printf '%s' "$files" | xargs -r -P "$(nproc)" -n 2 clang-tidy -p build/separate --quiet 2>/dev/null

if [[ "${1:-}" == --all && -z "$(git status --porcelain)" ]]; then
  git rev-parse HEAD >"$base_file"
  echo "all clean: $base_file names this commit now" >&2
fi
