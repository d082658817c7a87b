#!/usr/bin/env bash
# Installs the distribution's packages that building needs and that are missing. Says nothing when there is
# nothing to do. `--developer` adds what the style checks and the fuzz targets need.
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config
  libtbb-dev        # tasks
  libboost-dev libboost-context-dev  # fibers
  libeigen3-dev     # linear algebra where oneDNN is missing
  libdnnl-dev       # matrix products
  libhwy-dev        # vector kernels
  librandom123-dev  # random streams
  libhwloc-dev      # cores and NUMA nodes
  libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libfmt-dev zlib1g-dev
  catch2            # tests
)
if [[ "${1:-}" == --developer ]]; then
  packages+=(clang clang-format clang-tidy libclang-rt-14-dev libbenchmark-dev)
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ "$status" == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

as_root=()
if [[ $EUID -ne 0 ]]; then
  command -v sudo >/dev/null || {
    echo "these packages are missing, and installing them needs root: ${missing[*]}" >&2
    exit 1
  }
  as_root=(sudo)
fi
echo "installing: ${missing[*]}" >&2
"${as_root[@]}" apt-get update -qq >&2
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends \
  "${missing[@]}" >&2
