#!/usr/bin/env bash
# Makes the documentation's pictures anew, from pages that the program writes: scripts/pictures.sh
set -euo pipefail
cd "$(dirname "$0")/.."

./scripts/install_dependencies.sh
./scripts/install_dependencies.sh --developer
./scripts/build.sh release trainyard
mkdir -p docs/pictures
exec /usr/bin/python3 tests/web/browser/pictures.py build/release/trainyard docs/pictures
