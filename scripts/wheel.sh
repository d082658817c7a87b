#!/usr/bin/env bash
# Makes a wheel of the Python module that brings the libraries it is linked with: for machines of the same processor
# and a C library no older than this one's, on which only Python and NumPy are. Prints the wheel's path.
#   scripts/wheel.sh [PYTHON]     for that interpreter, /usr/bin/python3 without one; into build/wheels
# What every system has stays there: the C and C++ libraries, as auditwheel's rules have it. The module looks for the
# others beside itself first (its RPATH, which holds for what these need as well).
set -euo pipefail
cd "$(dirname "$0")/.."

python=${1:-/usr/bin/python3}
./scripts/install_dependencies.sh --python
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TRAINYARD_BUILD_DIR=${TRAINYARD_BUILD_DIR:-$PWD/build/wheel-$("$python" -c 'import sys; print(sys.version_info[1])')}
"$python" -m pip wheel --no-build-isolation --no-deps --quiet --wheel-dir "$work" .
wheel=$(basename "$work"/trainyard-*.whl)
"$python" -m wheel unpack --dest "$work" "$work/$wheel" >/dev/null
package=$(echo "$work"/trainyard-*/trainyard)

on_every_system='^(linux-vdso|ld-linux.*|lib(c|m|dl|rt|pthread|stdc[+][+]|gcc_s))\.so'
mkdir "$package/libs"
ldd "$package"/_trainyard.*.so | while read -r name arrow file _; do
  [[ "$name" =~ $on_every_system || "$arrow" != '=>' ]] && continue
  [[ -e "$file" ]] || {
    echo "wheel.sh: $name is not found" >&2
    exit 1
  }
  cp -L "$file" "$package/libs/$name"
done
mkdir -p build/wheels
"$python" -m wheel pack --dest-dir build/wheels "$(dirname "$package")" >/dev/null
echo "build/wheels/$wheel"
