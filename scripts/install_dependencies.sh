#!/usr/bin/env bash
# Installs the distribution's packages that building needs and that are missing. Says nothing when there is
# nothing to do. `--mpi` adds OpenMPI, with which trainyard-mpi is built, `--developer` what the style checks and
# the fuzz targets need, `--peers` the programs and libraries that scripts/bench.sh compares with. The names are
# those of Debian 12 and 13.
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config
  libtbb-dev        # tasks
  libboost-dev libboost-context-dev  # fibers
  libhwy-dev        # vector kernels
  librandom123-dev  # random streams
  libeigen3-dev     # eigenvalues of mixing matrices
  libhwloc-dev      # cores and NUMA nodes
  node-d3           # charts, embedded into the program's pages
  libcpp-httplib-dev  # the server of the lab
  libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libfmt-dev zlib1g-dev
  catch2            # tests
)
mpi=(openmpi-bin libopenmpi-dev)
case "${1:-}" in
  '') ;;
  --mpi) packages+=("${mpi[@]}") ;;
  --developer)
    packages+=(
      "${mpi[@]}"
      clang clang-format clang-tidy libclang-rt-dev libbenchmark-dev
      qemu-user-static                          # other processors, for the kernels' tests
      nodejs node-typescript                    # the pages' modules: types and tests
      chromium chromium-driver python3-selenium # the pages as a browser shows them
      libsimgrid-dev                            # a second opinion of the simulated network
    )
    ;;
  --peers)
    packages+=(
      libbenchmark-dev
      python3-torch libopenblas0-pthread  # PyTorch, and the BLAS with which it is fast
      libdnnl-dev                         # oneDNN
      python3-sklearn                     # scikit-learn
      liblinear-tools                     # LIBLINEAR
      "${mpi[@]}"                         # OpenMPI
      libgloo-dev                         # PyTorch's transport between processes
      libsimgrid-dev                      # SimGrid
      python3-matplotlib                  # the figure of scripts/bench.sh scaling
    )
    ;;
  *)
    echo "install_dependencies.sh: '$1' is not --mpi, --developer or --peers" >&2
    exit 2
    ;;
esac

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
