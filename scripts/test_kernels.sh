#!/usr/bin/env bash
# Are the kernels right by another compiler, and on other processors? Builds the kernels' and codecs' tests with
# clang++ and runs them here; then those of the release build (GCC) on processors that qemu emulates: a Haswell,
# which has AVX2 and no AVX-512, and a Nehalem, which has SSE4 and no AVX. The tests hold each kernel against a
# plain loop, on every instruction set that the processor has; what differs by more than rounding fails.
# (Arm's vectors: scripts/test.sh aarch64.)
set -euo pipefail
cd "$(dirname "$0")/.."

./scripts/install_dependencies.sh --developer
cmake -S . -B build/clang -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Release \
  -DTRAINYARD_WARNINGS_AS_ERRORS=ON >/dev/null
echo "building (clang)…" >&2
cmake --build build/clang --target trainyard_kernel_tests >build/clang/log || {
  cat build/clang/log >&2
  exit 1
}
echo "kernels by clang:"
build/clang/trainyard_kernel_tests

./scripts/build.sh release trainyard_tests
for processor in Haswell-v4 Nehalem; do
  echo "kernels on a $processor:"
  qemu-x86_64-static -cpu "$processor" build/release/tests/trainyard_tests '[kernels]'
done
