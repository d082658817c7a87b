#!/usr/bin/env bash
# Do the README's two commands work on a bare system? Makes one of Debian's base packages alone, clones the last
# commit into it, runs both commands there, and says how long each took. Needs root; some 5 minutes of two
# cores for each command's build, 4 GiB of disk. What was installed and built is thrown away at the end; the base,
# without any package of ours, is kept.
#
#   scripts/bare.sh 12            Debian 12
#   scripts/bare.sh 13 [FLAG…]    Debian 13; flags are those of test.sh, such as --fast
#   scripts/bare.sh 12 aarch64 --fast
#                                 Debian 12, building for 64-bit Arm: test.sh alone, as what runs is emulated
#   scripts/bare.sh 13 python     the Python module: its tests, `pip install .` into a new environment, and the wheel in
#                                 another bare system that has Python and NumPy alone; of test.sh only its python
#
# Tests that read large data sets say there that they skip: a bare system has none.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
  12) suite=bookworm ;;
  13) suite=trixie ;;
  *)
    echo "bare.sh: '${1:-}' is not 12 or 13, the versions of Debian" >&2
    exit 2
    ;;
esac
version=$1
shift

[[ $EUID -eq 0 ]] || {
  echo "bare.sh: it needs root, to make a system and to enter it" >&2
  exit 1
}
command -v debootstrap >/dev/null || {
  echo "bare.sh: it needs debootstrap" >&2
  exit 1
}
[[ -z $(git status --porcelain) ]] || echo "bare.sh: what is not committed is not tested" >&2

base=build/bare/base-$version
system=$PWD/build/bare/$version
if [[ ! -e $base ]]; then
  mkdir -p build/bare
  rm -rf "$base.partial"
  echo "making the base of Debian $version…" >&2
  debootstrap --variant=minbase "$suite" "$base.partial" >"build/bare/debootstrap-$version.log"
  mv "$base.partial" "$base"
fi
rm -rf --one-file-system "$system"
trap 'rm -rf --one-file-system "$system"' EXIT
cp -a "$base" "$system"
cp /etc/resolv.conf "$system/etc/resolv.conf"
git clone --quiet --no-hardlinks . "$system/trainyard"

# A mount and a process namespace of its own: nothing stays mounted, and nobody goes on running, whatever happens.
enter() {
  enter_system "$system" "$@"
}

enter_system() {
  unshare --mount --pid --fork --kill-child bash -c '
    mount -t proc proc "$0/proc"
    mount -t sysfs -o ro sysfs "$0/sys"
    mount --rbind /dev "$0/dev"
    exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 bash -c "$1" bash "${@:2}"
  ' "$@"
}

timed() {
  local what=$1 began=$SECONDS
  shift
  echo "Debian $version: $what"
  enter "cd /trainyard && exec \"\$@\"" "$@" || {
    echo "Debian $version: $what failed after $((SECONDS - began)) s" >&2
    exit 1
  }
  echo "Debian $version: $what took $((SECONDS - began)) s"
}

# What users of the module do, once its tests have built it.
use_module="import trainyard as ty; print(ty.compare(['ring', 'local-sgd'], workers=4, steps=20, lr=1).labels)"
install_with_pip='python3 -m venv --system-site-packages /tmp/venv &&
  TRAINYARD_BUILD_DIR=$PWD/build/python /tmp/venv/bin/pip install --quiet --no-build-isolation . &&
  cd / && /tmp/venv/bin/python -c "$1"'

# In a system that has no package of ours.
use_wheel() {
  local other=$system-wheel
  trap 'rm -rf --one-file-system "$system" "$system-wheel"' EXIT
  rm -rf --one-file-system "$other"
  cp -a "$base" "$other"
  cp /etc/resolv.conf "$other/etc/resolv.conf"
  cp "$system"/trainyard/build/wheels/*.whl "$other/tmp/"
  echo "Debian $version: the wheel beside Python and NumPy alone"
  enter_system "$other" '
    { apt-get update && apt-get install --yes --no-install-recommends python3 python3-numpy unzip; } >/dev/null 2>&1
    mkdir /tmp/site && cd /tmp/site && unzip -q ../*.whl && cd / && PYTHONPATH=/tmp/site python3 -c "$1"' "$use_module"
}

if [[ ${1:-} == python ]]; then
  timed "scripts/test.sh python" ./scripts/test.sh python
  timed "pip install ." bash -c "$install_with_pip" bash "$use_module"
  timed "scripts/wheel.sh" env TRAINYARD_BUILD_DIR=/trainyard/build/python ./scripts/wheel.sh
  use_wheel
  exit
fi
[[ " $* " == *" aarch64 "* ]] || timed "scripts/run.sh compare" ./scripts/run.sh compare
timed "scripts/test.sh $*" ./scripts/test.sh "$@"
