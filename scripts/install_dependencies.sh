#!/usr/bin/env bash
# Installs the distribution's packages that building needs and that are missing. Says nothing when there is
# nothing to do. `--mpi` adds OpenMPI, with which trainyard-mpi is built, `--developer` what the style checks and
# the fuzz targets need, `--peers` the programs and libraries that scripts/bench.sh compares with, `--arm64` what
# building for 64-bit Arm on another machine needs, and an emulator, `--python` what the Python module and its tests
# need. The names are those of Debian 12 and 13; those
# of `--arm64` go together on 12.
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config
  libtbb-dev        # tasks
  libboost-dev libboost-context-dev  # fibers, queues without locks
  libhwy-dev        # vector kernels
  librandom123-dev  # random streams
  libeigen3-dev     # eigenvalues of mixing matrices
  libhwloc-dev      # cores and NUMA nodes
  node-d3           # charts, embedded into the program's pages
  libcpp-httplib-dev  # the server of the lab
  libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libfmt-dev
  zlib1g-dev libbz2-dev liblzma-dev libzstd-dev  # compressed files
  catch2            # tests
)
mpi=(openmpi-bin libopenmpi-dev)
# Libraries of the other architecture, which may lie beside this machine's; the rest is headers and programs.
arm64=(
  g++-aarch64-linux-gnu qemu-user-static cmake ninja-build pkg-config
  {libtbb-dev,libboost-dev,libboost-context-dev,libhwy-dev,libhwloc-dev,libcpp-httplib-dev}:arm64
  {libtomlplusplus-dev,libfmt-dev,zlib1g-dev,libbz2-dev,liblzma-dev,libzstd-dev}:arm64
  librandom123-dev libeigen3-dev libcli11-dev nlohmann-json3-dev node-d3 catch2
)
case "${1:-}" in
  '') ;;
  --arm64) packages=("${arm64[@]}") ;;
  --mpi) packages+=("${mpi[@]}") ;;
  --developer)
    packages+=(
      "${mpi[@]}"
      clang clang-format clang-tidy libclang-rt-dev libbenchmark-dev
      qemu-user-static                          # other processors, for the kernels' tests
      nodejs node-typescript                    # the pages' modules: types and tests
      python3-protobuf                          # reads Chakra's traces, whose format is protobuf's
      chromium chromium-driver python3-selenium firefox-esr # the pages as a browser shows them
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
  --python)
    packages+=(
      pybind11-dev python3-dev
      python3-numpy python3-scipy python3-pandas python3-sklearn python3-matplotlib
      python3-pytest python3-mypy                        # its tests
      python3-pip python3-venv python3-setuptools python3-wheel  # pip install .
    )
    ;;
  *)
    echo "install_dependencies.sh: '$1' is not --mpi, --developer, --peers, --arm64 or --python" >&2
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

# Machines that update themselves at start hold the package manager's locks for minutes. apt-get waits for one of
# them if it is told to (DPkg::Lock::Timeout), but not for that of its lists, which `update` takes, nor for that
# of its archive: so it is called again, for a quarter of an hour.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt_get() {
  local attempt status holder
  for ((attempt = 0; attempt < 180; ++attempt)); do
    set +e
    "${as_root[@]}" env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get "$@" 2>&1 | tee "$log" |
      grep --line-buffered -v '^E: ' >&2
    status=${PIPESTATUS[0]}
    set -e
    holder=$(sed -n '/^E: Could not get lock /{s/^E: Could not get lock //p;q}' "$log")
    [[ $status -eq 0 || -z "$holder" ]] && break
    [[ $attempt -gt 0 ]] ||
      echo "another package manager is at work: waiting for it, 15 minutes at most ($holder)" >&2
    sleep 5
  done
  [[ $status -eq 0 ]] || grep '^E: ' "$log" >&2 || true
  return "$status"
}

echo "installing: ${missing[*]}" >&2
[[ "${1:-}" != --arm64 ]] || "${as_root[@]}" dpkg --add-architecture arm64
apt_get update -qq
apt_get install -y -qq --no-install-recommends "${missing[@]}"
