#!/usr/bin/env bash
# Installs what is missing, builds, and runs the program: scripts/run.sh compare, scripts/run.sh list schemes, …
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)

"$top/scripts/install_dependencies.sh"
"$top/scripts/build.sh" release trainyard
exec "$top/build/release/trainyard" "$@"
